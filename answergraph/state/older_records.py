"""Records in the checkpoints of earlier versions, read as records of today: the one place that knows what was different.

``tests/upgrades`` holds databases that those versions wrote.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from answergraph.state.field_record import Evidence, FieldRecord, record_of, support_of
from answergraph.state.outcome import Attempt, Outcome

_LEDGER_NAMES_IN_0_1: Mapping[str, str] = {
    "charged": "inner_usage_counted",
    "held": "unconfirmed",
    "holds": "confirmations_asked",
    "spent": "used_strategies",
    "seen": "last_reply_index",
    "last_id": "last_reply_id",
    "tools_off": "tools_were_off",
    "final": "last_call_made",
}
_NOT_COUNTED: Mapping[str, object] = {"cached_tokens": 0, "reasoning_tokens": 0, "seconds": 0.0, "cost": None}
_SHOWN = "shown"
"""Marked evidence in the text that the model was shown instead of the result."""


def ledger_of_today(record: Mapping[str, Any], beginning: Mapping[str, Any]) -> Any:
    """Return a ledger of an earlier version as one of today; ``beginning`` is the ledger of a new run.

    Version 0.1 had other names, and left out whatever was as in the beginning, in the usage as well.
    """
    renamed = {_LEDGER_NAMES_IN_0_1.get(name, name): value for name, value in record.items()}
    usage = {**beginning["usage"], **renamed.get("usage", {})}
    attempts = [attempt_of_today(attempt) for attempt in renamed.get("attempts", ())]
    return {**beginning, **renamed, "usage": usage, "attempts": attempts}


def answer_request_of_0_1(record: Mapping[str, object]) -> Any:
    """Return version 0.1's record of a request for the answer as one of today; it left out what most calls had in common."""
    old = {"is_last": True, "of_model": True, "valid": False, "dialect": "plain", "note": None, "given": None, **record}
    new = {"strategy_id": old.pop("rung"), "has_next_strategy": not old.pop("is_last"), "middleware_value": old.pop("given")}
    return old | new


def outcome_of_today(stored: Any) -> Any:
    """Return an outcome with the keys of today; ``None`` and outcomes of today unchanged."""
    if stored is None or "fields" in stored:
        return stored
    outcome = with_fields(stored)
    attempts = [attempt_of_today(attempt) for attempt in stored.get("attempts", ())]
    usage = {**_NOT_COUNTED, "answer_attempts": len(attempts), **stored.get("usage", {})}
    limits = {"seconds": None, "cost": None, **stored.get("limits", {})}
    today = {"attempts": attempts, "support": support_of(outcome["fields"]), "limit": None, "usage": usage, "limits": limits}
    return cast("Outcome", {**outcome, **today})


def with_fields(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return an outcome or a report with ``fields`` instead of the maps ``evidence`` and ``coverage``.

    These said less: not the words of the source, and of list items only whether all of them are supported.
    """
    kept = {name: value for name, value in stored.items() if name not in {"evidence", "coverage"}}
    return {"fields": fields_of_today(stored.get("evidence", {}), stored.get("coverage", {})), **kept}


def attempt_of_today(stored: Mapping[str, Any]) -> Attempt:
    """Return an attempt with its wrong fields by path, unchanged if it has them."""
    if "fields" in stored:
        return cast("Attempt", stored)
    kept = {name: value for name, value in stored.items() if name != "problems"}
    problems = stored.get("problems", ())
    wrong = {problem["path"]: problem["sentence"] for problem in problems if problem["path"]}
    check = problems[0]["check"] if problems else None
    return cast("Attempt", {"message_id": None, "note": None, "patch": False, **kept, "fields": wrong, "check": check})


def fields_of_today(evidence: Mapping[str, Sequence[Any]], coverage: Mapping[str, str] | None = None) -> dict[str, FieldRecord]:
    """Return the records of fields for the maps ``evidence`` and ``coverage``."""
    unchecked = [path for path, covered in (coverage or {}).items() if covered == "unchecked" and "[]" not in path]
    backed = {path: FieldRecord(status="supported", evidence=[_evidence(at)], problem=None) for path, at in evidence.items()}
    return {**dict.fromkeys(unchecked, record_of()), **backed}


def _evidence(stored: Sequence[object]) -> Evidence:
    """Return the evidence of ``[id, start, end, …]``; its unit is empty, because the words of the source were not stored."""
    ends = [part for part in stored if isinstance(part, int)]
    start, end = ends[0], ends[-1]
    about: Any = next((part for part in stored if isinstance(part, Mapping)), {})
    evidence: Any = {
        "source": {"kind": "tool", "id": stored[0], "name": "", **{key: about[key] for key in ("title", "url") if key in about}},
        "unit": "",
        "marks": [[low - start, high - start] for low, high in zip(ends[::2], ends[1::2], strict=True) if stored[-1] != _SHOWN],
        "place": [start, end],
    }
    return cast("Evidence", evidence)
