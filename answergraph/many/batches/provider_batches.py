"""What the batch endpoints of providers have in common, and the wait for a batch."""

import asyncio
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, Literal, Self

from answergraph import AnswerGraphError

_FIRST_WAIT_SECONDS = 1.0
_MAX_WAIT_SECONDS = 30.0
_ASK_AGAIN, _LEAVE = HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.FAILED_DEPENDENCY

Requests = Mapping[str, Mapping[str, object]]
"""The bodies of requests, by ids of at most 64 letters and digits."""
Keep = Callable[[str], Awaitable[None]]
"""Keeps the name by which a later process finds a batch again."""
State = Literal["working", "cancelling", "ended"]


class BatchFailedError(AnswerGraphError):
    """A batch was refused, or took too long; the message is the provider's."""


@dataclass(frozen=True)
class Result:
    """What a batch has for one request: a response as the provider would have sent it."""

    status: int
    body: Mapping[str, object]


@dataclass(frozen=True, eq=False)
class ProviderBatches(ABC):
    """The batches of one client of a provider's SDK."""

    client: Any

    sdk: ClassVar[str]
    """The package of the SDK."""
    client_class: ClassVar[str]
    client_field: ClassVar[str]
    """Where LangChain's model has its client."""
    most_bytes: ClassVar[int]
    """The size of the requests of one batch, at most."""

    @classmethod
    def of(cls, model: object) -> Self | None:
        """Return the batches of a model's client, ``None`` for a model of another provider."""
        client = getattr(model, cls.client_field, None)
        # Who has such a client has imported the SDK.
        classes = getattr(sys.modules.get(cls.sdk), cls.client_class, ())
        return cls(client) if isinstance(client, classes) else None

    def fields(self, client: Any) -> dict[str, object]:
        """Return the fields of the model that make it ask by a client."""
        return {self.client_field: client}

    @abstractmethod
    def kind_of(self, request: Any) -> str:
        """Return what all requests of one batch have in common."""

    @abstractmethod
    async def send(self, kind: str, requests: Requests, keep: Keep) -> str:
        """Make a batch of requests, and return its id."""

    async def batch_of(self, kind: str, name: str) -> str:
        """Return the id of the batch that was kept under a name."""
        return name

    @abstractmethod
    async def state(self, batch: str) -> State:
        """Return how far a batch is.

        Raises:
            BatchFailedError: If the provider refused it as a whole.
        """

    @abstractmethod
    async def cancel(self, batch: str) -> None:
        """Ask the provider to end a batch early."""

    @abstractmethod
    def results(self, batch: str) -> AsyncIterator[tuple[str, Result | str]]:
        """Yield the id of each request in any order, with its result or why there is none."""


async def results_of(batches: ProviderBatches, batch: str, requests: Sequence[str], max_wait_seconds: float) -> dict[str, Result]:
    """Wait until a batch has ended, and return the result of each request.

    What the provider did not come to is to be asked again; what we did not wait for is not.

    Raises:
        BatchFailedError: If the batch was refused as a whole.
    """
    rest, wait, began = _ASK_AGAIN, _FIRST_WAIT_SECONDS, time.monotonic()
    while (state := await batches.state(batch)) != "ended":
        if state == "working" and time.monotonic() - began > max_wait_seconds:
            await batches.cancel(batch)
            rest = _LEAVE
        await asyncio.sleep(wait)
        wait = min(wait * 2, _MAX_WAIT_SECONDS)
    # A batch that expired or was cancelled has the results up to then.
    results = dict.fromkeys(requests, failure(rest, "The batch ended without this request."))
    async for request, result in batches.results(batch):
        results[request] = result if isinstance(result, Result) else failure(rest, result)
    return results


def failure(status: int, message: str) -> Result:
    """Return the response for a request that its batch has no result for."""
    return Result(status, {"type": "error", "error": {"message": message, "type": "batch", "param": None, "code": None}})
