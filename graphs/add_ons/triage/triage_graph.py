"""The triage graph: find the cases of a test run, judge each of them, collect the reports.

::

START → find_cases ──┬─ judge ──→ triage_case (one per cause, side by side) ──→ END
                     └─ finish ─→ END

With a history, both ways lead through ``remember``.
"""

import os
from dataclasses import dataclass
from operator import add
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, cast
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from answergraph import AgentGraph
from answergraph.graphs.add_ons.triage.case_graph import CaseOutput, CaseTask, case_graph
from answergraph.graphs.add_ons.triage.history import Changes, History
from answergraph.graphs.add_ons.triage.run_files.case_survey import Survey, survey_of
from answergraph.graphs.add_ons.triage.run_files.file_search import search
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder, FolderError, folder_of
from answergraph.graphs.add_ons.triage.triage_plan import plan_of
from answergraph.graphs.add_ons.triage.triage_schema import CaseReport
from answergraph.graphs.add_ons.triage.witnesses.witness_tools import Witnesses

NEVER_WRITTEN = (
    r"Fatal Python error: |^ImportError while loading conftest|^(?:E +)?\w*(?:Error|Exception): |^INTERNALERROR> \w+Error"
    r"|^(?:python -m )?pytest: error: |^ERROR: (?:file or directory not found|\S+\.(?:ini|toml|cfg):)"
    r'|^  File "[^"]+", line \d+ in test|\bKilled$|^(?:FAILED|ERROR) \S+\.py\b'
)
"""Why a runner ended before it wrote its results, as an RE2 expression."""
MOST_REASONS = 2
"""The first names the file or the crash, the next what it lacked or the test."""
FIND_CASES, TRIAGE_CASE, REMEMBER = "find_cases", "triage_case", "remember"

CASES_AT_ONCE = 8
"""How many causes are judged at a time: each step of another run on the same event loop waits for a step of each of them."""

TRIAGE_KEYS = ("reports", "problems", "unread", "results", "changes", "bundles")
"""Asks a run for each answer's bundle too: ``graph.invoke(…, output_keys=TRIAGE_KEYS)``."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class TriageInput(TypedDict):
    """The input of a triage."""

    folder: str
    """The folder of a test run: JUnit XML, logs and other files."""


class TriageState(TriageInput, CaseOutput):
    """The state of a triage."""

    cases: NotRequired[list[CaseTask]]
    look: NotRequired[str]
    estimate: NotRequired[str]
    problems: NotRequired[list[str]]
    unread: NotRequired[list[str]]
    results: NotRequired[int]
    changes: NotRequired[Changes]


class TriageOutput(TypedDict):
    """The output of a triage."""

    reports: Annotated[list[CaseReport], add]
    """One per cause, with its failed, flaky and suspicious passed cases."""
    problems: list[str]
    """One sentence for each file that could not be read, or for the folder."""
    unread: list[str]
    """The XML files whose results may not all be known: cut, refused, or with more failures counted than listed."""
    results: int
    """Number of test results read; without a report, none is suspicious."""
    changes: NotRequired[Changes]
    """The changes since earlier runs, with a history."""


def create_triage_agent(  # noqa: PLR0913 - each stands for itself
    model: str | BaseChatModel = "offline",
    *,
    root: str | Path | None = None,
    history: str | Path | None = None,
    limit: int | None = None,
    act: Witnesses | None = None,
    checkpointer: bool | BaseCheckpointSaver[Any] | None = None,
    name: str = "triage",
) -> AgentGraph[list[CaseReport], TriageInput, TriageOutput]:
    """Create the triage of a test run, which judges failures and suspicious passes.

    Failures with the same cause are judged once. Two agents look at each cause: ``explore`` with tools and no response format,
    then ``conclude`` with a verdict whose evidence must quote the files of the test run. Neither can leave the folder.
    Eight causes are judged at a time, unless ``max_concurrency`` in the run's config says otherwise.

    Args:
        model: A chat model or its name; the default is a set of rules that needs no key, and abstains rather than guess.
        root: Only folders below this one are allowed; ``None`` allows any, so do not use it on a server.
        history: An SQLite file that keeps how tests ended and what the model said: a failure that it has judged before is not
            judged again, and ``changes`` lists what is new, fixed, or flaky over nights.
        limit: How many causes are judged at most; the others are reported as ``"unknown"``.
        act: Runs failed cases again, in work trees of their own; a failure is then real only if these witnesses show it. Without
            it nothing is run.
        checkpointer: Keeps the state of threads.
        name: The graph's name.

    Returns:
        The compiled graph, from ``{"folder": …}`` to ``{"reports": […], "problems": […], "results": …}``.

    Raises:
        AgentSpecError: If the model, the history, or the repository of the witnesses cannot be used.

    Example:
        >>> result = create_triage_agent().invoke({"folder": "there is none"})
        >>> result["reports"], result["problems"]
        ([], ["There is no folder 'there is none'."])
    """
    kept = None if history is None else History(history)
    graph = StateGraph(TriageState, input_schema=TriageInput, output_schema=TriageOutput)
    find = FindCases(root=root, limit=limit, history=kept, model=_name_of(model), acts=act is not None)
    graph.add_node(FIND_CASES, find.plan)
    graph.add_node(TRIAGE_CASE, case_graph(model, _name_of(model), act))
    if kept is not None:
        graph.add_node(REMEMBER, find.remember)

    finish = END if kept is None else REMEMBER
    graph.add_edge(START, FIND_CASES)
    graph.add_conditional_edges(FIND_CASES, route_after_find_cases, {"judge": TRIAGE_CASE, "finish": finish})
    graph.add_edge(TRIAGE_CASE, finish)
    if kept is not None:
        graph.add_edge(REMEMBER, END)
    compiled = graph.compile(checkpointer, name=name)
    compiled.config = {**(compiled.config or {}), "max_concurrency": CASES_AT_ONCE}
    return cast("AgentGraph[list[CaseReport], TriageInput, TriageOutput]", compiled)  # at run time it is LangGraph's class


def _name_of(model: str | BaseChatModel) -> str:
    names = [model, *(getattr(model, field, None) for field in ("model_name", "model", "model_id"))]
    return next((name for name in names if isinstance(name, str) and name), type(model).__name__)


def route_after_find_cases(state: TriageState) -> list[Send] | Literal["finish"]:
    """Send each cause to be judged; finish if there is none."""
    return [Send(TRIAGE_CASE, case) for case in state.get("cases", ())] or "finish"


@dataclass(frozen=True)
class FindCases:
    """Finds the cases and plans the triage."""

    root: str | Path | None
    limit: int | None
    history: History | None
    model: str
    acts: bool

    @property
    def keeps_verdicts(self) -> bool:
        """Whether the history has verdicts: those of rules cost nothing, those of witnesses hold for one state of the code."""
        return self.model != "offline" and not self.acts

    def plan(self, state: TriageInput) -> dict[str, object]:
        """Find the causes to judge."""
        look = uuid4().hex
        try:
            folder = folder_of({"folder": _resolved(state.get("folder"), self.root), "look": look})
            survey = survey_of(folder)
        except FolderError as error:
            return {"cases": [], "problems": [str(error)], "unread": [], "results": 0}
        known = self.history if self.keeps_verdicts else None
        plan = plan_of(folder, survey, limit=self.limit, history=known, model=self.model)
        return {
            "cases": [{**task, "look": look} for task in plan.tasks],
            "look": look,
            "reports": plan.reports,
            "bundles": plan.bundles,
            "estimate": plan.estimate,
            "problems": [*survey.problems, *_nothing_read(folder, survey)],
            "unread": [*survey.unread],
            "results": len(survey.results),
        }

    def remember(self, state: TriageState) -> dict[str, object]:
        """Store the verdicts and test results."""
        if self.history is None or not state.get("results"):
            return {}
        if self.keeps_verdicts:
            self.history.remember(state["reports"], {bundle["case"]: bundle for bundle in state["bundles"]}, self.model)
        folder = folder_of({"folder": _resolved(state["folder"], self.root), "look": state.get("look")})
        return {"changes": self.history.add_run(survey_of(folder))}


def _resolved(path: object, root: str | Path | None) -> str:
    if not isinstance(path, str) or not path.strip():
        raise FolderError('No folder is given; send {"folder": "PATH"}.')
    if root is None:
        return str(Folder(path).root)
    # Links are resolved in the run: a server must not wait for a disk while it builds a graph.
    top = Path(root).resolve()
    folder = Path(os.path.realpath(top / path.replace("\0", "?")))
    if not folder.is_relative_to(top):
        raise FolderError(f"{path!r} is not below the folder this triage may look into.")
    return str(Folder(folder).root)


def _nothing_read(folder: Folder, survey: Survey) -> list[str]:
    """Return why there is no result, if there is none."""
    if survey.results:
        return []
    no_xml = "The folder has no JUnit XML with results (pytest --junitxml=FILE writes it), so that no case can be judged."
    logs = folder.whole.files
    ended = search(folder, NEVER_WRITTEN, logs, regex=True).matches[:MOST_REASONS]
    reasons = [f"{one.path}:{one.number} says why: {one.line.strip()}" for one in ended]
    return [no_xml, *reasons] if logs else ["The folder has no files."]
