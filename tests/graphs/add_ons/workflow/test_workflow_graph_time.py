"""A workflow with a limit of seconds ends in time with its outcome, whatever hangs in a step; so does one in a limited run."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from answergraph import AgentSpecError, ToolStrategy, UsageLimits, create_agent
from answergraph.errors import WorkflowFileError
from answergraph.graphs import WorkflowLimits, create_judge, create_workflow, load_workflow
from tests.graphs.add_ons.workflow.agents import says, step
from tests.graphs.agent.conftest import hang as hang  # noqa: PLC0414 - a fixture
from tests.graphs.agent.hanging_agents import ANSWER, LONG, QUESTION, SOON, HangingModel, ThinkingModel, slow_tool, told
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.verdicts import Score

RULES = {"ready": "COMPLETE", "no idea": "ABORT"}
LIMIT = WorkflowLimits(seconds=1.5)
WAITED = 0.4
REACHED = "The limit of 1.5 seconds is reached."
FILE = """\
limits: {{seconds: {seconds}}}
steps:
  - name: plan
    instruction: Plan it.
    team_leader: {{max_parts: 2}}
    rules:
      - {{condition: ready, next: COMPLETE}}
      - {{condition: no idea, next: ABORT}}
"""


async def stubborn(_: object) -> dict[str, str]:
    """Hang, and do not let it be cancelled at once."""
    for seconds in (LONG, 0.5, 0.5):
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            continue
    return {"text": "ready"}


def hanging_model(hang: Any) -> HangingModel:
    return HangingModel(replies=[calls(call("slow", {}, "s"))] * 9, hang=hang, hangs=tuple(range(9)))


def hanging_workflow(where: str, hang: Any, limits: WorkflowLimits | None = LIMIT) -> Any:
    function: Any = RunnableLambda(lambda _: hang() or {"text": "ready"}, stubborn)
    agents = {
        "function": function,
        "tool": create_agent(HangingModel(replies=[calls(call("slow", {}, "s"))] * 9, hang=hang, hangs=()), [slow_tool(hang)]),
        "judge": says("Hm."),
        "child": None,
    }
    children = [step("quick", "ready", ["ready", "no idea"]), step("slow", function, ["ready", "no idea"])]
    plan = step("plan", agents[where], RULES, parallel=children if where == "child" else ())
    return create_workflow([plan], model=hanging_model(hang) if where == "judge" else "offline", limits=limits)


def ended(run: Run, workflow: Any, input: Any, config: Any = None) -> dict[str, Any]:
    began = monotonic()
    result: dict[str, Any] = run(workflow, input, config)
    assert monotonic() - began < SOON
    return result


@pytest.mark.parametrize("where", ["function", "tool", "judge", "child"])
def test_a_workflow_ends_with_its_reason_whatever_hangs(run: Run, hang: Any, where: str) -> None:
    result = ended(run, hanging_workflow(where, hang), {"task": "Build it."})
    assert (result["status"], result["reason"]) == ("ABORT", REACHED)
    assert [(transition["step"], transition["next"]) for transition in result["transitions"]] == [("plan", "ABORT")]
    if where == "child":
        assert result["results"]["plan.quick"] == {"text": "ready"}
        assert result["results"]["plan.slow"]["error"] == REACHED


def test_what_ended_before_the_limit_is_kept(run: Run, hang: Any) -> None:
    slow: Any = RunnableLambda(lambda _: hang() or {"text": "ready"}, stubborn)
    steps = [step("plan", "A fine plan, ready.", {"ready": "build", "no idea": "ABORT"}), step("build", slow, RULES)]
    result = ended(run, create_workflow(steps, limits=LIMIT), {"task": "Build it."})
    assert (result["reason"], result["results"]["plan"]["text"]) == (REACHED, "A fine plan, ready.")
    assert [(transition["step"], transition["rule"]) for transition in result["transitions"]] == [
        ("plan", "ready"),
        ("build", None),
    ]


def test_a_workflow_that_ends_in_time_is_as_without_a_limit(run: Run) -> None:
    quick, free = (
        create_workflow([step("plan", "ready", RULES)], limits=limits) for limits in (WorkflowLimits(seconds=LONG), None)
    )
    assert run(quick, {"task": "Build it."}) == run(free, {"task": "Build it."})


def test_the_parts_of_a_team_end_with_their_workflow(tmp_path: Path, run: Run, hang: Any) -> None:
    path = tmp_path / "team.yaml"
    path.write_text(FILE.format(seconds=1.5))
    result = ended(run, load_workflow(path, model=hanging_model(hang)), {"task": "Build it."})
    assert (result["status"], result["reason"]) == ("ABORT", REACHED)


@pytest.mark.parametrize("seconds", ["-1", "0", "1.0e+999"])
def test_a_time_that_is_none_is_refused(tmp_path: Path, seconds: str) -> None:
    path = tmp_path / "team.yaml"
    path.write_text(FILE.format(seconds=seconds))
    with pytest.raises(WorkflowFileError, match="seconds") as raised:
        load_workflow(path)
    assert raised.value.line == 1
    with pytest.raises(AgentSpecError, match="seconds"):
        WorkflowLimits(seconds=float(seconds))


def test_time_counts_on_where_a_workflow_goes_on_and_not_while_a_person_is_asked(run: Run) -> None:
    def asks(state: Mapping[str, Any]) -> dict[str, str]:
        return {"text": str(interrupt("Ready?"))}

    config: Any = {"configurable": {"thread_id": "1"}}
    steps = [
        step("wait", RunnableLambda(lambda _: pause(), apause), {"waited": "ask", "no idea": "ABORT"}),
        step("ask", asks, RULES),
    ]
    workflow = create_workflow(steps, limits=WorkflowLimits(seconds=LONG), checkpointer=InMemorySaver())
    began = monotonic()
    run(workflow, {"task": "Build it."}, config)
    used = workflow.get_state(config).values["seconds"]
    pause(WAITED)
    result = run(workflow, Command(resume="ready"), config)
    assert result["status"] == "COMPLETE"
    assert 0.3 <= used <= workflow.get_state(config).values["seconds"] <= monotonic() - began - WAITED


def pause(seconds: float = 0.3) -> dict[str, str]:
    asyncio.run(asyncio.sleep(seconds))
    return {"text": "waited"}


async def apause(_: object) -> dict[str, str]:
    await asyncio.sleep(0.3)
    return {"text": "waited"}


@pytest.mark.torture
@pytest.mark.parametrize("where", ["function", "judge alone"])
def test_a_workflow_in_a_tool_ends_with_its_outcome_before_the_tool_is_given_up(run: Run, hang: Any, where: str) -> None:
    graph: Any = create_judge(hanging_model(hang), [*RULES]) if where == "judge alone" else hanging_workflow(where, hang, None)
    input, key = ({"report": "Hm."}, "judgment") if where == "judge alone" else ({"task": "Build it."}, "reason")

    async def asked() -> str:
        return str((await graph.ainvoke(input))[key])

    asks = StructuredTool.from_function(lambda: str(graph.invoke(input)[key]), asked, name="asks", description="Ask it.")
    limits, model = UsageLimits(seconds=5), ThinkingModel(replies=[calls(call("asks", {}, "s")), ANSWER])
    result = ended(run, create_agent(model, [asks], response_format=ToolStrategy(Score), limits=limits), QUESTION)
    assert result["structured_response"] == Score(score=1)
    assert ("did not end in time" if where == "judge alone" else "is reached") in told(result)[0]
    # A judge has no outcome of its own: it may be left behind before it can say so.
    assert where == "judge alone" or not told(result)[0].startswith("Tool asks gave no result.")
