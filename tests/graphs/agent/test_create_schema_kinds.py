"""Every strategy requests, reads and corrects every kind of type."""

import json
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field, RootModel

from answergraph import AutoStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.middleware import NarrowResponseFormat
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import QUESTION, call, calls, every_call_is_answered
from tests.suite.verdicts import Missing


class Found(BaseModel):
    """What was found."""

    where: str


class Spot(BaseModel):
    """Like ``Found``."""

    where: str
    line: int = 0


class Color(Enum):
    RED = "red"


class Facts(RootModel[list[str]]):
    """A list with a name."""


class Cat(BaseModel):
    kind: Literal["cat"]
    name: str


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


VALUES: list[tuple[Any, str, Any, Any]] = [
    (list[Found], "list_Found", [{"where": "here"}], [Found(where="here")]),
    (int, "int", 3, 3),
    (bool, "bool", False, False),
    (Literal["pass", "fail"], "choice_f1984aa4", "pass", "pass"),
    (Color, "Color", "red", Color.RED),
    (Facts, "Facts", ["a"], Facts(["a"])),
    (dict[str, int], "dict_str_int", {"a": 1}, {"a": 1}),
    ({"title": "Names", "type": "array", "items": {"type": "string"}}, "Names", ["a"], ["a"]),
]
KINDS = pytest.mark.parametrize("kind", VALUES, ids=[row[1] for row in VALUES])
TEXT_STRATEGIES = pytest.mark.parametrize("strategy", [ProviderStrategy, PromptedStrategy])


def answered(run: Any, response_format: Any, *replies: Any, **options: Any) -> tuple[dict[str, Any], ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    result = run(create_agent(model, response_format=response_format, **options), QUESTION)
    assert every_call_is_answered(result["messages"])
    return result, model


@KINDS
def test_a_value_that_is_not_an_object_is_wrapped_in_an_answer_tool(run: Any, kind: Any) -> None:
    declared, name, data, value = kind
    result, model = answered(run, ToolStrategy(declared), calls(call(name, {"value": data})))
    assert (result["structured_response"], result["outcome"]["schema"]) == (value, name)
    assert model.requests[0].tools[0]["function"]["parameters"]["required"] == ["value"]


@KINDS
@TEXT_STRATEGIES
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_value_that_is_not_an_object_is_read_wrapped_or_bare(run: Any, strategy: Any, kind: Any, wrapped: bool) -> None:
    declared, name, data, value = kind
    result, _ = answered(run, strategy(declared), json.dumps({"value": data} if wrapped else data))
    assert (result["structured_response"], result["outcome"]["schema"]) == (value, name)


@pytest.mark.parametrize("text", ["```json\n[1, 2]\n```", 'Here: {"value": [1, 2]}', "[1, 2]"])
def test_a_list_is_found_in_a_fence_in_prose_and_alone(run: Any, text: str) -> None:
    result, _ = answered(run, ToolStrategy(list[int]), text)
    assert (result["structured_response"], result["outcome"]["status"]) == ([1, 2], "answered")


def test_a_wrong_value_is_sent_back_with_its_place(run: Any) -> None:
    wrong, right = call("list_int", {"value": ["x"]}), call("list_int", {"value": [1]}, "2")
    result, _ = answered(run, ToolStrategy(list[int]), calls(wrong), calls(right))
    assert result["structured_response"] == [1]
    assert "list" in result["outcome"]["attempts"][0]["error"]
    assert result["outcome"]["attempts"][0]["status"] == "invalid"


@pytest.mark.parametrize("is_wrapped", [False, True])
@TEXT_STRATEGIES
def test_a_union_is_asked_for_and_read_in_an_envelope(run: Any, strategy: Any, is_wrapped: bool) -> None:
    enveloped = {"schema": "Missing", "value": {"facts": ["a"]}}
    reply = json.dumps({"value": enveloped} if is_wrapped else enveloped)
    result, model = answered(run, strategy(Found | Missing | list[int]), reply)
    assert result["structured_response"] == Missing(facts=["a"])
    asked = (json.dumps(model.requests[0].kwargs) + model.requests[0].messages[-1].text).replace('\\"', '"')
    assert all(name in asked for name in ("Found", "Missing", "list_int"))
    # The schema or the example ties each name to its value.
    assert '"enum": ["Missing"]' in asked or '{"schema": "Missing", "value": {"facts": ' in asked


@TEXT_STRATEGIES
def test_a_value_without_its_envelope_counts_where_it_fits_one_schema_alone(run: Any, strategy: Any) -> None:
    result, _ = answered(run, strategy(Found | Missing), '{"facts": []}')
    assert result["structured_response"] == Missing(facts=[])


@TEXT_STRATEGIES
def test_a_value_that_fits_two_schemas_is_sent_back_for_its_name(run: Any, strategy: Any) -> None:
    enveloped = json.dumps({"schema": "Spot", "value": {"where": "here"}})
    result, model = answered(run, strategy(Found | Spot), '{"where": "here"}', enveloped)
    assert result["structured_response"] == Spot(where="here")
    assert "fits each of ['Found', 'Spot']" in model.requests[1].messages[-1].text


@TEXT_STRATEGIES
def test_an_envelope_of_a_schema_left_out_is_sent_back_with_the_names_allowed(run: Any, strategy: Any) -> None:
    found = json.dumps({"schema": "Found", "value": {"where": "here"}})
    options = {"middleware": [NarrowResponseFormat(lambda _: (Missing, int))], "limits": UsageLimits(answer_attempts=2)}
    result, model = answered(run, strategy(Found | Missing | int), found, '{"schema": "int", "value": 3}', **options)
    assert result["structured_response"] == 3
    assert "'Found' is not offered now; answer with one of ['Missing', 'int']" in model.requests[1].messages[-1].text


def test_an_envelope_of_an_unknown_schema_is_not_an_answer(run: Any) -> None:
    unknown = '{"schema": "Nothing", "value": {"where": "here"}}'
    result, _ = answered(run, ProviderStrategy(Found | Missing), unknown, unknown)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "invalid")


def test_a_schema_with_the_member_names_of_an_envelope_is_not_an_envelope(run: Any) -> None:
    class Entry(BaseModel):
        schema_: str
        value: int
        model_config = {"alias_generator": lambda name: name.rstrip("_")}

    result, _ = answered(run, PromptedStrategy(Entry), '{"schema": "a", "value": 1}')
    assert result["structured_response"].value == 1


def test_the_automatic_strategy_asks_for_a_union_in_the_providers_mode(run: Any) -> None:
    reply = AIMessage('{"schema": "Found", "value": {"where": "here"}}')
    model = ScriptedChatModel(replies=[reply], profile={"structured_output": True})
    result = run(create_agent(model, response_format=AutoStrategy(Found | Missing)), QUESTION)
    assert (result["structured_response"], result["outcome"]["strategy"]) == (Found(where="here"), "provider")
    assert model.requests[0].kwargs["response_format"]["json_schema"]["name"] == "Found_or_Missing"


def test_none_is_an_answer_where_it_was_declared(run: Any) -> None:
    result, _ = answered(run, ToolStrategy(Found | None), calls(call("none", {"value": None})))
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "answered")


def test_an_attempt_names_the_intended_schema_if_that_is_known(run: Any) -> None:
    replies = [calls(call("Missing", {"facts": "x"})), '{"schema": "Found", "value": {}}', '{"where": "here"}', '{"other": 1}']
    limits = UsageLimits(answer_attempts=len(replies))
    result, _ = answered(run, ToolStrategy(Found | Missing | Spot), *replies, limits=limits)
    named = [(attempt["schema"], attempt["status"]) for attempt in result["outcome"]["attempts"]]
    assert named == [("Missing", "invalid"), ("Found", "invalid"), (None, "invalid"), (None, "invalid")]


@TEXT_STRATEGIES
@pytest.mark.parametrize(
    "declared", [Cat | Dog, Annotated[Cat | Dog, Field(discriminator="kind")]], ids=["union", "discriminated"]
)
def test_a_union_whose_members_have_a_discriminator_is_answered_by_a_member_as_it_is(
    run: Any, strategy: Any, declared: Any
) -> None:
    result, model = answered(run, strategy(declared), AIMessage('{"kind": "dog", "name": "Rex"}'))
    assert (result["structured_response"], result["outcome"]["schema"]) == (Dog(kind="dog", name="Rex"), "Dog")
    assert '"schema"' not in model.requests[0].messages[-1].text
