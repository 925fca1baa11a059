"""Makes a workflow of a YAML file."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from langchain_core.runnables import Runnable
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer

from answergraph.graphs.agent.create import create_agent
from answergraph.graphs.judge.judge_graph import create_judge
from answergraph.graphs.workflow.workflow_graph import create_workflow
from answergraph.graphs.workflow.workflow_steps import OF_THE_WORKFLOW, WorkflowLimits, WorkflowStep
from answergraph.graphs.workflow.yaml_document import YamlDocument
from answergraph.models.model_names import OFFLINE
from answergraph.models.resolve import resolve_model
from answergraph.state.errors import AgentSpecError, WorkflowSpecError

_KEYS: Mapping[str, Mapping[str, Any]] = {
    "workflow": {"name": str, "task": str, "model": str, "facts": dict, "limits": dict, "grounded": bool, "steps": list},
    "limits": {"steps": int, "visits": int, "repeats": int},
    "step": {"name": str, "agent": str, "instruction": str, "rules": list, "parallel": list, "judge": str | bool},
    "rule": {"condition": str, "next": str},
}
"""The type of each key's value, per kind of mapping."""
_NAMES: Mapping[type, str] = {str: "a text", dict: "a mapping", list: "a list", int: "a number", bool: "true or false"}


def load_workflow(
    path: str | Path,
    *,
    model: Any = None,
    agents: Mapping[str, Any] | None = None,
    checkpointer: Checkpointer = None,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Make a workflow of a YAML file.

    Args:
        path: The file.
        model: The model for agents and judges, or its name; wins over the file's ``model``.
        agents: Per name, a graph, or a function that makes one for a model or its name; a step names them as its ``agent``. A
            step may also name ``package.module:attribute``, which is imported as any module of the program; so a workflow file
            is as trusted as a program. ``answergraph run`` looks in the current folder and beside the file, too.
        checkpointer: Keeps the state of threads.

    Returns:
        The compiled graph.

    Raises:
        WorkflowFileError: If the file makes no workflow; knows file, line and key.
    """
    document = YamlDocument(Path(path))
    try:
        data = _checked(document.data, "workflow", "")
        chosen = _model(data.get("model") or OFFLINE) if model is None else model
        reader = _StepReader(chosen, agents or {})
        steps = [reader.step(step, f"steps[{index}]") for index, step in enumerate(data.get("steps") or ())]
        grounded = bool(data.get("grounded"))
        return create_workflow(
            steps,
            model=chosen,
            task=data.get("task") or "",
            facts=data.get("facts"),
            limits=_limits(data.get("limits") or {}),
            judge=lambda model, rules: create_judge(model, rules, grounded=grounded and model is not None),
            checkpointer=checkpointer,
            name=data.get("name") or "workflow",
        )
    except WorkflowSpecError as error:
        raise document.error(error.key, error.problem) from error


@dataclass(frozen=True)
class _StepReader:
    model: Any
    agents: Mapping[str, Any]

    def step(self, data: Any, key: str, *, is_child: bool = False) -> WorkflowStep:
        found = _checked(data, "step", key)
        children = [
            self.step(child, f"{key}.parallel[{index}]", is_child=True) for index, child in enumerate(found.get("parallel") or ())
        ]
        judge = found.get("judge", True)
        read_rules: Callable[[Any, str], Any] = _conditions if is_child else _transitions
        return WorkflowStep(
            name=found.get("name", ""),
            agent=None if children else self._agent(found, key),
            rules=read_rules(found.get("rules") or [], f"{key}.rules"),
            instruction=found.get("instruction", ""),
            parallel=children,
            judge=OF_THE_WORKFLOW if judge is True else None if judge is False else _model(judge, f"{key}.judge"),
        )

    def _agent(self, data: Mapping[str, Any], key: str) -> Any:
        name = data.get("agent")
        if name is None:
            # The instruction stands above the task already; the agent needs no prompt of its own.
            return create_agent(self.model, name=data.get("name"))
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
    except (ImportError, AttributeError, ValueError) as error:
        raise WorkflowSpecError(key, f"{name!r} cannot be imported: {error}") from error


def _checked(data: Any, kind: str, key: str) -> dict[str, Any]:
    """Return a mapping whose keys and types are those of its kind."""
    known = _KEYS[kind]
    if not isinstance(data, dict):
        raise WorkflowSpecError(key, f"a {kind} is a mapping with the keys {sorted(known)!r}")
    for name, value in data.items():
        place = f"{key}.{name}" if key else name
        if name not in known:
            raise WorkflowSpecError(place, f"a {kind} has no key {name!r}; it has {sorted(known)!r}")
        types = get_args(known[name]) or (known[name],)
        # Exactly: ``true`` is no number.
        if type(value) not in types:
            wanted = " or ".join(_NAMES[each] for each in types)
            raise WorkflowSpecError(place, f"{name} is {wanted}, not {value!r}")
    return data


def _transitions(rules: list[Any], key: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for index, rule in enumerate(rules):
        data = _checked(rule, "rule", f"{key}[{index}]")
        for name in ("condition", "next"):
            if name not in data:
                raise WorkflowSpecError(f"{key}[{index}]", f"the rule has no {name}")
        if data["condition"] in found:
            raise WorkflowSpecError(f"{key}[{index}].condition", f"the rule {data['condition']!r} stands there already")
        found[data["condition"]] = data["next"]
    return found


def _conditions(rules: list[Any], key: str) -> list[str]:
    """Return the conditions of a child, each a text or a mapping with nothing but the condition."""
    found = []
    for index, rule in enumerate(rules):
        data = {"condition": rule} if isinstance(rule, str) else _checked(rule, "rule", f"{key}[{index}]")
        if "next" in data:
            raise WorkflowSpecError(f"{key}[{index}].next", "a child's rules have no next step: the parallel step's have")
        found.append(data.get("condition", ""))
    return found


def _model(name: str, key: str = "model") -> Any:
    try:
        # The offline model goes by its name: each agent and each judge has rules of its own for it.
        return name if name == OFFLINE else resolve_model(name)
    except AgentSpecError as error:
        raise WorkflowSpecError(key, str(error)) from error


def _limits(limits: Any) -> WorkflowLimits:
    found = _checked(limits, "limits", "limits")
    try:
        return WorkflowLimits(**found)
    except AgentSpecError as error:
        raise WorkflowSpecError("limits", str(error).rstrip(".")) from error
