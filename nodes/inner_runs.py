"""Runs inside a run: what they may use of its budget, and how they are charged to it.

A node or a tool of an agent may run another agent. What that one uses is charged to the run around it, which lends it no
more than it has left itself. The account is found through a context variable, so that a tool need not pass anything on; what was
charged goes into the state, so that it holds across a checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from functools import reduce
from threading import Lock
from typing import Any, Self
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.pregel import Pregel
from langgraph.types import Command

from answergraph.nodes.budget import Room, UsageLimits
from answergraph.nodes.outcome import Ledger
from answergraph.nodes.state import CHARGES
from answergraph.nodes.turn import current_ledger
from answergraph.nodes.usage import Usage, added, no_usage, usage_of

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


class LendingNode(Runnable[Any, Any]):
    """A node of an agent's graph, with an account for the runs inside it."""

    def __init__(self, node: Runnable[Any, Any], limits: UsageLimits) -> None:
        """Put an account around a node."""
        self.node = node
        self.limits = limits
        self.name = node.name

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node."""
        with Account(self.limits, lambda: input) as account:
            return account.settled(self.node.invoke(input, config, **kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node on the event loop."""
        with Account(self.limits, lambda: input) as account:
            return account.settled(await self.node.ainvoke(input, config, **kwargs))


def lending_subgraph(graph: Pregel[Any, Any, Any, Any], limits: UsageLimits) -> Runnable[Any, Any]:
    """Return a graph that is a node of an agent's graph, with an account for its runs.

    A ``RunnableLambda``, because LangGraph looks into those for the subgraphs it draws and streams.
    """

    def invoke(state: Any, config: RunnableConfig) -> Any:
        with Account(limits, lambda: state) as account:
            return account.settled(graph.invoke(state, config))

    async def ainvoke(state: Any, config: RunnableConfig) -> Any:
        with Account(limits, lambda: state) as account:
            return account.settled(await graph.ainvoke(state, config))

    return RunnableLambda(invoke, ainvoke, name=graph.get_name())
