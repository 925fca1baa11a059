"""The JSON form of answers: how they are written to the state, what a checkpoint keeps, and how the declared type comes back.

A checkpoint is read by another process, perhaps months later and in a mode that imports no class of the user's. So an answer
goes there as plain JSON with the name of its schema, wherever that brings back an equal value; any other value stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from answergraph.nodes.errors import StoredAnswerError
from answergraph.nodes.response_format.schema import AnswerSchema

MARK = "answergraph"
"""The key that tells what this module stored from what others did; beside it stands ``value``."""


class NamedJson(NamedTuple):
    """An answer as JSON, and the name of its schema."""

    schema: str
    value: Any


@dataclass(frozen=True)
class UnreadableAnswer:
    """Stands in the place of an answer in a checkpoint that its schema does not fit any more.

    The thread can be read, forked and continued; whoever uses the answer gets the error. It is stored again as it was, so
    nothing is lost to a process that still has the schema.
    """

    stored_answer_error: StoredAnswerError
    """What does not fit, with the stored JSON."""

    def __getattr__(self, name: str) -> Any:
        """Raise the error for every field of an answer."""
        if name.startswith("__") or name == "stored_answer_error":  # what is copied asks before it has its own field
            raise AttributeError(name)
        raise self.stored_answer_error

    def __getitem__(self, key: object) -> Any:
        """Raise the error for every key of an answer."""
        raise self.stored_answer_error


@dataclass(frozen=True)
class StoredAnswers:
    """Converts the values of one state key."""

    schemas: tuple[AnswerSchema, ...]
    """The declared types."""

    def as_json(self, value: Any) -> NamedJson | None:
        """Return an answer as JSON from which it comes back equal, ``None`` if there is none for a value."""
        for schema in self.schemas if value is not None else ():
            try:
                if schema.holds(value) and _same(schema.load(data := schema.dump(value)), value):
                    return NamedJson(schema.name, data)
            except (ValueError, TypeError):
                # It cannot be said in JSON, or its parts cannot be compared.
                continue
        return None

    def written(self, value: Any) -> Any:
        """Return a value as a node writes it to the state, which is what ``updates`` streams show.

        Args:
            value: An answer, or anything else.

        Returns:
            Its JSON, beside its schema's name as ``{"schema", "value"}`` where several are declared; the value itself if it is
            no answer or would not come back equal.
        """
        named = self.as_json(value)
        if named is None:
            return value
        return named.value if len(self.schemas) == 1 else named._asdict()

    def typed(self, written: Any) -> Any:
        """Return what was written to the state as a value of the declared type; the inverse of ``written``.

        Args:
            written: What a node, a middleware or ``update_state`` wrote.

        Returns:
            The answer; what is none of any schema, and what would lose something on the way, stays as it is.
        """
        if written is None or isinstance(written, UnreadableAnswer):
            return written
        if len(self.schemas) == 1:
            return self._loaded(self.schemas[0], written, written)
        if isinstance(written, Mapping) and written.keys() == {"schema", "value"} and (named := self._named(written["schema"])):
            return self._loaded(named, written["value"], written)
        return self._of_any(written, otherwise=written)

    def stored(self, value: Any) -> Any:
        """Return what a checkpoint keeps of a value."""
        if isinstance(value, UnreadableAnswer):
            error = value.stored_answer_error
            return {MARK: error.schema, "value": error.data}
        if (named := self.as_json(value)) is not None:
            return {MARK: named.schema, "value": named.value}
        # A value of the user's that looks like ours is wrapped, so that it comes back as it is.
        return {MARK: None, "value": value} if _is_marked(value) else value

    def restored(self, stored: Any) -> Any:
        """Return the value of a checkpoint; the inverse of ``stored``.

        Args:
            stored: What ``stored`` returned, here or in another version of the program; or what a plain channel stored.

        Returns:
            The value; an ``UnreadableAnswer`` if its schema has changed so that it does not fit, or is not declared any more.
        """
        if not _is_marked(stored):
            return self.typed(stored)
        name, value = stored[MARK], stored["value"]
        if name is None:
            return value
        if (schema := self._named(name)) is None:
            return self._of_renamed(name, value)
        try:
            return schema.load(value)
        except ValueError as error:
            return UnreadableAnswer(StoredAnswerError(name, str(error), value))

    def _of_renamed(self, name: str, data: Any) -> Any:
        declared = [schema.name for schema in self.schemas]
        error = StoredAnswerError(name, f"No schema of this name is declared, only {declared!r}.", data)
        return self._of_any(data, otherwise=UnreadableAnswer(error))

    def _named(self, name: object) -> AnswerSchema | None:
        return next((schema for schema in self.schemas if schema.name == name), None)

    def _of_any(self, data: Any, otherwise: Any) -> Any:
        """Return data as a value of the only schema that it fits."""
        fitting = [value for schema in self.schemas if (value := self._loaded(schema, data, _NONE)) is not _NONE]
        return fitting[0] if len(fitting) == 1 else otherwise

    def _loaded(self, schema: AnswerSchema, data: Any, otherwise: Any) -> Any:
        try:
            value = schema.load(data)
            return value if value is data or _contains(schema.dump(value), data) or _same(value, data) else otherwise
        except (ValueError, TypeError):
            return otherwise


_NONE = object()


def _is_marked(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {MARK, "value"}


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of one type, in what lists and dicts hold as well."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _contains(whole: Any, part: Any) -> bool:
    """Return whether JSON holds all that other JSON says; it may hold more keys, which are defaults."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return part.keys() <= whole.keys() and all(_contains(whole[key], part[key]) for key in part)
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) == len(part) and all(map(_contains, whole, part))
    if isinstance(part, float) and math.isnan(part):
        return isinstance(whole, float) and math.isnan(whole)
    # In JSON 1 and 1.0 are one number; true is none.
    return bool(whole == part) and isinstance(whole, bool) == isinstance(part, bool)
