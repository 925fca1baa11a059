"""Agents as MCP tools, asked by the client of the official SDK: over HTTP, at stdin and stdout, and in this process."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from answergraph import Abstention, AgentSpecError, PromptedStrategy, ToolStrategy, create_agent
from answergraph.graphs import create_extractor
from answergraph.serving import to_mcp
from answergraph.serving.mcp_server import mcp_server
from answergraph.serving.served_agent import ServedAgent
from answergraph.testing import ScriptedChatModel
from tests.answergraph.serving.served_agents import (
    ENDINGS,
    GOOD,
    SHOW_CARD,
    Card,
    ScoredVerdict,
    agent_of,
    answers,
    approve,
    breaks,
    call,
    hanging,
    mounted,
)


def client_of(*agents: Any, mode: str = "auto") -> Client:
    return Client(mcp_server(map(ServedAgent, agents), "tests"), mode=mode)


def error_of(result: Any) -> str:
    """Return the text of an error. It has no structured content: clients would hold it to the answer's schema."""
    assert (result.is_error, result.structured_content) == (True, None)
    outcome = result.meta["answergraph/outcome"]
    assert result.content[0].text == f"{outcome['status']}: {outcome['reason']}"
    return str(result.content[0].text)


@asynccontextmanager
async def over_http(agent: Any, mode: str) -> AsyncIterator[Client]:
    """Mount the agent in an application of somebody's own, and connect to it."""
    async with mounted("/mcp", lambda _: to_mcp(agent)) as address, Client(f"{address}/", mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_answer_is_structured_content_of_the_shape_that_the_tool_declares(mode: str) -> None:
    steps: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with client_of(agent_of(answers(**GOOD)), mode=mode) as client:
        (shown,) = (await client.list_tools()).tools
        result = await client.call_tool("verdict", {"request": "Did it pass?"}, progress_callback=note)
    assert (shown.name, shown.input_schema["required"]) == ("verdict", ["request"])
    assert shown.description == "Answers with ScoredVerdict. Whether the test passed."
    assert shown.output_schema is not None
    assert shown.output_schema["properties"] == ScoredVerdict.model_json_schema()["properties"]
    assert (result.is_error, result.structured_content) == (False, GOOD)
    assert json.loads(result.content[0].text) == GOOD  # type: ignore[union-attr]  # a text
    assert result.meta is not None
    assert result.meta["answergraph/outcome"]["status"] == "answered"
    assert steps == ["model", "structured_response"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(("replies", "options", "status"), ENDINGS)
async def test_a_run_without_an_answer_is_an_error_with_its_status_and_reason(
    replies: list[Any], options: dict[str, Any], status: str, mode: str
) -> None:
    async with client_of(agent_of(*replies, tools=[approve, SHOW_CARD], **options), mode=mode) as client:
        result = await client.call_tool("verdict", {"request": "Did it pass?"})
    assert error_of(result).startswith(f"{status}: ")


async def test_a_run_that_breaks_is_an_error_that_keeps_the_text_of_others_to_itself(caplog: pytest.LogCaptureFixture) -> None:
    agent = agent_of(call("breaks", what="secret"), tools=[breaks])
    async with client_of(agent) as client:
        result = await client.call_tool("verdict", {"request": "x"})
    assert error_of(result) == "failed: An internal error occurred."
    assert "the password is secret" in caplog.text


@pytest.mark.parametrize("arguments", [{}, {"request": 7}, {"request": "x", "extra": 1}])
async def test_wrong_arguments_are_an_error_that_says_what_is_wrong(arguments: dict[str, Any]) -> None:
    async with client_of(agent_of()) as client:
        result = await client.call_tool("verdict", arguments)
        with pytest.raises(MCPError, match="There is no tool 'other'; there are verdict"):
            await client.call_tool("other", {})
    assert error_of(result).startswith("failed: The arguments do not fit. ")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_deferred_run_names_its_calls_and_goes_on_with_their_results(mode: str) -> None:
    agent = agent_of(call("show_card", title="x"), answers(**GOOD), tools=[SHOW_CARD], checkpointer=InMemorySaver())
    async with client_of(agent, mode=mode) as client:
        assert [each.name for each in (await client.list_tools()).tools] == ["verdict", "verdict_resume"]
        waits = (await client.call_tool("verdict", {"request": "x"})).structured_content
        assert (waits["status"], waits["go_on_with"]) == ("deferred", "verdict_resume")
        assert waits["pending"] == [{"id": "call_show_card", "name": "show_card", "args": {"title": "x"}}]
        missing = await client.call_tool("verdict_resume", {"thread_id": waits["thread_id"]})
        assert error_of(missing) == "failed: The run waits for 'results'."
        done = {"thread_id": waits["thread_id"], "results": {"call_show_card": {"shown": True}}}
        result = await client.call_tool("verdict_resume", done)
        again = await client.call_tool("verdict_resume", done)
    assert (result.is_error, result.structured_content) == (False, GOOD)
    assert error_of(again).startswith("failed: No run waits")


async def test_a_review_is_a_result_with_the_question_and_goes_on_with_the_decision() -> None:
    agent = agent_of(call("approve", what="it"), answers(**GOOD), tools=[approve], checkpointer=InMemorySaver())
    async with client_of(agent) as client:
        waits = (await client.call_tool("verdict", {"request": "x"})).structured_content
        assert (waits["status"], waits["questions"][0]["value"]) == ("waits_for_person", {"approve": "it"})
        result = await client.call_tool("verdict_resume", {"thread_id": waits["thread_id"], "decision": "yes"})
    assert (result.is_error, result.structured_content) == (False, GOOD)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_decision_that_comes_again_while_its_call_runs_carries_nothing_out_twice(mode: str) -> None:
    refunds: list[str] = []

    @tool
    async def refund(order: str) -> str:
        """Refund an order, if a person agrees."""
        refunds.append(str(interrupt({"refund": order})))
        await asyncio.sleep(0.2)
        return "Refunded."

    agent = agent_of(call("refund", order="O-1"), *[answers(**GOOD)] * 3, tools=[refund], checkpointer=InMemorySaver())
    async with client_of(agent, mode=mode) as client:
        waits = (await client.call_tool("verdict", {"request": "x"})).structured_content
        again = {"thread_id": waits["thread_id"], "decision": "yes"}
        results = await asyncio.gather(*[client.call_tool("verdict_resume", again) for _ in range(3)])
    assert refunds == ["yes"]
    assert [each.structured_content for each in results if not each.is_error] == [GOOD]
    assert {error_of(each).split(" 's")[0] for each in results if each.is_error} == {"failed: The run of the thread_id"}


@pytest.mark.parametrize(("declared", "wrapped"), [(ScoredVerdict | None, False), (int | None, True)])
async def test_a_null_answer_is_an_answer_and_fits_the_declared_shape(declared: Any, wrapped: bool) -> None:
    null = '{"value": null}' if wrapped else '{"schema": "none", "value": null}'
    agent: Any = create_agent(ScriptedChatModel(replies=[null]), response_format=PromptedStrategy(declared), name="value")
    async with client_of(agent) as client:
        (shown,) = (await client.list_tools()).tools
        result = await client.call_tool("value", {"request": "x"})
    assert (result.is_error, result.structured_content) == (False, {"answer": None})
    shape = jsonschema_rs.validator_for(shown.output_schema or {})
    assert shape.is_valid({"answer": None})
    assert shape.is_valid({"answer": 7} if wrapped else GOOD)


async def test_a_client_cannot_go_on_with_a_thread_of_somebody_else() -> None:
    agent = agent_of(call("approve", what="it"), tools=[approve], checkpointer=InMemorySaver())
    await agent.ainvoke({"messages": ["x"]}, {"configurable": {"thread_id": "1"}})
    async with client_of(agent) as client:
        result = await client.call_tool("verdict_resume", {"thread_id": "1", "decision": "yes"})
    assert error_of(result) == "failed: No run waits under the thread_id '1'."


@pytest.mark.parametrize(("declared", "reply", "answer"), [(list[int], "[1, 2]", [1, 2]), (int, "7", 7)])
async def test_an_answer_that_is_no_object_is_under_answer(declared: Any, reply: str, answer: object) -> None:
    agent: Any = create_agent(ScriptedChatModel(replies=[f'{{"value": {reply}}}']), response_format=declared, name="value")
    async with client_of(agent) as client:
        result = await client.call_tool("value", {"request": "x"})
    assert result.structured_content == {"answer": answer}


async def test_an_abstention_is_an_answer() -> None:
    nothing = call("Abstention", missing=["the log"])
    async with client_of(agent_of(nothing, response_format=ToolStrategy(ScoredVerdict | Abstention))) as client:
        result = await client.call_tool("verdict", {"request": "x"})
    assert (result.is_error, result.structured_content["missing"]) == (False, ["the log"])


async def test_an_extractor_takes_the_text_of_a_document() -> None:
    agent = create_extractor(ScriptedChatModel(replies=['{"title": "Oslo"}']), Card)
    async with client_of(agent) as client:
        (shown,) = (await client.list_tools()).tools
        result = await client.call_tool("extract", {"document": "The title: Oslo"})
    assert (shown.input_schema["required"], result.structured_content) == (["document"], {"title": "Oslo"})


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_application_that_mounts_agents_answers_over_http(mode: str) -> None:
    async with over_http(agent_of(answers(**GOOD)), mode) as client:
        assert [each.name for each in (await client.list_tools()).tools] == ["verdict"]
        result = await client.call_tool("verdict", {"request": "x"})
    assert (result.is_error, result.structured_content) == (False, GOOD)


@pytest.mark.parametrize(("is_http", "mode"), [(True, "auto"), (True, "legacy"), (False, "auto"), (False, "legacy")])
async def test_a_call_that_its_client_cancels_cancels_the_run(is_http: bool, mode: str) -> None:
    hangs, began, ended = hanging()
    agent = agent_of(call("hangs", what="x"), tools=[hangs])
    async with over_http(agent, mode) if is_http else client_of(agent, mode=mode) as client:
        asking = asyncio.create_task(client.call_tool("verdict", {"request": "x"}))
        await began.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        if not (is_http and mode == "legacy"):  # there, a server without sessions hears of it when the client leaves
            await ended.wait()
    await ended.wait()
    assert asking.cancelled()


AGENT = """
from answergraph import create_agent
from answergraph.testing import ScriptedChatModel

print("written by the module")
agent = create_agent(ScriptedChatModel(replies=['{"value": 7}']), response_format=int)
"""


@pytest.mark.program
async def test_the_command_serves_an_agent_at_stdin_and_stdout(tmp_path: Path) -> None:
    (tmp_path / "served.py").write_text(AGENT)
    command = StdioServerParameters(command=sys.executable, args=["-m", "answergraph", "mcp", "served:agent"], cwd=tmp_path)
    async with Client(command) as client:
        assert [each.name for each in (await client.list_tools()).tools] == ["agent"]
        result = await client.call_tool("agent", {"request": "x"})
    assert (result.is_error, result.structured_content) == (False, {"answer": 7})


@pytest.mark.program
def test_the_command_keeps_what_a_module_prints_out_of_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "served.py").write_text(AGENT)
    command = [sys.executable, "-m", "answergraph", "mcp", "served:agent"]
    done = subprocess.run(command, cwd=tmp_path, input="", capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "written by the module\n")


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        ([create_agent("offline", response_format=int)], r"needs a name; write create_agent\(…, name='…'\)"),
        ([create_agent("offline", response_format=int, name="a b")], "has other characters"),
        ([create_agent("offline", response_format=int, name="a")] * 2, "'a' is there twice"),
        ([create_agent("offline", name="a")], "has no typed answer"),
        ([], "to_mcp takes at least one agent"),
    ],
)
def test_what_cannot_be_served_is_refused_while_building(agents: list[Any], message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        to_mcp(*agents)
