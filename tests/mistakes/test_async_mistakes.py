"""Mistakes with async hooks: each names the hook and says what to write."""

import asyncio
from typing import Any

import pytest

from answergraph import AgentSpecError, ToolStrategy, create_agent
from answergraph.middleware import AgentMiddleware
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls, search
from tests.suite.verdicts import Verdict


class NotAsync(AgentMiddleware[Any, Any, Any]):
    def abefore_model(self, state: Any, runtime: Any) -> Any:
        return None


class NotAsyncEither(AgentMiddleware[Any, Any, Any]):
    def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return request


class NotAsyncCheck(AgentMiddleware[Any, Any, Any]):
    def acheck_answer(self, answer: Any, state: Any, runtime: Any) -> Any:
        return True


class ForgetsAwait(AgentMiddleware[Any, Any, Any]):
    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request)


class ForgetsAwaitOfTool(AgentMiddleware[Any, Any, Any]):
    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request)


class HandsOn(AgentMiddleware[Any, Any, Any]):
    """Needs no ``async``: what the handler returns is awaited."""

    def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request)


def answer_of(middleware: Any) -> Any:
    replies = [calls(call("search", {"query": "a"})), calls(call("Verdict", {"passed": True}))]
    agent: Any = create_agent(
        ScriptedChatModel(replies=replies), [search], response_format=ToolStrategy(Verdict), middleware=[middleware]
    )
    return asyncio.run(agent.ainvoke({"messages": ["Go."]}))["structured_response"]


@pytest.mark.parametrize(
    ("middleware", "message"),
    [
        (NotAsync(), "NotAsync.abefore_model is not async, and returned None; write async def abefore_model."),
        (
            NotAsyncEither(),
            "NotAsyncEither.awrap_model_call is not async, and returned ModelRequest(…); write async def awrap_model_call.",
        ),
        (NotAsyncCheck(), "NotAsyncCheck.acheck_answer is not async, and returned True; write async def acheck_answer."),
        (
            ForgetsAwait(),
            "ForgetsAwait.wrap_model_call returned a coroutine; write `return await handler(request)` in its async form.",
        ),
        (
            ForgetsAwaitOfTool(),
            "ForgetsAwaitOfTool.wrap_tool_call returned a coroutine; write `return await handler(request)` in its async form.",
        ),
    ],
)
def test_a_hook_that_awaits_nothing_is_named(middleware: Any, message: str) -> None:
    with pytest.raises(AgentSpecError) as told:
        answer_of(middleware)
    assert str(told.value) == message


def test_a_hook_that_hands_on_what_is_awaited_needs_no_async() -> None:
    assert answer_of(HandsOn()) is not None
