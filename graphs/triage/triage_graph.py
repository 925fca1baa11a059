"""The triage graph: find the cases of a test run, judge each of them, collect the reports.

::

START → find_cases ──┬─ judge ──→ triage_case (one per case, side by side) ──→ END
                     └─ finish ─→ END
"""

from __future__ import annotations

import os
from functools import partial
from operator import add
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer, Send
from typing_extensions import TypedDict

from answergraph.graphs.triage.case_graph import CaseOutput, CaseTask, case_graph
from answergraph.graphs.triage.run_files.case_survey import Survey, survey
from answergraph.graphs.triage.run_files.read_only_folder import Folder, FolderError
from answergraph.graphs.triage.triage_schema import CaseReport

FIND_CASES, TRIAGE_CASE = "find_cases", "triage_case"

TRIAGE_KEYS = ("reports", "problems", "results", "bundles")
"""Asks a run for each answer's bundle too: ``graph.invoke(…, output_keys=TRIAGE_KEYS)``."""


class TriageInput(TypedDict):
    """The input of a triage."""

    folder: str
    """What a test run left: JUnit XML, logs, and whatever else."""


class TriageState(TriageInput, CaseOutput):
    """The state of a triage."""

    cases: NotRequired[list[CaseTask]]
    problems: NotRequired[list[str]]
    results: NotRequired[int]


class TriageOutput(TypedDict):
    """The output of a triage."""

    reports: Annotated[list[CaseReport], add]
    """One per failed case, and per passed case whose logs show a failure; in the order of the files."""
    problems: list[str]
    """One sentence for each file that could not be read, or for the folder."""
    results: int
    """How many test results were read; where there are some and no report, none of them is suspicious."""


def create_triage_agent(
    model: Any = "offline", *, root: str | Path | None = None, checkpointer: Checkpointer | None = None, name: str = "triage"
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Create the triage of a failed test run: is each failure real, and is each pass?

    Two agents look at each case: ``explore`` with tools and no response format, then ``conclude`` with a verdict whose evidence
    has to stand in what the tools returned. Neither can leave the folder.

    Args:
        model: A chat model or its name; the default is a set of rules that needs no key, and abstains rather than guess.
        root: Only folders below this one may be asked about; ``None`` for any, which is not for a server.
        checkpointer: Keeps the state of threads.
        name: The graph's name.

    Returns:
        The compiled graph, from ``{"folder": …}`` to ``{"reports": […], "problems": […], "results": …}``.

    Raises:
        AgentSpecError: If the model cannot be used.

    Example:
        >>> result = create_triage_agent().invoke({"folder": "there is none"})
        >>> result["reports"], result["problems"]
        ([], ["There is no folder 'there is none'."])
    """
    graph = StateGraph(TriageState, input_schema=TriageInput, output_schema=TriageOutput)
    graph.add_node(FIND_CASES, partial(_find_cases, root=root))
    graph.add_node(TRIAGE_CASE, case_graph(model))

    graph.add_edge(START, FIND_CASES)
    graph.add_conditional_edges(FIND_CASES, route_after_find_cases, {"judge": TRIAGE_CASE, "finish": END})
    graph.add_edge(TRIAGE_CASE, END)
    return graph.compile(checkpointer, name=name)


def route_after_find_cases(state: TriageState) -> list[Send] | Literal["finish"]:
    """Send each case to be judged; finish if there is none."""
    return [Send(TRIAGE_CASE, case) for case in state.get("cases", ())] or "finish"


def _find_cases(state: TriageInput, root: str | Path | None) -> dict[str, Any]:
    try:
        folder = _folder(state["folder"], root)
        found = survey(folder)
    except FolderError as error:
        return {"cases": [], "problems": [str(error)], "results": 0}
    cases = [
        CaseTask(folder=str(folder.root), case=case.result.id, test=case.result.title, kind=case.kind) for case in found.cases()
    ]
    problems = [*found.problems, *_nothing_read(folder, found)]
    return {"cases": cases, "problems": problems, "results": len(found.results)}


def _folder(given: str, root: str | Path | None) -> Folder:
    if root is None:
        return Folder(given)
    # Links are resolved here, in a run: a server must not wait for a disk while it builds a graph.
    top = Path(root).resolve()
    folder = Path(os.path.realpath(top / given.replace("\0", "?")))
    if not folder.is_relative_to(top):
        raise FolderError(f"{given!r} is not below the folder this triage may look into.")
    return Folder(folder)


def _nothing_read(folder: Folder, found: Survey) -> list[str]:
    """Return why there is no result, if there is none."""
    if found.results:
        return []
    if not folder.listing().files:
        return ["The folder has no files."]
    return ["The folder has no JUnit XML with results; the other files alone do not say which case failed."]
