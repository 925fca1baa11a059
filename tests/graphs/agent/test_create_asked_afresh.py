"""A mistake that is repeated although the provider enforces the schema: asked once more without it, and by no weaker way."""

import json
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

import pytest
from annotated_types import Ge
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel, model_validator

from answergraph import AnswerRejected, FallbackStrategy, PromptedStrategy, ProviderStrategy, create_agent
from answergraph.testing import ScriptedRequest
from tests.answergraph.asking.strategies.test_call_or_answer import LocalModel
from tests.suite.colors import Run


class Bill(BaseModel):
    net: int
    total: int

    @model_validator(mode="after")
    def adds_up(self) -> "Bill":
        if self.total < self.net:
            raise ValueError("the total is less than the net")
        return self


WRONG, OTHER, RIGHT = (json.dumps({"net": 9, "total": total}) for total in (7, 8, 12))
TASK = {"messages": "Net 9, total 12."}


def texts(request: ScriptedRequest) -> list[str]:
    return [str(message.text) for message in request.messages]


def test_a_repeated_mistake_is_asked_once_more_without_it(run: Run) -> None:
    model = LocalModel(replies=[WRONG, WRONG, RIGHT])
    result: dict[str, Any] = run(create_agent(model, response_format=Bill), TASK)
    assert result["structured_response"] == Bill(net=9, total=12)
    second, third = model.requests[1:]
    assert WRONG in texts(second)
    assert not any(WRONG in text for text in texts(third))
    assert texts(third)[-1].startswith(TASK["messages"])
    assert "the total is less than the net" in texts(third)[-1]
    assert third.kwargs["response_format"] == second.kwargs["response_format"]
    # The conversation keeps what was said.
    assert [message.text for message in result["messages"]].count(WRONG) == 2


def test_after_that_the_run_ends_with_the_mistake_itself(run: Run) -> None:
    model = LocalModel(replies=[WRONG] * 9)
    outcome = run(create_agent(model, response_format=Bill), TASK)["outcome"]
    assert (outcome["status"], outcome["strategy"], len(model.requests)) == ("invalid", "provider", 3)
    assert "the total is less than the net" in outcome["reason"]


def test_different_mistakes_are_corrected_in_the_same_way_until_no_attempt_is_left(run: Run) -> None:
    model = LocalModel(replies=[WRONG, OTHER, WRONG, OTHER, RIGHT])
    outcome = run(create_agent(model, response_format=Bill), TASK)["outcome"]
    assert {attempt["strategy"] for attempt in outcome["attempts"]} == {"provider"}
    assert outcome["limit"] == "answer_attempts"


def test_what_the_tools_said_stays_in_the_request(run: Run) -> None:
    @tool
    def read_bill() -> str:
        """Read the bill."""
        return "Net 9, total 12."

    call = AIMessage("", tool_calls=[{"name": "read_bill", "args": {}, "id": "1"}])
    model = LocalModel(replies=[call, WRONG, WRONG, WRONG, RIGHT])
    result = run(create_agent(model, [read_bill], response_format=Bill), {"messages": "What is on the bill?"})
    assert result["structured_response"] == Bill(net=9, total=12)
    assert any("Net 9, total 12." in text for text in texts(model.requests[-1]))


def test_a_check_is_heard_in_the_answer_that_was_asked_afresh(run: Run) -> None:
    def is_twelve(answer: Bill, state: Any, runtime: Any) -> bool:
        """The total is 12."""
        return answer.total == 12

    model = LocalModel(replies=[WRONG, WRONG, json.dumps({"net": 9, "total": 10}), RIGHT])
    result = run(create_agent(model, response_format=Bill, check_answer=is_twelve), TASK)
    assert result["structured_response"] == Bill(net=9, total=12)
    assert "(The total is 12)" in texts(model.requests[-1])[-1]


def test_a_ladder_that_the_developer_wrote_is_gone_down(run: Run) -> None:
    model = LocalModel(replies=[WRONG, WRONG, RIGHT])
    ladder: Any = FallbackStrategy([ProviderStrategy(Bill), PromptedStrategy(Bill)])
    assert run(create_agent(model, response_format=ladder), TASK)["outcome"]["strategy"] == "prompted"


class Price(BaseModel):
    amount: Decimal
    limit: Annotated[Decimal, Ge(0)] | None = None


def test_an_alternative_whose_pattern_no_grammar_can_say_is_not_offered(run: Run) -> None:
    model = LocalModel(replies=['{"amount": 12.50}'])
    result = run(create_agent(model, response_format=Price), {"messages": "12.50 pounds sterling"})
    assert result["structured_response"] == Price(amount=Decimal("12.5"))
    schema = model.requests[0].kwargs["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["amount"]["anyOf"] == [{"type": "number"}]
    assert schema["properties"]["limit"]["anyOf"] == [{"type": "number", "minimum": 0}, {"type": "null"}]


class Recipe(BaseModel):
    flour: Fraction
    spices: list[Fraction] = []


def test_the_text_of_a_fraction_is_held_to_a_ratio(run: Run) -> None:
    model = LocalModel(replies=['{"flour": "1/3", "spices": [0.5, "1/8"]}'])
    result = run(create_agent(model, response_format=Recipe), {"messages": "A third of a cup."})
    assert result["structured_response"] == Recipe(flour=Fraction(1, 3), spices=[Fraction(1, 2), Fraction(1, 8)])
    schema = model.requests[0].kwargs["response_format"]["json_schema"]["schema"]
    number, ratio = schema["properties"]["flour"]["anyOf"]
    assert schema["properties"]["spices"]["items"]["anyOf"] == [number, ratio]
    pattern = ratio["pattern"]
    assert re.search(pattern, "-1/3")
    assert re.search(pattern, "0.25")
    assert not re.search(pattern, "one third")
    assert "\\d" not in pattern  # which llama.cpp's grammar does not know


def of_pattern(pattern: str) -> dict[str, object]:
    return {"type": "string", "pattern": pattern}


NUMBER, NOTHING = {"type": "number"}, {"type": "null"}


@pytest.mark.parametrize(
    ("members", "sent"),
    [
        ([of_pattern("^(?!0)[A-Z]+$"), NOTHING], None),
        ([of_pattern("^(?:GB|DE)[0-9]+$"), NOTHING], None),
        ([of_pattern("^(?:GB|DE)[0-9]+$"), NUMBER], None),
        ([of_pattern("^(?!x)[a-z]+$"), {"const": "none"}, {"type": "array"}], None),
        ([of_pattern("^(?!0)[0-9]+$"), NOTHING], None),
        ([of_pattern("^(?!0)[0-9]+$"), NUMBER, NOTHING], [NUMBER, NOTHING]),
    ],
)
def test_only_a_number_replaces_a_text_that_no_grammar_can_say(run: Run, members: list[Any], sent: list[Any] | None) -> None:
    declared = {"title": "Part", "type": "object", "properties": {"code": {"anyOf": members}}, "required": ["code"]}
    model = LocalModel(replies=['{"code": null}'] * 9)
    run(create_agent(model, response_format=declared), TASK)
    schema = model.requests[0].kwargs["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["code"]["anyOf"] == (sent or members)


class Amount(BaseModel):
    amount: float | str


def test_a_text_that_the_developer_declared_stays(run: Run) -> None:
    model = LocalModel(replies=['{"amount": "a dozen"}'])
    assert run(create_agent(model, response_format=Amount), TASK)["structured_response"] == Amount(amount="a dozen")
    schema = model.requests[0].kwargs["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["amount"]["anyOf"] == [{"type": "number"}, {"type": "string"}]


@tool
def read_total() -> str:
    """Read the total."""
    return "Net 9, total 12."


def of_the_bill(answer: Bill, state: Any, runtime: Any) -> None:
    if answer.total != 12:
        raise AnswerRejected("Look at the bill again, and call read_total if need be.", fields={"total": "the bill says 12"})


CALL = json.dumps({"name": "read_total", "arguments": {}})
ANSWER = json.dumps({"name": "Bill", "arguments": {"net": 9, "total": 12}})
MADE_UP = json.dumps({"net": 9, "total": 10})


def test_an_answer_that_a_check_rejects_twice_is_asked_once_more_without_it_and_with_its_problem_alone(run: Run) -> None:
    model = LocalModel(replies=[CALL, MADE_UP, CALL, MADE_UP, ANSWER])
    result = run(create_agent(model, [read_total], response_format=Bill, check_answer=of_the_bill), TASK)
    assert result["structured_response"] == Bill(net=9, total=12)
    asked = texts(model.requests[-1])
    assert not any(MADE_UP in text or "if need be" in text for text in asked)
    assert "- total: the bill says 12" in asked[-1]
    assert "These tools cannot be called now: read_total." in asked[-1]


def test_a_mistake_of_form_after_that_is_corrected(run: Run) -> None:
    model = LocalModel(replies=[MADE_UP, MADE_UP, WRONG, RIGHT])
    result = run(create_agent(model, response_format=Bill, check_answer=of_the_bill), TASK)
    assert result["structured_response"] == Bill(net=9, total=12)
