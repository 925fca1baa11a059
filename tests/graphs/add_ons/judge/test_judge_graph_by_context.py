"""The judge that a server makes of a run's context."""

import pytest

from answergraph import AgentSpecError
from answergraph.graphs.add_ons.judge.judge_graph import judge_by_context


def test_the_rules_of_the_context_are_judged_and_other_keys_ignored() -> None:
    judge = judge_by_context({"rules": ["good", "bad"], "thread_id": "1"})
    assert judge.invoke({"report": "All good."})["judgment"]["label"] == "good"
    assert judge_by_context({"rules": ["good", "bad"]}) is judge


def test_a_context_that_makes_no_judge_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="The judge's context cannot be used"):
        judge_by_context({"rules": 7})
