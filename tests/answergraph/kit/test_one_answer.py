"""``ask_model`` asks once, as an agent would, and says what came of it."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from answergraph import AgentSpecError, PromptedStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.errors import StructuredOutputValidationError
from answergraph.kit import Reading, ask_model
from answergraph.models import forget_refusals
from answergraph.testing import ScriptedChatModel
from tests.openai_server import Failure, OpenAIServer, Reply, ToolCall, calls, says
from tests.openai_server.behaviour import rejects_json_schema
from tests.openai_server.reply import JSONObject
from tests.suite.colors import Run

ASKED = [SystemMessage("You are strict."), HumanMessage("Score it.")]


class Score(BaseModel):
    points: int


class Doubt(BaseModel):
    why: str


def score(points: Any, name: str = "Score") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": {"points": points}, "id": "call_1"}])


def asked(run: Run, model: Any, schema: Any) -> Reading[Any]:
    step = ask_model(model, ASKED, schema)
    reading: Reading[Any] = run.either(step.run, step.arun)
    return reading


def test_an_answer_is_of_the_declared_type_with_its_json(run: Run) -> None:
    model = ScriptedChatModel(replies=[score("7")])
    reading = asked(run, model, ToolStrategy(Score))
    assert reading.answer is not None
    assert (reading.answer.value, reading.answer.json, reading.answer.schema.name) == (Score(points=7), {"points": 7}, "Score")
    assert (reading.status, reading.strategy, reading.problems) == ("answered", "tool", {})
    assert [(call.name, call.kind) for call in reading.turn.calls] == [("Score", "answer")]
    assert model.requests[0].messages == ASKED


def test_the_answer_of_a_union_has_the_schema_that_was_chosen(run: Run) -> None:
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[{"name": "Doubt", "args": {"why": "?"}, "id": "1"}])])
    reading = asked(run, model, ToolStrategy(Score | Doubt))
    assert reading.answer is not None
    assert (reading.answer.value, reading.answer.schema.name) == (Doubt(why="?"), "Doubt")


def test_a_wrong_answer_is_not_asked_for_again_and_says_which_field_is_wrong(run: Run) -> None:
    model = ScriptedChatModel(replies=[score("many")])
    reading = asked(run, model, ToolStrategy(Score))
    assert (reading.answer, reading.status, list(reading.problems)) == (None, "invalid", ["points"])
    assert len(model.requests) == 1


def test_a_wrong_answer_is_raised_if_the_strategy_raises(run: Run) -> None:
    strategy = ToolStrategy(Score, handle_errors=False)
    with pytest.raises(StructuredOutputValidationError, match="points"):
        asked(run, ScriptedChatModel(replies=[score("many")]), strategy)


@pytest.mark.parametrize(
    ("reply", "stop", "status"),
    [
        (AIMessage("", additional_kwargs={"refusal": "No."}), "refused", "refused"),
        (AIMessage("It is", response_metadata={"finish_reason": "length"}), "cut", "truncated"),
        (AIMessage("Wait", response_metadata={"stop_reason": "pause_turn"}), "paused", "truncated"),
        (AIMessage(""), "empty", "empty"),
        (AIMessage("Seven, I think."), "whole", "unanswered"),
    ],
)
def test_a_reply_without_an_answer_says_how_it_ended(run: Run, reply: AIMessage, stop: str, status: str) -> None:
    reading = asked(run, ScriptedChatModel(replies=[reply]), ToolStrategy(Score))
    assert (reading.turn.stop, reading.status, reading.answer) == (stop, status, None)
    assert reading.problems == {"": reading.reason}


def test_without_a_schema_the_text_of_the_reply_counts(run: Run) -> None:
    reading = asked(run, ScriptedChatModel(replies=["Seven."]), None)
    assert (reading.answer, reading.problems) == (None, {})
    assert reading.turn.reply is not None
    assert reading.turn.reply.text == "Seven."


def test_calls_of_tools_that_were_not_offered_are_unknown_and_broken_ones_malformed(run: Run) -> None:
    broken: Any = {"name": "Score", "args": "{", "id": "2", "error": None, "type": "invalid_tool_call"}
    model = ScriptedChatModel(
        replies=[AIMessage("", tool_calls=[{"name": "add", "args": {}, "id": "1"}], invalid_tool_calls=[broken])]
    )
    reading = asked(run, model, ToolStrategy(Score))
    assert [(call.name, call.kind) for call in reading.turn.calls] == [("add", "unknown"), ("Score", "malformed")]


def test_a_strategy_that_the_provider_refuses_is_followed_by_the_next(run: Run) -> None:
    forget_refusals()

    def reply(body: JSONObject) -> Reply | Failure:
        refused = rejects_json_schema(body)
        return refused or (calls(ToolCall("Score", {"points": 7})) if body.get("tools") else says(json.dumps({"points": 7})))

    with OpenAIServer(reply) as server:
        model = ChatOpenAI(model="gpt-4.1", base_url=server.base_url, api_key="none", max_retries=0)  # type: ignore[arg-type]  # a str does
        first, second = asked(run, model, Score), asked(run, model, Score)
        assert len(server.requests) == 3  # the refusal is remembered
    assert [reading.answer and reading.answer.value for reading in (first, second)] == [Score(points=7)] * 2
    assert first.usage["model_calls"] == 1


def test_a_sample_that_failed_the_grammar_of_the_provider_is_a_wrong_answer(run: Run) -> None:
    failed = Failure(status=400, code="json_validate_failed", message="Failed to generate JSON.")
    with OpenAIServer(lambda body: failed) as server:
        model = ChatOpenAI(model="gpt-4.1", base_url=server.base_url, api_key="none", max_retries=0)  # type: ignore[arg-type]  # a str does
        reading = asked(run, model, PromptedStrategy(Score))
    assert (reading.status, reading.usage["model_calls"]) == ("invalid", 1)
    assert "Failed to generate JSON." in reading.problems[""]


def test_a_model_is_asked_by_its_name_and_a_name_that_is_not_known_is_refused(run: Run) -> None:
    assert asked(run, "offline", PromptedStrategy(Score)).status == "refused"
    with pytest.raises(AgentSpecError, match="Did you mean 'offline'"):
        asked(run, "ofline", Score)


@pytest.mark.parametrize(("model_calls", "status", "used"), [(3, "answered", 3), (2, "out_of_budget", 2)])
def test_a_call_in_a_tool_is_charged_to_the_run_of_the_agent(run: Run, model_calls: int, status: str, used: int) -> None:
    scorer, readings = ScriptedChatModel(replies=[score(7)]), list[Reading[Any]]()

    def assess() -> str:
        readings.append(ask_model(scorer, ASKED, ToolStrategy(Score)).run())
        return "assessed"

    async def aassess() -> str:
        readings.append(await ask_model(scorer, ASKED, ToolStrategy(Score)).arun())
        return "assessed"

    tool = StructuredTool.from_function(assess, aassess, name="assess", description="Assess it.")
    calling = AIMessage("", tool_calls=[{"name": "assess", "args": {}, "id": "1"}])
    agent = create_agent(
        ScriptedChatModel(replies=[calling, score(1)]),
        [tool],
        response_format=ToolStrategy(Score),
        limits=UsageLimits(model_calls=model_calls),
    )
    # One call is the agent's own, and one is reserved for its answer.
    outcome = run(agent, {"messages": ["Go"]})["outcome"]
    assert (readings[0].status, outcome["usage"]["model_calls"]) == (status, used)
