"""A guard without effect is refused: while building, or at run time before the model is asked."""

from typing import Any

import pytest
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import AgentSpecError, ToolStrategy, create_agent
from answergraph.errors import ResponseFormatError
from answergraph.middleware import AgentMiddleware, GroundedAnswer, RequireTools
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.fields import places
from tests.suite.verdicts import Finding

QUESTION: dict[str, Any] = {"messages": ["What does the log say?"]}
FOUND = {"quote": "the disk is full"}


class Plain(BaseModel):
    """An answer without marks."""

    quote: str


@tool
def read_log() -> str:
    """Read the log."""
    return "12:00 the disk is full"


class GivesTools(AgentMiddleware[Any, Any, Any]):
    """Gives the model tools at run time and runs them, like a client of an MCP server."""

    def modify_model_request(self, request: Any) -> Any:
        return request.override(tools=[*request.tools, read_log])

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tool=read_log))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(tool=read_log))


class ChecksQuotes(AgentMiddleware[Any, Any, Any]):
    """Checks marks in its own way."""

    checks_marks = True

    def check_answer(self, answer: Any, state: Any, runtime: Any) -> bool:
        return bool(answer.quote == FOUND["quote"])


class OfAnotherAgent(GroundedAnswer):
    """Uses the results of another agent."""

    def evidence(self, state: Any) -> Any:
        return []


def agent_of(*middleware: Any, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=[calls(call("read_log", {}, "1")), calls(call("Finding", FOUND, "2"))])
    return create_agent(model, middleware=middleware, **{"response_format": ToolStrategy(Finding), **options}), model


def test_a_guard_may_name_a_tool_that_is_given_at_run_time(run: Run) -> None:
    agent, _ = agent_of(GivesTools(), RequireTools("read_log"), GroundedAnswer(sources=["read_log"]))
    assert run(agent, QUESTION)["structured_response"] == Finding.model_validate(FOUND)


@pytest.mark.parametrize("guard", [RequireTools("red_log"), GroundedAnswer(sources=["red_log"])])
def test_a_tool_also_missing_at_run_time_is_reported_before_the_model_is_asked(run: Run, guard: Any) -> None:
    agent, model = agent_of(GivesTools(), guard, *([] if guard.checks_marks else [GroundedAnswer()]))
    with pytest.raises(AgentSpecError, match=r"there is no tool 'red_log'\. Did you mean 'read_log'\?"):
        run(agent, QUESTION)
    assert model.requests == []


def test_unusable_marks_of_a_runtime_format_are_reported_before_the_model_is_asked(run: Run) -> None:
    agent, model = agent_of(response_format=lambda state, runtime: Finding, tools=[read_log])
    with pytest.raises(ResponseFormatError, match=r"Finding\.quote is marked with Quote\(\), but nothing checks it"):
        run(agent, QUESTION)
    assert model.requests == []


def test_a_runtime_format_without_marks_is_reported_if_marks_are_checked(run: Run) -> None:
    agent, model = agent_of(GroundedAnswer(), response_format=lambda state, runtime: Plain, tools=[read_log])
    with pytest.raises(ResponseFormatError, match="GroundedAnswer has nothing to check: no field of Plain is marked"):
        run(agent, QUESTION)
    assert model.requests == []


def test_a_format_made_at_run_time_is_checked_where_it_is_made_well(run: Run) -> None:
    agent, _ = agent_of(GroundedAnswer(), response_format=lambda state, runtime: ToolStrategy(Finding), tools=[read_log])
    assert places(run(agent, QUESTION)["outcome"]["fields"]) == {"quote": ["1", 6, 22]}


def test_a_custom_middleware_may_check_the_marks(run: Run) -> None:
    agent, _ = agent_of(ChecksQuotes(), tools=[read_log])
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"


def test_sources_of_another_agent_are_not_looked_for_in_this_one() -> None:
    agent, _ = agent_of(OfAnotherAgent(sources=["explore"]))
    assert "structured_response" in agent.nodes


def test_required_tools_may_be_given_as_tools() -> None:
    assert RequireTools(read_log).name == "RequireTools(read_log)"
    assert GroundedAnswer(sources=[read_log]).named_tools == ("read_log",)
