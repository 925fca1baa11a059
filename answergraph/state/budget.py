"""Budgets: how nested runs share what a run has left.

An agent that runs in a node or tool of another agent is charged to the outer run and limited to its remaining budget. A context
variable passes the budget on; the state keeps the charges across checkpoints.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from functools import reduce
from threading import Lock
from typing import Any, Self
from uuid import uuid4

from langchain_core.messages import ToolMessage
from langgraph.errors import ParentCommand
from langgraph.types import Command

from answergraph.runtime.steps import Surroundings
from answergraph.state.agent_state import RunState
from answergraph.state.ledger import INNER_USAGE, RunLedger
from answergraph.state.outcome import Usage
from answergraph.state.own_keys import updates_in, with_update
from answergraph.state.turn import Turn
from answergraph.state.usage import NO_USAGE, SHARED, RemainingBudget, UsageLimits, added, usage_of


class NoCallLeftError(Exception):
    """The budget around a single model call is exhausted."""


class InnerRunBudget(Surroundings):
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

    def charge_usage(self, usage: Usage, cause: str = "inner_run") -> None:
        """Charge usage that is not an inner run's."""
        share: Any = {name: count for name, count in usage.items() if name in SHARED}
        self._used[uuid4().hex] = {**usage, "by_cause": {cause: share}}

    def capped(self, limits: UsageLimits) -> UsageLimits:
        """Return limits lowered to what is left."""
        return limits.capped_by(self._remaining(), self.pricing)

    @property
    def pricing(self) -> UsageLimits | None:
        """The innermost limits around this that have prices."""
        if self._limits.is_priced:
            return self._limits
        return None if self.caller is None else self.caller.pricing

    @contextmanager
    def charge_single_call(self) -> Iterator[Callable[[Usage], None]]:
        """Yield a function that charges one call outside an agent; raise ``NoCallLeftError`` if no call is left."""
        call, charged = uuid4().hex, list[Usage]()
        try:
            # Charged in advance, so that concurrent calls do not all take the last one.
            with self._lock:
                self._used[call] = usage_of([], "turn", model_calls=1, tool_calls=0)
                is_exhausted = self._remaining(leaving_out=call).is_exhausted
            if is_exhausted:
                raise NoCallLeftError
            yield charged.append
        finally:
            del self._used[call]
            if charged:
                self._used[call] = charged[-1]

    def finished_update(self, update: object) -> Any:
        """Return a node's update, with the usage of inner runs added."""
        if self._left_out is not None:
            update = self._left_out(update)
        if not self._used:
            return update
        return [*updates_in(update), Command(update={INNER_USAGE: self.used()})]

    def result_with_charges(self, result: ToolMessage | Command[Any]) -> ToolMessage | Command[str]:
        """Return the result of a tool call, with the usage of inner runs added."""
        if self._left_out is not None and not isinstance(result, ToolMessage):
            result = self._left_out(result)
        if not self._used:
            return result
        return with_update(result, {INNER_USAGE: self.used()})

    def _remaining(self, leaving_out: str | None = None) -> RemainingBudget:
        state = self._state()
        turn = Turn(state)
        own = turn.run_ledger(begins_run=turn.begins_run)
        limits = self._limits if self.caller is None else self._limits.capped_by(self.caller.remaining_for(own))
        share = limits.remaining(own["usage"]).split(max(self._parts(state), 1) if self._parts else 1)
        return share.minus(self.used(leaving_out))

    def used(self, leaving_out: str | None = None) -> Usage:
        """Return the usage of the runs inside."""
        return reduce(added, [usage for run, usage in list(self._used.items()) if run != leaving_out], NO_USAGE)


_current: ContextVar[InnerRunBudget | None] = ContextVar("answergraph_budget", default=None)


def callers_budget() -> InnerRunBudget | None:
    """Return the budget that the current node's run is charged to, ``None`` outside other runs."""
    own = _current.get()
    return None if own is None else own.caller


def current_budget() -> InnerRunBudget | None:
    """Return the budget for work outside an agent's own nodes, ``None`` outside an agent's run."""
    return _current.get()
