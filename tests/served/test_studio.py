"""The data for clients that draw graphs, such as Studio: nodes, edges with reasons, schemas, subgraphs, hooks."""

import asyncio
import json
import re
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.conftest import TESTED
from tests.served.questions import SHIPPED, assistant_id

pytestmark = pytest.mark.server

READABLE = re.compile(r"[A-Za-z][A-Za-z0-9 _.:-]*")


def edges(graph: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {(edge["source"], edge["target"]): edge.get("data") for edge in graph["edges"]}


def unexplained(graph: dict[str, Any]) -> list[Any]:
    """Return the edges of which there are several to choose from, but no reason at them."""
    return [edge for edge in graph["edges"] if edge.get("conditional") and not edge.get("data")]


@pytest.mark.parametrize("name", [*SHIPPED, *TESTED])
async def test_nodes_have_readable_names_and_every_choice_its_reason(client: LangGraphClient, name: str) -> None:
    graph, opened = await asyncio.gather(client.assistants.get_graph(name), client.assistants.get_graph(name, xray=True))
    ids = [str(node["id"]) for node in graph["nodes"]]
    assert len(ids) == len(set(ids)) > 2
    assert [node for node in ids if not READABLE.fullmatch(node.strip("_"))] == []
    assert unexplained(graph) == []
    assert len(opened["nodes"]) >= len(ids)


@pytest.mark.parametrize("name", SHIPPED)
async def test_inputs_and_outputs_have_schemas(client: LangGraphClient, name: str) -> None:
    schemas: Any = await client.assistants.get_schemas(await assistant_id(client, name))
    for which in ("input_schema", "output_schema", "state_schema"):
        assert (schemas.get(which) or {}).get("properties"), which
    properties = schemas["input_schema"]["properties"]
    conversation = properties.get("messages", {})
    assert conversation.get("type") == "array" or all("type" in p or "anyOf" in p or "$ref" in p for p in properties.values())


async def test_an_output_schema_shows_the_fields_of_the_answer(client: LangGraphClient) -> None:
    output: Any = (await client.assistants.get_schemas(await assistant_id(client, "calculator")))["output_schema"]
    assert {"final_answer", "reasoning"} <= output["$defs"]["Calculation"]["properties"].keys()
    assert "status" in json.dumps(output["properties"]["outcome"]) + json.dumps(output["$defs"])


async def test_xray_opens_a_subgraph_and_keeps_its_reasons(client: LangGraphClient) -> None:
    closed, opened = await asyncio.gather(client.assistants.get_graph("team"), client.assistants.get_graph("team", xray=True))
    assert [node["id"] for node in closed["nodes"]] == ["__start__", "calculator", "__end__"]
    inner = {"calculator:model", "calculator:tools", "calculator:structured_response"}
    assert inner <= {node["id"] for node in opened["nodes"]}
    assert edges(opened)["calculator:model", "calculator:tools"] == "call_tools"
    subgraphs: Any = await client.assistants.get_subgraphs(await assistant_id(client, "team"), recurse=True)
    assert "calculator" in subgraphs


async def test_hooks_are_nodes_named_after_their_middleware(client: LangGraphClient) -> None:
    graph = await client.assistants.get_graph("hooked")
    ids = [node["id"] for node in graph["nodes"]]
    assert [node for node in ids if "." in str(node)] == [
        "Announce.before_agent",
        "Announce.before_model",
        "stop_after_two_turns.before_model",
        "Announce.after_model",
        "Announce.after_agent",
    ]
    found = edges(graph)
    assert found["stop_after_two_turns.before_model", "model"] == "go_on"
    assert found["stop_after_two_turns.before_model", "structured_response"] == "read_answer"
    assert found["structured_response", "Announce.after_agent"] == "finish"
    assert found["Announce.after_model", "Announce.before_model"] == "ask_again"


async def test_a_hook_of_langchains_middleware_is_named_like_ours(client: LangGraphClient) -> None:
    ids = [node["id"] for node in (await client.assistants.get_graph("approval"))["nodes"]]
    assert "HumanInTheLoopMiddleware.after_model" in ids
