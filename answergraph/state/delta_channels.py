"""Channels whose checkpoints hold additions, with fewer snapshots as the value grows; and the outcome of stored threads."""

from collections.abc import Iterable, Sequence, Sized
from operator import attrgetter
from typing import Annotated, Any, Literal, NotRequired, Required, Self, cast, get_args, get_origin
from uuid import NAMESPACE_OID, uuid4, uuid5

from langchain_core.messages import BaseMessage, convert_to_messages
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel, LastValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from answergraph.runtime.argument_checks import is_switched_on
from answergraph.state.messages import WHOLE_MESSAGES
from answergraph.state.older_records import outcome_of_today

DELTA_MESSAGES = "ANSWERGRAPH_DELTA_MESSAGES"
"""Environment variable: with ``0``, agents built afterwards store the whole conversation each time, as LangGraph does."""

MIN_UPDATES_BETWEEN_COPIES = 100
"""LangGraph's default for ``DeltaChannel``; short threads are replayed in full."""

_ROLES = ("human", "user", "ai", "assistant", "system", "developer")


class GrowingChannel(DeltaChannel[Any]):
    """A delta channel with a snapshot after as many updates as it has items.

    All snapshots together are at most twice the last one, and a replay has at most as many updates as items.
    """

    __slots__ = ()

    def update(self, values: Sequence[object]) -> bool:
        changed = super().update(values)
        self.snapshot_frequency = max(MIN_UPDATES_BETWEEN_COPIES, self.length())
        return changed

    def replay_writes(self, writes: Sequence[Any]) -> None:
        super().replay_writes(writes)
        self.snapshot_frequency = max(MIN_UPDATES_BETWEEN_COPIES, self.length())

    def length(self) -> int:
        return len(self.value) if self.is_available() and isinstance(self.value, Sized) else 0


class MessagesChannel(GrowingChannel):
    """A delta channel of messages, for the key that other schemas annotate with ``add_messages``."""

    __slots__ = ("ids", "owns_ids")
    __hash__ = None  # type: ignore[assignment]  # as in DeltaChannel, which defines only __eq__

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.ids: set[object] | None = None
        """The ids of the messages, or more; ``None`` if unknown."""
        self.owns_ids = True

    def copy(self) -> Self:
        # Before every conditional edge, LangGraph applies the writes of one node to a copy. The copy shares the list, because an
        # update makes a new one. No constructor runs, because it would inspect the type again.
        new = type(self).__new__(type(self))
        new.key, new.typ, new.reducer, new.value = self.key, self.typ, self.reducer, self.value
        new.snapshot_frequency, new.ids, new.owns_ids = self.snapshot_frequency, self.ids, False
        return new

    def update(self, values: Sequence[Any]) -> bool:
        if not values:
            return False
        flat = values[0]
        if len(values) > 1 or type(flat) is not list:
            flat = [message for write in values for message in (write if type(write) is list else (write,))]
        if self._append(flat):
            return True
        self.ids = None
        return super().update(values)

    def _append(self, new: Sequence[Any]) -> bool:
        """Append new messages without reading the existing ones; return ``False`` if they have to be merged instead."""
        if type(self.value) is not list or not WHOLE_MESSAGES.issuperset(map(type, new)):
            return False
        for message in new:
            if not message.id:
                message.id = str(uuid4())
        if self.ids is None:
            self.ids, self.owns_ids = _ids_of(self.value), True
        if (new_ids := _new_ids(new, self.ids)) is None:
            return False
        self.value = [*self.value, *new]
        self.snapshot_frequency = max(MIN_UPDATES_BETWEEN_COPIES, len(self.value))
        if self.owns_ids:
            self.ids.update(new_ids)
        else:
            self.ids = None
        return True

    def __eq__(self, other: object) -> bool:
        # LangGraph refuses nodes whose schema has an unequal channel for a key. This channel equals that of MessagesState, so
        # nodes with that schema can be added.
        if isinstance(other, BinaryOperatorAggregate):
            return other.operator is add_messages
        return isinstance(other, MessagesChannel)


def merge_messages(state: Sequence[object], writes: Sequence[object]) -> list[BaseMessage]:
    """Merge writes into a conversation, each as LangGraph's ``add_messages`` does; the result is a new list.

    A write is a message or a list of them, in any form that ``add_messages`` takes. Merging the same writes again gives the same
    ids, however the writes are batched.
    """
    merged: list[Any] = list(state)
    ids: set[object] | None = None
    for write in writes:
        if ids is None:
            ids = _ids_of(merged)
        right: list[Any] = list(_with_ids(write, merged, ids))
        new_ids = _new_ids(right, ids) if WHOLE_MESSAGES.issuperset(map(type, right)) else None
        if new_ids is not None:
            merged += right
            ids.update(new_ids)
        else:
            both: Any = add_messages(merged, right)
            merged = both
            ids = None
    return merged


MESSAGES = MessagesChannel(merge_messages)
"""The channel, for an ``Annotated`` state key."""


def stores_deltas() -> bool:
    return is_switched_on(DELTA_MESSAGES)


def with_messages_channel(hint: Any) -> Any:
    """Return an annotation with the delta channel instead of ``add_messages``; any other reducer or channel is kept."""
    bare = get_args(hint)[0] if get_origin(hint) is Required else hint
    metadata = getattr(bare, "__metadata__", ())
    if not metadata or metadata[-1] is not add_messages:
        return hint
    # The annotated type and other metadata are kept.
    return Required[Annotated[(bare.__origin__, *metadata[:-1], MESSAGES)]]


_id_of = attrgetter("id")


def _ids_of(messages: Iterable[object]) -> set[object]:
    return {getattr(message, "id", None) for message in messages}


def _new_ids(messages: Sequence[BaseMessage], ids: set[object]) -> set[object] | None:
    """Return the ids of new messages; ``None`` if the conversation has one of them, or has messages without ids."""
    new = set(map(_id_of, messages))
    return new if None not in ids and len(new) == len(messages) and ids.isdisjoint(new) else None


def _with_ids(write: Any, before: Sequence[object], known: set[object]) -> Iterable[BaseMessage]:
    """Yield the messages of a write, with missing ids added.

    A message object is stored with its id. Texts and pairs become messages each time the conversation is rebuilt, so their ids
    are derived from their content and the message before.
    """
    previous = getattr(before[-1], "id", None) if before else None
    match write:
        case [str(role), str()] if role in _ROLES:  # a pair, which checkpoints restore as a list
            messages = [write]
        case _:
            messages = write if isinstance(write, list) else [write]
    for source, message in zip(messages, convert_to_messages(messages), strict=True):
        if not message.id:
            identity = uuid5(NAMESPACE_OID, f"{previous}/{message.type}/{message.content}")
            while str(identity) in known:
                identity = uuid5(identity, "")
            message.id = str(uuid4() if source is message else identity)
        previous = message.id
        yield message


class ChargesChannel(BinaryOperatorAggregate[Any]):
    """Adds up the usage of inner runs."""

    __slots__ = ()

    def copy(self) -> Self:
        # No constructor runs, as for messages: it would call the type for an empty value, which fails and costs most of a copy.
        new = type(self).__new__(type(self))
        new.key, new.typ, new.operator, new.value = self.key, self.typ, self.operator, self.value
        return new


class OutcomeChannel(LastValue[Any]):
    """The outcome of a run; a thread that an earlier version stored is read with the keys of today."""

    __slots__ = ()

    def from_checkpoint(self, checkpoint: object) -> Self:
        if isinstance(checkpoint, dict) and "fields" not in checkpoint:
            checkpoint = outcome_of_today(checkpoint)
        return super().from_checkpoint(checkpoint)


class RecordedResult(TypedDict):
    """One tool call and its result, as plain JSON; the fields are those of ``ToolRun``."""

    tool_call_id: str
    name: str
    args: dict[str, Any]
    texts: list[str]
    succeeded: bool
    written: NotRequired[list[str]]
    counts: NotRequired[bool]
    sources: NotRequired[list[list[Any]]]
    unread: NotRequired[list[str]]
    kind: NotRequired[Literal["tool", "input", "text"]]
    computes: NotRequired[bool]


class RunResults(TypedDict):
    """The results of one run."""

    run: str
    """The run's id; those of earlier runs of a thread are dropped."""
    results: list[RecordedResult]
    shown: NotRequired[dict[str, str]]
    """Per call, the text last shown to the model if a wrapper changed it; empty if removed."""


class ToolResultsChannel(GrowingChannel):
    """The results of a run; a checkpoint holds only additions."""

    __slots__ = ()

    def length(self) -> int:
        return len(self.value["results"]) if self.is_available() and self.value else 0


def merge_results(before: RunResults | None, writes: Sequence[RunResults | None]) -> RunResults | None:
    """Add results; how the writes are batched makes no difference. The first result of a new run replaces all earlier ones."""
    merged = before
    for write in writes:
        if write:
            known = merged["results"] if merged and merged["run"] == write["run"] else []
            # A call that runs again after a crash writes its result again.
            new = [result for result in write["results"] if result not in known]
            shown = {"shown": write.get("shown", (merged if known and merged else write).get("shown"))}
            merged = cast(RunResults, {"run": write["run"], "results": [*known, *new], **(shown if shown["shown"] else {})})
    return merged
