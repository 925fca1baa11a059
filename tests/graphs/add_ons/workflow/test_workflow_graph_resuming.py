"""A killed or interrupted workflow resumes where it stopped; finished steps do not run again."""

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt

from answergraph.graphs import create_workflow
from tests.graphs.add_ons.workflow.agents import step
from tests.graphs.add_ons.workflow.killed_run import THREAD, workflow
from tests.suite.colors import Run

ROOT = Path(__file__).parents[4]
MOST_POLLS = 3_000


def lines(folder: Path) -> list[str]:
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def wait_for(line: str, folder: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(MOST_POLLS):
        if line in lines(folder):
            return
        assert process.poll() is None, "the process ended by itself"
        Event().wait(0.02)
    raise AssertionError(f"{line!r} was not reached")


@pytest.mark.torture
def test_a_killed_process_repeats_no_finished_step(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-m", "tests.graphs.add_ons.workflow.killed_run", str(tmp_path)], cwd=ROOT)
    try:
        wait_for("late begins", tmp_path, process)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    before = lines(tmp_path)
    assert before == ["first begins", "first ends", "early begins", "early ends", "late begins"]

    (tmp_path / "go").touch()
    with SqliteSaver.from_conn_string(str(tmp_path / "checkpoints")) as saver:
        result = workflow(tmp_path, saver).invoke(None, THREAD)
    # In the interrupted step, even the first node of its agent does not run again.
    assert lines(tmp_path)[len(before) :] == ["late begins", "late ends", "third begins", "third ends"]
    assert [transition["step"] for transition in result["transitions"]] == ["first", "second", "third"]
    assert result["status"] == "COMPLETE"


def test_an_agent_may_ask_a_person_in_the_middle_of_a_step(run: Run) -> None:
    visited: list[str] = []

    def plan(state: Mapping[str, Any]) -> dict[str, Any]:
        visited.append("plan")
        return {"text": "ready"}

    def ask(state: Mapping[str, Any]) -> dict[str, Any]:
        return {"text": f"A person said: {interrupt('Approve?')}"}

    rules = {"approved": "COMPLETE", "rejected": "ABORT"}
    steps = [step("plan", plan, {"ready": "ask"}), step("ask", ask, rules)]
    graph = create_workflow(steps, checkpointer=InMemorySaver())
    stopped = run(graph, {"task": "T"}, THREAD)
    assert [each.value for each in stopped["__interrupt__"]] == ["Approve?"]
    result = run(graph, Command(resume="approved"), THREAD)
    assert (result["status"], visited) == ("COMPLETE", ["plan"])


def test_a_workflow_may_be_stopped_before_a_decision_and_looked_at(run: Run) -> None:
    steps = [step("plan", "ready", {"ready": "COMPLETE", "stuck": "ABORT"})]
    graph = create_workflow(steps, checkpointer=InMemorySaver())
    run(graph, {"task": "T"}, THREAD, interrupt_before=["plan.judge"])
    state = run.state(graph, THREAD)
    assert (state.next, state.values["results"]) == (("plan.judge",), {"plan": {"text": "ready"}})
    assert run(graph, None, THREAD)["status"] == "COMPLETE"


def test_a_step_that_raised_can_be_tried_again(run: Run) -> None:
    attempts: list[str] = []

    def flaky(state: Mapping[str, Any]) -> dict[str, Any]:
        attempts.append("flaky")
        if attempts.count("flaky") == 1:
            raise ConnectionError("no network")
        return {"text": "done"}

    def plan(state: Mapping[str, Any]) -> dict[str, Any]:
        attempts.append("plan")
        return {"text": "ready"}

    steps = [step("plan", plan, {"ready": "work"}), step("work", flaky, {"done": "COMPLETE"})]
    graph = create_workflow(steps, checkpointer=InMemorySaver())
    with pytest.raises(ConnectionError):
        run(graph, {"task": "T"}, THREAD)
    assert run(graph, None, THREAD)["status"] == "COMPLETE"
    assert attempts == ["plan", "flaky", "flaky"]
