"""The example repairs a generated project with a failing test, which running the test proves, or gives up."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from answergraph.testing import ScriptedChatModel, ScriptedRequest
from examples.mending.faults import FAULTS, Fault, make_project
from examples.mending.mending_workflow import create_mending_workflow
from tests.suite.colors import Run

MENDABLE = FAULTS[:3]


def is_green(folder: Path) -> bool:
    command = [sys.executable, "-B", "-m", "unittest", "discover", "-p", "test_*.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.py")}


@pytest.mark.parametrize("fault", MENDABLE)
def test_a_copy_of_a_failing_project_is_repaired(run: Run, tmp_path: Path, fault: Fault) -> None:
    module = make_project(tmp_path, fault, seed=3)
    before = files(tmp_path)
    result = run(create_mending_workflow(), {"facts": {"source": str(tmp_path)}})
    after = files(Path(result["facts"]["folder"]))
    assert result["status"] == "COMPLETE"
    assert is_green(Path(result["facts"]["folder"]))
    assert {name for name in before if before[name] != after[name]} == {module.name}
    assert files(tmp_path) == before
    assert not is_green(tmp_path)


@pytest.mark.torture
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fault=st.sampled_from(FAULTS), seed=st.integers(0, 10**6))
def test_with_any_names_and_values_the_workflow_ends_as_the_tests_do(fault: Fault, seed: int) -> None:
    result = create_mending_workflow().invoke({"facts": {"fault": fault, "seed": seed}})
    mended = is_green(Path(result["facts"]["folder"]))
    assert (result["status"] == "COMPLETE") == mended == (fault in MENDABLE)


def test_a_fault_that_cannot_be_repaired_ends_in_abort(run: Run) -> None:
    result = run(create_mending_workflow(), {"facts": {"fault": "unknown_formula", "seed": 5}})
    steps = [transition["step"] for transition in result["transitions"]]
    assert steps == ["prepare", "plan", "implement", "review", "fix", "review", "fix"]
    assert (result["status"], result["transitions"][-1]["rule"]) == ("ABORT", "cannot be mended")


def test_a_first_repair_that_does_not_help_is_undone(run: Run) -> None:
    results = [run(create_mending_workflow(), {"facts": {"fault": "wrong_operator", "seed": seed}}) for seed in (3, 4)]
    paths = [[transition["step"] for transition in result["transitions"]] for result in results]
    assert ["prepare", "plan", "implement", "review"] in paths
    assert ["prepare", "plan", "implement", "review", "fix", "review"] in paths
    assert all(result["status"] == "COMPLETE" for result in results)


def test_a_project_whose_tests_pass_needs_no_model(run: Run, tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text("import unittest\n\nclass T(unittest.TestCase):\n    def test(self): pass\n")
    model = ScriptedChatModel(replies=[])
    result = run(create_mending_workflow(model), {"facts": {"source": str(tmp_path)}})
    assert (result["status"], model.requests) == ("COMPLETE", [])


def test_the_same_file_runs_with_another_model(run: Run, tmp_path: Path) -> None:
    module = make_project(tmp_path, "off_by_one", seed=1)
    old = next(line.strip() for line in module.read_text().splitlines() if "range" in line)

    def call(name: str, **args: Any) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call_{name}"}])

    def reply(messages: Sequence[BaseMessage], request: ScriptedRequest) -> AIMessage:
        if request.tool_names == ["judgment"]:
            return call("judgment", step=1, reason="The first one.")
        if isinstance(messages[-1], ToolMessage):
            return AIMessage("Done.")
        if request.tool_names == ["run_tests"]:
            return call("run_tests")
        if request.tool_names == ["read_file", "replace_in_file"]:
            return call("replace_in_file", file=module.name, old=old, new=old.replace("):", " + 1):"))
        return call("read_file", file="../secret")

    model = ScriptedChatModel(replies=reply)
    result = run(create_mending_workflow(model), {"facts": {"source": str(tmp_path)}})
    assert result["status"] == "COMPLETE"
    assert is_green(Path(result["facts"]["folder"]))
    refusals = [m.text for request in model.requests for m in request.messages if "outside the project" in m.text]
    assert refusals
