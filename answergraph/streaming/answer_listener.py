"""A callback handler that streams the growing answer to the ``custom`` stream."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.json_envelope import SCHEMA, VALUE, opened
from answergraph.patches.repair import growing
from answergraph.state.ledger import Repair
from answergraph.streaming.answer_events import AnswerEvent, bare_value
from answergraph.streaming.growing_json import GrowingJson

ENVELOPE = frozenset({SCHEMA, VALUE})
"""The keys of a union's answer in text: schema name and value."""

AS_ONE_CALL = "only"
"""The index of a tool call without one."""


class GrowingCall(NamedTuple):
    """An answer call in progress."""

    schema: AnswerSchema
    arguments: GrowingJson


class AnswerListener(BaseCallbackHandler):
    """A callback handler for one model call; ``begun`` holds the common fields of its events.

    The two ``tap_output`` methods make an invoked chat model stream, like LangGraph's handlers for ``messages``.
    """

    run_inline = True
    """On the thread or task of the call: events stay in order."""

    def __init__(
        self,
        write: Callable[[AnswerEvent], Any],
        schemas: tuple[AnswerSchema, ...],
        begun: AnswerEvent,
        repair: Repair | None = None,
    ) -> None:
        self._write = write
        self._schemas = {schema.name: schema for schema in schemas}
        self._repair = repair
        self._begun = begun
        self._shown = begun
        self._run_id: UUID | None = None
        self._text = GrowingJson(self._is_meant)
        self._calls: dict[object, GrowingCall] = {}

    def tap_output_iter(self, run_id: UUID, output: Iterator[object]) -> Iterator[object]:
        return output

    def tap_output_aiter(self, run_id: UUID, output: AsyncIterator[object]) -> AsyncIterator[object]:
        return output

    def on_chat_model_start(self, serialized: object, messages: object, *, run_id: UUID, **kwargs: object) -> None:
        # A chat model may call others: only the first run counts.
        self._run_id = self._run_id or run_id

    def on_llm_new_token(self, token: object, *, chunk: object = None, run_id: UUID, **kwargs: object) -> None:
        if run_id != self._run_id or not isinstance(chunk, ChatGenerationChunk):
            return
        message = chunk.message
        if isinstance(message, AIMessageChunk):
            self._begin(message.id)
            for call in message.tool_call_chunks:
                index = AS_ONE_CALL if call["index"] is None else call["index"]
                self._add_call(index, call["name"], call["args"])
        self._add_text(message.text)

    def on_stream_event(self, event: Any, *, run_id: UUID, **kwargs: Any) -> None:
        # LangChain's content-block protocol, which ``stream_events(version="v3")`` uses.
        if run_id != self._run_id:
            return
        if event["event"] == "message-start":
            self._begin(event.get("message_id") or event.get("id"))
        elif event["event"] == "content-block-start":
            self._add_block(event["index"], event["content"])
        elif event["event"] == "content-block-delta":
            self._add_block(event["index"], event["delta"])

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        # A text beside tool calls is not an answer yet.
        message = response.generations[0][0].message
        calls = [*message.tool_calls, *message.invalid_tool_calls]
        if run_id == self._run_id and calls and not any(call["name"] in self._schemas for call in calls):
            self._take_back("The model called tools in the same reply.")

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        if run_id == self._run_id:
            self._take_back(f"The model call failed: {type(error).__name__}")

    def _begin(self, message_id: str | None) -> None:
        self._begun["message_id"] = message_id or self._begun["message_id"]

    def _add_block(self, index: Any, block: Mapping[str, Any]) -> None:
        if block["type"] in ("tool_call_chunk", "tool-call-delta"):
            self._add_call(index, block.get("name"), block.get("args"))
        elif block["type"] in ("text", "text-delta"):
            self._add_text(block.get("text", ""))

    def _add_call(self, index: Any, name: str | None, arguments: str | None) -> None:
        if name in self._schemas:
            self._calls[index] = GrowingCall(self._schemas[name], GrowingJson())
        call = self._calls.get(index)
        if call is not None and call.arguments.add(arguments or ""):
            self._show(call.schema, call.arguments.value)

    def _add_text(self, text: str) -> None:
        if self._calls or not self._text.add(text) or not self._text.value:
            return
        value = self._opened(self._text.value)
        if self._is_envelope(value):
            # The name is complete once the value has begun.
            if value.keys() == ENVELOPE:
                self._show(self._schemas[value[SCHEMA]], value[VALUE])
            return
        answered = [schema for schema in self._schemas.values() if schema.declares_keys_of(value)]
        self._show(answered[0] if len(answered) == 1 else None, value)

    def _is_meant(self, data: Mapping[str, object]) -> bool:
        if any(schema.is_echo(data) for schema in self._schemas.values()):
            return False
        return self._is_envelope(self._opened(data)) or any(schema.declares_keys_of(data) for schema in self._schemas.values())

    def _opened(self, data: object) -> Any:
        return opened(data) if len(self._schemas) > 1 else data

    def _is_envelope(self, data: Mapping[str, object]) -> bool:
        if not data or not data.keys() <= ENVELOPE:
            return False
        if len(self._schemas) == 1 and any(schema.declares_keys_of(data) for schema in self._schemas.values()):
            return False
        return data.keys() != ENVELOPE or data[SCHEMA] in self._schemas

    def _show(self, schema: AnswerSchema | None, value: object) -> None:
        if schema is not None and self._repair is not None:
            schema = schema.whole or schema
            value = growing(self._repair, bare_value(schema, value))
        self._send({**self._begun, "schema": None if schema is None else schema.name, "value": bare_value(schema, value)})

    def _take_back(self, reason: str) -> None:
        if self._shown is not self._begun:
            self._send({**self._begun, "status": "rejected", "reason": reason})

    def _send(self, event: AnswerEvent) -> None:
        self._shown = event
        self._write(event)
