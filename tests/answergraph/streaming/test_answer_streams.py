"""While the model writes, the custom stream reports the growing answer, with every strategy."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel

from answergraph import (
    AnswerRejected,
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.streaming import is_answer_event
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.tools import search


class CountedVerdict(BaseModel):
    """A verdict."""

    passed: bool
    why: str
    runs: int


VERDICT: dict[str, Any] = {"passed": True, "why": "It ran three times without a failure.", "runs": 3}
QUESTION: dict[str, Any] = {"messages": [HumanMessage("Did it pass?")]}
SEARCH = {"name": "search", "args": {"query": "q"}, "id": "s", "type": "tool_call"}


def scripted(*replies: Any, **options: Any) -> ScriptedChatModel:
    return ScriptedChatModel(replies=list(replies), **options)


def call_of(**args: Any) -> AIMessage:
    return AIMessage("Let me see.", tool_calls=[{"name": "CountedVerdict", "args": {**VERDICT, **args}, "id": "1"}])


def events(run: Run, agent: Any, **kwargs: Any) -> list[Any]:
    return [item for item in run.stream(agent, QUESTION, stream_mode="custom", **kwargs) if is_answer_event(item)]


def told(found: list[Any]) -> list[tuple[str, int]]:
    """The streamed values, without consecutive duplicates."""
    pairs = [(event["status"], event["attempt"]) for event in found]
    return [pair for pair, before in zip(pairs, [None, *pairs], strict=False) if pair != before]


TEXT = json.dumps(VERDICT)
WAYS: dict[str, tuple[Any, list[Any]]] = {
    "tool": (ToolStrategy(CountedVerdict), [call_of()]),
    "native": (ProviderStrategy(CountedVerdict), [TEXT]),
    "prompted": (PromptedStrategy(CountedVerdict), [f"Here:\n```json\n{TEXT}\n```"]),
    "auto": (CountedVerdict, [call_of()]),
    "auto, ignored": (AutoStrategy(CountedVerdict), [TEXT]),
    "fallback": (FallbackStrategy([ProviderStrategy(CountedVerdict), ToolStrategy(CountedVerdict)]), ["No.", call_of()]),
    "deferred, with a final step": (DeferredStrategy(ToolStrategy(CountedVerdict)), ["It passed.", call_of()]),
    "deferred, at once": (DeferredStrategy(ToolStrategy(CountedVerdict)), [TEXT]),
    "typed dict schema": (ToolStrategy({"title": "CountedVerdict", **CountedVerdict.model_json_schema()}), [call_of()]),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_strategy_streams_the_growing_answer_and_ends_with_it(run: Run, way: str) -> None:
    response_format, replies = WAYS[way]
    agent = create_agent(scripted(*replies), [search], response_format=response_format)
    items = run.stream(agent, QUESTION, stream_mode=["custom", "values"])
    found = [item for mode, item in items if mode == "custom"]
    values = [event["value"] for event in found if event["status"] == "growing"]
    assert len(values) > 5
    assert all(VERDICT["why"].startswith(value.get("why", "")) for value in values)
    assert [event["status"] for event in found].count("accepted") == 1
    last = found[-1]
    assert (last["status"], last["schema"], last["value"]) == ("accepted", "CountedVerdict", VERDICT)
    answer = items[-1][1]["structured_response"]
    assert answer == (CountedVerdict.model_validate(last["value"]) if isinstance(answer, CountedVerdict) else last["value"])


def test_every_event_is_json(run: Run) -> None:
    agent = create_agent(scripted(call_of(passed="perhaps"), call_of()), response_format=CountedVerdict)
    found = events(run, agent)
    assert json.loads(json.dumps(found)) == found


def test_a_rejected_attempt_is_streamed_with_its_number_and_reason(run: Run) -> None:
    def check(answer: CountedVerdict, state: Any, runtime: Any) -> None:
        if answer.runs < 3:
            raise AnswerRejected("Run it three times.")

    replies = [call_of(passed="perhaps"), call_of(runs=1), call_of()]
    agent = create_agent(scripted(*replies), response_format=ToolStrategy(CountedVerdict), check_answer=check)
    found = events(run, agent)
    assert told(found) == [
        ("growing", 1),
        ("rejected", 1),
        ("growing", 2),
        ("rejected", 2),
        ("growing", 3),
        ("accepted", 3),
    ]
    reasons = [event["reason"] for event in found if event["status"] == "rejected"]
    assert "bool_parsing" in reasons[0]
    assert reasons[1] == "Run it three times."


def test_each_attempt_names_the_message_that_holds_it(run: Run) -> None:
    agent = create_agent(scripted(call_of(passed="perhaps"), call_of()), response_format=ToolStrategy(CountedVerdict))
    items = run.stream(agent, QUESTION, stream_mode=["custom", "values"])
    ids = {event["attempt"]: event["message_id"] for mode, event in items if mode == "custom"}
    replies = [message.id for message in items[-1][1]["messages"] if message.type == "ai"]
    assert list(ids.values()) == replies


def test_a_held_answer_is_streamed_and_then_replaced(run: Run) -> None:
    hasty = AIMessage("", tool_calls=[SEARCH, *call_of(runs=1).tool_calls])
    agent = create_agent(scripted(hasty, call_of()), [search], response_format=ToolStrategy(CountedVerdict))
    found = events(run, agent)
    assert told(found) == [("growing", 1), ("rejected", 1), ("growing", 2), ("accepted", 2)]
    assert "held" in next(event["reason"] for event in found if event["status"] == "rejected")


def test_a_run_without_an_answer_ends_in_a_rejection_that_says_why(run: Run) -> None:
    agent = create_agent(scripted(*[call_of(passed="perhaps")] * 2), response_format=ToolStrategy(CountedVerdict))
    found = events(run, agent)
    assert (found[-1]["status"], found[-1]["value"]) == ("rejected", None)
    assert "does not fit" in found[-1]["reason"]


def test_tool_calls_alone_are_no_attempt(run: Run) -> None:
    replies = [AIMessage("", tool_calls=[SEARCH]), call_of()]
    agent = create_agent(scripted(*replies), [search], response_format=ToolStrategy(CountedVerdict))
    assert told(events(run, agent)) == [("growing", 1), ("accepted", 1)]


def test_prose_streams_on_beside_the_events(run: Run) -> None:
    agent = create_agent(scripted(call_of()), response_format=ToolStrategy(CountedVerdict))
    items = run.stream(agent, QUESTION, stream_mode=["messages", "custom"])
    pieces = [item[0].text for mode, item in items if mode == "messages" and item[0].type == "AIMessageChunk"]
    assert "".join(pieces) == "Let me see."
    assert len([piece for piece in pieces if piece]) > 1
    # The answer is streamed while it is written, not after its last piece.
    assert [mode for mode, _ in items].index("custom") < len(items) - 10


def test_the_reply_is_the_same_listened_to_or_not(run: Run) -> None:
    def messages_of(mode: str) -> Any:
        agent = create_agent(scripted(call_of()), response_format=ToolStrategy(CountedVerdict))
        last = run.stream(agent, QUESTION, stream_mode=[mode, "values"])[-1][1]
        return [
            (type(m), m.content, getattr(m, "tool_calls", None), getattr(m, "usage_metadata", None)) for m in last["messages"]
        ]

    assert messages_of("custom") == messages_of("updates")


class StreamCounting(ScriptedChatModel):
    """Counts its streams."""

    streamed: list[str] = []  # noqa: RUF012 - a Pydantic field, copied for each model

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        self.streamed.append("once")
        yield from super()._stream(*args, **kwargs)


@pytest.mark.parametrize(("mode", "times"), [("values", 0), ("updates", 0), ("messages", 1), ("custom", 1)])
def test_a_model_nobody_listens_to_is_not_streamed(mode: Any, times: int) -> None:
    model = StreamCounting(replies=[call_of()])
    list(create_agent(model, response_format=CountedVerdict).stream(QUESTION, stream_mode=mode))
    assert len(model.streamed) == times


def test_an_agent_without_a_response_format_streams_no_events(run: Run) -> None:
    assert run.stream(create_agent(scripted(TEXT)), QUESTION, stream_mode="custom") == []


def test_the_answer_of_a_model_that_cannot_stream_is_streamed_too(run: Run) -> None:
    model = scripted(call_of(), disable_streaming=True)
    assert told(events(run, create_agent(model, response_format=ToolStrategy(CountedVerdict)))) == [("accepted", 1)]


def test_agents_in_a_graph_are_told_apart_by_namespace_key_and_name(run: Run) -> None:
    class State(MessagesState):
        first: CountedVerdict | None
        second: CountedVerdict | None

    graph = StateGraph(State)
    for key in ("first", "second"):
        model = scripted(call_of(why=f"{key} says so, at some length."))
        agent = create_agent(model, response_format=ToolStrategy(CountedVerdict), output_key=key, name=f"{key}_agent")
        graph.add_node(key, agent).add_edge(START, key)
    found = run.stream(graph.compile(), QUESTION, stream_mode="custom", subgraphs=True)
    for key in ("first", "second"):
        own = [event for namespace, event in found if namespace[0].startswith(f"{key}:")]
        assert {(event["key"], event["agent"]) for event in own} == {(key, f"{key}_agent")}
        assert told(own) == [("growing", 1), ("accepted", 1)]
        assert own[-1]["value"]["why"].startswith(key)


def test_text_in_content_blocks_is_streamed(run: Run) -> None:
    class Blocks(ScriptedChatModel):
        """Streams the text as content blocks, as some providers do."""

        def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
            for piece in (TEXT[:30], TEXT[30:]):
                yield ChatGenerationChunk(message=AIMessageChunk(content=[{"type": "text", "text": piece, "index": 0}]))

        async def _astream(self, *args: Any, **kwargs: Any) -> Any:
            for chunk in self._stream(*args, **kwargs):
                yield chunk

    found = events(run, create_agent(Blocks(replies=[]), response_format=PromptedStrategy(CountedVerdict)))
    assert told(found) == [("growing", 1), ("accepted", 1)]
