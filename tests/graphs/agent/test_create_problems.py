"""The outcome lists the problems by field and message, and the checked fields; the library's own messages are marked."""

import json
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field, model_validator

from answergraph import AgentSpecError, AnswerRejected, NoAnswerError, Quote, ToolStrategy, create_agent
from answergraph.middleware import GroundedAnswer
from answergraph.state.field_record import passage_of
from answergraph.state.messages import CORRECTION_ID_PREFIX
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

LOG = "12:03 INFO the build began\n12:04 ERROR the server did not answer within 1500 ms"


class Step(BaseModel):
    """A step."""

    name: str
    quote: Annotated[str, Quote()]


class Unmarked(BaseModel):
    """What the log says, unchecked."""

    confidence: float = 0


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
    assert form["fields"] == {"confidence": "Input should be less than or equal to 1 (given: 9)"}
    assert list(evidence["fields"]) == ["steps[1].quote"]
    assert "is in no tool result" in evidence["fields"]["steps[1].quote"]
    assert accepted["fields"] == {}
    said = {message.id: message for message in result["messages"]}
    args = [said[attempt["message_id"]].tool_calls[0]["args"]["confidence"] for attempt in (form, evidence, accepted)]
    assert args == [9, 1, 1]
    json.dumps(result["outcome"])


def test_the_outcome_has_a_record_of_every_field(run: Run) -> None:
    outcome = run(agent_of(finding(1, TRUE, TRUE)), {"messages": "?"})["outcome"]
    statuses = {path: record["status"] for path, record in outcome["fields"].items()}
    assert statuses == {
        "confidence": "unchecked",
        "steps[0].name": "unchecked",
        "steps[0].quote": "supported",
        "steps[1].name": "unchecked",
        "steps[1].quote": "supported",
    }
    assert outcome["support"] == 1 / 4  # one quote given twice counts once
    [evidence] = outcome["fields"]["steps[1].quote"]["evidence"]
    assert evidence == {
        "source": {"kind": "tool", "id": 'read_log {"path": "a"}', "name": "read_log"},
        "unit": "12:04 ERROR the server did not answer within 1500 ms",
        "marks": [[6, 37]],
        "place": [27, 79],
    }
    assert LOG[slice(*evidence["place"])] == evidence["unit"]


def test_what_was_wrong_with_the_last_answer_is_on_the_outcome_with_the_nearest_place(run: Run) -> None:
    outcome = run(agent_of(finding(1, TRUE, NEARLY), finding(1, TRUE, NEARLY)), {"messages": "?"})["outcome"]
    assert (outcome["status"], outcome["support"]) == ("invalid", 1 / 5)
    record = outcome["fields"]["steps[1].quote"]
    assert (record["status"], record["evidence"]) == ("not_found", [])
    assert passage_of(record["nearest"]) == TRUE
    assert outcome["fields"]["steps[0].quote"]["status"] == "supported"


def test_without_a_check_nothing_is_said_of_fields(run: Run) -> None:
    plain = agent_of(call("Unmarked", {}), response_format=ToolStrategy(Unmarked), middleware=[])
    prose = agent_of(*["I cannot."] * 4)
    for agent in (plain, prose):
        outcome = run(agent, {"messages": "?"})["outcome"]
        assert (outcome["fields"], outcome["support"]) == ({}, None)


def test_the_reason_names_the_check_the_field_and_what_was_wrong(run: Run) -> None:
    with pytest.raises(NoAnswerError, match=r"The check 'GroundedAnswer' rejected steps\[0\]\.quote.*is in no tool result"):
        run(agent_of(finding(1, NEARLY), finding(1, NEARLY), on_failure="raise"), {"messages": "?"})


def test_the_reason_names_the_field_that_does_not_fit(run: Run) -> None:
    reason = run(agent_of(finding(9), finding(9)), {"messages": "?"})["outcome"]["reason"]
    assert reason.startswith("The answer does not fit 'Finding': confidence: Input should be less than or equal to 1")


@pytest.mark.parametrize(
    ("error", "words"), [(KeyError("total"), "KeyError: 'total'"), (ZeroDivisionError(), "ZeroDivisionError")]
)
def test_the_reason_names_the_error_of_a_validator_that_says_little(run: Run, error: Exception, words: str) -> None:
    class Total(BaseModel):
        @model_validator(mode="after")
        def fails(self) -> "Total":
            raise error

    agent = agent_of(*[call("Total", {})] * 2, response_format=ToolStrategy(Total), middleware=[])
    assert run(agent, {"messages": "?"})["outcome"]["reason"].startswith(f"The answer does not fit 'Total': {words}")


def test_a_json_schema_names_the_field_as_a_type_does(run: Run) -> None:
    schema = ToolStrategy({"title": "Finding", **Finding.model_json_schema()})
    wrong = call("Finding", {"confidence": 1, "steps": [{"name": 3, "quote": "x"}]})
    attempts = run(agent_of(wrong, finding(1), response_format=schema, middleware=[]), {"messages": "?"})["outcome"]["attempts"]
    assert list(attempts[0]["fields"]) == ["steps[0].name"]


@pytest.mark.parametrize("fields", [["name"], {"name": "it is not b"}], ids=["paths", "sentences"])
def test_your_own_check_is_named_and_may_name_fields(run: Run, fields: Any) -> None:
    def sure(answer: Step, state: Any, runtime: Any) -> None:
        raise AnswerRejected("Be sure.", fields=fields)

    replies = [call("Step", {"name": name, "quote": TRUE}) for name in "aa"]
    outcome = run(agent_of(*replies, response_format=ToolStrategy(Step), check_answer=sure), {"messages": "?"})["outcome"]
    said = "Be sure." if isinstance(fields, list) else fields["name"]
    assert outcome["attempts"][0]["fields"] == {"name": said}
    assert (outcome["fields"]["name"]["problem"], outcome["fields"]["name"]["status"]) == (said, "unchecked")
    assert "sure' rejected name" in outcome["reason"]


def test_a_check_that_names_a_field_which_the_answer_has_not_is_a_mistake(run: Run) -> None:
    def confused(answer: Step, state: Any, runtime: Any) -> None:
        raise AnswerRejected("Be sure.", fields=["nme"])

    agent = agent_of(call("Step", {"name": "a", "quote": TRUE}), response_format=ToolStrategy(Step), check_answer=confused)
    with pytest.raises(AgentSpecError, match="names the field 'nme', but Step has no 'nme'"):
        run(agent, {"messages": "?"})


def test_what_is_written_in_place_of_a_tool_or_a_person_is_marked_as_ours(run: Run) -> None:
    result = run(agent_of(finding(9), "prose", finding(1, TRUE)), {"messages": "?"})
    marked = [(m.type, m.id.startswith(CORRECTION_ID_PREFIX)) for m in result["messages"] if m.type != "ai"]
    assert marked == [("human", False), ("tool", False), ("tool", True), ("human", True), ("tool", False)]
