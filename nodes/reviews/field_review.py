"""Asks a person about the doubtful fields of an answer, all in one interrupt, and puts the decisions into the answer."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from langgraph.types import interrupt
from pydantic_core import to_jsonable_python

from answergraph.answers.canonical_json import canonical_json
from answergraph.answers.schemas.answer_schema import AnswerSchema, problems_by_field
from answergraph.answers.schemas.known_keys import parts_of
from answergraph.evidence.claims import Claim, default_at, fields_of
from answergraph.evidence.marks import Derived
from answergraph.evidence.numbers.formula import FormulaError, Operands, is_equal, numbers_in, parsed
from answergraph.nodes.reviews.review_request import DerivedSum, ReviewChoice, ReviewRequest
from answergraph.patches.changes import Change, json_path_in, with_changes
from answergraph.state.field_path import FieldPath
from answergraph.state.field_record import FieldRecord, Fields

_UNREAD = 'The decisions cannot be read; write {"decisions": {"total": {"type": "edit", "value": 12}}}.'
_LATE = "The decisions are for another version: somebody else may have been faster. Nothing of them was taken."
_NOT_ASKED = "{paths} is not asked for; nothing of the decisions was taken."
_UNKNOWN = "A decision is {'type': 'approve'}, {'type': 'edit', 'value': …} or {'type': 'reject', 'message': …}."
_NO_VALUE = "There is no value to approve."
_REQUIRED = "{path} is required."
_REJECTED = "A person turned this down."


class FieldReview:
    """A review of an answer's doubtful fields: ``ask`` decides them, then ``data`` is the answer with what a person set."""

    def __init__(self, schema: AnswerSchema, data: Any, fields: Fields, paths: Mapping[str, FieldPath] | None = None) -> None:
        """Take an answer as JSON, and the records of its doubtful fields by path, with their paths in the JSON if known."""
        self.schema = schema
        self.data = data
        self.given: dict[str, Any] = {}
        """What a person approved or wrote, as JSON by path."""
        self.rejected: dict[str, str] = {}
        """Why a person turned a field down, by path."""
        self._open: dict[str, FieldRecord] = dict(fields)
        self._json_paths = paths or {}
        self._problem = ""

    def ask(self) -> None:
        """Interrupt the run until each field is decided; what cannot be taken comes back in a new interrupt."""
        while self._open:
            request = self._request()
            answer = interrupt(request)
            self._problem = self._problem_with(answer, request)
            if not self._problem:
                self._take(answer["decisions"], request)

    def _request(self) -> ReviewRequest:
        value = self._value()
        schemas = {path: self._schema_of(path, value) for path in self._open}
        sums = {path: list(_sums(value, path, self._readings(path, record))) for path, record in self._open.items()}
        request = ReviewRequest(
            type="review_answer",
            answer=self.data,
            fields=self._open,
            schema=schemas,
            choices={path: self._choices(path, schemas[path]) for path in self._open},
            sums={path: each for path, each in sums.items() if each},
            version=sha256(canonical_json([self.data, self._open]).encode()).hexdigest()[:16],
        )
        return {**request, "problem": self._problem} if self._problem else request

    def _value(self) -> Any:
        try:
            return self.schema.load(self.data)
        except ValueError:
            return None  # the readings of several agents need not fit together

    def _json_path(self, path: str) -> FieldPath:
        return self._json_paths.get(path) or json_path_in(self.data, path, self._value()) or FieldPath(path)

    def _schema_of(self, path: str, value: object) -> dict[str, object]:
        root = self.schema.value_schema
        own = _schema_at(root, self._json_path(path))
        if '"$ref"' in json.dumps(own, default=str):
            own |= {name: root[name] for name in ("$defs", "definitions") if name in root}
        try:
            own["default"] = to_jsonable_python(default_at(value, path), by_alias=True)
        except LookupError:
            if "default" not in own and any(part.get("type") == "null" for part in parts_of(own, root, set())):
                own["default"] = None
        return own

    def _readings(self, path: str, record: FieldRecord) -> list[object]:
        values = [each["value"] for each in record.get("readings", ())]
        with suppress(LookupError):
            return values or [self._json_path(path).get(self.data)]
        return values

    def _choices(self, path: str, schema: Mapping[str, object]) -> dict[ReviewChoice, str | None]:
        try:
            self._json_path(path).get(self.data)
            no_value = None
        except LookupError:
            no_value = _NO_VALUE
        required = None if "default" in schema else _REQUIRED.format(path=path or "The answer")
        return {"approve": no_value, "edit": None, "reject": None, "leave_out": required}

    def _problem_with(self, answer: Any, request: ReviewRequest) -> str:
        """Return why decisions cannot be taken as a whole."""
        decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
        if not isinstance(decisions, Mapping):
            return _UNREAD
        if answer.get("version", request["version"]) != request["version"]:
            return _LATE
        unknown = [path for path in decisions if path not in self._open]
        return _NOT_ASKED.format(paths=", ".join(map(repr, unknown))) if unknown else ""

    def _take(self, decisions: Mapping[str, object], request: ReviewRequest) -> None:
        problems: dict[str, str] = {}
        edits: dict[str, object] = {}
        for path, record in self._open.items():
            match decisions.get(path, {"type": "approve"}):
                case {"type": "approve"}:
                    problems |= {path: why} if (why := request["choices"][path]["approve"]) else {}
                case {"type": "edit", "value": value}:
                    edits[path] = value
                case {"type": "reject", **words}:
                    self.rejected[path] = str(words.get("message") or record["problem"] or _REJECTED)
                case _:
                    problems[path] = _UNKNOWN
        problems |= self._edit(edits)
        settled = self._open.keys() - problems.keys() - self.rejected.keys()
        self.given |= {path: self._json_path(path).get(self.data) for path in self._open if path in settled}
        self._open = {path: {**record, "problem": problems[path]} for path, record in self._open.items() if path in problems}

    def _edit(self, edits: Mapping[str, object]) -> dict[str, str]:
        """Put values into the answer, and return why some of them do not fit there."""
        changes = {path: Change(self._json_path(path), value) for path, value in edits.items()}
        try:
            whole = with_changes(self.data, list(changes.values()))
            new = [each for each in self._problems(whole) if each not in self._problems(self.data)]
        except ValueError as error:
            return dict.fromkeys(edits, str(error))
        problems = {
            path: sentence
            for path, change in changes.items()
            for location, sentence in new
            if _overlap([*map(str, change.path.parts)], [*map(str, FieldPath(location).parts)])
        }
        # What fits no field of its own is wrong with all of them together.
        problems = problems or dict.fromkeys(edits if new else (), new[0][1] if new else "")
        self.data = with_changes(self.data, [change for path, change in changes.items() if path not in problems])
        return problems

    def _problems(self, data: object) -> list[tuple[str, str]]:
        try:
            self.schema.load(data)
        except ValueError as error:
            return problems_by_field(error)
        return []


def _overlap(one: list[str], other: list[str]) -> bool:
    length = min(len(one), len(other))
    return bool(other) and one[:length] == other[:length]


def _schema_at(root: Mapping[str, object], json_path: FieldPath) -> dict[str, object]:
    """Return the JSON Schema of a value; an empty one if the schema does not name it."""
    schemas: list[Any] = [root]
    for part in json_path.parts:
        schemas = [inner for schema in schemas for inner in _inner(schema, part, root)]
    return dict(schemas[0]) if schemas else {}


def _inner(schema: object, part: str | int, root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for each in parts_of(schema, root, set()):
        if isinstance(part, int):
            first = each.get("prefixItems") or []
            inner = first[part] if part < len(first) else each.get("items")
        else:
            inner = (each.get("properties") or {}).get(part, each.get("additionalProperties"))
        if isinstance(inner, Mapping):
            yield inner


def computed_from(fields: Sequence[Claim]) -> dict[FieldPath, tuple[Derived, frozenset[FieldPath]]]:
    """Return the fields of an answer that are computed, each with its mark and the fields of its formula."""
    operands = Operands(numbers_in((field.path, field.value) for field in fields))
    return {
        field.path: (field.mark, frozenset(path for name in names.values() for path in operands.places_of(name, field.path)))
        for field in fields
        if isinstance(field.mark, Derived) and (names := parsed(field.mark.formula).operands)
    }


def _sums(answer: object, path: str, readings: Iterable[object]) -> Iterator[DerivedSum]:
    """Yield what is computed of a field, with each of its readings."""
    fields = [] if answer is None else fields_of(answer)
    numbers = numbers_in((field.path, field.value) for field in fields)
    for field, (mark, inputs) in computed_from(fields).items() if path in numbers else ():
        for reading in {canonical_json(each): each for each in readings}.values() if path in {field, *inputs} else ():
            with_reading = numbers | numbers_in([(FieldPath(path), reading)])
            operands, formula = Operands(with_reading), parsed(mark.formula)
            with suppress(FormulaError):
                computed = operands.value_of(formula, field)
                yield DerivedSum(
                    value=reading,
                    field=field,
                    formula=operands.written_out(formula, field),
                    computed=str(computed),
                    stands=str(with_reading[field]),
                    is_equal=is_equal(computed, with_reading[field], mark.rounding),
                )
