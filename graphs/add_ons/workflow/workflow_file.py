"""Loads a workflow from a YAML file."""

import importlib
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable

from answergraph import AgentGraph, AgentSpecError, UsageLimits, create_agent
from answergraph.errors import WorkflowSpecError
from answergraph.graphs.add_ons.graph_schemas import Checkpointer
from answergraph.graphs.add_ons.judge.judge_graph import create_judge
from answergraph.graphs.add_ons.workflow.takt_files import (
    SECTIONS,
    SYNONYMS,
    TextsByReference,
    allowed_tools,
    filled,
    instruction,
    report_writers,
    without_ai,
)
from answergraph.graphs.add_ons.workflow.team_graph import MAX_PARTS, create_team
from answergraph.graphs.add_ons.workflow.workflow_graph import create_workflow
from answergraph.graphs.add_ons.workflow.workflow_keys import checked
from answergraph.graphs.add_ons.workflow.workflow_state import WorkflowInput, WorkflowOutput
from answergraph.graphs.add_ons.workflow.workflow_steps import OF_THE_WORKFLOW, WorkflowLimits, WorkflowStep
from answergraph.graphs.add_ons.workflow.yaml_document import YamlDocument
from answergraph.kit import resolve_model

INFINITE = "infinite"
"""TAKT's ``max_steps`` without a limit. A run ends here all the same, by the limits of ``limits`` or by the default ones."""
PARTS_AT_ONCE, PART_MILLISECONDS = 3, 900_000
"""TAKT's defaults for ``team_leader``."""
_LOG = logging.getLogger(__name__)
_NOT_GRANTED = (
    "%s names tools that are not granted: %s. Grant one with load_workflow(tools={%r: …}) or --tool %s=package.module:attribute."
)
_LOOKS_ROUND = "The cycle {cycle} came round {{cycle_count}} times. Say whether going on makes progress."


def load_workflow(
    path: str | Path,
    *,
    model: str | BaseChatModel | None = None,
    agents: Mapping[str, object] | None = None,
    tools: Mapping[str, object] | None = None,
    checkpointer: Checkpointer = None,
) -> AgentGraph[str, WorkflowInput, WorkflowOutput]:
    """Make a workflow from a YAML file.

    Args:
        path: The file.
        model: The model for agents and judges, or its name; takes precedence over the file's ``model``.
        agents: Maps names to graphs, or to functions that make a graph from a model or its name; a step names one as its
            ``agent``. A step may also name ``package.module:attribute``, which is imported: a workflow file is as trusted as a
            program. ``answergraph run`` also looks in the current folder and beside the file.
        tools: The tools that steps without an agent of their own may use, by the names of ``allowed_tools``. A step without
            ``allowed_tools`` may use all of them. There are no other tools; a logged warning lists tools that the file names
            and nobody granted.
        checkpointer: Keeps the state of threads.

    Returns:
        The compiled graph.

    Raises:
        WorkflowFileError: If the file is not a valid workflow; has file, line and key.
    """
    document = YamlDocument(Path(path))
    keys: list[str] = []
    try:
        data = checked(document.data, "workflow", "")
        chosen = _model(data.get("model") or "offline") if model is None else model
        texts = TextsByReference(document.path, {name: data.get(name) or {} for name in SECTIONS})
        limits = _limits(data)
        writers, config = report_writers(data.get("steps") or (), texts), data.get("workflow_config") or {}
        reader = _StepReader(chosen, agents or {}, tools or {}, texts, writers, limits.steps, config)
        steps = reader.steps(data, keys)
        if missing := sorted(reader.not_granted):
            _LOG.warning(_NOT_GRANTED, document.path.name, ", ".join(missing), missing[0], missing[0])
        grounded = bool(data.get("grounded"))
        return create_workflow(
            steps,
            model=chosen,
            task=data.get("task") or "",
            facts=data.get("facts"),
            limits=limits,
            judge=lambda model, rules: create_judge(model, rules, grounded=grounded and model is not None),
            checkpointer=checkpointer,
            name=data.get("name") or "workflow",
        )
    except WorkflowSpecError as error:
        # Steps may have another order and other names in the file.
        match = re.match(r"steps\[(\d+)\]", error.key)
        key = keys[int(match[1])] + error.key[match.end() :] if match and keys else error.key
        head = re.split(r"[.\[]", key)[0]
        written = {
            SYNONYMS.get(str(name), name): str(name) for name in (document.data if isinstance(document.data, dict) else ())
        }.get(head, head)
        raise document.error(written + key[len(head) :], error.problem) from error


@dataclass(frozen=True)
class _StepReader:
    model: str | BaseChatModel
    agents: Mapping[str, Any]
    tools: Mapping[str, Any]
    texts: TextsByReference
    report_writers: Mapping[str, str]
    max_steps: int
    config: Mapping[str, Any]
    not_granted: set[str] = field(default_factory=set)

    def steps(self, data: Mapping[str, Any], keys: list[str]) -> list[WorkflowStep]:
        """Read the steps, the initial one first, then loop monitors, and record their keys in the file."""
        pairs = [(f"steps[{index}]", self.step(step, f"steps[{index}]")) for index, step in enumerate(data.get("steps") or ())]
        first = data.get("initial_step")
        if first is not None and first not in [step.name for _, step in pairs]:
            raise WorkflowSpecError("initial_step", f"there is no step {first!r}; there are {[step.name for _, step in pairs]!r}")
        pairs.sort(key=lambda each: first is not None and each[1].name != first)
        for index, monitor in enumerate(data.get("loop_monitors") or ()):
            pairs.append((f"loop_monitors[{index}].judge", self._monitor(monitor, index)))
        keys += [key for key, _ in pairs]
        return [step for _, step in pairs]

    def step(self, data: Any, key: str, *, is_child: bool = False) -> WorkflowStep:
        values = checked(data, "step", key)
        if "team_leader" in values and values.keys() & {"agent", "parallel"}:
            raise WorkflowSpecError(f"{key}.team_leader", "a step has only one of agent, parallel and team_leader")
        parallel = enumerate(values.get("parallel") or ())
        children = [self.step(child, f"{key}.parallel[{index}]", is_child=True) for index, child in parallel]
        judge = values.get("judge", True)
        rules = _rules(values.get("rules") or [], f"{key}.rules", is_child=is_child)
        return WorkflowStep(
            name=values.get("name", ""),
            agent=None if children else self._worker(values, key),
            rules=list(rules) if is_child else rules,
            instruction=filled(instruction(values, self.texts, key), self.report_writers, self.max_steps),
            parallel=children,
            judge={True: OF_THE_WORKFLOW, False: None}[judge] if isinstance(judge, bool) else _model(judge, f"{key}.judge"),
            sees_earlier=values.get("pass_previous_response", True),
        )

    def _monitor(self, data: Any, index: int) -> WorkflowStep:
        key = f"loop_monitors[{index}]"
        values = checked(data, "loop_monitor", key)
        judge = checked(values.get("judge"), "judge", f"{key}.judge")
        cycle, threshold = [str(name) for name in values.get("cycle") or ()], values.get("threshold", 3)
        if not cycle:
            raise WorkflowSpecError(f"{key}.cycle", "a cycle has at least one step")
        step = {"instruction": _LOOKS_ROUND.format(cycle=" → ".join(cycle)), **judge}
        return WorkflowStep(
            name=f"loop_monitor_{index + 1}",
            agent=self._agent({"name": f"loop_monitor_{index + 1}", "allowed_tools": [], **judge}, f"{key}.judge"),
            rules=_rules(judge.get("rules") or [], f"{key}.judge.rules"),
            instruction=filled(instruction(step, self.texts, f"{key}.judge"), self.report_writers, self.max_steps, threshold),
            cycle=cycle,
            threshold=threshold,
        )

    def _worker(self, step: Mapping[str, Any], key: str) -> Any:
        """Return the agent of a step, or the team that its leader shares the work out to."""
        if "team_leader" not in step:
            return self._agent(step, key)
        inner = f"{key}.team_leader"
        team = checked(step["team_leader"], "team_leader", inner)
        parts, milliseconds = team.get("max_parts", PARTS_AT_ONCE), team.get("timeout_ms", PART_MILLISECONDS)
        if not 0 < parts <= MAX_PARTS or milliseconds < 1:
            raise WorkflowSpecError(inner, f"max_parts is 1 to {MAX_PARTS}, timeout_ms at least 1")
        own = {key.removeprefix("part_"): team[key] for key in ("part_persona", "part_allowed_tools") if key in team}
        leader = team.get("persona", step.get("persona"))
        return create_team(
            self.model,
            self._agent({**step, **own}, inner, seconds=milliseconds / 1000),
            persona=None if leader is None else self.texts.text("personas", leader, f"{inner}.persona"),
            max_parts=parts,
            edits=team.get("part_edit", step.get("edit")) is not False,
            reports=bool(step.get("output_contracts") or step.get("report")),
        )

    def _agent(self, data: Mapping[str, Any], key: str, seconds: float | None = None) -> Any:
        name, persona = data.get("agent"), data.get("persona")
        if name is not None and name.endswith(".md"):
            name, persona = None, name
        if name is None:
            # The instruction is part of the step's prompt; the system prompt is only the persona.
            allowed = allowed_tools(data, self.config)
            allowed = [*self.tools] if allowed is None else allowed
            self.not_granted.update(set(allowed) - self.tools.keys())
            granted = [self.tools[tool] for tool in allowed if tool in self.tools]
            prompt = None if persona is None else self.texts.text("personas", persona, f"{key}.persona")
            if seconds is None:
                return create_agent(self.model, granted, system_prompt=prompt, name=data.get("name"))
            limits = UsageLimits(model_calls=None, seconds=seconds)
            return create_agent(
                self.model, granted, system_prompt=prompt, name=data.get("name"), limits=limits, on_failure="raise"
            )
        agent = self.agents[name] if name in self.agents else _imported(name, f"{key}.agent", self.agents)
        if isinstance(agent, Runnable):
            return agent
        try:
            return agent(self.model)
        except AgentSpecError as error:
            raise WorkflowSpecError(f"{key}.agent", f"{name!r} cannot be built: {error}") from error


def _imported(name: str, key: str, agents: Mapping[str, Any]) -> Any:
    module, colon, attribute = name.partition(":")
    if not colon:
        raise WorkflowSpecError(key, f"there is no agent {name!r}; there are {sorted(agents)!r}, or 'package.module:attribute'")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise WorkflowSpecError(key, f"{name!r} cannot be imported: {error}") from error


def _rules(rules: list[object], key: str, *, is_child: bool = False) -> dict[str, str]:
    """Return the next step per condition; the rules of a child have none, and may be plain strings."""
    targets: dict[str, str] = {}
    for index, rule in enumerate(rules):
        inner = f"{key}[{index}]"
        data = {"condition": rule} if is_child and isinstance(rule, str) else checked(rule, "rule", inner)
        if is_child and "next" in data:
            raise WorkflowSpecError(f"{inner}.next", "a child's rules have no next step; write it in the parallel step's rules")
        for name in ("condition",) if is_child else ("condition", "next"):
            if name not in data:
                raise WorkflowSpecError(inner, f"the rule has no {name}")
        condition = without_ai(data["condition"])
        if condition in targets:
            raise WorkflowSpecError(f"{inner}.condition", f"the rule {condition!r} is given twice")
        # A workflow asks no person while it runs.
        if not data.get("interactive_only"):
            targets[condition] = data.get("next", "")
    return targets


def _model(name: str, key: str = "model") -> Any:
    try:
        # Pass the offline model by name: each agent and judge has its own rules for it.
        return name if name == "offline" else resolve_model(name)
    except AgentSpecError as error:
        raise WorkflowSpecError(key, str(error)) from error


def _limits(data: Mapping[str, object]) -> WorkflowLimits:
    """Return the limits; a number as ``max_steps`` replaces all others."""
    values = checked(data.get("limits") or {}, "limits", "limits")
    most = data.get("max_steps", INFINITE)
    if most != INFINITE:
        values = {"steps": most, "visits": most, "repeats": most, **values}
    try:
        return WorkflowLimits(**values)
    except AgentSpecError as error:
        raise WorkflowSpecError("limits" if "limits" in data else "max_steps", str(error).rstrip(".")) from error
