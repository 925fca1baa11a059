"""Compares readings field by field: what enough of them have stands, the rest is in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from answergraph.graphs.add_ons.ensemble.same_values import aligned, meaning
from answergraph.kit import AnswerSchema, FieldPath
from answergraph.types import FieldReading, FieldRecord

Parts = tuple[str, ...]


class Reading(TypedDict):
    """What one agent made of the input; plain JSON."""

    reader: str
    round: int
    """0 for the agents that are asked first, then one more for each of ``then``."""
    asked: list[str] | None
    """The fields that it was asked for; ``None``: all."""
    schema: str | None
    value: object
    """The answer as JSON; ``None`` if there is none."""
    outcome: Any


MERGE = 0
"""For ``agree``: the readings are parts of one answer, so one that lacks a field says nothing of it."""


class Part(NamedTuple):
    """A part of a reading's answer."""

    path: FieldPath
    """Its path in the JSON of that answer: items of lists may stand elsewhere in another."""
    value: object


class Location(NamedTuple):
    """Where a field is in the JSON of the ensemble's answer."""

    path: FieldPath
    stable_path: FieldPath
    """The same while readings are added; ``path`` changes if an item before it is left out."""

    def inner(self, part: str | int, stable_part: str | int) -> Location:
        return Location(self.path / part, self.stable_path / stable_part)


class Candidate(NamedTuple):
    """A value of a field, with the readings that have it."""

    part: Part | None
    """``None``: nothing stands there."""
    readings: list[int]
    strength: tuple[int, int]
    """How many of them count: not those whose own check doubts the value. Then the last one's round: it has seen the others."""


class Agreement:
    """The comparison of readings: ``value`` is the answer, ``fields`` has a record per field."""

    def __init__(
        self,
        readings: Sequence[Reading],
        agree: int,
        doubted: Collection[str],
        schema: AnswerSchema | None,
        *,
        settles_doubt: bool = False,
    ) -> None:
        """Compare readings.

        Args:
            readings: Those with an answer of one schema, the first ones first.
            agree: How many readings must be equal.
            doubted: The statuses of a field that do not count.
            schema: That of the readings; ``None`` for JSON without one.
            settles_doubt: Whether readers that agree settle what each one's own check could not, see ``_is_settled``.
        """
        self.readings = readings
        self.agree = agree
        self.doubted = doubted
        self.keys = {} if schema is None else schema.keys
        # Each reading asks for the names of its paths several times, and for those of the others.
        self._field_at = None if schema is None else cache(schema.field_at)
        self.settles_doubt = settles_doubt
        self.fields: dict[str, FieldRecord] = {}
        self.doubts: dict[str, Location] = {}
        """The fields without agreement, each with its path in the answer and that by which it is asked for."""
        known = [reading["outcome"].get("fields", {}) for reading in readings]
        self._records = [{_parts(path): record for path, record in fields.items()} for fields in known]
        self._asked_paths = [None if each["asked"] is None else [_parts(path) for path in each["asked"]] for each in readings]
        whole = self._compare([Part(FieldPath(), reading["value"]) for reading in readings], Location(FieldPath(), FieldPath()))
        self.value = None if whole is None else whole.value

    def _compare(self, parts: Sequence[Part | None], location: Location) -> Part | None:
        voters = self._voters(location, parts)
        kind = self._kind_of(parts, voters)
        if kind == "leaf":
            return self._decide(parts, location, voters)
        if kind == "object":
            objects = [each.value if each is not None and isinstance(each.value, Mapping) else {} for each in parts]
            keys = dict.fromkeys(key for index in voters for key in objects[index])
            inner = {key: [_inner(part, each, key) for part, each in zip(parts, objects, strict=True)] for key in keys}
            compared = {key: self._compare(members, location.inner(key, key)) for key, members in inner.items()}
            return Part(FieldPath(), {key: part.value for key, part in compared.items() if part is not None})
        lists = [each.value if each is not None and isinstance(each.value, list) else [] for each in parts]
        items: list[object] = []
        for number, row in enumerate(aligned(lists, self.keys.get(location.path.pattern))):
            of_item = [
                None if part is None or index is None else Part(part.path / index, each[index])
                for part, each, index in zip(parts, lists, row, strict=True)
            ]
            item = self._compare(of_item, location.inner(len(items), number))
            items += [] if item is None else [item.value]
        return Part(FieldPath(), items)

    def _kind_of(self, parts: Sequence[Part | None], voters: Mapping[int, bool]) -> str:
        """Return how values are compared: as an object or a list, part by part, or as a leaf, as a whole.

        Parts are compared if enough readers have parts, or all that were asked; the others have none of them.
        """
        # Who was asked for a part of it alone says nothing of the whole.
        whole_parts = [parts[index] for index, is_whole in voters.items() if is_whole]
        kinds = Counter(_kind(part.value) for part in whole_parts if part is not None)
        ((kind, count),) = kinds.most_common(1) or [("leaf", 0)]
        most = max(self.agree, len(whole_parts) // 2 + 1)
        is_enough = count == len(whole_parts) or (count >= most and (self.agree != MERGE or len(kinds) == 1))
        return kind if is_enough else "leaf"

    def _voters(self, location: Location, parts: Sequence[Part | None]) -> dict[int, bool]:
        """Return the readings that were asked for a field, each with whether for all of it; of partial answers, who has it."""
        if self.agree == MERGE:
            return {index: True for index, part in enumerate(parts) if part is not None and part.value != {}}
        path = _parts(location.stable_path)
        voters = {}
        for index, paths in enumerate(self._asked_paths):
            is_whole = paths is None or any(path[: len(each)] == each for each in paths)
            if is_whole or any(each[: len(path)] == path for each in paths or ()):
                voters[index] = is_whole
        return voters

    def _decide(self, parts: Sequence[Part | None], location: Location, voters: Collection[int]) -> Part | None:
        candidates = self._candidates(parts, voters, location)
        best = candidates[0]
        readings = self._readings(parts, voters)
        differ = len({self._meaning(location, each["value"]) for each in readings}) > 1
        is_agreed = best.strength >= (self.agree, 0) and (len(candidates) == 1 or candidates[1].strength < best.strength)
        if self.agree == MERGE:
            is_agreed = not differ
        if is_agreed and best.part is None:
            return None
        # What somebody read is shown, not that others did not.
        shown = best if best.part is not None or len(candidates) == 1 else candidates[1]
        record: Any = {"status": "unchecked", "evidence": [], "problem": None, **self._record_of(shown)}
        record.pop("accepted_by", None)  # of one reader's own run
        if is_agreed:
            record["accepted_by"] = self._accepted_by(best)
        elif differ:
            evidence = [each for candidate in candidates for each in self._record_of(candidate).get("evidence", ())]
            record |= {"status": "disputed", "problem": f"The readings differ: {_tally(readings)}", "evidence": evidence}
        if len(self.readings if self.agree else readings) > 1:
            record["readings"] = readings
        path = self._path_of(location.path)
        self.fields[path] = record
        if not is_agreed:
            self.doubts[path] = location
        return shown.part

    def _candidates(self, parts: Sequence[Part | None], voters: Collection[int], location: Location) -> list[Candidate]:
        """Return the values, the best one first, among equals the first reader's."""
        groups: dict[str, list[int]] = {}
        for index in voters:
            part = parts[index]
            groups.setdefault("nothing" if part is None else self._meaning(location, part.value), []).append(index)
        candidates = []
        for group in groups.values():
            # The agents asked later are shown what the first ones read.
            first = sum(self.readings[index]["round"] == 0 for index in group)
            settles = self.settles_doubt and first >= max(self.agree, 2)
            votes = 0
            for index in group:
                part = parts[index]
                status = self._record_at(index, part).get("status")
                votes += status not in self.doubted or (settles and part is not None and _is_settled(status, part.value))
            last = max(self.readings[index]["round"] for index in group)
            candidates.append(Candidate(parts[group[0]], group, (votes, last)))
        return sorted(candidates, key=lambda candidate: candidate.strength, reverse=True)

    def _record_of(self, candidate: Candidate) -> Mapping[str, Any]:
        """Return the record that the first reader's own check made of a value."""
        return self._record_at(candidate.readings[0], candidate.part)

    def _path_of(self, json_path: FieldPath) -> FieldPath:
        return json_path if self._field_at is None else self._field_at(json_path).path

    def _meaning(self, location: Location, value: object) -> str:
        # In JSON a Decimal is a text.
        is_decimal = isinstance(value, str) and self._field_at is not None and Decimal in self._field_at(location.path).types
        return meaning(Decimal(str(value)) if is_decimal else value)

    def _record_at(self, index: int, part: Part | None) -> Mapping[str, Any]:
        return {} if part is None else self._records[index].get(_parts(self._path_of(part.path)), {})

    def _accepted_by(self, best: Candidate) -> str:
        if self.agree == MERGE and len(best.readings) == 1:
            return str(self._record_of(best).get("accepted_by", "first_answer"))
        first = [index for index in best.readings if self.readings[index]["round"] == 0]
        if len(first) < self.agree:
            return "escalation"
        return "first_answer" if self.agree == 1 else "agreement"

    def _readings(self, parts: Sequence[Part | None], voters: Collection[int]) -> list[FieldReading]:
        readings: list[FieldReading] = []
        for index in voters:
            part = parts[index]
            before = self._record_at(index, part)
            own = FieldReading(reader=self.readings[index]["reader"], value=None if part is None else part.value)
            # Answers that were merged before may have differed.
            readings += before.get("readings", [own]) if self.agree == MERGE and before.get("status") == "disputed" else [own]
        return readings


def _is_settled(status: str | None, value: object) -> bool:
    """Return whether readers that agree are enough for a value that the check of each one doubts.

    They are if it stands at several places. If it stands nowhere, the text may lack what is in a picture; but readers may have
    the same other words for what is there. A number or a date has no other words.
    """
    return status == "ambiguous" or (status == "not_found" and not any(map(str.isalpha, str(value))))


def _inner(part: Part | None, value: Mapping[str, object], key: str) -> Part | None:
    return Part(part.path / key, value[key]) if part is not None and key in value else None


def _tally(readings: Sequence[FieldReading]) -> str:
    values = {meaning(each["value"]): each["value"] for each in reversed(readings)}
    counts = Counter(meaning(each["value"]) for each in readings).most_common()
    return ", ".join(f"{values[text]!r} ({count})" for text, count in counts)


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "object" if value else "leaf"
    return "list" if isinstance(value, list) else "leaf"


def _parts(path: str) -> Parts:
    # JSON does not say which way a mapping's key is written.
    return tuple(map(str, FieldPath(path).parts))
