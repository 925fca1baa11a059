"""Writes the ends of rows to the ledger as they come, on a thread of its own, and renews the leases of what is under way."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from queue import Empty, SimpleQueue
from threading import Event, Thread

from answergraph.many.ledger.map_ledger import LEASE_SECONDS, MapLedger
from answergraph.many.ledger.rows import End

POLL_SECONDS = 0.1
_RENEWED_AFTER_SECONDS = LEASE_SECONDS / 4


class Recorder:
    """The rows under way, and what is stored of them; a reader who takes his time holds nothing up."""

    def __init__(self, ledger: MapLedger, agent: Callable[[], str | None], note: Callable[[list[End]], None]) -> None:
        """``agent`` names who asks, ``note`` is told what was stored."""
        self.under_way: dict[str, Future[End]] = {}
        self._ledger = ledger
        self._agent = agent
        self._note = note
        self._ended: SimpleQueue[End | None] = SimpleQueue()
        self._stored: SimpleQueue[list[End] | Exception] = SimpleQueue()
        self._closing = Event()
        self._thread = Thread(target=self._record, name="answergraph-map-ledger", daemon=True)
        self._thread.start()

    def expect(self, key: str, future: Future[End]) -> None:
        """Store the end of a row when there is one."""
        self.under_way[key] = future
        future.add_done_callback(self._take)

    def stored(self, *, wait: bool) -> Iterator[End]:
        """Yield what has been stored since the last time; with ``wait``, after a moment at most."""
        try:
            stored = self._stored.get(wait, POLL_SECONDS)
            while True:
                if isinstance(stored, Exception):
                    raise stored
                yield from stored
                stored = self._stored.get_nowait()
        except Empty:
            return

    def close(self) -> None:
        """Cancel what is under way, store what has ended, and give the rest back."""
        for future in list(self.under_way.values()):
            future.cancel()
        self._closing.set()
        self._ended.put(None)  # wakes the thread
        self._thread.join()
        try:
            self._store_ended(seconds=0)
        finally:
            self._ledger.release()

    def _take(self, future: Future[End]) -> None:
        try:
            self._ended.put(future.result())
        except CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - a mistake of the developer, which the thread that reads the rows raises
            self._stored.put(error)

    def _record(self) -> None:
        renewed = time.monotonic()
        try:
            while not self._closing.is_set():
                self._store_ended(POLL_SECONDS)
                if time.monotonic() - renewed > _RENEWED_AFTER_SECONDS:
                    renewed = time.monotonic()
                    self._ledger.renew()
        except Exception as error:  # noqa: BLE001 - the thread that reads the rows raises it
            self._stored.put(error)

    def _store_ended(self, seconds: float) -> None:
        """Wait for an end, and store it with all others that are there: one transaction."""
        ended: list[End | None] = []
        try:
            ended.append(self._ended.get(bool(seconds), seconds))
            while True:
                ended.append(self._ended.get_nowait())
        except Empty:
            ends = [end for end in ended if end is not None]
        if not ends:
            return
        stored = self._ledger.finish(ends, self._agent())
        self._note(ends)
        self._stored.put(stored)
        for end in ends:  # after the put: who sees that nothing is under way finds all of it stored
            self.under_way.pop(end.key, None)
