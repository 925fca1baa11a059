"""The keys of a workflow file and the types of their values."""

from collections.abc import Mapping
from typing import Any, get_args

from answergraph.errors import WorkflowSpecError
from answergraph.graphs.add_ons.workflow.takt_files import REFUSED, SECTIONS, SYNONYMS

KEYS: Mapping[str, Mapping[str, object]] = {
    "workflow": {
        **{"name": str, "task": str, "model": str, "facts": dict, "limits": dict, "grounded": bool, "steps": list},
        **{"description": str, "initial_step": str, "max_steps": int | str, "loop_monitors": list, "interactive_mode": str},
        "workflow_config": dict,
        **dict.fromkeys(SECTIONS, dict),
    },
    "limits": {"steps": int, "visits": int, "repeats": int, "seconds": int | float},
    "step": {
        **{"name": str, "agent": str, "instruction": str, "rules": list, "parallel": list, "judge": str | bool},
        **{"description": str, "persona": str, "persona_name": str, "policy": str | list, "knowledge": str | list},
        **{"allowed_tools": list, "edit": bool, "quality_gates": list, "pass_previous_response": bool, "output_contracts": dict},
        **{"report": str | list | dict, "session": str, "provider": str, "model": str, "permission_mode": str},
        **{"mcp_servers": dict, "tags": list, "provider_options": dict, "required_permission_mode": str, "team_leader": dict},
    },
    "team_leader": {
        **{"persona": str, "max_parts": int, "refill_threshold": int, "timeout_ms": int, "part_persona": str},
        **{"part_allowed_tools": list, "part_edit": bool, "part_permission_mode": str},
    },
    "rule": {"condition": str, "next": str, "appendix": str, "requires_user_input": bool, "interactive_only": bool},
    "loop_monitor": {"cycle": list, "threshold": int, "judge": dict},
    "judge": {"persona": str, "instruction": str, "rules": list},
}
"""The type of each key's value, per kind of mapping."""
_NAMES: Mapping[type, str] = {
    **{str: "a text", dict: "a mapping", list: "a list", int: "a number", float: "a fraction", bool: "true or false"}
}


def checked(data: object, kind: str, key: str) -> dict[str, Any]:
    """Check the keys and types of a mapping, and resolve synonyms."""
    known = KEYS[kind]
    if not isinstance(data, dict):
        raise WorkflowSpecError(key, f"a {kind} is a mapping with the keys {sorted(known)!r}")
    values: dict[str, object] = {}
    for word, value in data.items():
        inner, name = f"{key}.{word}" if key else word, SYNONYMS.get(word, word)
        if word in REFUSED:
            raise WorkflowSpecError(inner, f"{word} is not supported: {REFUSED[word]}")
        if name not in known:
            raise WorkflowSpecError(inner, f"a {kind} has no key {word!r}; it has {sorted(known)!r}")
        if name in values:
            raise WorkflowSpecError(inner, f"{word} is another name for {name}, which is also given")
        types = get_args(known[name]) or (known[name],)
        # By exact type, because ``True`` is an ``int``.
        if type(value) not in types:
            wanted = " or ".join(_NAMES[each] for each in types)
            raise WorkflowSpecError(inner, f"{word} is {wanted}, not {value!r}")
        values[name] = value
    return values
