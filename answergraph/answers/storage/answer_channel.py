"""Stores answers as the declared type in the state, and as plain JSON in writes and checkpoints.

Another process may read a checkpoint months later, without importing the user's classes. So an answer is stored as JSON with the
name of its schema if that JSON restores an equal value; other values are stored unchanged.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Self, get_args

from langgraph.channels import LastValue
from langgraph.errors import InvalidUpdateError

from answergraph.answers.answer import Answer, is_same, schema_named
from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.answers.storage.pickled_answers import pickle_as_json
from answergraph.runtime.errors import StoredAnswerError
from answergraph.runtime.recent_cache import RecentCache

MARK = "answergraph"
"""The key that marks values stored by this module, beside ``value``."""


class AnswerChannel(LastValue[Any]):
    """Keeps the last answer written to a state key, as a value of its declared type.

    Use it for a state key of your own graph that holds an agent's answer. ``invoke``, ``get_state``, the history, ``values``
    streams and other processes then see the declared type, whatever LangGraph is allowed to import. JSON that is written to the
    key, for instance by ``update_state`` from a server, becomes the declared type if it fits; other values are kept.

    Example:
        >>> from typing import Annotated
        >>> from langgraph.graph import MessagesState
        >>> from pydantic import BaseModel
        >>> class Plan(BaseModel):
        ...     steps: list[str]
        >>> class State(MessagesState):
        ...     plan: Annotated[Plan | None, AnswerChannel]
    """

    __slots__ = ("codec", "is_strict", "stored")

    def __init__(self, typ: object, key: str = "", codec: "AnswerCodec | None" = None, *, is_strict: bool = False) -> None:
        """Make an empty channel; LangGraph does so for ``Annotated[Type, AnswerChannel]``.

        Args:
            typ: The declared type; ``None`` in a union does not count. The graph's JSON Schemas show it.
            key: The state key.
            codec: Converts the values; by default one for the type.
            is_strict: Whether values that are not answers of the declared type are refused, as in an agent's own state.
        """
        super().__init__(typ, key)
        self.codec = answer_codec(_schemas_of(typ)) if codec is None else codec
        # The stored form, cached because a checkpoint is written after every step.
        self.stored: tuple[object] | None = None
        self.is_strict = is_strict

    def __eq__(self, other: object) -> bool:
        # Channels of a state key compare equal, so that LangGraph keeps the first one.
        return isinstance(other, LastValue)

    __hash__ = None  # type: ignore[assignment]  # as in LastValue: a channel changes

    def copy(self) -> Self:
        # Without a constructor: LangGraph copies every channel before every conditional edge.
        copied = type(self).__new__(type(self))
        copied.key, copied.typ, copied.value = self.key, self.typ, self.value
        copied.codec, copied.is_strict, copied.stored = self.codec, self.is_strict, self.stored
        return copied

    def from_checkpoint(self, checkpoint: object) -> Self:
        channel = type(self)(self.typ, self.key, self.codec, is_strict=self.is_strict)
        # The value of an empty channel is LangGraph's mark for none.
        if checkpoint is not channel.value:
            channel.value, channel.stored = self.codec.from_checkpoint(checkpoint), (checkpoint,)
        return channel

    def update(self, values: Sequence[object]) -> bool:
        if not values or not super().update(values):
            return False
        write = self.value
        self.value = self.codec.from_write(write)
        if self.is_strict and write is not None and self.value is write and not self.codec.takes(write):
            names = [schema.name for schema in self.codec.schemas]
            raise InvalidUpdateError(f"{self.key!r} holds an answer of {names!r}, and {write!r} is not one.")
        self.stored = None
        return True

    def checkpoint(self) -> Any:
        if not self.is_available():
            return self.value
        if self.stored is None:
            self.stored = (self.codec.to_checkpoint(self.value),)
        return self.stored[0]


@dataclass(frozen=True)
class UnreadableAnswer:
    """Placeholder for a stored answer that no longer fits its schema.

    The thread can be read, forked and continued; accessing the answer raises the error. The answer is stored again unchanged, so
    a process that still has the schema loses nothing.
    """

    stored_answer: dict[str, Any]
    """The arguments of its ``StoredAnswerError``; a server can send them as JSON, unlike an exception."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "stored_answer":  # copying reads attributes before the field exists
            raise AttributeError(name)
        raise StoredAnswerError(**self.stored_answer)

    def __getitem__(self, key: object) -> Any:
        raise StoredAnswerError(**self.stored_answer)


class AnswerCodec:
    """Converts answers of declared types to JSON and back.

    An answer is validated once on its way into the state: the JSON that a node writes must restore an equal value. LangGraph
    passes the same object on to the channel. So the codec remembers the value of that object, and the channel takes it.
    """

    def __init__(self, schemas: tuple[AnswerSchema, ...]) -> None:
        self.schemas = schemas
        self._answers: RecentCache[Answer] = RecentCache()
        """By the key of their value: answers whose JSON restores an equal one."""
        self._writes: RecentCache[Answer] = RecentCache()
        """By the key of what was written for them."""

    def to_json(self, value: object, answer: Answer | None = None) -> Answer | None:
        """Return a value as an answer whose JSON restores an equal one, ``None`` if none does; ``answer`` if it was just read."""
        known = self._answers.get(_key(value))
        if known is not None and known.is_unchanged:
            return known
        named = None if answer is None else schema_named(self.schemas, answer.schema.name)
        if named is not None and answer is not None:
            # A format made at run time may have a schema of its own with this name.
            candidates = [answer if named.validator is answer.schema.validator else Answer.of(named, value)]
        else:
            candidates = [Answer.of(schema, value) for schema in self._schemas_of(value)]
        proven = next((each for each in candidates if each.is_restored_by_json()), None)
        return None if proven is None else self._answers.put(_key(value), proven)

    def to_write(self, value: object, answer: Answer | None = None) -> Any:
        """Return the form of a value that a node writes to the state and that ``updates`` streams show.

        An answer becomes JSON; if several schemas are declared, it becomes ``{"schema": name, "value": JSON}``. Values that are
        not answers, or that JSON would not restore as equal, stay unchanged.
        """
        proven = self.to_json(value, answer)
        if proven is None:
            if answer is not None and answer.has_json:
                answer.check_validators()
            return value
        write = proven.data if len(self.schemas) == 1 else {"schema": proven.schema.name, "value": proven.data}
        # A number or text may be read as an object, which no two runs may share.
        if isinstance(write, dict | list) or type(write) is type(value):
            self._writes.put(_key(write), proven, write)
        return write

    def from_write(self, write: Any) -> Any:
        """Return a value of the declared type for a value written to the state; the inverse of ``to_write``.

        Values that fit no schema, or would lose data, stay unchanged.
        """
        if write is None or isinstance(write, UnreadableAnswer):
            return write
        known = self._writes.get(_key(write))
        if known is not None and known.is_unchanged:
            marked = {"schema": known.schema.name, "value": known.data}
            if len(self.schemas) == 1 or (write["value"] is known.data and write == marked):
                return known.value
        if len(self.schemas) == 1:
            return _loaded(self.schemas[0], write, write)
        has_name = isinstance(write, Mapping) and write.keys() == {"schema", "value"}
        if has_name and (named := schema_named(self.schemas, write["schema"])):
            return _loaded(named, write["value"], write)
        return self._of_any(write, otherwise=write)

    def takes(self, write: object) -> bool:
        """Return whether an unconverted write is an answer of our nodes, or of a declared type."""
        if isinstance(write, UnreadableAnswer) or self._writes.get(_key(write)) is not None:
            return True
        return bool(self._schemas_of(write))

    def to_checkpoint(self, value: object) -> Any:
        if isinstance(value, UnreadableAnswer):
            return {MARK: value.stored_answer["schema"], "value": value.stored_answer["data"]}
        if (answer := self.to_json(value)) is not None:
            return {MARK: answer.schema.name, "value": answer.data}
        # A user value that looks like ours is wrapped, so that it is restored unchanged.
        return {MARK: None, "value": value} if _is_marked(value) else value

    def from_checkpoint(self, stored: Any) -> Any:
        """Return the value of a checkpoint, which another version of the program or a plain channel may have written.

        It is an ``UnreadableAnswer`` if its schema is no longer declared, or has changed so that it no longer fits.
        """
        if not _is_marked(stored):
            return self.from_write(stored)
        name, value = stored[MARK], stored["value"]
        if name is None:
            return value
        if (schema := schema_named(self.schemas, name)) is None:
            problem = f"No schema of this name is declared, only {[schema.name for schema in self.schemas]!r}."
            return self._of_any(value, otherwise=UnreadableAnswer({"schema": name, "problem": problem, "data": value}))
        try:
            return schema.load(value)
        except ValueError as mismatch:
            return UnreadableAnswer({"schema": name, "problem": str(mismatch), "data": value})

    def _schemas_of(self, value: object) -> list[AnswerSchema]:
        return [candidate for candidate in self.schemas if value is not None and candidate.holds(value)]

    def _of_any(self, data: object, otherwise: object) -> object:
        """Return data as a value of the only schema that it fits, else ``otherwise``."""
        fitting = [value for schema in self.schemas if (value := _loaded(schema, data, _NONE)) is not _NONE]
        return fitting[0] if len(fitting) == 1 else otherwise


_CODECS: RecentCache[AnswerCodec] = RecentCache()


def answer_codec(schemas: tuple[AnswerSchema, ...]) -> AnswerCodec:
    """Return the codec shared by the nodes and the channel of some schemas."""
    if "langgraph_api" in sys.modules:
        pickle_as_json(schemas)
    return _CODECS.get_or_make(lambda: AnswerCodec(schemas), *schemas)


def _key(value: object) -> object:
    """Return what identifies a value as long as it is kept: Python shares equal numbers and texts, so their type and value."""
    kind = type(value)
    return (kind, value) if kind in _SHARED else id(value)


_SHARED = frozenset({str, int, float, bool})
_NONE = object()


def _schemas_of(typ: object) -> tuple[AnswerSchema, ...]:
    alternatives = get_args(typ)
    if NoneType not in alternatives:
        return answer_schemas(typ)
    return tuple(schema for alternative in alternatives if alternative is not NoneType for schema in answer_schemas(alternative))


def _loaded(schema: AnswerSchema, data: object, otherwise: object) -> object:
    try:
        value = schema.load(data)
        return value if value is data or _contains(schema.dump(value), data) or is_same(value, data) else otherwise
    except (ValueError, TypeError):
        return otherwise


def _is_marked(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {MARK, "value"}


def _contains(whole: object, part: object) -> bool:
    """Return whether JSON contains other JSON; extra keys are defaults."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return part.keys() <= whole.keys() and all(_contains(whole[key], part[key]) for key in part)
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) == len(part) and all(map(_contains, whole, part))
    if isinstance(part, float) and math.isnan(part):
        return isinstance(whole, float) and math.isnan(whole)
    # In JSON, 1 equals 1.0, but not true.
    return bool(whole == part) and isinstance(whole, bool) == isinstance(part, bool)
