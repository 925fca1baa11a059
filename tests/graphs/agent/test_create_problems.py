"""The outcome lists the problems by field and message, and the checked fields; the library's own messages are marked."""

import json
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from answergraph import AnswerRejected, NoAnswerError, Quote, ToolStrategy, create_agent
from answergraph.middleware import GroundedAnswer
from answergraph.nodes.endings import coverage_of
from answergraph.state.messages import CORRECTION_ID_PREFIX
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

LOG = "12:03 INFO the build began\n12:04 ERROR the server did not answer within 1500 ms"


class Step(BaseModel):
    """A step."""

    name: str
    quote: Annotated[str, Quote()]


class Finding(BaseModel):
    """What the log says."""

    confidence: float = Field(le=1)
    steps: list[Step]


@tool
def read_log(path: str) -> str:
    """Read a log."""
    return LOG


def call(name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"{name} {json.dumps(args)}"}])


def finding(confidence: float, *quotes: str) -> AIMessage:
    return call("Finding", {"confidence": confidence, "steps": [{"name": "a", "quote": quote} for quote in quotes]})


def agent_of(*answers: AIMessage | str, **options: Any) -> Any:
    model = ScriptedChatModel(replies=[call("read_log", {"path": "a"}), *answers])
    return create_agent(
        model, [read_log], **{"response_format": ToolStrategy(Finding), "middleware": [GroundedAnswer()], **options}
    )


TRUE, NEARLY = "ERROR the server did not answer", "ERROR the server did answer"


def test_each_attempt_says_what_was_wrong_in_which_field_of_which_message(run: Run) -> None:
    result = run(agent_of(finding(9, "x"), finding(1, TRUE, NEARLY), finding(1, TRUE)), {"messages": "?"})
    form, evidence, accepted = result["outcome"]["attempts"]
    assert [(p["path"], p["check"], p["nearest"]) for p in form["problems"]] == [("confidence", None, None)]
    assert form["problems"][0]["sentence"] == "Input should be less than or equal to 1 (given: 9)"
    [problem] = evidence["problems"]
    assert (problem["path"], problem["check"]) == ("steps[1].quote", "GroundedAnswer")
    called, start, end = problem["nearest"]
    assert LOG[start:end] == TRUE
    assert called == 'read_log {"path": "a"}'
    assert accepted["problems"] == []
    said = {message.id: message for message in result["messages"]}
    args = [said[attempt["message_id"]].tool_calls[0]["args"]["confidence"] for attempt in (form, evidence, accepted)]
    assert args == [9, 1, 1]
    json.dumps(result["outcome"])


def test_coverage_says_of_every_field_whether_it_was_checked(run: Run) -> None:
    outcome = run(agent_of(finding(1, TRUE, TRUE)), {"messages": "?"})["outcome"]
    assert outcome["coverage"] == {"confidence": "unchecked", "steps[].name": "unchecked", "steps[].quote": "supported"}


def test_without_an_answer_nothing_is_covered(run: Run) -> None:
    outcome = run(agent_of(*["I cannot."] * 4), {"messages": "?"})["outcome"]
    assert (outcome["status"], outcome["coverage"]) == ("unanswered", {})


@pytest.mark.parametrize(
    ("answer", "evidence", "coverage"),
    [
        (3, {}, {"": "unchecked"}),
        (3, {"": 1}, {"": "supported"}),
        ([1, 2], {"[0]": 1}, {"[]": "partly"}),
        ({"a": {"b": [], "c": None}}, {}, {"a.b": "unchecked", "a.c": "unchecked"}),
        ({"quotes": ["x", "y"]}, {"quotes": 1}, {"quotes": "supported"}),
    ],
)
def test_a_field_is_covered_as_its_values_are(answer: Any, evidence: dict[str, Any], coverage: dict[str, str]) -> None:
    assert coverage_of(answer, evidence) == coverage


def test_the_reason_names_the_check_the_field_and_what_was_wrong(run: Run) -> None:
    with pytest.raises(NoAnswerError, match=r"The check 'GroundedAnswer' rejected steps\[0\]\.quote.*is in no tool result"):
        run(agent_of(finding(1, NEARLY), finding(1, NEARLY), on_failure="raise"), {"messages": "?"})


def test_the_reason_names_the_field_that_does_not_fit(run: Run) -> None:
    reason = run(agent_of(finding(9), finding(9)), {"messages": "?"})["outcome"]["reason"]
    assert reason.startswith("The answer does not fit 'Finding': confidence: Input should be less than or equal to 1")


def test_a_json_schema_names_the_field_as_a_type_does(run: Run) -> None:
    schema = ToolStrategy({"title": "Finding", **Finding.model_json_schema()})
    wrong = call("Finding", {"confidence": 1, "steps": [{"name": 3, "quote": "x"}]})
    attempts = run(agent_of(wrong, finding(1), response_format=schema, middleware=[]), {"messages": "?"})["outcome"]["attempts"]
    assert [problem["path"] for problem in attempts[0]["problems"]] == ["steps[0].name"]


def test_your_own_check_is_named_and_may_name_fields(run: Run) -> None:
    def sure(answer: Step, state: Any, runtime: Any) -> None:
        if answer.name != "b":
            raise AnswerRejected("Be sure.", problems=[{"path": "name", "sentence": "it is not b"}])

    replies = [call("Step", {"name": name, "quote": "ERROR the server did not answer"}) for name in "ab"]
    agent = agent_of(*replies, response_format=ToolStrategy(Step), check_answer=sure)
    first = run(agent, {"messages": "?"})["outcome"]["attempts"][0]
    [said] = first["problems"]
    assert first["problems"] == [{"path": "name", "sentence": "it is not b", "check": said["check"], "nearest": None}]
    assert said["check"].endswith("sure")


def test_what_is_written_in_place_of_a_tool_or_a_person_is_marked_as_ours(run: Run) -> None:
    result = run(agent_of(finding(9), "prose", finding(1)), {"messages": "?"})
    marked = [(m.type, m.id.startswith(CORRECTION_ID_PREFIX)) for m in result["messages"] if m.type != "ai"]
    assert marked == [("human", False), ("tool", False), ("tool", True), ("human", True), ("tool", False)]
