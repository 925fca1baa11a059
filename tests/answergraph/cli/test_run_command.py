"""``answergraph run`` as shells and people see it."""

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableLambda

from examples.mending.mending_workflow import FILE
from tests.answergraph.cli.test_command_line import answergraph

WORKFLOW = """
task: Say it.
steps:
  - name: speak
    agent: tests.graphs.add_ons.workflow.agents:speaker
    rules:
      - condition: fine
        next: COMPLETE
      - condition: broken
        next: ABORT
"""


@pytest.fixture
def workflow(tmp_path: Path) -> str:
    path = tmp_path / "workflow.yaml"
    path.write_text(WORKFLOW)
    return str(path)


def test_a_completed_workflow_prints_its_transitions(workflow: str) -> None:
    code, out, err = answergraph("run", workflow, "--fact", "says=All fine.")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["speak → COMPLETE  (fine, structured_output)", "COMPLETE"]


def test_an_aborted_one_says_why_on_stderr(workflow: str) -> None:
    code, out, err = answergraph("run", workflow, "--fact", "says=It is broken.", "--json")
    assert code == 1
    assert json.loads(out)["status"] == "ABORT"
    assert err == 'ABORT: The work says: "It is broken."\n'


def hanging(model: object) -> RunnableLambda[object, object]:
    """Return an agent that says nothing for long."""
    return RunnableLambda(lambda _: threading.Event().wait(60))


def test_a_workflow_that_hangs_ends_with_its_own_reason_at_the_limit_of_seconds(workflow: str) -> None:
    file = Path(workflow)
    file.write_text(WORKFLOW.replace("tests.graphs.add_ons.workflow.agents:speaker", f"{__name__}:hanging"))
    code, out, err = answergraph("run", workflow, "--json", "--limits", "seconds=1.5")
    assert code == 1
    # On a busy machine the command may be left before the workflow could say so.
    assert err.startswith("TimeoutError: ") or (json.loads(out)["status"], "seconds is reached" in err) == ("ABORT", True)


def test_the_task_can_be_replaced(workflow: str) -> None:
    _, out, _ = answergraph("run", workflow, "--task", "Be fine.", "--json")
    assert json.loads(out)["results"]["speak"]["text"] == "Be fine."


def test_a_tool_is_granted_by_the_name_of_the_file(workflow: str) -> None:
    assert (
        answergraph(
            "run", workflow, "--fact", "says=All fine.", "--tool", "Add=answergraph.graphs.add_ons.calculator.calculator:add"
        )[0]
        == 0
    )
    code, _, err = answergraph("run", workflow, "--tool", "Add=answergraph.graphs.add_ons.calculator.calculator:nothing")
    assert (code, "'answergraph.graphs.add_ons.calculator.calculator:nothing' cannot be imported" in err) == (2, True)


@pytest.mark.program
def test_agents_may_lie_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "agents_of_mine.py").write_text("def speaker(model):\n    return lambda state: {'text': 'fine'}\n")
    path = tmp_path / "workflow.yaml"
    path.write_text(WORKFLOW.replace("tests.graphs.add_ons.workflow.agents", "agents_of_mine"))
    command = [sys.executable, "-m", "answergraph", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["COMPLETE"])


@pytest.mark.program
def test_agents_may_lie_in_the_current_folder_of_an_installed_program(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "agents.py").write_text("def speaker(model):\n    return lambda state: {'text': 'fine'}\n")
    (tmp_path / "mine" / "workflow.yaml").write_text(WORKFLOW.replace("tests.graphs.add_ons.workflow.agents", "mine.agents"))
    program = tmp_path / "bin" / "answergraph"  # its own folder is first on the path, like that of a console script
    program.parent.mkdir()
    program.write_text("from answergraph.__main__ import main\n\nmain()\n")
    command = [sys.executable, str(program), "run", "mine/workflow.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["COMPLETE"]), done.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["nowhere.yaml"], "There is no file 'nowhere.yaml'."), (["--model", "nope"], "nope"), (["--fact", "=1"], "NAME=VALUE")],
)
def test_bad_usage_is_exit_code_2(workflow: str, arguments: list[str], why: str) -> None:
    path = () if arguments[0].endswith(".yaml") else (workflow,)
    code, out, err = answergraph("run", *path, *arguments)
    assert (code, out) == (2, "")
    assert why in err


@pytest.mark.program
def test_a_terminal_shows_the_steps_and_what_their_agents_do() -> None:
    terminal, inside = pty.openpty()
    command = [sys.executable, "-m", "answergraph", "run", str(FILE), "--fact", "fault=off_by_one"]
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=inside, env=environment, check=False)
    os.close(inside)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert done.returncode == 0
    assert "plan › tools" in shown
    assert "⇒ implement (ready to implement, structured_output)" in shown
    assert done.stdout.decode().splitlines()[-1] == "COMPLETE"
