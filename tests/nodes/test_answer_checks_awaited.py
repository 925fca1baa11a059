"""Checks that are awaited: functions and methods of middleware that look at an answer with something asynchronous."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import AgentSpecError, AnswerRejected, ToolStrategy, UsageLimits, create_agent
from answergraph.kit import AnswerAccepted
from answergraph.middleware import AgentMiddleware
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

QUESTION: Any = {"messages": ["q"]}


class Score(BaseModel):
    """A score."""

    points: int


def scores(*points: int) -> ScriptedChatModel:
    calls = [[{"name": "Score", "args": {"points": each}, "id": str(at)}] for at, each in enumerate(points)]
    return ScriptedChatModel(replies=[AIMessage("", tool_calls=call) for call in calls])


async def at_least_two(answer: Any, state: Any, runtime: Any) -> bool:
    """The score is two or more."""
    await asyncio.sleep(0)
    return bool(answer.points >= 2)


async def says_why(answer: Any, state: Any, runtime: Any) -> None:
    await asyncio.sleep(0)
    if answer.points < 2:
        raise AnswerRejected("At least two.", fields=["points"])


class AtLeastTwo:
    async def __call__(self, answer: Any, state: Any, runtime: Any) -> bool:
        return await at_least_two(answer, state, runtime)


class Awaits(AgentMiddleware[Any, Any, Any]):
    async def acheck_answer(self, answer: Any, state: Any, runtime: Any) -> AnswerAccepted | bool | None:
        return await at_least_two(answer, state, runtime)


class AwaitsUnderTheSameName(AgentMiddleware[Any, Any, Any]):
    async def check_answer(self, answer: Any, state: Any, runtime: Any) -> bool:  # type: ignore[override]  # of a user who writes so
        return await at_least_two(answer, state, runtime)


class InBothColours(AgentMiddleware[Any, Any, Any]):
    def __init__(self) -> None:
        super().__init__()
        self.called: list[str] = []

    def check_answer(self, answer: Any, state: Any, runtime: Any) -> bool:
        self.called.append("sync")
        return bool(answer.points >= 2)

    async def acheck_answer(self, answer: Any, state: Any, runtime: Any) -> bool:
        self.called.append("async")
        return await at_least_two(answer, state, runtime)


def agents() -> dict[str, Any]:
    asked: dict[str, dict[str, Any]] = {
        "a function": {"check_answer": at_least_two},
        "an object": {"check_answer": AtLeastTwo()},
        "a middleware": {"middleware": [Awaits()]},
        "a middleware, by the name of the blocking one": {"middleware": [AwaitsUnderTheSameName()]},
    }
    return {name: create_agent(scores(1, 2), response_format=ToolStrategy(Score), **each) for name, each in asked.items()}


@pytest.mark.parametrize("name", agents())
def test_an_awaited_run_awaits_its_check(name: str) -> None:
    result = asyncio.run(agents()[name].ainvoke(QUESTION))
    assert result["structured_response"] == Score(points=2)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]


@pytest.mark.parametrize("name", agents())
def test_a_blocking_run_refuses_a_check_that_it_cannot_await(name: str) -> None:
    with pytest.raises(AgentSpecError, match="is async: call the agent with ainvoke or astream, or pass a blocking function"):
        agents()[name].invoke(QUESTION)


def test_a_rejection_tells_the_model_the_checks_name_and_docstring() -> None:
    model = scores(1, 2)
    agent = create_agent(model, response_format=ToolStrategy(Score), check_answer=at_least_two)
    asyncio.run(agent.ainvoke(QUESTION))
    assert "'at_least_two' (The score is two or more)" in model.requests[1].messages[-1].text


def test_a_rejection_names_the_fields_that_it_is_about() -> None:
    agent = create_agent(scores(1, 2), response_format=ToolStrategy(Score), check_answer=says_why)
    outcome = asyncio.run(agent.ainvoke(QUESTION))["outcome"]
    assert outcome["attempts"][0]["fields"] == {"points": "At least two."}


def test_a_middleware_with_both_checks_in_the_colour_of_the_run(run: Run) -> None:
    both = InBothColours()
    agent = create_agent(scores(1, 2), response_format=ToolStrategy(Score), middleware=[both])
    assert run(agent, QUESTION)["structured_response"] == Score(points=2)
    assert both.called == [run.color] * 2


def test_a_check_that_hangs_ends_with_the_time_of_its_run() -> None:
    async def hangs(answer: Any, state: Any, runtime: Any) -> None:
        await asyncio.Event().wait()

    agent = create_agent(scores(2), response_format=ToolStrategy(Score), check_answer=hangs, limits=UsageLimits(seconds=0.3))
    outcome = asyncio.run(agent.ainvoke(QUESTION))["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")


def test_an_asynchronous_form_of_a_pure_hook_is_refused() -> None:
    class Asks(AgentMiddleware[Any, Any, Any]):
        async def amodify_model_request(self, request: Any) -> Any:
            return request

    with pytest.raises(AgentSpecError, match="amodify_model_request would never run"):
        create_agent(scores(2), middleware=[Asks()])
