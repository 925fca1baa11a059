"""``answergraph ask`` with your own agent or schema."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.answergraph.cli.test_command_line import answergraph
from tests.openai_server import OpenAIServer, says


class City(BaseModel):
    city: str
    people: int


@pytest.mark.parametrize(
    "place",
    ["tests.answergraph.cli.test_command_line:CALCULATOR", "answergraph.graphs:create_calculator"],
    ids=["graph", "function"],
)
def test_your_own_agent_answers(place: str) -> None:
    code, out, err = answergraph("ask", "2 + 3", "--agent", place)
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == ["Calculation", "  final_answer: 5.0"]


async def later() -> object:
    """Returns an agent, to those who await it."""
    return object()


def test_a_function_that_must_be_awaited_is_refused_without_a_warning_of_python() -> None:
    code, out, err = answergraph("ask", "2 + 3", "--agent", f"{__name__}:later")  # the warning would be an error
    assert (code, out) == (2, "")
    assert "is of the type coroutine; name a compiled graph with the state key 'messages'" in err


@pytest.mark.parametrize("place", ["tests.answergraph.cli.test_command_line:CALCULATOR", "answergraph.graphs:create_calculator"])
def test_your_own_graph_is_drawn(place: str) -> None:
    assert answergraph("graph", place) == answergraph("graph", "calculator")


def test_an_agent_without_a_response_format_answers_with_its_text() -> None:
    code, out, err = answergraph("ask", "2 + 3", "--agent", "answergraph.graphs.add_ons.calculator.general_agent:general_agent")
    assert (code, out, err) == (0, "The result of 2 + 3 is 5.\n", "")


def test_the_answer_has_the_shape_of_your_schema(tmp_path: Path) -> None:
    properties = {"city": {"type": "string"}, "people": {"type": "integer"}}
    schema = tmp_path / "city.json"
    schema.write_text(json.dumps({"title": "City", "type": "object", "properties": properties, "required": ["city", "people"]}))
    value = {"city": "Oslo", "people": 700_000}
    for place in (str(schema), f"{__name__}:City"):
        with OpenAIServer([says(json.dumps(value))]) as server:
            options = ["--format", place, "--model", "openai:gpt-4.1", "--base-url", server.base_url]
            code, out, err = answergraph("ask", "Norway's largest city?", *options)
        assert (code, err) == (0, "")
        assert out.splitlines() == ["City", "  city: Oslo", "  people: 700000"]


def test_the_calculator_answers_by_a_schema_without_a_key(tmp_path: Path) -> None:
    schema = tmp_path / "price.json"
    properties = {"euros": {"type": "number"}}
    schema.write_text(json.dumps({"title": "Price", "type": "object", "properties": properties, "required": ["euros"]}))
    assert answergraph("ask", "2 + 3", "--format", str(schema)) == (0, "Price (by rules)\n  euros: 5.0\n", "")


def test_a_schema_also_goes_with_the_text_protocol() -> None:
    value = {"city": "Oslo", "people": 700_000}
    with OpenAIServer([says(f"Final Answer: {json.dumps(value)}")]) as server:
        options = ["--format", f"{__name__}:City", "--model", "openai:gpt-4.1", "--base-url", server.base_url]
        code, out, err = answergraph("ask", "Norway's largest city?", "--protocol", "react", *options)
    assert (code, out, err) == (0, "City\n  city: Oslo\n  people: 700000\n", "")
    code, out, err = answergraph("ask", "What is the capital?", "--protocol", "react", "--format", f"{__name__}:City")
    assert (code, out) == (1, "")
    assert err.startswith("refused: ")
