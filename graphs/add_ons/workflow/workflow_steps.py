"""The steps and limits of a workflow, and their checks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.runnables import Runnable

from answergraph import AgentSpecError, UsageLimits
from answergraph.errors import RuleSyntaxError, WorkflowSpecError
from answergraph.graphs.add_ons.judge.rules.rule import parse_rule
from answergraph.kit import explains_arguments

COMPLETE: Final = "COMPLETE"
ABORT: Final = "ABORT"
BEGIN: Final = "begin"
"""The node before the first step."""
ENDS = (COMPLETE, ABORT)

OF_THE_WORKFLOW = "of the workflow"
"""Selects the workflow's own judge."""

_NAME = re.compile(r"[^\W\d][\w-]*")


@explains_arguments('WorkflowStep("plan", agent, {"is done": "COMPLETE"})')
@dataclass(frozen=True)
class WorkflowStep:
    """One step of a workflow."""

    name: str
    """Other steps' rules name it as the next one."""
    agent: Any = None
    """Does the work: any compiled graph, or another runnable. Its input has ``messages``, the ``task`` and the workflow's facts;
    ``when(...)`` reads its output as ``result``. ``None`` for a parallel step."""
    rules: Mapping[str, str] | Sequence[str] = ()
    """The next step per condition: a step's name, ``"COMPLETE"`` or ``"ABORT"``; the first that holds counts. A child of a
    parallel step has conditions only."""
    instruction: str = ""
    """Comes before the task in the agent's prompt. ``{task}``, ``{previous_response}``, ``{iteration}`` and ``{step_iteration}``
    are filled in."""
    parallel: "Sequence[WorkflowStep]" = ()
    """Children that run side by side; ``all(...)`` and ``any(...)`` in the rules compare their labels."""
    judge: Any = OF_THE_WORKFLOW
    """The model that judges this step; by default the workflow's, ``None`` for the tag that the agent writes itself."""
    sees_earlier: bool = True
    """Whether the agent sees the earlier results."""
    cycle: Sequence[str] = ()
    """Steps that lead to this step after repeating ``threshold`` times in a row, whatever their rules say."""
    threshold: int = 3

    @property
    def conditions(self) -> list[str]:
        return list(self.rules)

    @property
    def targets(self) -> dict[str, str]:
        """The next step per condition, with single spaces."""
        rules = self.rules if isinstance(self.rules, Mapping) else {}
        return {" ".join(condition.split()): target for condition, target in rules.items()}


@explains_arguments("WorkflowLimits(steps=30)")
@dataclass(frozen=True)
class WorkflowLimits:
    """The limits of a workflow; a run that reaches one is aborted, with the reason.

    Raises:
        AgentSpecError: If a limit is not positive.
    """

    steps: int = 30
    """Steps in all."""
    visits: int = 10
    """Visits to one step."""
    repeats: int = 3
    """Visits to one step with the same result and transition."""
    seconds: float | None = None
    """Wall time of the run, whatever hangs in a step. Waiting for a person does not count; a resumed run goes on counting."""

    def __post_init__(self) -> None:
        UsageLimits(seconds=self.seconds)  # raises for what is no time
        for name, limit in vars(self).items():
            if name == "seconds":
                continue
            if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
                raise AgentSpecError(f"WorkflowLimits({name}={limit!r}): a limit is a number of at least 1.")


def check_steps(steps: Sequence[WorkflowStep]) -> None:
    """Check the steps of a workflow, the first one first; raise ``WorkflowSpecError`` with the key of an invalid one."""
    if not steps:
        raise WorkflowSpecError("steps", "a workflow has at least one step")
    names = [step.name for step in steps]
    for index, step in enumerate(steps):
        key = f"steps[{index}]"
        _check_name(step.name, names[:index], key)
        _check_work(step, key)
        _check_rules(step, names, key)
        if unknown := [name for name in step.cycle if name not in names]:
            raise WorkflowSpecError(f"{key}.cycle", f"there is no step {unknown[0]!r}; there are {names!r}")
        if step.threshold < 1:
            raise WorkflowSpecError(f"{key}.threshold", f"a cycle repeats at least once, not {step.threshold} times")
    _check_reach(steps)


def _check_name(name: object, others: Sequence[str], key: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in (*ENDS, BEGIN):
        raise WorkflowSpecError(
            f"{key}.name", f"{name!r} is not a valid step name: use letters, digits, '_' and '-'; names of nodes are reserved"
        )
    if name in others:
        raise WorkflowSpecError(f"{key}.name", f"there is already a step {name!r}")


def _check_work(step: WorkflowStep, key: str) -> None:
    if step.parallel and step.agent is not None:
        raise WorkflowSpecError(f"{key}.agent", "a parallel step has children, but no agent")
    if not step.parallel and step.agent is None:
        raise WorkflowSpecError(f"{key}.agent", f"step {step.name!r} has no agent")
    if step.agent is not None and not isinstance(step.agent, Runnable) and not callable(step.agent):
        raise WorkflowSpecError(f"{key}.agent", f"{step.agent!r} is neither a graph nor a function")
    for index, child in enumerate(step.parallel):
        inner = f"{key}.parallel[{index}]"
        _check_name(child.name, [other.name for other in step.parallel[:index]], inner)
        if child.parallel:
            raise WorkflowSpecError(f"{inner}.parallel", "a child has no children")
        if child.targets:
            raise WorkflowSpecError(
                f"{inner}.rules[0].next", "a child's rules have no next step; write it in the parallel step's rules"
            )
        _check_work(child, inner)
        _check_conditions(child, inner)


def _check_rules(step: WorkflowStep, names: Sequence[str], key: str) -> None:
    _check_conditions(step, key)
    if not isinstance(step.rules, Mapping):
        raise WorkflowSpecError(f"{key}.rules[0].next", "the next step is missing")
    for index, (condition, target) in enumerate(step.rules.items()):
        inner = f"{key}.rules[{index}]"
        if target not in (*names, *ENDS):
            raise WorkflowSpecError(f"{inner}.next", f"there is no step {target!r}; there are {[*names, *ENDS]!r}")
        if parse_rule(condition).aggregate is not None and not step.parallel:
            raise WorkflowSpecError(f"{inner}.condition", "all(...) and any(...) compare children, and this step has none")
        for name in parse_rule(condition).names:
            root, *rest = re.split(r"[.\[]", name)
            if root in ("results", "visits") and rest and rest[0] not in names:
                raise WorkflowSpecError(f"{inner}.condition", f"{name!r}: there is no step {rest[0]!r}; there are {[*names]!r}")


def _check_conditions(step: WorkflowStep, key: str) -> None:
    if not step.rules or isinstance(step.rules, str):
        raise WorkflowSpecError(f"{key}.rules", f"step {step.name!r} has no rules")
    seen: set[str] = set()
    for index, condition in enumerate(step.conditions):
        inner = f"{key}.rules[{index}].condition"
        try:
            text = parse_rule(condition).text
        except RuleSyntaxError as error:
            raise WorkflowSpecError(inner, f"{error.problem} (position {error.position} of {error.rule!r})") from error
        if text in seen:
            raise WorkflowSpecError(inner, f"the rule {text!r} is given twice")
        seen.add(text)


def _check_reach(steps: Sequence[WorkflowStep]) -> None:
    targets = {step.name: {*step.targets.values(), *(each.name for each in steps if step.name in each.cycle)} for step in steps}
    reached: set[str] = set()
    waiting = [steps[0].name]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += targets.get(name, ())
    for index, step in enumerate(steps):
        if step.name not in reached:
            raise WorkflowSpecError(f"steps[{index}].name", f"no rule leads to the step {step.name!r}")
    if not reached.intersection(ENDS):
        raise WorkflowSpecError("steps", f"no rule leads to {COMPLETE} or {ABORT}")


def monitors_after(steps: Sequence[WorkflowStep], name: str) -> dict[str, WorkflowStep]:
    """Return the monitors of cycles that end in a step, by reason."""
    watching = [step for step in steps if step.cycle and step.cycle[-1] == name]
    return {f"{' → '.join(step.cycle)} came round {step.threshold} times": step for step in watching}


def all_steps(steps: Sequence[WorkflowStep]) -> Iterator[tuple[str, WorkflowStep]]:
    """Yield every step with the name of its node; children are named ``parent.child``."""
    for step in steps:
        yield step.name, step
        for child in step.parallel:
            yield f"{step.name}.{child.name}", child
