"""Collects the requests of many runs, sends them as batches, and hands each run its reply.

It stands where the client's connection would: the SDK writes the request and reads the reply as always, so a batch gives the same
rows as direct calls, errors of the provider included.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib import import_module
from typing import Any

from langchain_core.runnables import RunnableBinding

from answergraph import AgentSpecError
from answergraph.kit import replaced_models
from answergraph.many.batches.anthropic_batches import AnthropicBatches
from answergraph.many.batches.batch_api import BatchAPI
from answergraph.many.batches.openai_batches import OpenAIBatches
from answergraph.many.batches.provider_batches import ProviderBatches, Result, failure, results_of
from answergraph.many.batches.provider_errors import is_passing, status_of
from answergraph.many.ledger.map_ledger import MapLedger

QUIET_SECONDS = 1.0
"""What has come is sent when no request has come for so long, and every row under way waits for one."""
_BYTES_BESIDE = 200  # what a batch has for each request besides its body: the id, the endpoint
_QUIET_PERIODS = 60  # after so many, a row that is busy otherwise, with a slow tool, holds the others up no longer


@dataclass
class _Pending:
    """A request that waits for its batch, and who waits for it: equal requests are sent once."""

    body: Mapping[str, object]
    size: int
    waiting: list[asyncio.Future[Result]] = field(default_factory=list)


class BatchedRequests:
    """The requests of one pass over the rows of a map."""

    def __init__(self, api: BatchAPI, ledger: MapLedger) -> None:
        self._api = api
        self._ledger = ledger
        self._models: dict[int, tuple[object, object]] = {}
        self._pending: dict[tuple[ProviderBatches, str], dict[str, _Pending]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._quiet: asyncio.TimerHandle | None = None
        self._rows = 0
        self._waiting = 0

    @contextmanager
    def row(self) -> Iterator[None]:
        """Batch what is asked within this context, which is one row's."""
        self._rows += 1
        try:
            with replaced_models(self._model):
                yield
        finally:
            self._rows -= 1

    def _model(self, model: Any) -> object:
        """Return a copy of a model whose requests are batched.

        Raises:
            AgentSpecError: If there is no batch endpoint for it.
        """
        if isinstance(model, RunnableBinding):
            return model.model_copy(update={"bound": self._model(model.bound)})
        if id(model) not in self._models:
            self._models[id(model)] = (model, self._copy(model))  # the model is kept, so that its id stays its own
        return self._models[id(model)][1]

    def _copy(self, model: Any) -> object:
        provider = batches_of(model)
        sdk = import_module(provider.sdk)
        connection = sdk.DefaultAsyncHttpxClient(transport=_Transport(self, provider))
        batched = provider.client.with_options(http_client=connection, max_retries=0, timeout=None)
        return model.model_copy(update={**provider.fields(batched), "streaming": False, "disable_streaming": True})

    async def result(self, provider: ProviderBatches, kind: str, content: bytes) -> Result:
        """Wait for the result of a request."""
        pending = _Pending(json.loads(content), len(content))
        request = hashlib.sha256(json.dumps([kind, pending.body], sort_keys=True).encode()).hexdigest()[:32]
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._pending.setdefault((provider, kind), {}).setdefault(request, pending).waiting.append(future)
        self._send_when_quiet(_QUIET_PERIODS)
        self._waiting += 1
        try:
            return await future
        finally:
            self._waiting -= 1

    def _send_when_quiet(self, periods: int) -> None:
        if self._quiet is not None:
            self._quiet.cancel()
        self._quiet = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._send, periods - 1)

    def _send(self, periods: int) -> None:
        """Send what has come, one batch for each model and as many as a file takes."""
        if self._waiting < self._rows and periods:
            self._send_when_quiet(periods)
            return
        pending, self._pending = self._pending, {}
        for (provider, kind), requests in pending.items():
            task = asyncio.get_running_loop().create_task(self._sent(provider, kind, requests))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _sent(self, provider: ProviderBatches, kind: str, requests: dict[str, _Pending]) -> None:
        known = await asyncio.to_thread(self._ledger.files_of, list(requests))
        files: list[tuple[str | None, list[str]]] = [
            (file, [each for each in requests if known.get(each) == file]) for file in dict.fromkeys(known.values())
        ]
        fresh = {name: pending for name, pending in requests.items() if name not in known}
        files += [(None, some) for some in _parts(fresh, self._api.rows_per_file, provider.most_bytes)]
        await asyncio.gather(*(self._received(provider, kind, file, {n: requests[n] for n in names}) for file, names in files))

    async def _received(self, provider: ProviderBatches, kind: str, file: str | None, requests: Mapping[str, _Pending]) -> None:
        async def keep(name: str) -> None:
            await asyncio.to_thread(self._ledger.keep_file, name, list(requests))

        try:
            if file is None:
                batch = await provider.send(kind, {name: pending.body for name, pending in requests.items()}, keep)
            else:
                batch = await provider.batch_of(kind, file)
            results = await results_of(provider, batch, list(requests), self._api.max_wait_seconds)
            failed = [each for each in requests if results[each].status != HTTPStatus.OK]
            # What failed may be asked again, and must not find this batch then.
            await asyncio.to_thread(self._ledger.forget_requests, failed)
        except Exception as error:  # noqa: BLE001 - the runs that wait end with it
            results = dict.fromkeys(requests, _failure(error))
        for name, pending in requests.items():
            for future in pending.waiting:
                if not future.done():
                    future.set_result(results[name])


class _Transport:
    """A transport of httpx, in either of its packages."""

    def __init__(self, requests: BatchedRequests, provider: ProviderBatches) -> None:
        self._requests = requests
        self._provider = provider

    async def handle_async_request(self, request: Any) -> Any:
        result = await self._requests.result(self._provider, self._provider.kind_of(request), request.content)
        package = import_module(type(request).__module__.partition(".")[0])
        return package.Response(result.status, json=result.body, request=request)

    async def __aenter__(self) -> _Transport:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def aclose(self) -> None:
        """Close nothing: the real client is the user's."""


def batches_of(model: Any) -> ProviderBatches:
    """Return the batch endpoint of a model's own provider.

    Raises:
        AgentSpecError: If there is none.
    """
    while isinstance(model, RunnableBinding):
        model = model.bound
    for kind in (OpenAIBatches, AnthropicBatches):
        if (batches := kind.of(model)) is not None:
            return batches
    raise AgentSpecError(
        f"via=BatchAPI() needs models of OpenAI (ChatOpenAI) or Anthropic (ChatAnthropic); {type(model).__name__} is none. "
        f"Write via='calls', or give the agent such a model."
    )


def _parts(requests: Mapping[str, _Pending], most: int, most_bytes: int) -> Iterator[list[str]]:
    """Yield the ids of requests that go into one batch: of one model, so many and so large at most."""
    for model in dict.fromkeys(str(pending.body.get("model")) for pending in requests.values()):
        part, size = list[str](), 0
        for name, pending in requests.items():
            if str(pending.body.get("model")) != model:
                continue
            if part and (len(part) == most or size + pending.size > most_bytes):
                yield part
                part, size = [], 0
            part.append(name)
            size += pending.size + _BYTES_BESIDE
        yield part


def _failure(error: Exception) -> Result:
    """Return an error of the batch as the response to a request, so that it ends the run as that of a direct call does."""
    status = status_of(error) or (HTTPStatus.SERVICE_UNAVAILABLE if is_passing(error) else HTTPStatus.FAILED_DEPENDENCY)
    return failure(status, str(error))
