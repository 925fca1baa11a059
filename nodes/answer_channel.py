"""The channel of answers: a state key that gives the declared type everywhere, and keeps plain JSON in checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import Any, Self, get_args

from langgraph.channels import LastValue

from answergraph.nodes.response_format.schema import AnswerSchema
from answergraph.nodes.response_format.schema_kinds import answer_schemas
from answergraph.nodes.stored_answers import StoredAnswers


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
