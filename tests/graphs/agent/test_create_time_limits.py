"""A run with time limits ends with its outcome, whatever hangs."""

import threading
from collections.abc import Iterator
from decimal import Decimal
from time import monotonic
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from answergraph import AgentSpecError, PromptedStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.middleware import after_agent, after_model, before_agent, before_model, dynamic_prompt
from answergraph.runtime import time_limits
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.hanging_agents import (
    ANSWER,
    LONG,
    QUESTION,
    SOON,
    DrippingModel,
    HangingModel,
    agent_of,
    awaited_slow,
    ran,
    slow_tool,
    stubborn_slow,
    thinking_agent_of,
    told,
    void,
)
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.verdicts import Score


@pytest.mark.parametrize("wrong", [0, -1, True, "3", float("inf"), float("nan"), 10**12, 10**400, Decimal(1)])
@pytest.mark.parametrize("name", ["seconds", "seconds_per_model_call", "seconds_per_tool_call"])
def test_a_time_limit_is_a_positive_number_of_seconds(name: str, wrong: Any) -> None:
    with pytest.raises(AgentSpecError, match=f"{name}=.*write a positive number of seconds"):
        UsageLimits(**{name: wrong})


@pytest.mark.parametrize("wrong", [0, -1, "3", float("nan")])
def test_a_tools_own_limit_is_checked_while_building(wrong: Any) -> None:
    slow = slow_tool(lambda: None, metadata={"seconds_per_tool_call": wrong})
    with pytest.raises(AgentSpecError, match=r"seconds_per_tool_call=.*write a positive number of seconds"):
        agent_of(ANSWER, tools=[slow])


def test_a_tool_that_hangs_is_answered_and_the_answer_is_forced_from_what_is_known(run: Run, hang: Any) -> None:
    check_that_the_answer_is_forced_after(slow_tool(hang), run)


@pytest.mark.parametrize("run", ["async"], indirect=True)
@pytest.mark.parametrize("slow", [awaited_slow, stubborn_slow], ids=["awaited", "stubborn"])
def test_an_awaited_tool_that_hangs_is_answered_and_the_answer_is_forced_from_what_is_known(run: Run, slow: BaseTool) -> None:
    check_that_the_answer_is_forced_after(slow, run)


def check_that_the_answer_is_forced_after(slow: BaseTool, run: Run) -> None:
    result = ran(run, thinking_agent_of(calls(call(slow.name, {}, "s")), ANSWER, tools=[slow]))
    assert told(result)[0].startswith(f"Tool {slow.name} gave no result. ")
    assert (result["structured_response"], result["outcome"]["status"]) == (Score(score=1), "answered")
    assert result["outcome"]["usage"]["by_cause"]["final_answer"]["model_calls"] == 1


def test_a_tool_call_has_its_own_limit_and_the_run_goes_on_after_it(run: Run, hang: Any) -> None:
    limits = UsageLimits(seconds_per_tool_call=0.1)
    agent = agent_of(calls(call("slow", {}, "s")), ANSWER, tools=[slow_tool(hang)], limits=limits)
    result = ran(run, agent)
    assert result["structured_response"] == Score(score=1)
    assert list(result["outcome"]["usage"]["by_cause"]) == ["turn"]


@pytest.mark.parametrize("limits", [UsageLimits(seconds_per_tool_call=LONG), None], ids=["beside others", "alone"])
def test_a_tool_may_have_a_limit_of_its_own(run: Run, hang: Any, limits: UsageLimits | None) -> None:
    slow = slow_tool(hang, metadata={"seconds_per_tool_call": 0.1})
    result = ran(run, agent_of(calls(call("slow", {}, "s")), ANSWER, tools=[slow], limits=limits))
    assert "did not end in time" in told(result)[0]


def test_a_model_that_never_answers_ends_the_run(run: Run, hang: Any) -> None:
    model = HangingModel(replies=[ANSWER] * 4, hang=hang, hangs=(0, 1, 2))
    agent = create_agent(model, [], response_format=Score, limits=UsageLimits(seconds=0.5))
    outcome = ran(run, agent)["outcome"]
    assert (outcome["status"], outcome["limit"], outcome["limits"]["seconds"]) == ("out_of_budget", "seconds", 0.5)
    assert outcome["usage"]["seconds"] >= 0.5
    assert f"{outcome['usage']['seconds']} of 0.5 seconds" in outcome["reason"]


def test_without_a_response_format_the_outcome_is_written_too(run: Run, hang: Any) -> None:
    model = HangingModel(replies=["Hi."] * 4, hang=hang, hangs=(0, 1))
    outcome = ran(run, create_agent(model, [], limits=UsageLimits(seconds=0.3)))["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")


def test_a_model_call_that_hangs_is_made_once_more(run: Run, hang: Any) -> None:
    model = HangingModel(replies=[ANSWER] * 4, hang=hang, hangs=(0,))
    agent = create_agent(model, [], response_format=ToolStrategy(Score), limits=UsageLimits(seconds_per_model_call=0.2))
    outcome = ran(run, agent)["outcome"]
    assert (outcome["status"], outcome["usage"]["model_calls"]) == ("answered", 2)


def test_model_calls_that_all_hang_end_the_run(run: Run, hang: Any) -> None:
    model = HangingModel(replies=[ANSWER] * 9, hang=hang, hangs=tuple(range(9)))
    agent = create_agent(model, [], response_format=Score, limits=UsageLimits(seconds_per_model_call=0.1))
    outcome = ran(run, agent)["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", None)
    assert outcome["reason"].startswith("The model did not answer in time.")


@pytest.mark.parametrize("run", ["sync"], indirect=True)
def test_a_stream_that_nobody_waits_for_any_more_is_not_read_to_its_end(run: Run) -> None:
    sent: list[int] = []
    has_ended = threading.Event()

    class Endless(ScriptedChatModel):
        def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
            try:
                while len(sent) < 1_000:
                    sent.append(1)
                    has_ended.wait(0.02)
                    yield ChatGenerationChunk(message=AIMessageChunk(content="word "))
            finally:
                has_ended.set()

    result = ran(run, create_agent(Endless(replies=[]), response_format=Score, limits=UsageLimits(seconds=0.5)))
    assert result["outcome"]["limit"] == "seconds"
    assert has_ended.wait(LONG)
    assert len(sent) < 200


def test_a_value_that_closed_before_the_reply_was_cut_stands(run: Run, hang: Any) -> None:
    model = DrippingModel(replies=['{"score": 1} and so on'] * 2, hang=hang, pieces=4)
    limits = UsageLimits(seconds_per_model_call=1)
    agent = create_agent(model, [], response_format=PromptedStrategy(Score), limits=limits)
    result = ran(run, agent)
    assert (result["structured_response"], result["outcome"]["status"]) == (Score(score=1), "answered")


@pytest.mark.parametrize("reply", ["I think and think and think.", calls(call("Score", {"score": 1}, "a"))])
def test_a_value_that_did_not_close_is_no_answer(run: Run, hang: Any, reply: Any) -> None:
    model = DrippingModel(replies=[reply] * 3, hang=hang, pieces=2)
    agent = create_agent(model, [], response_format=ToolStrategy(Score), limits=UsageLimits(seconds=0.5))
    result = ran(run, agent)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "out_of_budget")


def test_a_model_whose_time_was_up_is_told_so(run: Run, hang: Any) -> None:
    model = DrippingModel(replies=["I think and think."] * 3, hang=hang, pieces=2)
    agent = create_agent(model, [], response_format=ToolStrategy(Score), limits=UsageLimits(seconds_per_model_call=0.5))
    result = ran(run, agent)
    assert told(result) == []
    assert "Your reply was cut because its time was up. Be brief." in result["messages"][2].text
    assert result["outcome"]["reason"] == "The reply was cut because its time was up."


class ClientTimeoutError(Exception):
    """The time-out of a provider's client."""


def test_a_clients_own_time_out_is_an_attempt_where_there_is_time(run: Run) -> None:
    agent = agent_of(ClientTimeoutError(), ANSWER, limits=UsageLimits(seconds=LONG))
    outcome = ran(run, agent)["outcome"]
    assert (outcome["status"], outcome["usage"]["model_calls"]) == ("answered", 2)


def test_without_time_limits_a_clients_time_out_is_raised_as_in_langchain(run: Run) -> None:
    with pytest.raises(ClientTimeoutError):
        ran(run, agent_of(ClientTimeoutError(), ANSWER))


def test_what_a_late_tool_returns_never_reaches_the_state(run: Run) -> None:
    go_on, done = threading.Event(), threading.Event()

    @tool
    def slow() -> str:
        """Search for long."""
        go_on.wait(LONG)
        done.set()
        return "late"

    agent = agent_of(
        calls(call("slow", {}, "s")), ANSWER, tools=[slow], limits=UsageLimits(seconds=1), checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    result = ran(run, agent, QUESTION, config)
    assert time_limits.calls_left_behind() >= 1
    go_on.set()
    assert done.wait(SOON)
    assert run.state(agent, config).values["messages"] == result["messages"]


def test_no_blocking_call_is_started_while_too_many_are_left_behind(run: Run, hang: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "MAX_LEFT_BEHIND", 0)
    agent = agent_of(calls(call("slow", {}, "s")), ANSWER, tools=[slow_tool(hang)], limits=UsageLimits(seconds=1))
    assert agent.invoke(QUESTION)["outcome"]["status"] == "out_of_budget"


@pytest.mark.parametrize("hook", [before_agent, before_model, dynamic_prompt])
def test_a_function_of_a_middleware_that_hangs_does_not_keep_the_run(run: Run, hang: Any, hook: Any) -> None:
    hanging = hook(lambda state, runtime: hang()) if hook is not dynamic_prompt else hook(lambda request: hang())
    result = ran(run, agent_of(ANSWER, middleware=[hanging], limits=UsageLimits(seconds=0.5)))
    assert (result["outcome"]["status"], result["outcome"]["limit"]) == ("out_of_budget", "seconds")


@pytest.mark.parametrize("limits", [None, UsageLimits(seconds=LONG)], ids=["without limits", "with limits"])
def test_a_function_that_runs_out_of_items_is_a_mistake_and_not_late(run: Run, limits: Any) -> None:
    chosen = create_agent(ScriptedChatModel(replies=[]), response_format=lambda state, runtime: next(iter([])), limits=limits)
    hooked = agent_of(ANSWER, middleware=[before_model(lambda state, runtime: next(iter([])))], limits=limits)
    for agent in (chosen, hooked):
        with pytest.raises(RuntimeError, match="StopIteration"):
            ran(run, agent)


def test_a_check_that_hangs_does_not_keep_the_run(run: Run, hang: Any) -> None:
    agent = agent_of(ANSWER, check_answer=lambda answer, state, runtime: hang(), limits=UsageLimits(seconds=0.5))
    assert ran(run, agent)["outcome"]["limit"] == "seconds"


@pytest.mark.parametrize("hook", [after_model, after_agent])
def test_an_answer_stands_though_a_hook_after_it_hangs(run: Run, hang: Any, hook: Any) -> None:
    hanging = hook(lambda state, runtime: hang())
    result = ran(run, agent_of(ANSWER, middleware=[hanging], limits=UsageLimits(seconds=0.5)))
    assert (result["structured_response"], result["outcome"]["status"]) == (Score(score=1), "answered")


def test_waiting_for_a_person_does_not_count_and_what_was_used_before_does() -> None:
    @tool
    def ask() -> str:
        """Ask a person."""
        return str(interrupt("Well?"))

    replies = [calls(call("ask", {}, "s")), ANSWER]
    model = HangingModel(replies=replies, hang=lambda: void(threading.Event().wait(0.3)), hangs=(0,))
    limits = UsageLimits(seconds=LONG)
    agent = create_agent(model, [ask], response_format=ToolStrategy(Score), limits=limits, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    began = monotonic()
    agent.invoke(QUESTION, config)
    threading.Event().wait(1)
    outcome = agent.invoke(Command(resume="yes"), config)["outcome"]
    assert outcome["status"] == "answered"
    assert 0.3 <= outcome["usage"]["seconds"] < monotonic() - began - 0.9
