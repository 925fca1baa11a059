"""The listener reads every form in which a provider streams an answer."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, LLMResult

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.streaming.answer_events import growing_event
from answergraph.streaming.answer_listener import AnswerListener
from tests.answergraph.streaming.reasoned_verdict import Verdict
from tests.suite.verdicts import NotYet

RUN = uuid4()


NUMBERS = {"title": "Numbers", "type": "object", "properties": {"value": {"type": "array"}}}


class Call:
    """One observed call of a model, and the events of it."""

    def __init__(self, declared: Any = Verdict) -> None:
        self.told: list[Any] = []
        schemas: tuple[AnswerSchema, ...] = answer_schemas(declared)
        self.listener = AnswerListener(self.told.append, schemas, growing_event("structured_response", "scout", 3))
        self.listener.on_chat_model_start({}, [], run_id=RUN)

    def text(self, text: str) -> None:
        self.chunk(content=text)

    def chunk(self, run_id: Any = RUN, **fields: Any) -> None:
        message = AIMessageChunk(**{"content": "", "id": "m1", **fields})
        self.listener.on_llm_new_token("", chunk=ChatGenerationChunk(message=message), run_id=run_id)

    def event(self, **fields: Any) -> None:
        self.listener.on_stream_event(fields, run_id=RUN)

    def end(self, message: AIMessage) -> None:
        self.listener.on_llm_end(LLMResult(generations=[[ChatGeneration(message=message)]]), run_id=RUN)

    @property
    def values(self) -> list[tuple[str | None, Any]]:
        return [(event["schema"], event["value"]) for event in self.told]


def test_an_event_says_which_agent_attempt_and_message_it_is_of() -> None:
    call = Call()
    call.text('{"passed": true, ')
    assert call.told == [
        {
            "type": "answergraph.answer",
            "status": "growing",
            "key": "structured_response",
            "agent": "scout",
            "attempt": 3,
            "message_id": "m1",
            "schema": "Verdict",
            "value": {"passed": True},
            "reason": None,
        }
    ]


def test_calls_that_are_written_in_turns_are_kept_apart() -> None:
    call = Call(Verdict | NotYet)
    call.chunk(tool_call_chunks=[tool_call_chunk(name="Verdict", args="", index=0)])
    call.chunk(tool_call_chunks=[tool_call_chunk(name="NotYet", args='{"missing": ["a', index=1)])
    call.chunk(tool_call_chunks=[tool_call_chunk(args='{"passed": true,', index=0)])
    call.chunk(tool_call_chunks=[tool_call_chunk(args='b"]}', index=1)])
    assert call.values == [
        ("NotYet", {"missing": ["a"]}),
        ("Verdict", {"passed": True}),
        ("NotYet", {"missing": ["ab"]}),
    ]


def test_a_whole_call_without_an_index_is_streamed() -> None:
    call = Call()
    call.chunk(tool_call_chunks=[tool_call_chunk(name="Verdict", args='{"passed": true, "why": "ok"}', id="1")])
    assert call.values == [("Verdict", {"passed": True, "why": "ok"})]


def test_calls_of_tools_are_not_streamed() -> None:
    call = Call()
    call.chunk(tool_call_chunks=[tool_call_chunk(name="search", args='{"passed": true}', index=0)])
    assert call.told == []


def test_content_blocks_are_read_as_text() -> None:
    call = Call()
    call.chunk(content=[{"type": "reasoning", "reasoning": '{"passed": false}'}])
    call.chunk(content=[{"type": "text", "text": '{"passed": true}'}])
    assert call.values == [("Verdict", {"passed": True})]


def test_the_events_of_the_content_block_protocol_are_read() -> None:
    call = Call()
    call.event(event="message-start", role="ai", message_id="m2")
    call.event(event="content-block-start", index=0, content={"type": "text", "text": ""})
    call.event(event="content-block-delta", index=0, delta={"type": "text-delta", "text": "So: "})
    start = {"type": "tool_call_chunk", "name": "Verdict", "id": "1", "args": ""}
    call.event(event="content-block-start", index=1, content=start)
    call.event(event="content-block-delta", index=1, delta={"type": "tool-call-delta", "args": '{"passed": true}'})
    call.event(event="content-block-finish", index=1, content={"type": "tool_call", "name": "Verdict", "args": {}})
    assert call.values == [("Verdict", {"passed": True})]
    assert call.told[0]["message_id"] == "m2"


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        (['{"schema": "Verdict", "value"', ': {"passed": true', ', "why'], [("Verdict", {}), ("Verdict", {"passed": True})]),
        (['{"value": {"missing": []}', ', "schema": "NotYet"}'], [("NotYet", {"missing": []})]),
        (['{"value": {"schema": "NotYet", ', '"value": {"missing"', ": []}}}"], [("NotYet", {}), ("NotYet", {"missing": []})]),
        (['{"schema": "Other", "value": {"passed": true, "why": "'], []),
        (['{"missing": ["it', 's log"]}'], [("NotYet", {"missing": ["it"]}), ("NotYet", {"missing": ["its log"]})]),
    ],
)
def test_the_text_of_a_union_names_its_schema(pieces: list[str], told: list[Any]) -> None:
    call = Call(Verdict | NotYet)
    for piece in pieces:
        call.text(piece)
    assert call.values == told


def test_the_schema_of_an_envelope_is_not_streamed_before_its_name_is_complete() -> None:
    class VerdictLong(Verdict):
        """A longer name."""

    call = Call(Verdict | VerdictLong)
    for piece in ('{"schema": "Verdict', 'Long", ', '"value": {"passed": true, "why": "ok"}}'):
        call.text(piece)
    assert call.values == [("VerdictLong", {"passed": True, "why": "ok"})]


def test_a_value_that_is_not_an_object_is_streamed_unwrapped() -> None:
    call = Call(list[int])
    call.text('{"value": [1, 2')
    assert [value for _, value in call.values] == [[1]]


def test_a_schema_of_the_users_with_one_field_value_is_left_as_it_is() -> None:
    call = Call(NUMBERS)
    call.text('{"value": [1, 2')
    assert call.values == [("Numbers", {"value": [1]})]


@pytest.mark.parametrize("text", ["Just words.", '{"other": 1, ', json.dumps(Verdict.model_json_schema()), "[1, 2"])
def test_a_text_that_is_not_an_answer_is_not_streamed(text: str) -> None:
    call = Call()
    for character in text:
        call.text(character)
    assert call.told == []


def test_the_calls_of_another_model_inside_are_not_read() -> None:
    call = Call()
    call.listener.on_chat_model_start({}, [], run_id=uuid4())
    call.chunk(content='{"passed": false, ', run_id=uuid4())
    call.text('{"passed": true, ')
    assert call.values == [("Verdict", {"passed": True})]


def called_tools(call: Call) -> None:
    call.end(AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}]))


def failed(call: Call) -> None:
    call.listener.on_llm_error(TimeoutError("slow"), run_id=RUN)


@pytest.mark.parametrize(
    ("end", "reason"),
    [(called_tools, "The model called tools in the same reply."), (failed, "The model call failed: TimeoutError")],
)
def test_a_streamed_value_that_is_not_an_answer_is_taken_back(end: Callable[[Call], None], reason: str) -> None:
    call = Call()
    call.text('{"passed": true, ')
    end(call)
    assert [(event["status"], event["value"], event["reason"]) for event in call.told[1:]] == [("rejected", None, reason)]


@pytest.mark.parametrize("end", [called_tools, failed])
def test_nothing_is_taken_back_if_nothing_was_streamed(end: Callable[[Call], None]) -> None:
    call = Call()
    end(call)
    assert call.told == []
