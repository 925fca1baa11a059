"""Readers of the streams get the answer as a projection, and prose without raw answer calls."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk

from answergraph import ToolStrategy, create_agent
from answergraph.streaming import AnswerTransformer, HideAnswerCalls
from answergraph.testing import ScriptedChatModel
from tests.answergraph.streaming.reasoned_verdict import Verdict
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import NotYet

VERDICT = {"passed": True, "why": "It ran three times without a failure."}
ANSWER = {"name": "Verdict", "args": VERDICT, "id": "a", "type": "tool_call"}
SEARCH = {"name": "search", "args": {"query": "the log"}, "id": "s", "type": "tool_call"}
QUESTION: dict[str, Any] = {"messages": [HumanMessage("Did it pass?")]}


def agent_of(*replies: Any, **options: Any) -> Any:
    return create_agent(
        ScriptedChatModel(replies=list(replies)), [search], response_format=ToolStrategy(Verdict | NotYet), **options
    )


def shown(messages: list[BaseMessage], response_format: Any = Verdict | NotYet) -> list[BaseMessage]:
    visible = HideAnswerCalls(response_format)
    return [kept for message in messages if (kept := visible(message)) is not None]


@pytest.mark.parametrize("streamed", [True, False])
def test_prose_and_tools_stay_and_the_answers_calls_go(run: Run, streamed: bool) -> None:
    model = ScriptedChatModel(
        replies=[AIMessage("I look it up.", tool_calls=[SEARCH]), AIMessage("Now I know.", tool_calls=[ANSWER])],
        disable_streaming=not streamed,
    )
    agent: Any = create_agent(model, [search], response_format=ToolStrategy(Verdict | NotYet))
    messages = [message for message, _ in run.stream(agent, QUESTION, stream_mode="messages")]
    kept = shown(messages)
    assert "".join(message.text for message in kept if isinstance(message, AIMessage)) == "I look it up.Now I know."
    assert [message.text for message in kept if isinstance(message, ToolMessage)] == ["found the log"]
    assert "passed" in str(messages)
    assert "passed" not in str(kept)
    assert "the log" in str(kept)
    assert any(message.usage_metadata for message in kept if isinstance(message, AIMessage))


def test_a_message_without_an_answer_call_is_the_same_object() -> None:
    messages: list[BaseMessage] = [
        HumanMessage("q"),
        AIMessage("", tool_calls=[SEARCH]),
        AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(name="search", args="{}", index=0)]),
        AIMessageChunk(content="", chunk_position="last"),
        ToolMessage("found", name="search", tool_call_id="s"),
    ]
    assert [id(message) for message in shown(messages)] == [id(message) for message in messages]


def test_the_calls_of_one_chunk_are_told_apart() -> None:
    chunk = AIMessageChunk(
        content=[
            {"type": "text", "text": "So: ", "index": 0},
            {"type": "tool_use", "name": "Verdict", "input": {}, "index": 1},
            {"type": "tool_use", "name": "search", "input": {}, "index": 2},
        ],
        id="m",
        tool_call_chunks=[
            tool_call_chunk(name="Verdict", args="", id="a", index=1),
            tool_call_chunk(name="search", args="{}", id="s", index=2),
        ],
    )
    later = AIMessageChunk(
        content=[{"type": "input_json_delta", "partial_json": '{"passed"', "index": 1}],
        id="m",
        tool_call_chunks=[tool_call_chunk(args='{"passed"', index=1)],
    )
    (kept,) = shown([chunk, later])
    assert isinstance(kept, AIMessageChunk)
    assert [block["index"] for block in kept.content if isinstance(block, dict)] == [0, 2]
    assert [call["name"] for call in kept.tool_calls] == ["search"]
    assert [call["name"] for call in kept.tool_call_chunks] == ["search"]
    assert len(chunk.tool_call_chunks) == 2


def test_the_same_place_in_another_message_is_not_hidden() -> None:
    first = AIMessageChunk(content="", id="m1", tool_call_chunks=[tool_call_chunk(name="Verdict", args="", index=0)])
    other = AIMessageChunk(content="", id="m2", tool_call_chunks=[tool_call_chunk(name="search", args="", index=0)])
    assert shown([first, other]) == [other]


def test_the_calls_of_a_whole_message_are_told_apart() -> None:
    message = AIMessage("So:", tool_calls=[ANSWER, SEARCH], additional_kwargs={"tool_calls": ["raw"], "other": 1})
    (kept,) = shown([message])
    assert isinstance(kept, AIMessage)
    assert [call["name"] for call in kept.tool_calls] == ["search"]
    assert kept.additional_kwargs == {"other": 1}
    assert shown([AIMessage("", tool_calls=[ANSWER])]) == []


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol:Warning")
def test_the_third_streaming_protocol_has_the_answers_as_a_projection_beside_the_tokens() -> None:
    agent = agent_of(AIMessage("Now I know.", tool_calls=[ANSWER]), transformers=[AnswerTransformer])
    stream = agent.stream_events(QUESTION, version="v3")
    answers, pieces = [], []
    for name, item in stream.interleave("answers", "messages"):
        if name == "answers":
            answers.append((item["status"], item["value"]))
        else:
            pieces.append(list(item.text))
    assert answers[-1] == ("accepted", VERDICT)
    assert len(answers) > 3
    assert pieces == [["Now I kn", "ow."]]


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol:Warning")
async def test_the_projection_can_be_awaited() -> None:
    agent = agent_of(AIMessage("Now I know.", tool_calls=[ANSWER]))
    stream = await agent.astream_events(QUESTION, version="v3", transformers=[AnswerTransformer])
    answers = [event["status"] async for event in stream.extensions["answers"]]
    assert answers[-1] == "accepted"
    assert set(answers[:-1]) == {"growing"}
