"""Parallel steps: children, their labels, and the aggregate rules."""

from collections.abc import Mapping
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from answergraph.graphs import WorkflowStep, create_workflow
from tests.graphs.add_ons.workflow.agents import says, step
from tests.suite.colors import Run

LABELS = ["approved", "needs fix"]


def fails(state: Mapping[str, Any]) -> dict[str, Any]:
    raise RuntimeError("no network")


def parallel(*agents: Any, rules: Mapping[str, str]) -> WorkflowStep:
    children = [step(f"child{number}", agent, LABELS) for number, agent in enumerate(agents)]
    return WorkflowStep("reviews", rules=rules, parallel=children)


@pytest.mark.parametrize(
    ("agents", "rule"),
    [
        (["approved", "approved"], 'all("approved")'),
        (["approved", "needs fix"], 'all("approved", "needs fix")'),
        (["needs fix", "approved"], 'any("needs fix")'),
        (["approved", fails], 'any("error")'),
        (["approved", "Hm."], 'any("no rule matched")'),
    ],
)
def test_the_labels_of_the_children_decide(run: Run, agents: list[Any], rule: str) -> None:
    rules = ['all("approved")', 'all("approved", "needs fix")', 'any("error")', 'any("needs fix")', 'any("no rule matched")']
    workflow = create_workflow([parallel(*agents, rules=dict.fromkeys(rules, "COMPLETE"))])
    (transition,) = run(workflow, {"task": "T"})["transitions"]
    assert (transition["rule"], transition["method"]) == (rule, "aggregate")


def test_what_a_child_raised_is_kept_and_its_siblings_finish(run: Run) -> None:
    rules = {'any("error")': "ABORT", 'all("approved")': "COMPLETE"}
    result = run(create_workflow([parallel(fails, "approved", rules=rules)]), {"task": "T"})
    assert result["results"]["reviews.child0"]["error"] == "RuntimeError: no network"
    assert result["results"]["reviews.child1"]["text"] == "approved"
    assert result["transitions"][0]["said"] == "## child0: error\nRuntimeError: no network\n\n## child1: approved\napproved"


def test_a_parallel_step_visited_again_has_new_labels(run: Run) -> None:
    rules = {'all("approved")': "COMPLETE", 'any("needs fix")': "fix"}
    steps = [
        parallel(says("needs fix", "approved"), "approved", rules=rules),
        step("fix", "I fixed it.", {"I fixed it": "reviews"}),
    ]
    result = run(create_workflow(steps), {"task": "T"})
    assert [t["step"] for t in result["transitions"]] == ["reviews", "fix", "reviews"]
    assert result["status"] == "COMPLETE"


def test_labels_and_aggregates_may_be_in_one_list_of_rules(run: Run) -> None:
    rules = {'all("needs fix")': "ABORT", "approved": "COMPLETE", "rejected": "ABORT"}
    result = run(create_workflow([parallel("approved", "approved", rules=rules)]), {"task": "T"})
    assert (result["status"], result["transitions"][0]["rule"]) == ("COMPLETE", "approved")


def test_children_are_drawn_side_by_side(snapshot: SnapshotAssertion) -> None:
    workflow = create_workflow([parallel("x", "y", rules={'all("approved")': "COMPLETE"})])
    assert workflow.get_graph().draw_mermaid(with_styles=False) == snapshot
