"""How many rows are asked at once, and when a refused request is made again: as the provider says."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from threading import Lock
from typing import Any

FIRST_WAIT_SECONDS = 1.0
MAX_WAIT_SECONDS = 60.0
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


def is_passing(error: BaseException) -> bool:
    """Return whether the provider may answer the same request later: a connection that failed, a rate, a fault of its own."""
    status = status_of(error)
    if status is None:
        # Clients of providers put the request on an error without a response: nothing came back.
        return any(isinstance(each, OSError) or _attribute(each, "request") is not None for each in _causes(error))
    return (
        status in {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
        or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    )


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of a provider's error, ``None`` if it has none."""
    statuses = [
        _attribute(each, "status_code") or _attribute(_attribute(each, "response"), "status_code") for each in _causes(error)
    ]
    return next((status for status in statuses if isinstance(status, int)), None)


def retry_after(error: BaseException) -> float | None:
    """Return the seconds that the provider's headers ask for, ``None`` if they do not."""
    for each in _causes(error):
        headers: Any = _attribute(_attribute(each, "response"), "headers") or {}
        for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            with suppress(KeyError, ValueError, TypeError):  # it may also be a date, which no provider of models sends
                return min(max(float(headers[name]) * scale, 0.0), MAX_WAIT_SECONDS)
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _attribute(thing: object, name: str) -> object:
    try:
        return getattr(thing, name, None)
    except RuntimeError:  # httpx, for an error without a request
        return None
