"""The reply that stands when the ``structured_response`` node is visited, and the tool messages that answer its calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage, ToolCall, ToolMessage

from answergraph.nodes.messages import unanswered
from answergraph.nodes.outcome import Ledger
from answergraph.nodes.response_format.reading import Offer, Reading


@dataclass(frozen=True)
class Reply:
    """What stands to be read when the node is visited."""

    conversation: Sequence[AnyMessage]
    message: AIMessage | None
    after: Sequence[AnyMessage]
    """What follows the message: the results of its tools."""
    offer: Offer
    given: Any
    ledger: Ledger
    of_model: bool
    """Whether the message is the model's own."""
    asks: bool
    """Whether the model may be asked again."""
    direct: ToolMessage | None
    """The result of a ``return_direct`` tool, which is read in place of the message."""

    def raises(self, error: Exception) -> bool:
        """Return whether an error is raised: a mistake of the model's that ``handle_errors`` says is not sent back."""
        return self.of_model and self.asks and self.offer.strategy.raises(error)

    @property
    def pending(self) -> list[ToolCall]:
        """The message's calls that have no tool message yet."""
        return [] if self.message is None else unanswered(self.message.tool_calls, self.after)

    @property
    def came_beside_tools(self) -> bool:
        """Whether tools were called in the same message as the answer and have run since."""
        calls = [] if self.message is None else [*self.message.tool_calls, *self.message.invalid_tool_calls]
        return any(call["name"] not in self.offer.declared for call in calls) and self.direct is None


def reply_that_stands(
    message: AIMessage | None, after: Sequence[AnyMessage], messages: Sequence[AnyMessage], offer: Offer, ledger: Ledger
) -> tuple[AIMessage | None, Sequence[AnyMessage]]:
    """Return the message to read: the last one, or the model's answer where a hook has had the last word after it."""
    if message is None or message.id == ledger["last_id"]:
        return message, after
    own = messages[ledger["seen"]] if ledger["seen"] < len(messages) else None
    if isinstance(own, AIMessage) and own.id == ledger["last_id"] and offer.read(own).status == "answered":
        return own, messages[ledger["seen"] + 1 :]
    return message, after


def in_order(reply: Reply, results: list[ToolMessage]) -> list[Any]:
    """Put results right behind their calls: what a hook added in between is taken out and comes after them."""
    between = [message for message in reply.after if not isinstance(message, ToolMessage)]
    if not results or not between:
        return list(results)
    moved = [message.model_copy(update={"id": None}) for message in between]
    return [*(RemoveMessage(id=str(message.id)) for message in between), *results, *moved]


def answer_results(reply: Reply, reading: Reading, text: str) -> list[ToolMessage]:
    """Answer the reply's answer calls, but for those that a hook has answered already."""
    return [tool_result(call, text) for call in unanswered(reading.calls, reply.after)]


def tool_result(call: ToolCall, text: str, **fields: Any) -> ToolMessage:
    """Answer one call."""
    return ToolMessage(text, name=call["name"], tool_call_id=call["id"], **fields)
