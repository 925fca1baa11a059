"""Stream helpers: answer events as a projection, and messages without raw answer calls."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langgraph.stream import ProtocolEvent, StreamChannel, StreamTransformer

from answergraph.asking.strategies.declared_format import as_strategy
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.streaming.answer_events import AnswerEvent, is_answer_event


@explains_arguments("create_agent(…, transformers=[AnswerTransformer])")
class AnswerTransformer(StreamTransformer):
    """Adds ``run.extensions["answers"]`` to ``stream_events(version="v3")``: the ``AnswerEvent`` items of this graph.

    Pass the class in ``transformers`` to ``create_agent`` or to ``stream_events``.
    """

    required_stream_modes = ("custom",)

    def __init__(self, scope: tuple[str, ...] = ()) -> None:
        """Take the namespace of the graph."""
        super().__init__(scope)
        self._answers: StreamChannel[AnswerEvent] = StreamChannel()

    def init(self) -> dict[str, object]:
        return {"answers": self._answers}

    def process(self, event: ProtocolEvent) -> bool:
        params = event["params"]
        if event["method"] == "custom" and tuple(params["namespace"]) == self.scope and is_answer_event(params["data"]):
            self._answers.push(params["data"])
        return True  # all events stay in the stream


@explains_arguments("HideAnswerCalls(response_format)")
class HideAnswerCalls:
    """Removes the answer tools' raw calls from a ``messages`` stream and keeps prose and other calls; create one per stream.

    Example:
        >>> from pydantic import BaseModel
        >>> class Verdict(BaseModel):
        ...     passed: bool
        >>> shown = HideAnswerCalls(Verdict)
        >>> shown(ToolMessage("Returning structured response: …", name="Verdict", tool_call_id="1")) is None
        True
    """

    def __init__(self, response_format: Any) -> None:
        """Hide the calls of one agent.

        Args:
            response_format: As for ``create_agent``.

        Raises:
            AgentSpecError: If it is not supported.
        """
        self._names = frozenset(as_strategy(response_format).schema_names)
        self._answer_chunks: set[tuple[str | None, object]] = set()

    def __call__(self, message: BaseMessage) -> BaseMessage | None:
        """Return a message without its answer calls.

        Args:
            message: The message of an item of the stream; it is not changed.

        Returns:
            The same message if it has none; ``None`` if nothing else remains.
        """
        if isinstance(message, ToolMessage):
            return None if message.name in self._names else message
        if isinstance(message, AIMessageChunk):
            return self._without_chunks(message)
        return self._without_calls(message) if isinstance(message, AIMessage) else message

    def _without_chunks(self, message: AIMessageChunk) -> AIMessageChunk | None:
        for call in message.tool_call_chunks:
            if call["name"] in self._names:
                self._answer_chunks.add((message.id, call["index"]))
        kept = [call for call in message.tool_call_chunks if (message.id, call["index"]) not in self._answer_chunks]
        if len(kept) == len(message.tool_call_chunks):
            return message
        # Rebuilt, because a chunk derives its calls from the pieces.
        fields = {name: value for name, value in message if name not in ("tool_calls", "invalid_tool_calls")}
        content, raw = self._content(message), _without_raw_calls(message)
        changed = AIMessageChunk(**{**fields, "content": content, "additional_kwargs": raw, "tool_call_chunks": kept})
        return changed if kept or changed.content else None

    def _without_calls(self, message: AIMessage) -> AIMessage | None:
        calls = [call for call in message.tool_calls if call["name"] not in self._names]
        malformed = [call for call in message.invalid_tool_calls if call["name"] not in self._names]
        if len(calls) + len(malformed) == len(message.tool_calls) + len(message.invalid_tool_calls):
            return message
        changed = message.model_copy(
            update={
                "content": self._content(message),
                "additional_kwargs": _without_raw_calls(message),
                "tool_calls": calls,
                "invalid_tool_calls": malformed,
            }
        )
        return changed if calls or malformed or changed.content else None

    def _content(self, message: AIMessage) -> object:
        # Some providers also write a call as a content block with the same index.
        if isinstance(message.content, str):
            return message.content
        return [block for block in message.content if not self._is_answer(block, message.id)]

    def _is_answer(self, block: object, message_id: str | None) -> bool:
        if not isinstance(block, Mapping) or block.get("type") in ("text", "reasoning", "thinking"):
            return False
        return block.get("name") in self._names or (message_id, block.get("index", self)) in self._answer_chunks


def _without_raw_calls(message: AIMessage) -> dict[str, object]:
    return {key: value for key, value in message.additional_kwargs.items() if key != "tool_calls"}
