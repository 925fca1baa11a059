"""The channel of answers: a state key that gives the declared type everywhere, and keeps plain JSON in checkpoints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any, NamedTuple, Self, get_args

from langgraph.channels import LastValue
from langgraph.types import Command

from answergraph.response_format.schemas.answer_schema import AnswerSchema
from answergraph.response_format.schemas.schema_kinds import answer_schemas
from answergraph.state.errors import StoredAnswerError


class AnswerChannel(LastValue[Any]):
    """Keeps the last answer written to a state key, as a value of its declared type.

    For the state of your own graph, where the answer of an agent goes on being used: ``invoke``, ``get_state``, the history,
    ``values`` streams and other processes find the declared type, whatever LangGraph is allowed to import. JSON that is written
    to the key, by ``update_state`` from a server for instance, becomes the declared type; what fits none stays as it is.

    Example:
        >>> from typing import Annotated
        >>> from langgraph.graph import MessagesState
        >>> from pydantic import BaseModel
        >>> class Plan(BaseModel):
        ...     steps: list[str]
        >>> class State(MessagesState):
        ...     plan: Annotated[Plan | None, AnswerChannel]
    """

    __slots__ = ("answers", "stored")

    def __init__(self, typ: Any, key: str = "", schemas: Sequence[AnswerSchema] | None = None) -> None:
        """Make an empty channel; LangGraph does so for ``Annotated[Type, AnswerChannel]``.

        Args:
            typ: The declared type, ``None`` apart; shown in the graph's JSON Schemas.
            key: The state key.
            schemas: The schemas of the type, if they are known already.
        """
        super().__init__(typ, key)
        self.answers = StoredAnswers(_schemas_of(typ) if schemas is None else tuple(schemas))
        # What the value is in a checkpoint: made once per value, for a checkpoint is written after every step.
        self.stored: tuple[Any] | None = None

    def __eq__(self, other: object) -> bool:
        """Return whether both keep a last value; the state key of a graph has one channel, the first one declared."""
        return isinstance(other, LastValue)

    __hash__ = None  # type: ignore[assignment]  # as in LastValue: a channel changes

    def copy(self) -> Self:
        """Return a copy with the same value."""
        copied = self._empty()
        copied.value, copied.stored = self.value, self.stored
        return copied

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Return a channel with the value of a checkpoint; an empty one if it has none."""
        channel = self._empty()
        # The value of an empty channel is LangGraph's mark for none.
        if checkpoint is not channel.value:
            channel.value, channel.stored = self.answers.restored(checkpoint), (checkpoint,)
        return channel

    def update(self, values: Sequence[Any]) -> bool:
        """Take the value written in a step.

        Raises:
            InvalidUpdateError: If there are several.
        """
        if not super().update(values):
            return False
        self.value = self.answers.typed(self.value)
        self.stored = None
        return True

    def checkpoint(self) -> Any:
        """Return what a checkpoint keeps."""
        if not self.is_available():
            return self.value
        if self.stored is None:
            self.stored = (self.answers.stored(self.value),)
        return self.stored[0]

    def _empty(self) -> Self:
        return type(self)(self.typ, self.key, self.answers.schemas)


def _schemas_of(typ: Any) -> tuple[AnswerSchema, ...]:
    alternatives = get_args(typ)
    if NoneType not in alternatives:
        return answer_schemas(typ)
    return tuple(schema for alternative in alternatives if alternative is not NoneType for schema in answer_schemas(alternative))


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

    def written_in(self, update: Any, key: str) -> Any:
        """Return a node's update with the answer under a state key as it is written; commands and lists of them included."""
        # As LangGraph tells them: a tuple without a command may be a user's named one.
        if isinstance(update, list | tuple) and any(isinstance(part, Command) for part in update):
            return [self.written_in(part, key) for part in update]
        if isinstance(update, Command) and update.graph is None:
            return replace(update, update=self.written_in(update.update, key))
        if not isinstance(update, dict) or update.get(key) is None:
            return update
        return {**update, key: self.written(update[key])}

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
