"""Mistakes with async hooks: each names the hook and says what to write."""

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from answergraph import AgentSpecError, Grounded, ToolStrategy, create_agent
from answergraph.middleware import AgentMiddleware, GroundedAnswer, RequireTools
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

QUESTION: Any = {"messages": ["Go."]}


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


class Times(BaseModel):
    """How often it was found."""

    times: int


class Counted(BaseModel):
    """How often it was found."""

    times: Annotated[int, Grounded()]


def agent_with(middleware: Any, schema: type[BaseModel], **answer: object) -> Any:
    replies = [calls(call("search", {"query": "a"})), calls(call(schema.__name__, answer))]
    model = ScriptedChatModel(replies=replies)
    return create_agent(model, [search], response_format=ToolStrategy(schema), middleware=[middleware])


def answer_of(middleware: Any) -> Any:
    return asyncio.run(agent_with(middleware, Verdict, passed=True).ainvoke(QUESTION))["structured_response"]


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


async def never(*arguments: Any) -> bool:
    return False


DOUBTFUL: list[Any] = [RequireTools(lambda run, answer: never()), GroundedAnswer(sources=lambda run: never())]  # type: ignore[arg-type, return-value]  # the mistake


@pytest.mark.parametrize(("middleware", "schema"), list(zip(DOUBTFUL, [Times, Counted], strict=True)))
def test_a_predicate_that_returns_a_coroutine_is_not_taken_for_true(run: Run, middleware: Any, schema: type[BaseModel]) -> None:
    with pytest.raises(AgentSpecError, match="<lambda> returned a coroutine, which nothing awaits; return True or False"):
        run(agent_with(middleware, schema, times=1), QUESTION)
