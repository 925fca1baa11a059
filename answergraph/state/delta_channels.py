"""A channel of what a thread gathers: a checkpoint holds what was added, and whole copies come the rarer the longer it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from typing import Annotated, Any, Required, Self, get_args, get_origin
from uuid import NAMESPACE_OID, uuid4, uuid5

from langchain_core.messages import BaseMessage, convert_to_messages
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.graph.message import add_messages

from answergraph.state.messages import WHOLE_MESSAGES

LEAST_UPDATES = 100
"""LangGraph's own number of updates between whole copies; short threads are replayed in full."""


class GrowingChannel(DeltaChannel[Any]):
    """A delta channel whose whole copies double in length, so that all together they are as long as the last one twice."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # as in DeltaChannel, which has __eq__ alone

    @property
    def snapshot_frequency(self) -> int:
        """After how many updates a whole copy is written: as many as there are items, so that a replay is never longer."""
        return max(LEAST_UPDATES, self.length())

    @snapshot_frequency.setter
    def snapshot_frequency(self, value: int) -> None:
        """Take no notice: the base class sets what it was made with."""

    def copy(self) -> Self:
        """Return a channel with the same value. The value itself is shared: an update makes a new one."""
        new = self.__class__.__new__(self.__class__)
        new.key, new.typ, new.reducer, new.value = self.key, self.typ, self.reducer, self.value
        return new

    def length(self) -> int:
        """Return how many items the value has."""
        return len(self.value) if self.is_available() and isinstance(self.value, Sized) else 0


class KnownIds:
    """The ids of a conversation's messages: read once, and kept up as it grows."""

    __slots__ = ("conversation", "ids", "is_lent")

    def __init__(self, conversation: Any = None, ids: set[Any] | None = None, *, is_lent: bool = False) -> None:
        """Know the ids of a conversation, if they are given; one that is lent is read and not changed."""
        self.conversation = conversation
        self.ids: set[Any] = set() if ids is None else ids
        self.is_lent = is_lent

    def of(self, conversation: Sequence[Any]) -> set[Any]:
        """Return the ids of a conversation."""
        if self.conversation is not conversation:
            self.conversation, self.is_lent = conversation, False
            self.ids = {getattr(message, "id", None) for message in conversation}
        return self.ids

    def grow(self, conversation: Sequence[Any], new: Sequence[Any]) -> None:
        """Take note of what a conversation has become, and of the messages that were added."""
        if not self.is_lent:
            self.ids.update(message.id for message in new)
            self.conversation = conversation


class MessagesChannel(GrowingChannel):
    """A delta channel of messages, which counts as equal to the plain one of LangChain's and LangGraph's state schemas.

    Nodes annotated with those schemas can be added to an agent's graph; the delta channel stays.
    """

    __slots__ = ("known",)
    __hash__ = None  # as in DeltaChannel, which has __eq__ alone

    def __init__(self, *args: Any, **options: Any) -> None:
        """Make a channel, as a ``DeltaChannel`` is made."""
        super().__init__(*args, **options)
        self.known = KnownIds()

    def copy(self) -> Self:
        """Return a channel with the same conversation, on which LangGraph tries what a single node has written."""
        new = super().copy()
        new.known = KnownIds(self.known.conversation, self.known.ids, is_lent=True)
        return new

    def update(self, values: Sequence[Any]) -> bool:
        """Take writes. Whole new messages cost a copy of the list, and no look at those that are there."""
        appended = self._appended(values) if values and self.is_available() else None
        if appended is None:
            return super().update(values)
        self.value = appended
        return True

    def _appended(self, writes: Sequence[Any]) -> list[Any] | None:
        """Return the conversation with what was written behind it, ``None`` if that takes more than to append."""
        new = [message for write in writes for message in (write if type(write) is list else (write,))]
        if not WHOLE_MESSAGES.issuperset(map(type, new)):
            return None
        for message in new:
            message.id = message.id or str(uuid4())
        if not _have_new_ids(new, self.known.of(self.value)):
            return None
        appended = [*self.value, *new]
        self.known.grow(appended, new)
        return appended

    def __eq__(self, other: object) -> bool:
        """Tell whether both merge messages in the same way."""
        if isinstance(other, BinaryOperatorAggregate):
            return other.operator is add_messages
        return isinstance(other, MessagesChannel)


def merge_messages(state: Sequence[Any], writes: Sequence[Any]) -> list[BaseMessage]:
    """Merge writes into a conversation, each as LangGraph's ``add_messages`` does.

    Args:
        state: The conversation.
        writes: What was written: messages, or lists of them, in any form that ``add_messages`` takes.

    Returns:
        A new conversation. Rebuilding it from the same writes brings the same ids, however they are batched.
    """
    merged: list[Any] = list(state)
    ids: set[Any] | None = None
    for write in writes:
        if ids is None:
            ids = {getattr(message, "id", None) for message in merged}
        right: list[Any] = list(_with_ids(write, merged))
        if WHOLE_MESSAGES.issuperset(map(type, right)) and _have_new_ids(right, ids):
            merged += right
            ids.update(message.id for message in right)
        else:
            both: Any = add_messages(merged, right)
            merged = both
            ids = None
    return merged


MESSAGES = MessagesChannel(merge_messages)
"""The channel, for an ``Annotated`` state key."""


def with_messages_channel(hint: Any) -> Any:
    """Return the annotation of a state's messages with the delta channel in place of ``add_messages``.

    Args:
        hint: The annotation. One with another reducer or a channel of its own is returned as it is: that is how one opts out.
    """
    bare = get_args(hint)[0] if get_origin(hint) is Required else hint
    metadata = getattr(bare, "__metadata__", ())
    if not metadata or metadata[-1] is not add_messages:
        return hint
    # The type that was annotated stays, and so does what else was said of it.
    return Required[Annotated[(bare.__origin__, *metadata[:-1], MESSAGES)]]


def _have_new_ids(messages: Sequence[BaseMessage], ids: set[Any]) -> bool:
    """Return whether messages have ids that the conversation does not have; one that was put in its place may lack ids itself."""
    new = {message.id for message in messages}
    return None not in ids and len(new) == len(messages) and ids.isdisjoint(new)


def _with_ids(write: Any, before: Sequence[Any]) -> Iterable[BaseMessage]:
    """Give ids to what has none.

    A message object is stored with the id it is given here. A text or a pair is stored as it is and becomes a message whenever
    the conversation is rebuilt; its id is made from what it says and the message before it, so that it is the same one again.
    """
    previous = getattr(before[-1], "id", None) if before else None
    given = write if isinstance(write, list) else [write]
    for source, message in zip(given, convert_to_messages(given), strict=True):
        if not message.id:
            made = uuid5(NAMESPACE_OID, f"{previous}/{message.type}/{message.content}")
            message.id = str(uuid4() if source is message else made)
        previous = message.id
        yield message
