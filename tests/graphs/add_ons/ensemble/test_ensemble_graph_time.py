"""An ensemble with a limit of seconds ends in time with its outcome, whatever hangs in a reader."""

from time import monotonic
from typing import Any

import pytest

from answergraph import AgentSpecError, ToolStrategy, UsageLimits, create_agent
from answergraph.graphs import create_ensemble
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.ensemble.test_ensemble_graph import ASKED, Invoice, called, invoice, reader
from tests.graphs.agent.conftest import hang as hang  # noqa: PLC0414 - a fixture
from tests.graphs.agent.hanging_agents import SOON, HangingModel, slow_tool
from tests.graphs.agent.scripted_agents import call, calls
from tests.graphs.agent.test_create_time_limits_around import HangingHook
from tests.suite.colors import Run

LIMIT = UsageLimits(seconds=1.5)


def hanging(hang: Any) -> Any:
    model = HangingModel(replies=[called(invoice())] * 9, hang=hang, hangs=tuple(range(9)))
    return create_agent(model, response_format=ToolStrategy(Invoice))


def with_slow_tool(hang: Any) -> Any:
    """Return a reader whose only tool hangs, and which then knows its answer."""
    model = HangingModel(replies=[calls(call("slow", {}, "s")), called(invoice(total=12))], hang=hang, hangs=())
    return create_agent(model, [slow_tool(hang)], response_format=ToolStrategy(Invoice))


def ended(run: Run, ensemble: Any) -> dict[str, Any]:
    began = monotonic()
    result: dict[str, Any] = run(ensemble, ASKED)
    assert monotonic() - began < SOON
    assert result["outcome"]["limits"]["seconds"] == LIMIT.seconds
    assert result["outcome"]["usage"]["seconds"] < SOON
    return result


def test_a_reader_that_hangs_leaves_its_fields_in_doubt_and_the_outcome_names_the_limit(run: Run, hang: Any) -> None:
    result = ended(run, create_ensemble([reader(invoice()), hanging(hang)], limits=LIMIT))
    outcome = result["outcome"]
    assert (outcome["status"], outcome["limit"], result["structured_response"]) == ("out_of_budget", "seconds", None)
    assert outcome["reason"] == "reader_2 reached its limit (seconds). The readers leave number in doubt (and 1 more)."


def test_enough_readers_in_time_are_an_answer(run: Run, hang: Any) -> None:
    result = ended(run, create_ensemble([reader(invoice()), reader(invoice()), hanging(hang)], limits=LIMIT))
    assert (result["outcome"]["status"], result["outcome"]["limit"]) == ("answered", None)
    assert result["structured_response"] == Invoice.model_validate(invoice())


def test_a_reader_whose_tool_hangs_answers_from_what_it_knows(run: Run, hang: Any) -> None:
    result = ended(run, create_ensemble([reader(invoice(total=12)), with_slow_tool(hang)], limits=LIMIT))
    assert result["outcome"]["status"] == "answered"


def test_all_rounds_together_end_in_time(run: Run, hang: Any) -> None:
    agents = [reader(invoice(total=12)), reader(invoice(total=13))]
    result = ended(run, create_ensemble(agents, then=[hanging(hang), hanging(hang)], limits=LIMIT))
    assert (result["outcome"]["status"], result["outcome"]["limit"]) == ("out_of_budget", "seconds")
    assert [each["status"] for each in result["outcome"]["attempts"]] == ["answered"] * 2 + ["unanswered"] * 2


def test_an_ensemble_in_a_limited_run_ends_before_it(run: Run, hang: Any) -> None:
    slow = create_ensemble([hanging(hang), hanging(hang)])
    result = ended(run, create_ensemble([reader(invoice()), reader(invoice()), slow_reader(slow)], limits=LIMIT))
    assert result["outcome"]["status"] == "answered"


@pytest.mark.parametrize("hook", ["before_agent", "before_model", "wrap_model_call"])
def test_a_reader_without_limits_whose_hook_hangs_names_the_limit_of_all(hang: Any, hook: str) -> None:
    model = ScriptedChatModel(replies=[called(invoice())] * 9)
    slow = create_agent(model, response_format=ToolStrategy(Invoice), middleware=[HangingHook(hook, hang)])
    outcome = create_ensemble([reader(invoice()), slow], limits=LIMIT).invoke(ASKED)["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")
    assert outcome["reason"].startswith("reader_2 reached its limit (seconds).")


def slow_reader(ensemble: Any) -> Any:
    """Return a reader that asks an ensemble before it answers."""
    model = HangingModel(replies=[calls(call("slow", {}, "s")), called(invoice())], hang=lambda: None, hangs=())
    return create_agent(model, [slow_tool(lambda: ensemble.invoke(ASKED))], response_format=ToolStrategy(Invoice))


@pytest.mark.parametrize(
    "limit", [{"seconds_per_model_call": 3}, {"seconds_per_tool_call": 3}, {"answer_attempts": 2}, {"tell_model": True}]
)
def test_a_limit_of_one_agent_is_refused_with_where_to_write_it(limit: Any) -> None:
    with pytest.raises(AgentSpecError, match=rf"{next(iter(limit))} is an agent's own; give each one limits="):
        create_ensemble([reader(), reader()], limits=UsageLimits(**limit))


@pytest.mark.parametrize("calls", [1, 2])
def test_fewer_model_calls_than_agents_that_are_asked_first_are_refused(calls: int) -> None:
    agents = [create_agent(ScriptedChatModel(replies=["7"]), response_format=int) for _ in range(3)]
    with pytest.raises(AgentSpecError, match=rf"model_calls={calls} are fewer than the 3 agents .*UsageLimits\(model_calls=3\)"):
        create_ensemble(agents, limits=UsageLimits(model_calls=calls))
    # Those of ``then`` are asked only if need be.
    assert create_ensemble(agents[:1], then=agents[1:], limits=UsageLimits(model_calls=1))
