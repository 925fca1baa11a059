"""``map_answers``: an agent over many rows."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Generator, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, Generic, Literal, Never, get_args

from typing_extensions import TypeVar

from answergraph import AgentGraph, AgentSpecError, UsageLimits
from answergraph.kit import require_extra
from answergraph.many.asking import Asking
from answergraph.many.batches.batch_api import BatchAPI
from answergraph.many.batches.batched_requests import BatchedRequests, batches_of
from answergraph.many.ledger.agent_door import AgentDoor
from answergraph.many.ledger.map_ledger import MapLedger
from answergraph.many.ledger.rows import Group, Row
from answergraph.many.pace import Pace
from answergraph.many.session import Session
from answergraph.many.sources import Source, first_of_each_key
from answergraph.many.stopping import Stopping, limits_of
from answergraph.types import Status

ValueT = TypeVar("ValueT", default=Any)

_MOST_ROWS_IN_BATCHES = 10_000  # that wait at once: each is a run in memory


def map_answers(  # noqa: PLR0913 - one argument per question that a map answers
    agent: AgentGraph[ValueT, Never, object],
    rows: Iterable[Mapping[str, object]] | str | Path,
    *,
    key: str | Callable[[Mapping[str, Any]], Hashable],
    input: str | Callable[[Mapping[str, Any]], object],
    ledger: str | Path | None = None,
    concurrency: int = 16,
    limits: UsageLimits | None = None,
    stop_after: int | None = 50,
    share_equal_inputs: bool = True,
    via: Literal["calls"] | BatchAPI = "calls",
) -> MapRun[ValueT]:
    """Run an agent over many rows: each ends in a typed row, with an answer or with the reason why there is none.

    Args:
        agent: An agent with a response format.
        rows: Read lazily; a path ends in ``.jsonl``, ``.csv`` or ``.parquet``.
        key: The column that names a row, or a function. Rows that repeat a key with an equal input are one row.
        input: The column with the text, or a function from a row to the agent's input.
        ledger: A SQLite file or a ``postgresql://`` URL; ``None``: a temporary file, so the map cannot be resumed. Processes on
            one ledger share the work.
        concurrency: Runs at a time, at most; fewer while the provider refuses for its rate.
        limits: Of all rows together (model calls, tool calls, tokens, cost; seconds of this pass). Each run has its agent's own.
        stop_after: Rows in a row without an answer, after which the map stops and says why; ``None``: it never does.
        share_equal_inputs: Whether equal inputs are asked for once.
        via: ``BatchAPI()`` for the provider's batch endpoint: half the price, within a day.

    Returns:
        The run, which begins when it is iterated or written.

    Raises:
        AgentSpecError: If an argument cannot be used, a limit of one run is given (``answer_attempts``), the ledger has
            answers of another schema, or the model's provider has no batches.

    Example:
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel
        >>> agent = create_agent(ScriptedChatModel(replies=['{"value": 7}']), response_format=int)
        >>> [row.answer for row in map_answers(agent, [{"id": 1, "body": "seven"}], key="id", input="body")]
        [7]
    """
    for name, number in (("concurrency", concurrency), ("stop_after", 1 if stop_after is None else stop_after)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise AgentSpecError(f"map_answers({name}={number!r}): write a whole number of at least 1.")
    if via != "calls" and not isinstance(via, BatchAPI):
        raise AgentSpecError(f"map_answers(via={via!r}): it is 'calls' or BatchAPI().")
    limits_of(limits)
    model = getattr(getattr(agent, "builder", None), "model", None)
    if via != "calls" and model is not None:  # a graph of several agents is asked for its models when they are called
        batches_of(model)
    plan = _Plan(AgentDoor(agent), Source(rows, key, input), ledger, concurrency, limits, stop_after, share_equal_inputs, via)
    return MapRun(plan)


@dataclass(frozen=True)
class _Plan:
    """The arguments of a map."""

    door: AgentDoor
    source: Source
    ledger: str | Path | None
    concurrency: int
    limits: UsageLimits | None
    stop_after: int | None
    shares_equal_inputs: bool
    via: Literal["calls"] | BatchAPI


class MapRun(Generic[ValueT]):
    """A run over many rows; begins when it is iterated or written. What the ledger has is not asked again."""

    def __init__(self, plan: Any, ledger: MapLedger | None = None, again: Collection[str] = ()) -> None:
        self._plan: _Plan = plan
        self._again = again
        shares, door = plan.shares_equal_inputs, plan.door
        door.check_stored()
        self._ledger = ledger or MapLedger(plan.ledger, door.schema_mark, earlier=door.earlier_mark, shares_equal_inputs=shares)
        self._not_stored: Counter[Group] = Counter()
        self._has_begun = False
        self.done = 0
        """How many rows the last pass has come to."""
        self.examples: dict[Group, Row[ValueT]] = {}
        """The first row of each group that the last pass came to."""
        self.notes: list[str] = []
        """What to know about the rows, in sentences: that rows repeat a key, that the agent or inputs changed since before."""
        self.stopped: str | None = None
        """Why rows were left for another time, ``None`` if none were."""

    def __iter__(self) -> Iterator[Row[ValueT]]:
        return self._rows(self._session(_own_loop()))

    async def __aiter__(self) -> AsyncIterator[Row[ValueT]]:
        session = self._session(asyncio.get_running_loop())
        rows = self._rows(session)
        with ThreadPoolExecutor(1, "answergraph-map") as thread:
            try:
                while (row := await asyncio.wrap_future(thread.submit(next, rows, None))) is not None:
                    yield row
            finally:
                session.closing.set()
                await asyncio.wrap_future(thread.submit(rows.close))

    def counts(self) -> dict[Status, int]:
        """Return how many rows ended with which status; rows that the last pass left for another time are ``out_of_budget``."""
        counts: Counter[Status] = Counter()
        for group, count in self.groups().items():
            counts[group.status] += count
        return dict(counts)

    def groups(self) -> dict[Group, int]:
        """Return how many rows ended alike: with the same status, at the same field, by the same rule; the most first."""
        return self._ledger.groups() | self._not_stored

    def usage(self) -> dict[str, float]:
        """Return what all rows have used, in all processes: ``model_calls``, ``tool_calls``, ``total_tokens``, ``cost``."""
        return self._ledger.usage()

    def again(self, agent: AgentGraph[ValueT, Never, object] | None = None, *, status: Collection[Status]) -> MapRun[ValueT]:
        """Return a run that asks again for the keys that ended so, by another agent if given; the others keep their ends.

        Raises:
            AgentSpecError: If the rows cannot be read a second time, the agent has another schema, or no row can end so.
        """
        statuses = get_args(Status)
        if isinstance(status, str) or not set(status) <= {*statuses}:
            raise AgentSpecError(f"again(status={status!r}): pass a set of {', '.join(map(repr, statuses))}.")
        if not self._plan.source.can_be_read_again:
            raise AgentSpecError("again() reads the rows a second time: pass map_answers a path or a list, not an iterator.")
        plan = self._plan if agent is None else replace(self._plan, door=AgentDoor(agent))
        if plan.door.schema_mark != self._plan.door.schema_mark:
            raise AgentSpecError("again() needs an agent with the same response format: the rows have one schema.")
        return MapRun(plan, self._ledger, again=frozenset(status))

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table`` of all rows.

        Its columns are ``key``, ``answer`` (a struct of the declared type), ``status``, ``reason``, ``field``, ``rule``,
        ``fields``, ``model_calls``, ``total_tokens``, ``seconds`` and ``cost``; they follow from the type, never from the data.
        """
        return self._columns().table(self)

    def to_parquet(self, path: str | Path) -> None:
        """Write all rows as they come, with the columns of ``to_arrow``; the file is there when it is complete."""
        self._columns().write_parquet(self, Path(path))

    def _columns(self) -> Any:
        require_extra("many", "pyarrow")
        from answergraph.many.row_columns import RowColumns  # noqa: PLC0415 - an optional dependency

        return RowColumns(self._plan.door)

    def _session(self, loop: asyncio.AbstractEventLoop) -> Session:
        plan = self._plan
        batched = None if plan.via == "calls" else BatchedRequests(plan.via, self._ledger)
        pace = Pace(plan.concurrency if plan.via == "calls" else min(plan.via.rows_per_file, _MOST_ROWS_IN_BATCHES))
        if self._has_begun and not plan.source.can_be_read_again:
            raise AgentSpecError(
                "The rows are an iterator, and were read: pass map_answers a path or a list to go over them twice, or keep them "
                "with rows = list(run)."
            )
        self._has_begun = True
        notes = list[str]()
        rows = first_of_each_key(plan.source.wanted(plan.door), notes)
        stopping = Stopping(plan.limits, plan.stop_after, self._ledger.usage, tries_first=batched is None)
        asking = Asking(plan.door, pace, nullcontext if batched is None else batched.row, stopping.purse)
        return Session(rows, self._ledger, asking, pace, stopping, loop, notes)

    def _rows(self, session: Session) -> Generator[Row[ValueT]]:
        self._not_stored, self.examples, self.stopped, self.notes, self.done = Counter(), {}, None, session.notes, 0
        self._ledger.keep_stop(None, 0)
        self._ledger.want_again(self._again)
        with closing(session.ends()) as ends:
            for end in ends:
                row = end.row(self._plan.door)
                self.examples.setdefault(end.group, row)
                self.done += 1
                if not end.is_stored:
                    self._not_stored[end.group] += 1
                    self.stopped = session.stopping.reason
                yield row
        self._ledger.keep_stop(self.stopped, self._not_stored.total())


@cache
def _own_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all maps that are not awaited; one, since providers' clients keep connections of their loop."""
    loop = asyncio.new_event_loop()

    def run() -> None:
        while True:
            # asyncio ends a loop when a task raises one of these; it is the end of a row, and the others go on.
            with suppress(SystemExit, KeyboardInterrupt):
                loop.run_forever()

    Thread(target=run, name="answergraph-map", daemon=True).start()
    return loop
