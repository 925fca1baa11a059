"""OpenAI's batch endpoint, through its SDK: a file of requests goes up, a batch is made, two files come down."""

import json
from collections.abc import AsyncIterator
from typing import Any

from answergraph.many.batches.provider_batches import BatchFailedError, Keep, ProviderBatches, Requests, Result, State

_ENDED = frozenset({"completed", "expired", "cancelled"})


class OpenAIBatches(ProviderBatches):
    """The batches of one client."""

    sdk = "openai"
    client_class = "AsyncOpenAI"
    client_field = "root_async_client"
    most_bytes = 190_000_000  # OpenAI takes 200 MB

    def fields(self, client: Any) -> dict[str, object]:
        return {"root_async_client": client, "async_client": client.chat.completions}

    def kind_of(self, request: Any) -> str:
        return str(request.url.path)

    async def send(self, kind: str, requests: Requests, keep: Keep) -> str:
        """Send requests as a file, and make its batch."""
        each = {"method": "POST", "url": kind}
        lines = (json.dumps({"custom_id": name, **each, "body": body}, ensure_ascii=False) for name, body in requests.items())
        file = await self.client.files.create(file=("answergraph.jsonl", "\n".join(lines).encode()), purpose="batch")
        # Before the batch is made: a run that is killed in between finds it, and pays nothing twice.
        await keep(str(file.id))
        return await self._create(kind, str(file.id))

    async def batch_of(self, kind: str, name: str) -> str:
        """Return the batch of a file, which is made if it was not."""
        async for batch in self.client.batches.list(limit=100):
            if batch.input_file_id == name:
                return str(batch.id)
        return await self._create(kind, name)

    async def _create(self, endpoint: str, file: str) -> str:
        batch = await self.client.batches.create(input_file_id=file, endpoint=endpoint, completion_window="24h")
        return str(batch.id)

    async def state(self, batch: str) -> State:
        current = await self.client.batches.retrieve(batch)
        if current.status == "failed":
            errors = (current.errors and current.errors.data) or ()
            reasons = "; ".join(str(error.message) for error in errors) or "no reason given"
            raise BatchFailedError(f"Batch {batch} failed: {reasons}")
        if current.status in _ENDED:
            return "ended"
        return "cancelling" if current.status == "cancelling" else "working"

    async def cancel(self, batch: str) -> None:
        await self.client.batches.cancel(batch)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Result | str]]:
        """Yield the results: those of requests that ended otherwise are in the file of errors."""
        ended = await self.client.batches.retrieve(batch)
        for file in filter(None, (ended.output_file_id, ended.error_file_id)):
            content = await self.client.files.content(file)
            for line in filter(str.strip, content.text.split("\n")):  # splitlines() would also split at characters in texts
                yield _result(json.loads(line))


def _result(line: dict[str, Any]) -> tuple[str, Result | str]:
    if response := line.get("response"):
        return line["custom_id"], Result(int(response["status_code"]), response["body"])
    return line["custom_id"], str((line.get("error") or {}).get("message", "The batch gives no reason."))
