"""What a provider's error says: its status, whether it passes, and how long to wait."""

from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Any

MAX_WAIT_SECONDS = 60.0
"""No longer wait is kept, whatever a provider asks for."""


def is_passing(error: BaseException) -> bool:
    """Return whether the provider may answer the same request later: a connection that failed, a rate, a fault of its own."""
    status = status_of(error)
    if status is None:
        # Clients of providers put the request on an error without a response: nothing came back.
        return any(isinstance(each, OSError) or _attribute(each, "request") is not None for each in _causes(error))
    of_request = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
    return status in of_request or status >= HTTPStatus.INTERNAL_SERVER_ERROR


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
