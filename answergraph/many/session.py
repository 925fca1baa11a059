"""One pass over the rows of a map.

The caller's thread reads the input and takes rows from the ledger, so that a database cursor may be the input. The agent runs
on an event loop, and a third thread writes the ledger.
"""

import asyncio
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import islice
from threading import Event

from answergraph.many.asking import Asking
from answergraph.many.ledger.map_ledger import MapLedger, Wanted
from answergraph.many.ledger.rows import End
from answergraph.many.pace import Pace
from answergraph.many.recorder import POLL_SECONDS, Recorder
from answergraph.many.stopping import Stopping

_MOST_WAITING = 1000  # rows that others ask, or whose equal input is asked; the input is read on while there are fewer


@dataclass
class Session:
    """What one pass needs, and the rows that it waits for."""

    rows: Iterator[Wanted | End]
    ledger: MapLedger
    asking: Asking
    pace: Pace
    stopping: Stopping
    loop: asyncio.AbstractEventLoop
    notes: list[str]
    """What to know about the rows, in sentences."""
    closing: Event = field(default_factory=Event)
    """Set to end early; what is under way is given back."""
    _waiting: dict[str, Wanted] = field(default_factory=dict)
    _next_look: float = 0.0
    _agent: str | None = None
    _inputs_changed: bool = False
    _all_read: bool = False
    _error: Exception | None = None

    def ends(self) -> Generator[End]:
        """Yield the end of every row, as they come."""
        self._recorder = Recorder(self.ledger, lambda: self.asking.first_request.agent, self._note)
        try:
            while not self.closing.is_set():
                batch = self._read()
                yield from self._begin(batch)
                if self._all_read and not self._recorder.under_way and not self._waiting:
                    yield from self._recorder.stored(wait=False)
                    break
                yield from self._recorder.stored(wait=not batch)
        finally:
            self._recorder.close()
        if self._error is not None:
            raise self._error

    def _read(self) -> list[Wanted | End]:
        """Read some rows, as many as may be begun; an error of the input is raised when what is under way has ended."""
        room = self._room()
        batch: list[Wanted | End] = []
        try:
            batch.extend(islice(self.rows, room))
        except Exception as error:  # noqa: BLE001 - the input is the user's: a file, a cursor, a generator
            self._error, self._all_read = error, True
        self._all_read = self._all_read or len(batch) < room
        return batch

    def _room(self) -> int:
        if self._all_read or len(self._waiting) >= _MOST_WAITING:
            return 0
        if self.stopping.reason is not None:
            return _MOST_WAITING
        at_once = self.pace.at_once
        room = self.stopping.room(at_once, len(self._recorder.under_way))
        # Some at a time, since each time is a transaction of the ledger.
        return room if not self._recorder.under_way or room >= at_once // 4 else 0

    def _begin(self, batch: list[Wanted | End]) -> Iterator[End]:
        """Ask for what nobody has asked, and yield what has an end already."""
        yield from (row for row in batch if isinstance(row, End))
        wanted = [row for row in batch if isinstance(row, Wanted)] + self._due()
        if not wanted:
            return
        asks = self.stopping.reason is None
        claims = self.ledger.claim(wanted, asks=asks)
        self.stopping.is_paused |= claims.paused
        for row in claims.ours:
            self._recorder.expect(row.key, asyncio.run_coroutine_threadsafe(self.asking.end_of(row), self.loop))
        if claims.changed and not self._inputs_changed:
            self._inputs_changed = True
            self.notes.append(f"Rows have another input than before, {claims.changed[0]!r} first; they are asked anew.")
        yield from claims.ended
        if asks:
            self._waiting.update({row.key: row for row in claims.elsewhere})
        else:
            yield from (self.stopping.not_asked(row.key) for row in claims.elsewhere)

    def _due(self) -> list[Wanted]:
        """Return waiting rows to look for again, as many as may be begun; at a stop, when what is under way has ended."""
        under_way = len(self._recorder.under_way)
        is_stopping = self.stopping.reason is not None
        if not self._waiting or time.monotonic() < self._next_look or (is_stopping and under_way):
            return []
        self._next_look = time.monotonic() + POLL_SECONDS
        room = _MOST_WAITING if is_stopping else self.stopping.room(self.pace.at_once, under_way)
        return [self._waiting.pop(key) for key in list(islice(self._waiting, room))]

    def _note(self, ends: list[End]) -> None:
        self.stopping.note(ends)
        agent = self.asking.first_request.agent
        if agent is not None and self._agent is None:
            self._agent = agent
            if (before := self.ledger.agent_changed_to(agent)) is not None:
                asks = f"The agent changed: {agent} asks, another model, prompt, tools or settings than {before} before."
                self.notes.append(asks)
