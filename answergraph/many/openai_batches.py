"""OpenAI's batch endpoint, through its SDK: a file of requests goes up, a batch is made, two files come down."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from answergraph import AnswerGraphError

_FIRST_WAIT_SECONDS = 1.0
_MAX_WAIT_SECONDS = 30.0
_ASK_AGAIN, _LEAVE = HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.FAILED_DEPENDENCY
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_FILE_BYTES = 190_000_000
"""OpenAI takes 200 MB."""


class BatchFailedError(AnswerGraphError):
    """A batch was refused, or took too long; the message is the provider's."""


@dataclass(frozen=True)
class Result:
    """What a batch has for one request: a response as the provider would have sent it."""

    status: int
    body: Mapping[str, object]


@dataclass(frozen=True, eq=False)
class OpenAIBatches:
    """The batches of one client."""

    client: Any

    async def upload(self, path: str, requests: Mapping[str, Mapping[str, object]]) -> str:
        """Send requests to an endpoint by their ids, and return the file that they are in.

        Raises:
            BatchFailedError: If they do not fit into one file.
        """
        lines = (
            json.dumps({"custom_id": name, "method": "POST", "url": path, "body": body}, ensure_ascii=False)
            for name, body in requests.items()
        )
        content = "\n".join(lines).encode()
        if len(content) > _FILE_BYTES:
            raise BatchFailedError(f"The requests of a batch are {len(content)} bytes: make BatchAPI(rows_per_file=…) smaller.")
        file = await self.client.files.create(file=("answergraph.jsonl", content), purpose="batch")
        return str(file.id)

    async def create(self, path: str, file: str) -> str:
        """Make the batch of a file."""
        batch = await self.client.batches.create(input_file_id=file, endpoint=path, completion_window="24h")
        return str(batch.id)

    async def existing(self, file: str) -> str | None:
        """Return the batch of a file, ``None`` if it was not made."""
        async for batch in self.client.batches.list(limit=100):
            if batch.input_file_id == file:
                return str(batch.id)
        return None

    async def results(self, name: str, requests: Sequence[str], max_wait_seconds: float) -> dict[str, Result]:
        """Wait until a batch has ended, and return the result of each request.

        What the provider did not come to is to be asked again; what we did not wait for is not.

        Raises:
            BatchFailedError: If the batch was refused as a whole.
        """
        rest = _ASK_AGAIN
        batch, wait, began = await self.client.batches.retrieve(name), _FIRST_WAIT_SECONDS, time.monotonic()
        while batch.status not in _ENDED:
            if batch.status != "cancelling" and time.monotonic() - began > max_wait_seconds:
                batch, rest = await self.client.batches.cancel(name), _LEAVE
            await asyncio.sleep(wait)
            wait = min(wait * 2, _MAX_WAIT_SECONDS)
            batch = await self.client.batches.retrieve(name)
        if batch.status == "failed":
            errors = "; ".join(str(error.message) for error in (batch.errors.data or ())) if batch.errors else "no reason given"
            raise BatchFailedError(f"Batch {name} failed: {errors}")
        # An expired or cancelled batch has the results up to then; what has none is in the file of errors, or in neither.
        files = [file for file in (batch.output_file_id, batch.error_file_id) if file]
        results = {line["custom_id"]: _result(line, rest) for file in files for line in await self._lines(file)}
        return {request: results.get(request) or _result({}, rest) for request in requests}

    async def _lines(self, file: str) -> list[dict[str, object]]:
        content = await self.client.files.content(file)
        return [json.loads(line) for line in content.text.splitlines() if line.strip()]


def _result(line: Mapping[str, Any], rest: int) -> Result:
    response = line.get("response")
    if response is not None:
        return Result(int(response["status_code"]), response["body"])
    error = line.get("error") or {"message": "The batch ended without this request.", "code": None}
    return Result(rest, {"error": {**error, "type": "batch", "param": None}})
