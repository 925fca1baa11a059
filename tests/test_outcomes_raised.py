"""The second table of `docs/outcomes.md`: what the caller gets and what the thread holds when a run is broken off."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import FromContext, ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Verdict, call, calls

PAGE = (Path(__file__).parents[1] / "docs" / "outcomes.md").read_text()
THREAD: dict[str, Any] = {"configurable": {"thread_id": "1"}}
BREAK = call("break_down", {}, "b")


@tool
def break_down() -> str:
    """Break down."""
    raise RuntimeError("The disk is gone.")


def agent_of(*replies: Any, **options: Any) -> Any:
    given = {"response_format": ToolStrategy(Verdict), "tools": [break_down], "checkpointer": InMemorySaver(), **options}
    return create_agent(ScriptedChatModel(replies=replies), **given)


def kinds(state: Any) -> list[str]:
    return [message.type for message in state.values["messages"]]


def test_a_tool_that_raises_leaves_its_call_open_and_the_thread_goes_on(run: Any) -> None:
    agent = agent_of(calls(BREAK), calls(call("Verdict", GOOD)))
    with pytest.raises(RuntimeError, match="The disk is gone"):
        run(agent, QUESTION, THREAD)
    state = run.state(agent, THREAD)
    assert (kinds(state), state.next, state.values.get("outcome")) == (["human", "ai"], ("tools",), None)
    result = run(agent, {"messages": ["Go on without it."]}, THREAD)
    assert [m.type for m in result["messages"]][:4] == ["human", "ai", "tool", "human"]
    assert result["outcome"]["status"] == "answered"


def test_a_provider_that_fails_leaves_the_question_and_the_run_is_resumed(run: Any) -> None:
    agent = agent_of(ConnectionError("No route."), calls(call("Verdict", GOOD)))
    with pytest.raises(ConnectionError, match="No route"):
        run(agent, QUESTION, THREAD)
    state = run.state(agent, THREAD)
    assert (kinds(state), state.next, state.values.get("outcome")) == (["human"], ("model",), None)
    assert run(agent, None, THREAD)["outcome"]["status"] == "answered"


def test_a_cancelled_run_leaves_what_stood_and_the_thread_goes_on() -> None:
    started = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()
        return ""

    async def cancelled() -> Any:
        agent = agent_of(calls(call("wait", {}, "w")), calls(call("Verdict", GOOD)), tools=[wait])
        task = asyncio.ensure_future(agent.ainvoke(QUESTION, THREAD))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        state = await agent.aget_state(THREAD)
        assert (kinds(state), state.next, state.values.get("outcome")) == (["human", "ai"], ("tools",), None)
        return await agent.ainvoke(QUESTION, THREAD)

    assert asyncio.run(cancelled())["outcome"]["status"] == "answered"


def test_the_answer_none_is_told_apart_from_no_answer(run: Any) -> None:
    none = run(agent_of(calls(call("none", {"value": None})), response_format=ToolStrategy(Verdict | None)), QUESTION, THREAD)
    no_answer = run(agent_of("No.", "No.", response_format=ToolStrategy(Verdict | None)), QUESTION, THREAD)
    assert (none["structured_response"], no_answer["structured_response"]) == (None, None)
    ends = [(result["outcome"]["status"], result["outcome"]["schema"]) for result in (none, no_answer)]
    assert ends == [("answered", "none"), ("unanswered", None)]


def test_a_run_that_brings_no_schema_has_an_outcome(run: Any) -> None:
    outcome = run(agent_of("Hello.", response_format=FromContext()), QUESTION, THREAD)["outcome"]
    assert (outcome["status"], outcome["schema"], outcome["usage"]["model_calls"]) == ("answered", None, 1)


def test_the_page_has_a_row_for_each() -> None:
    rows = PAGE.partition("## What leaves `invoke`")[2]
    assert [word in rows for word in ("a tool raises", "the provider fails", "cancelled", "handle_errors", "NoAnswerError")] == [
        True
    ] * 5
