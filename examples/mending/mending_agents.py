"""The agents of the example, each created for a model, and its first step, which needs no model."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from langgraph.graph.state import CompiledStateGraph

from answergraph.graphs.agent.create import create_agent
from answergraph.models.resolve import resolve_model
from examples.mending.faults import FAULTS, make_project
from examples.mending.mending_tools import CHANGING, READING, RUNNING, ProjectState, files_of, report_of_tests
from examples.mending.offline_mender import small_mends


def preparer(model: Any) -> Runnable[Any, Any]:
    """Return the step that copies or makes the project and runs its tests, without a model.

    Its facts are ``source``, a folder to copy, or ``fault`` and ``seed`` of a project to make.
    """
    return RunnableLambda(_prepare, name="prepare")


def planner(model: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the agent that finds out what is wrong; it changes nothing."""
    return _agent(model, READING, "planner")


def implementer(model: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the agent that changes the code; it can neither run nor change the tests."""
    return _agent(model, CHANGING, "implementer")


def reviewer(model: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the agent that runs the tests and reports the result."""
    return _agent(model, RUNNING, "reviewer")


def _agent(model: Any, tools: Sequence[BaseTool], name: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    return create_agent(resolve_model(model, offline=small_mends), tools, state_schema=ProjectState, name=name)


def _prepare(state: Mapping[str, Any]) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix="mending-"))
    if state.get("source"):
        shutil.copytree(state["source"], folder, dirs_exist_ok=True)
    else:
        make_project(folder, state.get("fault") or FAULTS[0], int(state.get("seed") or 0))
    report = report_of_tests(folder)
    failing = report.startswith("FAILED")
    files = files_of(folder)
    text = f"The files are {', '.join(files)}. The tests {'fail' if failing else 'pass'}."
    modules = [file for file in files if not file.startswith("test_")]
    return {"text": text, "failing": failing, "facts": {"folder": str(folder), "modules": modules}}
