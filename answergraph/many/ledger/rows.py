"""How the run of one row ended: the public ``Row``, and the ``End`` that a ledger stores."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, Self, cast

from typing_extensions import TypeVar

from answergraph import Outcome
from answergraph.many.ledger.agent_door import AgentDoor
from answergraph.types import FieldRecord, Status

ValueT = TypeVar("ValueT", default=Any)

_INDEX = re.compile(r"\[\d+\]")
_SURROGATE = re.compile("[\ud800-\udfff]")
COUNTED = ("model_calls", "tool_calls", "total_tokens", "cost")
"""What is summed over all rows, by the keys of a run's usage."""
NO_USAGE: Mapping[str, object] = {
    **dict.fromkeys(["model_calls", "tool_calls", "input_tokens", "output_tokens", "total_tokens"], 0),
    **dict.fromkeys(["cached_tokens", "reasoning_tokens", "answer_attempts", "seconds"], 0),
    "cost": None,
    "by_cause": {},
}


class Group(NamedTuple):
    """What rows that ended alike have in common; a hundred thousand rows have a few dozen groups."""

    status: Status
    field: str = ""
    """The first field that was wrong, without indexes: ``"items[].price"``; empty if none was."""
    rule: str = ""
    """What turned it down: the name of a check, ``"schema"``, the limit, or the class of an exception; empty for an answer."""


NOT_ASKED = Group("out_of_budget", rule="not_asked")
"""The group of rows that are left for another time, since a limit was reached."""
BY_PAUSE = Group("out_of_budget", rule="paused")
"""The group of rows that are left for another time, since a person paused the map."""
NO_INPUT = Group("unanswered", rule="input")
"""The group of rows whose input cannot be made."""


@dataclass(frozen=True)
class Row(Generic[ValueT]):
    """One input's end."""

    key: str
    answer: ValueT
    """The answer, ``None`` without one."""
    outcome: Outcome
    group: Group
    seconds: float = 0.0
    """Wall time of the row's run, with its repetitions."""

    @property
    def status(self) -> Status:
        """How the run ended."""
        return self.outcome["status"]

    @property
    def reason(self) -> str:
        """Why it ended so, in one sentence."""
        return self.outcome["reason"]

    @property
    def fields(self) -> Mapping[str, FieldRecord]:
        """What stands behind each field, by its path."""
        return self.outcome.get("fields") or {}


@dataclass(frozen=True)
class End:
    """The end of a row as it is stored: plain JSON, without the user's classes."""

    key: str
    answer: str
    """The stored form of the answer, as JSON."""
    outcome: str
    group: Group
    seconds: float = 0.0

    @classmethod
    def of(cls, key: str, answer: Any, outcome: Mapping[str, Any], seconds: float) -> Self:
        """Return the end of a run; an answer that JSON cannot hold ends as ``invalid``."""
        try:
            stored = _json(answer)
        except (TypeError, ValueError) as error:
            outcome = {**outcome, "status": "invalid", "reason": f"The answer cannot be stored as JSON: {error}."}
            stored, group = "null", Group("invalid", rule="json")
        else:
            group = _group_of(outcome)
        return cls(key, stored, _json(outcome, default=str), group, seconds)

    @classmethod
    def without_outcome(cls, key: str, group: Group, reason: str, seconds: float = 0.0) -> Self:
        """Return the end of a row whose run left no outcome, or that did not run."""
        outcome: dict[str, object] = {"status": group.status, "reason": reason, "strategy": None, "schema": None, "limit": None}
        outcome |= {"attempts": [], "narrowed": [], "fields": {}, "support": None, "limits": {}}
        outcome["usage"] = {**NO_USAGE, "rounds": []}
        return cls(key, "null", _json(outcome), group, seconds)

    def left(self) -> Self:
        """Return the end of a row that has used what it says, and is left for another time."""
        outcome = self.parsed_outcome()
        outcome["reason"] = f"Left for another time, since the limit of all rows is spent. {outcome['reason']}"
        return replace(self, answer="null", outcome=_json(outcome), group=NOT_ASKED)

    def parsed_outcome(self) -> dict[str, Any]:
        """Return the outcome."""
        outcome: dict[str, object] = json.loads(self.outcome)
        return outcome

    @property
    def is_stored(self) -> bool:
        """Whether a ledger has it: what was not asked may be another time."""
        return self.group not in {NOT_ASKED, BY_PAUSE, NO_INPUT}

    def usage(self) -> dict[str, float]:
        """Return what the run has used, by the keys of ``UsageLimits``."""
        usage = self.parsed_outcome()["usage"]
        return {name: usage.get(name) or 0 for name in COUNTED}

    def row(self, door: AgentDoor) -> Row:
        """Return the row with the answer as a value of the declared type."""
        return Row(self.key, door.restored(json.loads(self.answer)), cast("Any", self.parsed_outcome()), self.group, self.seconds)


def is_unicode(text: str) -> bool:
    """Return whether a text has no half of a surrogate pair: JSON can write one, and UTF-8, databases and Arrow cannot."""
    return not _SURROGATE.search(text)


def _json(value: object, default: Callable[[object], str] | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, default=default)
    return text if is_unicode(text) else json.dumps(value, default=default)


def _group_of(outcome: Mapping[str, Any]) -> Group:
    """Return the group of an outcome: its last attempt says which field was wrong, and what said so."""
    if outcome["status"] in {"answered", "abstained"}:
        return Group(outcome["status"])
    attempt = outcome["attempts"][-1] if outcome["attempts"] else {"fields": {}, "check": None}
    wrong = next(iter(attempt["fields"]), "")
    limit = outcome.get("limit") if outcome["status"] == "out_of_budget" else None
    rule = limit or attempt["check"] or ("schema" if wrong else "")
    return Group(outcome["status"], _INDEX.sub("[]", wrong), rule)
