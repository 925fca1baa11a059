"""The example as a graph: loads its workflow file for a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer

from answergraph.graphs.add_ons.workflow.workflow_file import load_workflow

FILE = Path(__file__).with_name("workflow.yaml")
"""The workflow: plan, implement, review, fix."""


def create_mending_workflow(
    model: Any = "offline", *, checkpointer: Checkpointer = None
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Create the example workflow: repair a project with a failing unit test until a review approves.

    The facts of a run: ``source``, a folder whose copy is repaired; or ``fault`` (``"wrong_operator"``, ``"off_by_one"``,
    ``"misspelt_name"``, ``"unknown_formula"``) and ``seed`` of a generated project.

    Args:
        model: A chat model or its name; the default is three small repair rules, not a language model.
        checkpointer: Keeps the state of threads.

    Returns:
        The compiled graph.

    Example:
        >>> create_mending_workflow().invoke({"facts": {"fault": "off_by_one", "seed": 1}})["status"]
        'COMPLETE'
    """
    return load_workflow(FILE, model=model, checkpointer=checkpointer)
