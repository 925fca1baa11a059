"""The nodes of a workflow: the agent and the judge of each step, the beginning and the two endings."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict

from answergraph.errors import RuleEvaluationError
from answergraph.graphs.add_ons.judge.judging.judgment import Judgment, no_judgment
from answergraph.graphs.add_ons.judge.judging.tags import shortened, tag
from answergraph.graphs.add_ons.workflow.workflow_state import StepResult, Transition, visits
from answergraph.graphs.add_ons.workflow.workflow_steps import ABORT, COMPLETE, ENDS, WorkflowLimits, WorkflowStep, monitors_after
from answergraph.kit import Invoke, Work, time_is_up
from answergraph.offline.offline_policy import attach

ERROR = "error"
"""The label of a child whose agent raised."""
NO_RULE = "no rule matched"
"""The label of a child, and the edge of a step, without a matching rule."""
STOPPED = "stopped by a limit"
MAX_EARLIER_STEPS = 10
"""Number of earlier results shown to an agent."""
_PLACEHOLDER = re.compile(r"\{(task|previous_response|iteration|step_iteration)\}")
TAGS = "When you are done, end with the tag of what holds, in a line of its own:\n{tags}"


ATTACHED_WORK = "answergraph_work"  # the key of ``AttachedWork`` in a step's prompt


class EarlierStep(TypedDict):
    """An earlier step with its judged result."""

    step: str
    said: str


class AttachedWork(TypedDict):
    """The content of a step's prompt as data, for offline agents."""

    facts: dict[str, Any]
    earlier: list[EarlierStep]
    """Oldest first."""


@dataclass(frozen=True)
class StepVisit:
    """A visit of a step by its agent; ``step`` is the node."""

    node: str
    declared: WorkflowStep
    agent: Runnable[Any, Any]
    keeps_errors: bool
    """Whether an error of the agent becomes the result, as for children of a parallel step."""

    def step(self, state: Mapping[str, Any], runtime: Runtime) -> Work[dict[str, Any]]:
        try:
            output: Any = yield Invoke(self.agent, self._input(state))
        except GraphBubbleUp:
            raise
        except Exception as error:
            if not self.keeps_errors and not time_is_up():
                raise
            failed = StepResult(text="", error=f"{type(error).__name__}: {shortened(str(error))}")
            return {"results": {self.node: failed}}
        result = step_result(output)
        facts = result.pop("facts", None) if isinstance(output, Mapping) else None
        return {"results": {self.node: result}, **({"facts": facts} if isinstance(facts, dict) else {})}

    def late(self, state: Mapping[str, Any], why: str) -> dict[str, object]:
        return {"results": {self.node: StepResult(text="", error=why)}}

    def _input(self, state: Mapping[str, Any]) -> dict[str, object]:
        facts, task = state.get("facts") or {}, state["task"]
        recent = (state.get("transitions") or ())[-MAX_EARLIER_STEPS:] if self.declared.sees_earlier else ()
        earlier = [EarlierStep(step=transition["step"], said=transition["said"]) for transition in recent if transition["said"]]
        prompt = attach(self._prompt(state, task, earlier), ATTACHED_WORK, AttachedWork(facts=facts, earlier=earlier))
        return {**facts, "task": task, "messages": [prompt]}

    def _prompt(self, state: Mapping[str, Any], task: str, earlier: list[EarlierStep]) -> str:
        instruction = self.declared.instruction.strip()
        values = {
            "task": task.strip(),
            "previous_response": earlier[-1]["said"] if earlier else "",
            "iteration": str(len(state.get("transitions") or ()) + 1),
            "step_iteration": str(visits(state)[self.node] + 1),
        }
        # One pass, so that filled-in text is not expanded again.
        parts = [_PLACEHOLDER.sub(lambda match: values[match[1]], instruction)]
        if "{task}" not in instruction:
            parts.append(f"Task: {values['task']}")
        if earlier:
            parts.append("\n".join(["What was done so far, oldest first:", *(f"{e['step']}: {e['said']}" for e in earlier)]))
        if self.declared.judge is None:
            numbered = [f"{tag('STEP', number)} {text}" for number, text in enumerate(self.declared.conditions, 1)]
            parts.append(TAGS.format(tags="\n".join(numbered)))
        return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True)
class JudgedStep:
    """The decision after a step; ``step`` is the node."""

    node: str
    declared: WorkflowStep
    judge: Runnable[Any, Any]
    is_child: bool

    def step(self, state: Mapping[str, Any], runtime: Runtime) -> Work[dict[str, Any]]:
        """Ask the judge, and return the transition or a child's label."""
        result = (state.get("results") or {}).get(self.node)
        if self.is_child and result and "error" in result:
            return {"labels": {self.node: ERROR}}
        try:
            output: Any = yield Invoke(self.judge, self._input(state, result))
            judgment: Judgment = output["judgment"]
        except RuleEvaluationError as error:
            judgment = no_judgment(str(error), [])
        if judgment["label"] is None and (why := time_is_up()):
            return self.late(state, why)
        if self.is_child:
            return {"labels": {self.node: judgment["label"] or NO_RULE}}
        return {"transitions": [*(state.get("transitions") or ()), self._transition(judgment, self._text(state, result))]}

    def late(self, state: Mapping[str, Any], why: str) -> dict[str, object]:
        """Decide without a judge: the time of the run is over."""
        if self.is_child:
            return {"labels": {self.node: ERROR}}
        judgment = no_judgment(why, [])
        return {"transitions": [*(state.get("transitions") or ()), self._transition(judgment, "")], "reason": why}

    def _input(self, state: Mapping[str, Any], result: object) -> dict[str, object]:
        facts = {
            **(state.get("facts") or {}),
            "task": state["task"],
            "result": result,
            "results": state.get("results") or {},
            "visits": {**visits(state), self.node: visits(state)[self.node] + 1},
        }
        return {"report": self._text(state, result), "facts": facts, "children": self._labels(state)}

    def _labels(self, state: Mapping[str, Any]) -> list[str]:
        labels = state.get("labels") or {}
        return [labels.get(f"{self.node}.{child.name}", NO_RULE) for child in self.declared.parallel]

    def _text(self, state: Mapping[str, Any], result: Any) -> str:
        if not self.declared.parallel:
            return work_text(result)
        results = state.get("results") or {}
        labelled = zip(self.declared.parallel, self._labels(state), strict=True)
        parts = [(child.name, label, work_text(results.get(f"{self.node}.{child.name}"))) for child, label in labelled]
        return "\n\n".join(f"## {name}: {label}\n{text}" for name, label, text in parts)

    def _transition(self, judgment: Judgment, text: str) -> Transition:
        label = judgment["label"]
        return Transition(
            step=self.node,
            rule=label,
            next=ABORT if label is None else self.declared.targets[label],
            method=judgment["method"],
            reason=judgment["reason"],
            said=text,
        )


@dataclass(frozen=True)
class Endings:
    """Decides whether a workflow continues, and why it ended."""

    limits: WorkflowLimits
    task: str
    """The default task."""
    facts: Mapping[str, object]
    """The default facts, overridden by a run's own."""
    steps: Sequence[WorkflowStep] = ()

    def route(self, state: Mapping[str, Any]) -> str:
        """Return the reason for the next step: a rule, no rule, a repeated cycle, or a limit."""
        transition: Transition = state["transitions"][-1]
        if transition["rule"] is None:
            return NO_RULE
        if self.stopped(state):
            return STOPPED
        came = [each["step"] for each in state["transitions"]]
        for reason, monitor in monitors_after(self.steps, transition["step"]).items():
            rounds = [*monitor.cycle] * monitor.threshold
            if transition["next"] not in ENDS and came[-len(rounds) :] == rounds:
                return reason
        return transition["rule"]

    def stopped(self, state: Mapping[str, Any]) -> str | None:
        """Return why a limit stops the workflow, ``None`` if none does."""
        transitions: Sequence[Transition] = state["transitions"]
        last = transitions[-1]
        if last["next"] in ENDS:
            return None
        same = [t for t in transitions if (t["step"], t["rule"], t["said"]) == (last["step"], last["rule"], last["said"])]
        if len(same) > self.limits.repeats:
            return (
                f"The workflow repeats itself: step {last['step']!r} gave the same result {len(same)} times, "
                f"and each time {last['rule']!r} led to {last['next']!r}."
            )
        if len(transitions) >= self.limits.steps:
            return f"The limit of {self.limits.steps} steps is reached."
        if visits(state)[last["next"]] >= self.limits.visits:
            return f"The limit of {self.limits.visits} visits to step {last['next']!r} is reached."
        return None

    def begin(self, state: Mapping[str, Any], runtime: Runtime) -> dict[str, object]:
        # The results of the thread's earlier run are cleared.
        inputs = {"task": state.get("task") or self.task, "facts": {**self.facts, **(state.get("facts") or {})}}
        return {**inputs, "results": None, "labels": None, "transitions": [], "status": None, "reason": None, "seconds": None}

    def complete(self, state: Mapping[str, Any], runtime: Runtime) -> dict[str, Any]:
        return {"status": COMPLETE, "reason": state["transitions"][-1]["reason"]}

    def abort(self, state: Mapping[str, Any], runtime: Runtime) -> dict[str, object]:
        last: Transition = state["transitions"][-1]
        reason = self.stopped(state) or last["reason"]
        if last["rule"] is None and not state.get("reason"):
            reason = f"Status not found for step {last['step']!r}: {last['reason']}"
        return {"status": ABORT, "reason": reason}


def step_result(output: object) -> dict[str, object]:
    """Return an agent's output as plain JSON: the ``text`` of its last message, and every other key."""
    if isinstance(output, BaseMessage):
        return {"text": output.text}
    if not isinstance(output, Mapping):
        return {"text": output if isinstance(output, str) else _json(output)}
    messages = output.get("messages") or ()
    texts = [message.text for message in messages if isinstance(message, AIMessage) and message.text.strip()]
    plain = {key: to_jsonable_python(value, fallback=str) for key, value in output.items() if key != "messages"}
    return {"text": texts[-1] if texts else "", **plain}


def work_text(result: Mapping[str, object] | None) -> str:
    """Return the text for the judge: the agent's last text and its typed answer."""
    if result is None:
        return ""
    answer = result.get("structured_response")
    parts = [result.get("error"), result.get("text"), None if answer is None else _json(answer)]
    return "\n".join(str(part) for part in parts if part)


def _json(value: object) -> str:
    return json.dumps(to_jsonable_python(value, fallback=str), ensure_ascii=False)
