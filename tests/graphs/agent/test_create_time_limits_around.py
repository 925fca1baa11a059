"""Time limits of what is around a model or tool call: inner runs, hooks, checks, LangGraph's own."""

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from langchain_core.tools import tool
from pydantic import field_validator

from answergraph import NoAnswerError, ToolStrategy, UsageLimits, as_tool, create_agent
from answergraph.middleware import AgentMiddleware
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.hanging_agents import (
    ANSWER,
    QUESTION,
    SOON,
    HangingModel,
    agent_of,
    ran,
    slow_tool,
    thinking_agent_of,
    told,
)
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.verdicts import Score


@pytest.mark.torture
@pytest.mark.parametrize("way", ["tool", "plain_tool"])
def test_a_run_inside_another_ends_with_its_outcome_before_that_ones_tool_is_given_up(run: Run, hang: Any, way: str) -> None:
    model = HangingModel(replies=[ANSWER] * 4, hang=hang, hangs=(0, 1, 2))
    inner = create_agent(model, [], response_format=ToolStrategy(Score), name="inner")
    seen: list[Any] = []

    @tool
    def plain() -> str:
        """Ask the inner agent."""
        seen.append(inner.invoke(QUESTION)["outcome"])
        return str(seen[0]["status"])

    asks: Any = plain if way == "plain_tool" else as_tool(inner, description="Ask the inner agent.")
    args = {} if way == "plain_tool" else {"request": "q"}
    # The inner run has 0.3 seconds to return, as it has in runs of three seconds or more.
    result = ran(run, thinking_agent_of(calls(call(asks.name, args, "s")), ANSWER, tools=[asks], seconds=6))
    assert result["structured_response"] == Score(score=1)
    assert "did not end in time" not in told(result)[0]
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["model_calls"] >= 1
    assert [(outcome["status"], outcome["limit"]) for outcome in seen] in ([], [("out_of_budget", "seconds")])


class HangingHook(AgentMiddleware):
    """Hangs in one hook."""

    def __init__(self, hook: str, hang: Callable[[], None]) -> None:
        super().__init__()
        self._hook = hook
        self._hang = hang

    def _hangs(self, hook: str) -> None:
        if hook == self._hook:
            self._hang()

    def before_agent(self, state: Any, runtime: Any) -> None:
        self._hangs("before_agent")

    def before_model(self, state: Any, runtime: Any) -> None:
        self._hangs("before_model")

    def after_agent(self, state: Any, runtime: Any) -> None:
        self._hangs("after_agent")

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        self._hangs("wrap_model_call")
        return handler(request)


@pytest.mark.parametrize("hook", ["before_agent", "before_model", "wrap_model_call", "after_agent"])
def test_a_hook_that_hangs_does_not_keep_the_run(hang: Any, hook: str) -> None:
    agent = agent_of(ANSWER, middleware=[HangingHook(hook, hang)], limits=UsageLimits(seconds=1.5))
    began = monotonic()
    outcome = agent.invoke(QUESTION)["outcome"]
    assert monotonic() - began < SOON
    assert outcome["status"] == ("answered" if hook == "after_agent" else "out_of_budget")
    assert outcome["limit"] == (None if hook == "after_agent" else "seconds")


def test_a_check_that_hangs_ends_the_run_without_an_answer(run: Run, hang: Any) -> None:
    def check(answer: Any, state: Any, runtime: Any) -> None:
        hang()

    outcome = ran(run, agent_of(ANSWER, check_answer=check, limits=UsageLimits(seconds=0.5)))["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")


def test_a_check_that_hangs_raises_where_a_run_without_an_answer_is_to_raise(run: Run, hang: Any) -> None:
    agent = agent_of(ANSWER, check_answer=lambda *_: hang(), limits=UsageLimits(seconds=0.5), on_failure="raise")
    with pytest.raises(NoAnswerError, match=r"of 0\.5 seconds"):
        ran(run, agent)


def test_a_format_function_that_hangs_ends_the_run_with_its_outcome(run: Run, hang: Any) -> None:
    agent = agent_of(ANSWER, response_format=lambda state, runtime: hang(), limits=UsageLimits(seconds=0.5))
    result = ran(run, agent)
    assert (result["outcome"]["status"], result["outcome"]["limit"]) == ("out_of_budget", "seconds")
    assert result["structured_response"] is None


def test_a_hook_that_hangs_before_a_format_is_made_at_run_time_ends_the_run_with_its_outcome(run: Run, hang: Any) -> None:
    hook = HangingHook("before_model", hang)
    agent = agent_of(ANSWER, response_format=lambda *_: Score, middleware=[hook], limits=UsageLimits(seconds=0.5))
    assert ran(run, agent)["outcome"]["limit"] == "seconds"


@pytest.mark.parametrize("place", ["validator", "handle_errors", "prices"])
def test_any_function_of_yours_that_hangs_does_not_keep_the_run(run: Run, hang: Any, place: str) -> None:
    class Checked(Score):
        @field_validator("score")
        @classmethod
        def _checked(cls, score: int) -> int:
            if place == "validator":
                hang()
            return score

    def free(model: str, usage: Any) -> int:
        return hang() or 0

    reply = calls(call("Checked", {"score": "high" if place == "handle_errors" else 1}, "a"))
    strategy = (
        ToolStrategy(Checked, handle_errors=lambda error: hang() or "") if place == "handle_errors" else ToolStrategy(Checked)
    )
    limits = UsageLimits(seconds=0.5, prices=free if place == "prices" else None)
    outcome = ran(run, agent_of(reply, response_format=strategy, limits=limits))["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")


def test_a_scripted_function_that_hangs_does_not_keep_the_run(run: Run, hang: Any) -> None:
    model, limits = ScriptedChatModel(replies=lambda _: hang() or ANSWER), UsageLimits(seconds=0.5)
    outcome = ran(run, create_agent(model, response_format=ToolStrategy(Score), limits=limits))["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")


class BlockingModel(ScriptedChatModel):
    """Holds its thread, and so the event loop of an awaited run."""

    def _stream(self, *args: Any, **kwargs: Any) -> Any:
        threading.Event().wait(0.8)
        yield from super()._stream(*args, **kwargs)

    async def _astream(self, *args: Any, **kwargs: Any) -> Any:
        for chunk in self._stream(*args, **kwargs):
            yield chunk


def test_a_run_that_is_to_raise_does_so_although_its_time_was_over_before_its_end(run: Run) -> None:
    model, limits = BlockingModel(replies=[ANSWER] * 3), UsageLimits(seconds=0.3)
    with pytest.raises(NoAnswerError, match=r"of 0\.3 seconds") as raised:
        ran(run, create_agent(model, response_format=ToolStrategy(Score), limits=limits, on_failure="raise"))
    assert (raised.value.outcome["status"], raised.value.outcome["limit"]) == ("out_of_budget", "seconds")


def test_langgraphs_step_timeout_ends_a_tool_and_not_the_run(run: Run, hang: Any) -> None:
    agent = agent_of(calls(call("slow", {}, "s")), ANSWER, tools=[slow_tool(hang)])
    agent.step_timeout = 1.5
    assert ran(run, agent)["outcome"]["status"] == "answered"
