"""How many rows are asked at once, and when a refused request is made again: as the provider says."""

import random
import time
from http import HTTPStatus
from threading import Lock

from answergraph.many.batches.provider_errors import MAX_WAIT_SECONDS, retry_after, status_of

FIRST_WAIT_SECONDS = 1.0
MAX_TRIES = 6
"""Runs of one row that a provider's failure ended; with the doubling waits about half a minute of outage."""


class Pace:
    """The number of rows at once: halved when a provider refuses for its rate, raised by one after as many answers."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = float(most)
        self._not_before = 0.0
        self._lock = Lock()

    @property
    def at_once(self) -> int:
        """How many rows may be under way."""
        return max(int(self._now), 1)

    @property
    def seconds_to_wait(self) -> float:
        """How long the provider wants nothing."""
        return max(self._not_before - time.monotonic(), 0.0)

    def answered(self) -> None:
        """Note that a row ended without a refusal."""
        with self._lock:
            self._now = min(self._now + 1 / self._now, float(self._most))

    def refused(self, error: BaseException, tries: int) -> float:
        """Note a failure of the provider, and return the seconds until the row is asked again."""
        wait = retry_after(error)
        if wait is None:
            wait = min(FIRST_WAIT_SECONDS * 2 ** (tries - 1), MAX_WAIT_SECONDS) * random.uniform(0.5, 1.0)
        if status_of(error) == HTTPStatus.TOO_MANY_REQUESTS:
            with self._lock:
                now = time.monotonic()
                if now >= self._not_before:  # the refusals of rows that were under way together count once
                    self._now = max(self._now / 2, 1.0)
                self._not_before = max(self._not_before, now + wait)
        return wait
