"""What the agent that is asked last decides."""

from typing import Any

import pytest

from answergraph import UsageLimits
from answergraph.graphs import create_ensemble
from tests.graphs.add_ons.ensemble.test_ensemble_graph import ASKED, Invoice, invoice, patch, reader
from tests.suite.colors import Run


@pytest.mark.parametrize(("agree", "total"), [(1, 14.0), (2, None)])
def test_the_last_agent_decides_between_different_values_if_one_reading_is_enough(run: Run, agree: int, total: Any) -> None:
    first = [reader(invoice(total=12)), reader(invoice(total=13))]
    result = run(create_ensemble(first, then=[reader(patch(total=14))], agree=agree, on_doubt="omit"), ASKED)
    assert result["structured_response"] == Invoice(number="A 1", total=total, lines=[])
    assert result["outcome"]["fields"]["total"].get("accepted_by") == ("escalation" if total else None)


def test_an_agent_that_raises_without_an_answer_gives_way_to_the_next_one(run: Run) -> None:
    first = reader({"number": []}, on_failure="raise", limits=UsageLimits(answer_attempts=1))
    result = run(create_ensemble([first], then=[reader(invoice(total=14))], when={"invalid"}), ASKED)
    assert result["structured_response"] == Invoice(number="A 1", total=14)
    assert result["outcome"]["usage"]["model_calls"] == 2


def test_the_cost_is_told_by_cause(run: Run) -> None:
    first = [reader(invoice(total=12)), reader(invoice(total=13))]
    limits = UsageLimits(cost=1, prices={"scripted": {"input": 1_000, "output": 2_000}})
    ensemble = create_ensemble(first, then=[reader(patch(total=13))], limits=limits)
    usage = run(ensemble, ASKED)["outcome"]["usage"]
    # Ten tokens in and five out for each call.
    assert {cause: each["cost"] for cause, each in usage["by_cause"].items()} == {"turn": 0.04, "escalation": 0.02}
    assert usage["cost"] == pytest.approx(0.06)


def test_an_item_that_only_the_last_agent_and_few_others_lack_leaves_no_trace(run: Run) -> None:
    longer = invoice("A 1", 12, ("tea", 5), ("salt", 7))
    shorter = invoice("A 1", 12, ("tea", 5))
    last = reader({"changes": [{"path": "lines", "value": shorter["lines"]}]})
    result = run(create_ensemble([reader(longer), reader(shorter)], then=[last], agree=1), ASKED)
    assert result["structured_response"] == Invoice.model_validate(shorter)
