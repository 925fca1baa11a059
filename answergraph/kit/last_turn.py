"""The turn as add-ons see it: the last reply, its calls with their results, and how it stopped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.steps import Router
from answergraph.state.stop_reasons import diagnose, is_paused
from answergraph.state.turn import Turn as AgentTurn

CallKind = Literal["answer", "tool", "external", "unknown", "malformed"]
"""What a call is: an answer of a declared type; a call of a tool; one that is carried out elsewhere; of a tool that there is not;
or one that could not be parsed."""

Stop = Literal["whole", "cut", "refused", "paused", "empty"]
"""How a reply ended: as it should, at a limit of tokens, in a refusal, in a pause of the provider's tool, or without content."""

_STOPS: Mapping[str | None, Stop] = {None: "whole", "truncated": "cut", "refused": "refused", "empty": "empty"}


@dataclass(frozen=True)
class Call:
    """One call in a reply, with its result if there is one."""

    id: str | None
    name: str
    args: Any
    """The arguments; of a malformed call, the text as it was written."""
    kind: CallKind
    result: ToolMessage | None


@dataclass(frozen=True)
class Turn:
    """The last reply and what followed."""

    reply: AIMessage | None
    """``None`` if the model was not called."""
    calls: Sequence[Call]
    """In the order of the reply, malformed ones last."""
    stop: Stop

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Turn:
        """Return the last turn of a graph's state: of its ``messages``, and of an agent's own records if it has them."""
        turn = AgentTurn(cast("Any", state))
        pending = {call["id"] for call in turn.ledger.get("pending", ())} if turn.ledger else ()
        return turn_of(turn.reply, turn.after, turn.request["declared"] if turn.request else (), pending)


def turn_of(
    reply: AIMessage | None,
    after: Sequence[AnyMessage] = (),
    answers: Collection[str] = (),
    elsewhere: Collection[Any] = (),
    others: CallKind = "tool",
) -> Turn:
    """Return the turn of a reply.

    Args:
        reply: The reply, ``None`` if there is none.
        after: The messages that follow it.
        answers: The names of the declared answers.
        elsewhere: The ids of the calls that are carried out elsewhere.
        others: What any other call is.
    """
    if reply is None:
        return Turn(None, (), "empty")
    results = {message.tool_call_id: message for message in after if isinstance(message, ToolMessage)}

    def call_of(call: Mapping[str, Any], *, malformed: bool = False) -> Call:
        kind: CallKind = "external" if call["id"] in elsewhere else others
        kind = "answer" if call["name"] in answers else kind
        return Call(call["id"], call["name"], call["args"], "malformed" if malformed else kind, results.get(call["id"]))

    calls = [call_of(call) for call in reply.tool_calls]
    calls += [call_of(call, malformed=True) for call in reply.invalid_tool_calls]
    return Turn(reply, tuple(calls), "paused" if is_paused(reply) else _STOPS[diagnose(reply)])


def reason_router(route: Callable[[Turn], str], where: Mapping[object, str], *, name: str) -> Router:
    """Return a router that says why, for an edge that says where.

    Pass it with the same ``where`` to ``add_conditional_edges``, so that its reasons stand on the drawn edges.

    Args:
        route: Returns the reason for the next step, a key of ``where``.
        where: The next node per reason.
        name: The name of the router in traces.

    Example:
        >>> where = {"has calls": "tools", "is done": "__end__"}
        >>> route = reason_router(lambda turn: "has calls" if turn.calls else "is done", where, name="after the model")
        >>> route({"messages": []})
        'is done'
    """

    def reason(state: Mapping[str, Any]) -> str:
        chosen = route(Turn.of(state))
        if chosen not in where:
            raise AgentSpecError(f"The router {name!r} gave the reason {chosen!r}; its edges have {list(where)!r}.")
        return chosen

    return Router(reason, name=name)
