"""An answer as it was read: its schema, its value and its JSON, made once and handed on."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.json_text.strict_json import FINITE, lost_numbers
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.snapshot import Snapshot
from answergraph.state.field_path import FieldPath


@dataclass(frozen=True, eq=False)
class Answer:
    """A valid answer."""

    schema: AnswerSchema
    value: Any
    """Of the declared type."""
    data: object
    """The value as JSON; ``None`` if JSON cannot express it."""
    has_json: bool
    source: object
    """The JSON that the value was read from, if it was."""
    seen: Snapshot
    """Of value and JSON."""

    @classmethod
    def of(cls, schema: AnswerSchema, value: object, source: object = None) -> Self:
        """Return a value as an answer, with its JSON: the only place where an answer is dumped."""
        try:
            data, has_json = schema.dump(value), True
        except (ValueError, TypeError):
            data, has_json = None, False
        return cls(schema, value, data, has_json, source, Snapshot(value, data))

    def lost_numbers(self, data: object) -> list[tuple[str | int, ...]]:
        """Return the places of numbers that became infinite when what the model wrote was read."""
        try:
            FINITE.encode(self.data)
        except ValueError:  # a default may be infinite, too
            return [*lost_numbers(data, self.data)]
        return []

    @property
    def written(self) -> object:
        """The JSON that it was read from, else its own."""
        return self.data if self.source is None else self.source

    @property
    def is_unchanged(self) -> bool:
        """Whether neither value nor JSON was changed in place since the answer was made."""
        return self.seen.is_of(self.value, self.data)

    def is_restored_by_json(self) -> bool:
        """Return whether the JSON restores an equal value; it is validated again only if the answer was read from other JSON."""
        if not self.has_json:
            return False
        try:
            is_read_from_it = self.source is not None and (self.data is self.source or self.data == self.source)
            return is_read_from_it or is_same(self.schema.load(self.data), self.value)
        except (ValueError, TypeError, RecursionError):
            # It does not fit, or is not comparable.
            return False

    def check_validators(self) -> None:
        """Raise ``AgentSpecError`` if a validator left ``None`` where the model wrote a value and the type takes none."""
        path = None
        with suppress(RecursionError):
            path = _emptied(self.source, self.data, FieldPath())
        try:
            path is None or self.schema.load(self.data)
        except ValueError:
            advice = "end it with `return` and the value"
            raise AgentSpecError(f"A validator of {self.schema.name} returned None for {path}; {advice}.") from None


def _emptied(source: object, data: object, path: FieldPath) -> FieldPath | None:
    """Return the first place of a value that became ``None``."""
    if data is None:
        return None if source is None else path
    parts: Iterable[tuple[str | int, object, object]] = ()
    if isinstance(data, Mapping) and isinstance(source, Mapping):
        parts = [(key, source[key], value) for key, value in data.items() if key in source]
    elif isinstance(data, list) and isinstance(source, list):
        parts = [(index, *pair) for index, pair in enumerate(zip(source, data, strict=False))]
    return next(filter(None, (_emptied(before, after, path / key) for key, before, after in parts)), None)


def schema_named(schemas: Iterable[AnswerSchema], name: object) -> AnswerSchema | None:
    """Return the schema of a name, ``None`` if there is none."""
    return next((schema for schema in schemas if schema.name == name), None)


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of one type, also inside lists and dicts."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)
