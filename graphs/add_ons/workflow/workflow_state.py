"""The state of a workflow: task, results of steps, and transitions with reasons."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from answergraph.graphs.add_ons.judge.rules.rule import MatchMethod


class Transition(TypedDict):
    """A transition from a step, with its reason."""

    step: str
    rule: str | None
    """The rule that held; ``None`` if none did."""
    next: str
    """A step, ``COMPLETE`` or ``ABORT``."""
    method: MatchMethod | None
    reason: str
    said: str
    """The judged result, shown to later steps."""


class StepResult(TypedDict):
    """The result of a step, as plain JSON; further keys are those that its agent returned."""

    text: str  # the agent's last words
    error: NotRequired[str]
    """The error that a child raised; its label is then ``error``."""


def merged(old: dict[str, object], new: dict[str, object] | None) -> dict[str, object]:
    """Merge two mappings; ``None``, which a new run writes, empties."""
    return {} if new is None else {**old, **new}


def most(old: float | None, new: float | None) -> float | None:
    """Return the larger number; ``None``, which a new run writes, empties."""
    return None if new is None else max(old or 0, new)


@with_config(ConfigDict(use_attribute_docstrings=True))
class WorkflowInput(TypedDict):
    """The input of a workflow."""

    task: NotRequired[str]
    """The workflow's own task by default."""
    facts: NotRequired[Annotated[dict[str, Any], merged]]
    """Given to every agent beside its messages, and read by when(...); agents may add to them."""


class WorkflowState(WorkflowInput):
    """The whole state of a workflow."""

    results: NotRequired[Annotated[dict[str, StepResult], merged]]
    """The last result of each step; a child's is under ``step.child``."""
    labels: NotRequired[Annotated[dict[str, str], merged]]
    """The rule that held for each child."""
    transitions: NotRequired[list[Transition]]
    """Every decision, oldest first."""
    seconds: NotRequired[Annotated[float | None, most]]
    """The seconds that a run with a limit of them has used."""
    status: NotRequired[Literal["COMPLETE", "ABORT"] | None]
    reason: NotRequired[str | None]
    """Why the workflow ended: one sentence for a person."""


class WorkflowOutput(TypedDict):
    """The output of a workflow."""

    status: Literal["COMPLETE", "ABORT"]
    reason: str
    transitions: list[Transition]
    results: dict[str, Any]
    facts: NotRequired[dict[str, Any]]


def visits(state: Mapping[str, Any]) -> Counter[str]:
    return Counter(transition["step"] for transition in state.get("transitions") or ())
