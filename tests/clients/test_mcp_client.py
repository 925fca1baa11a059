"""Agents over MCP, under the protocol's own conformance suite and asked by its inspector."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from starlette.middleware.trustedhost import TrustedHostMiddleware

from answergraph.serving import to_mcp
from tests.answergraph.serving.served_agents import ENDINGS, GOOD, SHOW_CARD, agent_of, answers, approve, breaks, call, mounted
from tests.clients.javascript import INSTALLED, node

pytestmark = pytest.mark.clients
PACKAGES = INSTALLED / "node_modules" / "@modelcontextprotocol"


@asynccontextmanager
async def served(*agents: Any) -> AsyncIterator[str]:
    app = TrustedHostMiddleware(to_mcp(*agents), allowed_hosts=["localhost", "127.0.0.1"])
    async with mounted("/mcp", lambda _: app) as address:
        yield f"{address}/"


async def inspected(agent: Any, *options: str) -> dict[str, Any]:
    inspector = PACKAGES / "inspector" / "clients" / "launcher" / "build" / "index.js"
    async with served(agent) as address:
        # Of a result that is an error it exits with a code of its own.
        printed = await node(inspector, "--cli", address, "--transport", "http", "--method", *options, exit_codes=(0, 5))
    result: dict[str, Any] = json.loads(printed)
    return result


# The suite's other scenarios are for resources, prompts and tools that a suite's own server has.
@pytest.mark.parametrize(
    "scenario",
    ["server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-error", "dns-rebinding-protection"],
)
async def test_the_conformance_suite_finds_nothing_wrong(scenario: str) -> None:
    agents = (
        agent_of(answers(**GOOD), name="test_simple_text"),
        agent_of(call("breaks", what="x"), tools=[breaks], name="test_error_handling"),
    )
    suite = PACKAGES / "conformance" / "dist" / "index.js"
    async with served(*agents) as address:
        printed = await node(suite, "server", "--url", address, "--scenario", scenario)
    assert " 0 failed, 0 warnings" in printed


async def test_the_inspector_shows_the_schema_of_the_answer() -> None:
    (tool,) = (await inspected(agent_of(answers(**GOOD)), "tools/list"))["tools"]
    assert (tool["name"], sorted(tool["outputSchema"]["properties"])) == ("verdict", ["passed", "score"])


CALL = ("tools/call", "--tool-name", "verdict", "--tool-arg", "request=Did it pass?")


async def test_the_inspector_gets_the_answer_as_structured_content() -> None:
    assert (await inspected(agent_of(answers(**GOOD)), *CALL))["structuredContent"] == GOOD


@pytest.mark.parametrize(("replies", "options", "status"), ENDINGS)
async def test_the_inspector_gets_the_status_and_the_reason_of_a_run_without_an_answer(
    replies: list[Any], options: dict[str, Any], status: str
) -> None:
    result = await inspected(agent_of(*replies, tools=[approve, SHOW_CARD], **options), *CALL)
    assert (result["isError"], result["content"][0]["text"].split(":")[0]) == (True, status)


async def test_the_inspector_gets_what_a_run_waits_for() -> None:
    agent = agent_of(call("approve", what="it"), tools=[approve], checkpointer=InMemorySaver())
    content = (await inspected(agent, *CALL))["structuredContent"]
    assert (content["status"], content["go_on_with"]) == ("waits_for_person", "verdict_resume")
    assert content["questions"][0]["value"] == {"approve": "it"}
