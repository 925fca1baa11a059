"""An add-on sees what the run around it has left, and charges it for what it uses."""

from typing import Any

import pytest
from langchain_core.tools import StructuredTool

from answergraph import PromptedStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.kit import Budget
from answergraph.testing import ScriptedChatModel
from answergraph.types import Usage
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Verdict, call, calls
from tests.suite.colors import Run

USED: Any = {"model_calls": 2, "tool_calls": 0, "input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "by_cause": {}}


def run_with(run: Run, work: Any) -> Any:
    """Run an agent whose tool does some work."""
    return run(agent_with(work), QUESTION)["outcome"]


def agent_with(work: Any) -> Any:
    """Return an agent of at most ten model calls whose tool does some work."""

    async def awork() -> str:
        return str(work())

    tool = StructuredTool.from_function(lambda: str(work()), awork, name="work", description="Work.")
    model = ScriptedChatModel(replies=[calls(call("work", {}, "1")), calls(call("Verdict", dict(GOOD), "2"))])
    return create_agent(model, [tool], response_format=ToolStrategy(Verdict), limits=UsageLimits(model_calls=10))


def test_there_is_no_budget_outside_an_agent() -> None:
    assert Budget.current() is None


def test_what_is_charged_counts_as_an_inner_run(run: Run) -> None:
    def work() -> None:
        budget = Budget.current()
        assert budget is not None
        budget.charge(USED)
        budget.charge(USED)

    usage = run_with(run, work)["usage"]
    assert usage["model_calls"] == 2 + 4
    assert usage["by_cause"]["inner_run"]["total_tokens"] == 30


def test_what_is_charged_with_a_cause_is_counted_apart(run: Run) -> None:
    def work() -> None:
        budget = Budget.current()
        assert budget is not None
        priced: Any = {**USED, "cost": 0.5}
        budget.charge(priced, cause="scans")
        budget.charge(USED, cause="scans")
        budget.charge(USED)

    usage = run_with(run, work)["usage"]
    assert usage["model_calls"] == 2 + 6
    assert usage["by_cause"]["scans"] == {"model_calls": 4, "tool_calls": 0, "total_tokens": 30, "cost": 0.5}
    assert usage["by_cause"]["inner_run"]["total_tokens"] == 15
    assert sum(share["total_tokens"] for share in usage["by_cause"].values()) == usage["total_tokens"]


def test_a_cause_keeps_its_name_through_inner_agents(run: Run) -> None:
    def inside() -> None:
        budget = Budget.current()
        assert budget is not None
        budget.charge(USED, cause="scans")

    def work() -> None:
        used = agent_with(inside).invoke(QUESTION)["outcome"]["usage"]["by_cause"]
        assert list(used) == ["turn", "scans"]

    causes = run_with(run, work)["usage"]["by_cause"]
    assert {cause: share["model_calls"] for cause, share in causes.items()} == {"turn": 2, "scans": 2, "inner_run": 2}


def test_what_others_have_taken_is_not_left_for_the_runs_inside(run: Run) -> None:
    told = []

    def others(used: Usage) -> float:
        told.append(used.get("cost"))
        return 1.5

    model = ScriptedChatModel(replies=[f'{{"wrong": {number}}}' for number in range(9)])
    agent = create_agent(model, response_format=PromptedStrategy(Verdict), limits=UsageLimits(answer_attempts=9))
    nothing: Any = {**USED, "model_calls": 0, "seconds": 0}
    with Budget.sharing(UsageLimits(cost=3, prices=lambda name, usage: 0.5), nothing, others=others) as used:
        outcome = run(agent, QUESTION)["outcome"]
    assert (outcome["status"], outcome["limit"], outcome["usage"]["cost"]) == ("out_of_budget", "cost", 1.5)
    assert (told, used().get("cost")) == ([None, 0.5, 1.0], 1.5)


@pytest.mark.parametrize(("own", "capped"), [(None, 6), (3, 3), (8, 6)])
def test_own_limits_are_lowered_to_what_is_left(run: Run, own: int | None, capped: int) -> None:
    limits: list[UsageLimits] = []

    def work() -> None:
        budget = Budget.current()
        assert budget is not None
        budget.charge(USED)
        limits.append(budget.capped(UsageLimits(model_calls=own)))

    run_with(run, work)
    # Of ten calls, one is made, two are charged, and one is kept for the answer.
    assert [each.model_calls for each in limits] == [capped]
