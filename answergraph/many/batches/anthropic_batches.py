"""Anthropic's batch endpoint, through its SDK: requests go up in one call, and their results come down in one."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

from answergraph.many.batches.provider_batches import Keep, ProviderBatches, Requests, Result, State

_BETA = "anthropic-beta"
_STATES: dict[str, State] = {"ended": "ended", "canceling": "cancelling"}
_STATUSES = {
    "invalid_request_error": HTTPStatus.BAD_REQUEST,
    "authentication_error": HTTPStatus.UNAUTHORIZED,
    "billing_error": HTTPStatus.PAYMENT_REQUIRED,
    "permission_error": HTTPStatus.FORBIDDEN,
    "not_found_error": HTTPStatus.NOT_FOUND,
    "request_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "rate_limit_error": HTTPStatus.TOO_MANY_REQUESTS,
    "timeout_error": HTTPStatus.GATEWAY_TIMEOUT,
    "overloaded_error": 529,
}
"""The status of a direct response with such an error; a batch has the error alone."""


class AnthropicBatches(ProviderBatches):
    """The batches of one client."""

    sdk = "anthropic"
    client_class = "AsyncAnthropic"
    client_field = "_async_client"  # ChatAnthropic has no public one: decision 21 says why this one, and what follows without it
    most_bytes = 240_000_000  # Anthropic takes 256 MB

    def kind_of(self, request: Any) -> str:
        """Return the endpoint that is asked, and the beta features, which a batch has for all of its requests."""
        return f"{request.url.path} {request.headers.get(_BETA, '')}".strip()

    async def send(self, kind: str, requests: Requests, keep: Keep) -> str:
        """Make a batch of requests."""
        betas = kind.partition(" ")[2]
        options: dict[str, object] = {"extra_headers": {_BETA: betas}, "extra_query": {"beta": "true"}} if betas else {}
        wanted = [{"custom_id": name, "params": body} for name, body in requests.items()]
        batch = await self.client.messages.batches.create(requests=wanted, **options)
        await keep(str(batch.id))
        return str(batch.id)

    async def state(self, batch: str) -> State:
        current = await self.client.messages.batches.retrieve(batch)
        return _STATES.get(current.processing_status, "working")

    async def cancel(self, batch: str) -> None:
        await self.client.messages.batches.cancel(batch)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Result | str]]:
        """Yield the results as they are read."""
        async for line in await self.client.messages.batches.results(batch):
            yield line.custom_id, _result(line.result)


def _result(result: Any) -> Result | str:
    if result.type == "succeeded":
        return Result(HTTPStatus.OK, result.message.to_dict(mode="json"))
    if result.type == "errored":
        error = result.error.to_dict(mode="json")
        return Result(_STATUSES.get(error["error"]["type"], HTTPStatus.INTERNAL_SERVER_ERROR), error)
    return f"The request was {result.type} with its batch."
