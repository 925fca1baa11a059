"""What a run may use: its own limits, and where it runs inside another run, what its caller has left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from functools import reduce
from threading import Lock
from typing import Any, NamedTuple, Self
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

from answergraph.state.errors import AgentSpecError
from answergraph.state.ledger import CHARGES, Ledger, added, current_ledger, no_usage, usage_of
from answergraph.state.outcome import Usage


class Room(NamedTuple):
    """What is left of a budget; ``None`` for no limit."""

    model_calls: int | None
    tool_calls: int | None
    total_tokens: int | None

    @property
    def is_spent(self) -> bool:
        """Whether there is no room for one more call of a model."""
        return self.model_calls == 0 or self.total_tokens == 0

    def beside(self, others: Usage) -> Room:
        """Return what is left beside what others use of it."""
        return Room(
            model_calls=_rest(self.model_calls, others["model_calls"]),
            tool_calls=_rest(self.tool_calls, others["tool_calls"]),
            total_tokens=_rest(self.total_tokens, others["total_tokens"]),
        )

    def shared(self, parts: int) -> Room:
        """Return one of several equal parts."""
        return Room(*(None if limit is None else limit // parts for limit in self))


@dataclass(frozen=True)
class UsageLimits:
    """What a run may use before it ends with status ``out_of_budget``.

    Raises:
        AgentSpecError: If a limit is zero, negative or no whole number.
    """

    model_calls: int | None = 50
    """Calls of the model. With 1, the one call is the final answer."""
    tool_calls: int | None = None
    """Ordinary tool calls that are carried out; further ones are answered "not available"."""
    total_tokens: int | None = None
    """Tokens in and out, as far as the model reports them; a call in progress may exceed it."""
    answer_attempts: int = 4
    """Replies read as an answer, the first included."""
    reserve_final_answer: bool = True
    """Whether the last model call of the budget is made with the answer forced and tools off."""

    def __post_init__(self) -> None:
        """Refuse limits that no run could keep."""
        if not isinstance(self.reserve_final_answer, bool):
            raise AgentSpecError(f"UsageLimits(reserve_final_answer={self.reserve_final_answer!r}): say True or False.")
        for name in ("model_calls", "tool_calls", "total_tokens"):
            limit = getattr(self, name)
            if limit is not None and not _is_count(limit):
                raise AgentSpecError(f"UsageLimits({name}={limit!r}): a limit is at least 1, or None for none.")
        if not _is_count(self.answer_attempts):
            raise AgentSpecError(f"UsageLimits(answer_attempts={self.answer_attempts!r}): a limit is at least 1, a whole number.")

    def leave_one_call(self, usage: Usage) -> bool:
        """Return whether the next model call is the last one the budget has.

        Args:
            usage: What was used before that call.
        """
        last_model_call = self.model_calls is not None and usage["model_calls"] >= self.model_calls - 1
        # A further call costs about what an average one did.
        per_call = usage["total_tokens"] // max(usage["model_calls"], 1)
        few_tokens_left = self.total_tokens is not None and usage["total_tokens"] + 2 * per_call > self.total_tokens
        return last_model_call or (few_tokens_left and usage["model_calls"] > 0)

    def leave_no_call(self, usage: Usage) -> bool:
        """Return whether the budget has no model call left: runs inside this one used it up, or its caller left it none."""
        no_model_call = self.model_calls is not None and usage["model_calls"] >= self.model_calls
        return no_model_call or (self.total_tokens is not None and self.total_tokens < 1)

    def tool_calls_left(self, usage: Usage) -> int | None:
        """Return how many tool calls may still be carried out, ``None`` for any number."""
        return None if self.tool_calls is None else max(self.tool_calls - usage["tool_calls"], 0)

    def left(self, usage: Usage) -> Room:
        """Return what is left for runs inside this one; the call of the reserved final answer is kept back."""
        kept = 1 if self.reserve_final_answer else 0
        return Room(
            model_calls=_rest(self.model_calls, usage["model_calls"] + kept),
            tool_calls=_rest(self.tool_calls, usage["tool_calls"]),
            total_tokens=_rest(self.total_tokens, usage["total_tokens"]),
        )

    def within(self, room: Room) -> UsageLimits:
        """Return these limits, none of them beyond what there is room for."""
        return _SharedLimits(
            model_calls=_smaller(self.model_calls, room.model_calls),
            tool_calls=_smaller(self.tool_calls, room.tool_calls),
            total_tokens=_smaller(self.total_tokens, room.total_tokens),
            answer_attempts=self.answer_attempts,
            reserve_final_answer=self.reserve_final_answer,
        )


class _SharedLimits(UsageLimits):
    def __post_init__(self) -> None:
        # What a caller has left may be nothing.
        return


def _is_count(limit: Any) -> bool:
    return isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1


def _rest(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


def _smaller(own: int | None, other: int | None) -> int | None:
    return min((limit for limit in (own, other) if limit is not None), default=None)


NO_LIMITS = UsageLimits(model_calls=None)
"""The default of an agent without a response format."""


_open: ContextVar[Account | None] = ContextVar("answergraph_account", default=None)


class NoCallLeftError(Exception):
    """The run around has no room for a single call; whoever makes it says so in its own words."""


class Account:
    """What the runs inside one visit of a node, or one tool call, may use together, and what they used; a context manager."""

    def __init__(
        self,
        limits: UsageLimits,
        state: Callable[[], Mapping[str, Any]],
        parts: Callable[[Mapping[str, Any]], int] | None = None,
    ) -> None:
        """Prepare to lend.

        Args:
            limits: Those of the run that lends.
            state: Returns its state; asked only if there is something to lend to.
            parts: Returns how many accounts share what it has left.
        """
        self.caller: Account | None = None
        self._limits = limits
        self._state = state
        self._parts = parts
        self._used: dict[str, Usage] = {}
        self._lock = Lock()

    def __enter__(self) -> Self:
        """Make this the account that runs started from here on are charged to."""
        self.caller = _open.get()
        self._token: Token[Account | None] = _open.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Let the account before be the one again."""
        _open.reset(self._token)

    def lend(self, ledger: Ledger) -> Room:
        """Charge an inner run for what it has used, and return what it may use in all.

        Args:
            ledger: The inner run's; it may have been charged before, here or in a process that is gone.
        """
        self.charge(ledger)
        return self._room(leaving_out=ledger["run"])

    def charge(self, ledger: Ledger) -> None:
        """Charge an inner run for all that it has used so far."""
        self._used[ledger["run"]] = ledger["usage"]

    @contextmanager
    def single_call(self) -> Iterator[Callable[[AIMessage], None]]:
        """Charge a single call of a model that belongs to no agent's run, such as a judge's.

        Yields:
            What the reply is given to; a call that brought none is not charged.

        Raises:
            NoCallLeftError: If there is no room for the call.
        """
        call, replies = uuid4().hex, list[AIMessage]()
        try:
            # Charged before it is made: of calls made at the same time, none takes what another one has begun to use.
            with self._lock:
                self._used[call] = usage_of([], "turn", model_calls=1, tool_calls=0)
                is_spent = self._room(leaving_out=call).is_spent
            if is_spent:
                raise NoCallLeftError
            yield replies.append
        finally:
            del self._used[call]
            if replies:
                self._used[call] = usage_of(replies, "turn", model_calls=1, tool_calls=0)

    def settled(self, update: Any) -> Any:
        """Return a node's update with what inner runs were charged."""
        if not self._used:
            return update
        updates = update if isinstance(update, list | tuple) else [] if update is None else [update]
        return [*updates, Command(update={CHARGES: self._together()})]

    def settled_call(self, result: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
        """Return what a tool call brought with what inner runs were charged."""
        if not self._used:
            return result
        charges = {CHARGES: self._together()}
        if isinstance(result, ToolMessage):
            return Command(update={"messages": [result], **charges})
        update = result.update
        together = {**(update or {}), **charges} if isinstance(update, dict | None) else [*update, *charges.items()]
        return Command(graph=result.graph, update=together, resume=result.resume, goto=result.goto)

    def _room(self, leaving_out: str) -> Room:
        state = self._state()
        own = current_ledger(state)
        limits = self._limits if self.caller is None else self._limits.within(self.caller.lend(own))
        room = limits.left(own["usage"]).shared(max(self._parts(state), 1) if self._parts else 1)
        return room.beside(self._together(leaving_out))

    def _together(self, leaving_out: str | None = None) -> Usage:
        return reduce(added, [usage for run, usage in list(self._used.items()) if run != leaving_out], no_usage())


def calling_account() -> Account | None:
    """Return the account that the run of the current node is charged to, ``None`` if it is inside no other run."""
    own = _open.get()
    return None if own is None else own.caller


def account_around() -> Account | None:
    """Return the account that work outside an agent's own nodes is charged to, ``None`` if no agent's run is around it."""
    return _open.get()
