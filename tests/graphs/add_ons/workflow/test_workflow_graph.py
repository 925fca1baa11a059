"""Workflows: the next step and its reason, the endings, and that every workflow ends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel
from syrupy.assertion import SnapshotAssertion

from answergraph import AgentSpecError, create_agent
from answergraph.errors import WorkflowSpecError
from answergraph.graphs import WorkflowLimits, WorkflowStep, create_workflow
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.workflow.agents import says, step
from tests.suite.colors import Run

REVIEWS = {"approved": "COMPLETE", "needs fix": "fix"}


def reviewed(*reviews: str) -> list[WorkflowStep]:
    return [
        step("plan", "The plan is ready.", {"ready": "review", "no idea": "ABORT"}),
        step("review", says(*reviews), REVIEWS),
        step("fix", "I fixed it.", {"I fixed it": "review"}),
    ]


def path(result: dict[str, Any]) -> list[str]:
    return [transition["step"] for transition in result["transitions"]] + [result["status"]]


def test_the_rules_are_on_the_drawn_edges(snapshot: SnapshotAssertion) -> None:
    assert create_workflow(reviewed("approved")).get_graph().draw_mermaid(with_styles=False) == snapshot


def test_a_drawing_in_depth_shows_the_stages_of_the_judges() -> None:
    nodes = create_workflow(reviewed("approved")).get_graph(xray=True).nodes
    assert "review.judge:ai_judge" in nodes


def test_each_rule_names_the_next_step(run: Run) -> None:
    result = run(create_workflow(reviewed("needs fix", "It needs fix.", "approved")), {"task": "Build it."})
    assert path(result) == ["plan", "review", "fix", "review", "fix", "review", "COMPLETE"]
    assert result["transitions"][1] == {
        "step": "review",
        "rule": "needs fix",
        "next": "fix",
        "method": "structured_output",
        "reason": 'The work says: "needs fix"',
        "said": "needs fix",
    }
    assert result["transitions"][2]["method"] == "auto_select"
    assert result["reason"] == 'The work says: "approved"'


def test_a_rule_may_give_up(run: Run) -> None:
    steps = [step("plan", "I have no idea.", {"ready": "COMPLETE", "no idea": "ABORT"})]
    result = run(create_workflow(steps), {"task": "Build it."})
    assert (path(result), result["reason"]) == (["plan", "ABORT"], 'The work says: "I have no idea."')


def test_no_matching_rule_aborts_and_says_which_step(run: Run) -> None:
    result = run(create_workflow(reviewed("Hm.")), {"task": "Build it."})
    assert path(result) == ["plan", "review", "ABORT"]
    assert result["reason"].startswith("Status not found for step 'review': No rule matched after all stages")
    assert (result["transitions"][-1]["rule"], result["transitions"][-1]["next"]) == (None, "ABORT")


def test_a_rule_that_cannot_be_decided_aborts_and_says_why(run: Run) -> None:
    result = run(create_workflow([step("plan", "P", {"when(absent == 1)": "plan", "P": "COMPLETE"})]), {"task": "Build it."})
    assert (path(result), result["transitions"][0]["rule"]) == (["plan", "ABORT"], None)
    assert "there is no 'absent'" in result["reason"]


def test_a_circle_without_progress_is_ended(run: Run) -> None:
    result = run(create_workflow(reviewed("needs fix"), limits=WorkflowLimits(repeats=2)), {"task": "Build it."})
    assert path(result).count("review") == 3
    assert result["status"] == "ABORT"
    assert "repeats itself" in result["reason"]
    assert "'review'" in result["reason"]


@pytest.mark.parametrize(
    ("limits", "why", "steps"),
    [(WorkflowLimits(steps=4), "4 steps", 4), (WorkflowLimits(visits=2), "2 visits to step 'review'", 5)],
)
def test_a_limit_ends_a_workflow_that_goes_on(run: Run, limits: WorkflowLimits, why: str, steps: int) -> None:
    reviews = [f"Point {number} needs fix." for number in range(9)]
    result = run(create_workflow(reviewed(*reviews), limits=limits), {"task": "Build it."})
    assert (result["status"], len(result["transitions"])) == ("ABORT", steps)
    assert why in result["reason"]


@given(st.lists(st.sampled_from(["approved", "It needs fix.", "Hm.", "Point 7 needs fix.", ""]), min_size=1, max_size=9))
def test_every_workflow_ends_with_a_status_and_a_reason(reviews: list[str]) -> None:
    result = create_workflow(reviewed(*reviews), limits=WorkflowLimits(steps=12)).invoke({"task": "Build it."})
    assert result["status"] in ("COMPLETE", "ABORT")
    assert result["reason"]
    assert len(result["transitions"]) <= 12


class Review(BaseModel):
    score: float


def test_rules_read_what_an_agent_returns(run: Run) -> None:
    call = {"name": "Review", "args": {"score": 0.9}, "id": "1"}
    agent = create_agent(ScriptedChatModel(replies=[AIMessage("", tool_calls=[call])]), response_format=Review)
    rules = {"when(result.outcome.status != 'answered')": "ABORT", "when(result.structured_response.score > 0.5)": "COMPLETE"}
    result = run(create_workflow([step("review", agent, rules)]), {"task": "Review it."})
    assert (result["status"], result["transitions"][0]["method"]) == ("COMPLETE", "auto_select")
    assert result["results"]["review"]["structured_response"] == {"score": 0.9}


def test_rules_count_visits_and_know_the_task_and_earlier_results(run: Run) -> None:
    rules = {"when(visits.work < 3)": "work", "when(task == 'T' && results.plan.text == 'P')": "COMPLETE"}
    steps = [step("plan", "P", {"P": "work"}), step("work", "W", rules)]
    assert path(run(create_workflow(steps), {"task": "T"})) == ["plan", "work", "work", "work", "COMPLETE"]


def test_agents_are_told_the_task_the_instruction_and_what_was_done(run: Run) -> None:
    model = ScriptedChatModel(replies=["All done."])
    steps = [step("plan", "The plan is ready.", {"ready": "work"}), step("work", create_agent(model), {"All done": "COMPLETE"})]
    steps[1] = WorkflowStep("work", steps[1].agent, steps[1].rules, instruction="Be quick.")
    run(create_workflow(steps), {"task": "Build it."})
    told = "Be quick.\n\nTask: Build it.\n\nWhat was done so far, oldest first:\nplan: The plan is ready."
    assert [message.text for message in model.requests[0].messages] == [told]


def test_facts_go_to_agents_and_come_back_from_them(run: Run) -> None:
    seen: list[Any] = []

    def look(state: dict[str, Any]) -> dict[str, Any]:
        seen.append(state["place"])
        return {"text": "ok", "facts": {"place": "there", "done": True}}

    steps = [step("look", look, {"when(done && place == 'there')": "COMPLETE"})]
    result = run(create_workflow(steps, facts={"place": "nowhere"}), {"task": "T", "facts": {"place": "here"}})
    assert (seen, result["facts"]) == (["here"], {"place": "there", "done": True})


def test_a_step_without_a_judge_reads_the_tag_its_agent_wrote(run: Run) -> None:
    model = ScriptedChatModel(replies=["Looks good.\n[STEP:2]"])
    rules = {"needs fix": "ABORT", "approved": "COMPLETE"}
    result = run(create_workflow([step("review", create_agent(model), rules, judge=None)]), {"task": "T"})
    assert (result["status"], result["transitions"][0]["method"]) == ("COMPLETE", "phase1_tag")
    assert "[STEP:2] approved" in model.requests[0].messages[0].text


def test_a_thread_begins_each_run_anew(run: Run) -> None:
    workflow = create_workflow(reviewed("approved"), limits=WorkflowLimits(steps=2), checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    for _ in range(3):
        assert path(run(workflow, {"task": "T"}, thread)) == ["plan", "review", "COMPLETE"]


AGENT = says("x")


@pytest.mark.parametrize(
    ("steps", "key"),
    [
        ([], "steps"),
        ([WorkflowStep("a", AGENT)], "steps[0].rules"),
        ([WorkflowStep("a", AGENT, ["x"])], "steps[0].rules[0].next"),
        ([WorkflowStep("a", AGENT, {"x": "b"})], "steps[0].rules[0].next"),
        ([WorkflowStep("a", AGENT, {"when(": "COMPLETE"})], "steps[0].rules[0].condition"),
        ([WorkflowStep("a", AGENT, {"x": "COMPLETE", " x ": "a"})], "steps[0].rules[1].condition"),
        ([WorkflowStep("a", AGENT, {"all('x')": "COMPLETE"})], "steps[0].rules[0].condition"),
        ([WorkflowStep("a", None, {"x": "COMPLETE"})], "steps[0].agent"),
        ([WorkflowStep("a", 5, {"x": "COMPLETE"})], "steps[0].agent"),
        ([WorkflowStep("COMPLETE", AGENT, {"x": "COMPLETE"})], "steps[0].name"),
        ([WorkflowStep("a.b", AGENT, {"x": "COMPLETE"})], "steps[0].name"),
        ([WorkflowStep("a", AGENT, {"x": "COMPLETE"}), WorkflowStep("a", AGENT, {"x": "a"})], "steps[1].name"),
        ([WorkflowStep("a", AGENT, {"x": "COMPLETE"}), WorkflowStep("b", AGENT, {"x": "a"})], "steps[1].name"),
        ([WorkflowStep("a", AGENT, {"x": "a"})], "steps"),
        ([WorkflowStep("a", AGENT, {"x": "COMPLETE"}, parallel=[WorkflowStep("b", AGENT, ["x"])])], "steps[0].agent"),
        ([WorkflowStep("a", rules={"x": "COMPLETE"}, parallel=[WorkflowStep("b", AGENT)])], "steps[0].parallel[0].rules"),
    ],
)
def test_a_mistake_is_found_while_building_and_says_where(steps: list[WorkflowStep], key: str) -> None:
    with pytest.raises(WorkflowSpecError) as caught:
        create_workflow(steps)
    assert caught.value.key == key


@pytest.mark.parametrize("limit", [0, -1, True, 2.5])
def test_a_limit_is_at_least_one(limit: Any) -> None:
    with pytest.raises(AgentSpecError, match="at least 1"):
        WorkflowLimits(steps=limit)
