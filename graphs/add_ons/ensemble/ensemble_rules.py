"""Decides after each comparison: who is asked next, or how the ensemble ends."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from answergraph import UsageLimits
from answergraph.graphs.add_ons.ensemble.agreement import Agreement, Reading
from answergraph.graphs.add_ons.ensemble.readers import DECISION, READINGS, Decision
from answergraph.graphs.add_ons.ensemble.usages import usage_by_round
from answergraph.nodes.reviews.field_review import FieldReview
from answergraph.types import FieldRecord

BACKED = frozenset({"supported", "derived", "judged", "given"})
REFUSED = "The readers leave {first} in doubt{more}."


@dataclass(frozen=True)
class Ensemble:
    """The rules of an ensemble."""

    schemas: tuple[Any, ...]
    agree: int
    doubted: frozenset[str]
    """The states of a field that go on to the next agent."""
    ends: frozenset[str]
    """The ends without an answer that go on to the next agent."""
    on_doubt: str
    limits: UsageLimits | None
    rounds: int
    """How many agents can be asked one after the other."""
    settles_doubt: bool = False
    """Whether agents that agree settle what the check of each one could not."""

    def begin(self, state: object, runtime: object) -> dict[str, object]:
        """Forget the run before."""
        nothing = Decision(action="read", asked=None, value=None, fields={})
        return {READINGS: None, DECISION: nothing, "structured_response": None, "outcome": None}

    def compare(self, state: Any, runtime: object) -> dict[str, object]:
        """Compare the readings so far, and ask the next agent or end the run."""
        readings: list[Reading] = state[READINGS]
        answers = [reading for reading in readings if reading["outcome"]["status"] == "answered"]
        following = max(reading["round"] for reading in readings) + 1
        can_ask = following <= self.rounds
        failed = [reading["outcome"]["status"] for reading in readings if reading not in answers]
        if can_ask and len(answers) < self.agree and failed and self.ends.issuperset(failed):
            return {DECISION: Decision(action=f"ask_{following}", asked=None, value=None, fields={})}
        if not answers:
            return self._without_answer(readings)
        (name, _), *_ = Counter(str(reading["schema"]) for reading in answers).most_common(1)
        same = [each for each in answers if each["schema"] == name]
        schema = next(each for each in self.schemas if each.name == name)
        agreement = Agreement(same, self.agree, self.doubted, schema, settles_doubt=self.settles_doubt)
        doubts = [path for path in agreement.doubts if agreement.fields[path]["status"] in self.doubted]
        if doubts and can_ask:
            locations = [agreement.doubts[path] for path in doubts]
            fields = {str(location.path): agreement.fields[path] for path, location in zip(doubts, locations, strict=True)}
            paths = [str(location.stable_path) for location in locations]
            return {DECISION: Decision(action=f"ask_{following}", asked=paths, value=agreement.value, fields=fields)}
        return self._finish(readings, schema, agreement)

    def _without_answer(self, readings: Sequence[Reading]) -> dict[str, object]:
        last = readings[-1]["outcome"]
        return {**_FINISH, "outcome": self._outcome(readings, last["status"], last["reason"], {}, None)}

    def _finish(self, readings: Sequence[Reading], schema: Any, agreement: Agreement) -> dict[str, object]:
        value, doubts, fields = agreement.value, list(agreement.doubts), agreement.fields
        if doubts and self.on_doubt == "review":
            paths = {path: location.path for path, location in agreement.doubts.items()}
            review = FieldReview(schema, value, {path: fields[path] for path in doubts}, paths)
            review.ask()
            value, doubts = review.data, []
            fields = {**fields, **{path: _set_by_person(fields[path]) for path in review.given}}
            for path, message in review.rejected.items():
                reason = f"A person turned down {path or 'the answer'}: {message}"
                return {**_FINISH, "outcome": self._outcome(readings, "invalid", reason, fields, None)}
        if doubts and self.on_doubt == "refuse":
            more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
            reason = REFUSED.format(first=doubts[0] or "the answer", more=more)
            status = "invalid"
            if limited := _limited(readings):
                status, reason = (
                    "out_of_budget",
                    f"{limited['reader']} reached its limit ({limited['outcome']['limit']}). {reason}",
                )
            return {**_FINISH, "outcome": self._outcome(readings, status, reason, agreement.fields, None)}
        for path in reversed(doubts):  # from the end, so that the places of items stay
            value = _without(value, agreement.doubts[path].path.parts)
        try:
            answer = schema.load(value)
        except ValueError as error:
            return {**_FINISH, "outcome": self._outcome(readings, "invalid", str(error), fields, None)}
        reason = f"{len({reading['reader'] for reading in readings})} readers were asked; the answer is theirs."
        return {
            **_FINISH,
            "messages": [AIMessage(json.dumps(value, ensure_ascii=False))],
            "structured_response": answer,
            "outcome": self._outcome(readings, "answered", reason, fields, schema.name),
        }

    def _outcome(
        self, readings: Sequence[Reading], status: str, reason: str, fields: Mapping[str, FieldRecord], schema: str | None
    ) -> dict[str, object]:
        statuses = [record["status"] for record in fields.values()]
        limited = _limited(readings)
        is_checked = any(each not in {"unchecked", "disputed"} for each in statuses)
        return {
            "status": status,
            "reason": reason,
            "strategy": readings[-1]["outcome"]["strategy"],
            "schema": schema,
            "attempts": [attempt for reading in readings for attempt in reading["outcome"]["attempts"]],
            "narrowed": [],
            "fields": dict(fields),
            "support": sum(each in BACKED for each in statuses) / len(statuses) if is_checked else None,
            "usage": usage_by_round([(reading["round"], reading["outcome"]["usage"]) for reading in readings]),
            "limit": limited["outcome"]["limit"] if limited and status == "out_of_budget" else None,
            "limits": (self.limits or UsageLimits(model_calls=None)).in_force(),
        }


_FINISH = {DECISION: Decision(action="finish", asked=None, value=None, fields={})}


def _limited(readings: Sequence[Reading]) -> Reading | None:
    """Return the last reading that a limit ended, ``None`` if there is none."""
    return next((each for each in reversed(readings) if each["outcome"]["status"] == "out_of_budget"), None)


def _set_by_person(record: FieldRecord) -> FieldRecord:
    return {**record, "status": "given", "problem": None, "accepted_by": "person"}


def _without(data: object, parts: Sequence[str | int]) -> object:
    """Return JSON without the value at a path."""
    if not parts:
        return None
    part, rest = parts[0], parts[1:]
    if isinstance(data, Mapping):
        return {
            key: _without(value, rest) if key == str(part) else value for key, value in data.items() if rest or key != str(part)
        }
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return [*data[:part], *([_without(data[part], rest)] if rest else []), *data[part + 1 :]]
    return data
