"""Contexts on a server: a form for every graph with a context, and errors that name the field."""

import asyncio
import json
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.questions import QUESTIONS, SHIPPED, asks, assistant_id

pytestmark = pytest.mark.server

WRONG: dict[str, Any] = {"string": 5, "integer": "many", "number": "much", "boolean": "perhaps", "array": 5, "object": "text"}


async def forms(client: LangGraphClient) -> dict[str, dict[str, Any]]:
    """Return the fields of each shipped graph's context, for the graphs that have one."""
    ids = await asyncio.gather(*(assistant_id(client, graph) for graph in SHIPPED))
    schemas = await asyncio.gather(*map(client.assistants.get_schemas, ids))
    found = {graph: schema["context_schema"] or {} for graph, schema in zip(SHIPPED, schemas, strict=True)}
    return {graph: schema.get("properties", {}) for graph, schema in found.items() if schema.get("properties")}


def wrong_value(schema: dict[str, Any]) -> Any:
    kinds = [schema, *schema.get("anyOf", ())]
    return next(WRONG[kind["type"]] for kind in kinds if kind.get("type") in WRONG)


async def error_of(client: LangGraphClient, graph: str, context: dict[str, Any]) -> str:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the SDK has no type for a run that failed
        await client.runs.wait(None, graph, input=QUESTIONS[graph].input, context=context)
    return str(raised.value)


async def test_each_field_of_a_form_has_a_default_and_a_description(client: LangGraphClient) -> None:
    lacking = [
        f"{graph}.{name}: {key}"
        for graph, fields in (await forms(client)).items()
        for name, schema in fields.items()
        for key in ("default", "description")
        if key not in schema
    ]
    assert lacking == []


async def test_the_form_of_the_agent_has_a_choice_and_a_bounded_number(client: LangGraphClient) -> None:
    agent = (await forms(client))["agent"]
    assert list(agent) == ["model", "system_prompt", "response_format", "strategy", "max_model_calls", "max_seconds"]
    assert agent["strategy"]["enum"] == ["auto", "tool", "provider", "prompted"]
    assert (agent["max_model_calls"]["minimum"], agent["max_model_calls"]["maximum"]) == (1, 200)


async def test_a_run_with_limits_in_its_context_says_which_one_ended_it(client: LangGraphClient) -> None:
    question: dict[str, Any] = {"messages": [{"role": "user", "content": "1 + 2 + 3 + 4"}]}
    result: Any = await client.runs.wait(None, "agent", input=question, context={"max_model_calls": 2, "max_seconds": 600})
    outcome = result["outcome"]
    assert (outcome["status"], outcome["limit"], outcome["limits"]["seconds"]) == ("out_of_budget", "model_calls", 600)


async def test_the_error_for_a_wrong_type_names_the_field_in_every_graph(client: LangGraphClient) -> None:
    wrong = [
        (graph, name, {name: wrong_value(schema)})
        for graph, fields in (await forms(client)).items()
        for name, schema in fields.items()
    ]
    errors = await asyncio.gather(*(error_of(client, graph, context) for graph, _, context in wrong))
    assert [(graph, name, error) for (graph, name, _), error in zip(wrong, errors, strict=True) if name not in error] == []


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ({"strategy": "telepathy"}, ["strategy", "'auto', 'tool', 'provider' or 'prompted'"]),
        ({"max_model_calls": 0}, ["max_model_calls", "greater than or equal to 1"]),
        ({"response_format": {"type": "objekt"}}, ["response_format", "objekt"]),
        ({"model": "nope"}, ["AgentSpecError", "Model 'nope' cannot be used"]),
    ],
)
async def test_the_error_for_a_value_out_of_bounds_names_the_bounds(
    client: LangGraphClient, context: dict[str, Any], told: list[str]
) -> None:
    error = await error_of(client, "agent", context)
    assert [part for part in told if part not in error] == [], error


async def test_an_assistants_context_holds_for_its_runs_and_a_runs_context_comes_first(client: LangGraphClient) -> None:
    schema: Any = {"title": "Sum", "type": "object", "properties": {"final_answer": {"type": "number"}}}
    made = await client.assistants.create("agent", context={"response_format": schema, "max_model_calls": 3})
    question = asks("1 + 2 + 3 + 4 + 5 + 6")
    short, long = await asyncio.gather(
        client.runs.wait(None, made["assistant_id"], input=question),
        client.runs.wait(None, made["assistant_id"], input=question, context={"response_format": schema, "max_model_calls": 30}),
    )
    ended: list[Any] = [json.loads(json.dumps(end)) for end in (short, long)]
    assert [end["outcome"]["usage"]["model_calls"] for end in ended] == [3, 6]
    assert ended[1]["structured_response"] == {"final_answer": 21}
