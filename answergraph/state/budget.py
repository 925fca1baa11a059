"""Budgets: the limits of a run, what it has left, and how nested runs share that.

An agent that runs in a node or tool of another agent is charged to the outer run and limited to its remaining budget. A context
variable passes the budget on; the state keeps the charges across checkpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from functools import reduce
from threading import Lock
from typing import Any, NamedTuple, Self
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.errors import ParentCommand
from langgraph.types import Command

from answergraph.runtime.errors import AgentSpecError
from answergraph.state.agent_state import RunState
from answergraph.state.ledger import INNER_USAGE, NO_USAGE, RunLedger, added, usage_of
from answergraph.state.outcome import Usage
from answergraph.state.tool_results import with_update
from answergraph.state.turn import Turn


class RemainingBudget(NamedTuple):
    """What is left of a budget; ``None`` means no limit."""

    model_calls: int | None
    tool_calls: int | None
    total_tokens: int | None

    @property
    def is_exhausted(self) -> bool:
        """Whether no model call is left."""
        return self.model_calls == 0 or self.total_tokens == 0

    def minus(self, usage: Usage) -> RemainingBudget:
        return RemainingBudget(
            model_calls=_rest(self.model_calls, usage["model_calls"]),
            tool_calls=_rest(self.tool_calls, usage["tool_calls"]),
            total_tokens=_rest(self.total_tokens, usage["total_tokens"]),
        )

    def split(self, parts: int) -> RemainingBudget:
        return RemainingBudget(*(None if limit is None else limit // parts for limit in self))


@dataclass(frozen=True)
class UsageLimits:
    """The limits of a run; a run that reaches one ends with status ``out_of_budget``.

    Raises:
        AgentSpecError: If a limit is zero, negative or not a whole number.
    """

    model_calls: int | None = 50
    """Model calls. With 1, the only call must give the answer."""
    tool_calls: int | None = None
    """Executed tool calls; answers do not count. Further calls get the result "not available"."""
    total_tokens: int | None = None
    """Input and output tokens that the model reports. Checked before each call, so the last call may exceed the limit."""
    answer_attempts: int = 4
    """Replies that are read as an answer, including the first."""
    reserve_final_answer: bool = True
    """Whether the last model call of the budget must give the answer, without tools."""

    def __post_init__(self) -> None:
        if not isinstance(self.reserve_final_answer, bool):
            raise AgentSpecError(f"UsageLimits(reserve_final_answer={self.reserve_final_answer!r}): write True or False.")
        for name in ("model_calls", "tool_calls", "total_tokens"):
            limit = getattr(self, name)
            if limit is not None and not _is_count(limit):
                raise AgentSpecError(f"UsageLimits({name}={limit!r}): a limit is at least 1, or None for no limit.")
        if not _is_count(self.answer_attempts):
            raise AgentSpecError(
                f"UsageLimits(answer_attempts={self.answer_attempts!r}): a limit is at least 1 and a whole number."
            )

    def is_last_call(self, usage: Usage) -> bool:
        """Return whether the next model call is the last one, given the usage before it."""
        last_model_call = self.model_calls is not None and usage["model_calls"] >= self.model_calls - 1
        # Assumes an average cost per call.
        per_call = usage["total_tokens"] // max(usage["model_calls"], 1)
        few_tokens_left = self.total_tokens is not None and usage["total_tokens"] + 2 * per_call > self.total_tokens
        return last_model_call or (few_tokens_left and usage["model_calls"] > 0)

    def is_exhausted(self, usage: Usage) -> bool:
        """Return whether no model call is left; inner runs and the caller's budget count."""
        no_model_call = self.model_calls is not None and usage["model_calls"] >= self.model_calls
        return no_model_call or (self.total_tokens is not None and self.total_tokens < 1)

    def tool_calls_left(self, usage: Usage) -> int | None:
        """Return the remaining tool calls, ``None`` for no limit."""
        return None if self.tool_calls is None else max(self.tool_calls - usage["tool_calls"], 0)

    def remaining(self, usage: Usage) -> RemainingBudget:
        """Return the budget for inner runs, without the call reserved for the final answer."""
        left = RemainingBudget(self.model_calls, self.tool_calls, self.total_tokens).minus(usage)
        return left._replace(model_calls=_rest(left.model_calls, 1)) if self.reserve_final_answer else left

    def capped_by(self, remaining: RemainingBudget) -> UsageLimits:
        capped = {name: _smaller(getattr(self, name), limit) for name, limit in remaining._asdict().items()}
        return _CappedLimits(**{**vars(self), **capped})


class _CappedLimits(UsageLimits):
    def __post_init__(self) -> None:
        # A caller may have nothing left, so zero is allowed here.
        return


def _is_count(limit: Any) -> bool:
    return isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1


def _rest(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


def _smaller(own: int | None, other: int | None) -> int | None:
    return min((limit for limit in (own, other) if limit is not None), default=None)


NO_LIMITS = UsageLimits(model_calls=None)
"""The default of an agent without a response format."""


class NoCallLeftError(Exception):
    """The budget around a single model call is exhausted."""


class InnerRunBudget:
    """Shares the budget of one node visit or tool call among inner runs, and records their usage."""

    def __init__(
        self,
        limits: UsageLimits,
        state: Callable[[], RunState],
        parts: Callable[[RunState], int] | None = None,
        left_out: Callable[[Any], Any] | None = None,
    ) -> None:
        # ``state`` is called only if an inner run asks for its budget. ``parts`` returns how many such budgets share the rest.
        # ``left_out`` removes the agent's own keys from the update of a guest node.
        self.caller: InnerRunBudget | None = None
        self._limits = limits
        self._state = state
        self._parts = parts
        self._left_out = left_out
        self._used: dict[str, Usage] = {}
        self._lock = Lock()

    def __enter__(self) -> Self:
        self.caller = _current.get()
        self._token: Token[InnerRunBudget | None] = _current.set(self)
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        _current.reset(self._token)
        if isinstance(error, ParentCommand) and self._left_out is not None:
            # LangGraph raises the command of an inner graph as an exception.
            error.args = (self._left_out(error.args[0]),)

    def remaining_for(self, ledger: RunLedger) -> RemainingBudget:
        """Record an inner run's usage so far, and return its total budget."""
        self.charge(ledger)
        return self._remaining(leaving_out=ledger["run"])

    def charge(self, ledger: RunLedger) -> None:
        """Charge an inner run for its usage; a later charge of the same run replaces this one."""
        self._used[ledger["run"]] = ledger["usage"]

    def charge_usage(self, usage: Usage) -> None:
        """Charge usage that is not an inner run's."""
        self._used[uuid4().hex] = usage

    def capped(self, limits: UsageLimits) -> UsageLimits:
        """Return limits lowered to what is left."""
        return limits.capped_by(self._remaining())

    @contextmanager
    def charge_single_call(self) -> Iterator[Callable[[AIMessage], None]]:
        """Yield a function that charges one call outside an agent by its reply; raise ``NoCallLeftError`` if no call is left."""
        call, replies = uuid4().hex, list[AIMessage]()
        try:
            # Charged in advance, so that concurrent calls do not all take the last one.
            with self._lock:
                self._used[call] = usage_of([], "turn", model_calls=1, tool_calls=0)
                is_exhausted = self._remaining(leaving_out=call).is_exhausted
            if is_exhausted:
                raise NoCallLeftError
            yield replies.append
        finally:
            del self._used[call]
            if replies:
                self._used[call] = usage_of(replies, "turn", model_calls=1, tool_calls=0)

    def finished_update(self, update: Any) -> Any:
        """Return a node's update, with the usage of inner runs added."""
        if self._left_out is not None:
            update = self._left_out(update)
        if not self._used:
            return update
        updates = update if isinstance(update, list | tuple) else [] if update is None else [update]
        return [*updates, Command(update={INNER_USAGE: self._sum()})]

    def result_with_charges(self, result: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
        """Return the result of a tool call, with the usage of inner runs added."""
        if self._left_out is not None and not isinstance(result, ToolMessage):
            result = self._left_out(result)
        if not self._used:
            return result
        return with_update(result, {INNER_USAGE: self._sum()})

    def _remaining(self, leaving_out: str | None = None) -> RemainingBudget:
        state = self._state()
        turn = Turn(state)
        own = turn.run_ledger(begins_run=turn.begins_run)
        limits = self._limits if self.caller is None else self._limits.capped_by(self.caller.remaining_for(own))
        share = limits.remaining(own["usage"]).split(max(self._parts(state), 1) if self._parts else 1)
        return share.minus(self._sum(leaving_out))

    def _sum(self, leaving_out: str | None = None) -> Usage:
        return reduce(added, [usage for run, usage in list(self._used.items()) if run != leaving_out], NO_USAGE)


_current: ContextVar[InnerRunBudget | None] = ContextVar("answergraph_budget", default=None)


def callers_budget() -> InnerRunBudget | None:
    """Return the budget that the current node's run is charged to, ``None`` outside other runs."""
    own = _current.get()
    return None if own is None else own.caller


def current_budget() -> InnerRunBudget | None:
    """Return the budget for work outside an agent's own nodes, ``None`` outside an agent's run."""
    return _current.get()
