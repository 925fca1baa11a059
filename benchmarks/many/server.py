"""An OpenAI-compatible server in its own process: one row in ten fails, in ten ways.

Which way follows from the number in the document, so that every run meets the same failures. Four of them pass: the same request
is answered when it comes again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from typing import Any

FAILURES = ("rate", "fault", "hang", "dropped", "cut", "refusal", "invalid", "wrong_type", "empty", "poison")
"""One per cent of the rows each; the first four pass."""
PASSING = frozenset(FAILURES[:4])
HANG_SECONDS = 30.0
_NUMBER = re.compile(r"document (\d+)")


def failure_of(number: int) -> str | None:
    """Return how the row of a number fails, ``None`` for nine rows in ten."""
    return FAILURES[number % 100 // 10] if number % 10 == 3 else None  # noqa: RUF100 - 3, 13, 23 … 93 of each hundred


def completion(body: dict[str, Any], number: int, failure: str | None) -> dict[str, Any]:
    """Return the reply to a request."""
    values: dict[str, Any] = {"number": number, "kind": "odd" if number % 2 else "even"}
    text = json.dumps({"invalid": {"number": number, "kind": "neither"}, "wrong_type": [values]}.get(failure or "", values))
    text = {"empty": "", "cut": text[:12]}.get(failure or "", text)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if failure == "refusal":
        message |= {"content": None, "refusal": "I cannot read this."}
    reason = "length" if failure == "cut" else "stop"
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice], "usage": usage}


class Server:
    """Serves HTTP/1.1 with connections that are kept alive."""

    def __init__(self, seconds: float, *, fails: bool) -> None:
        self._seconds = seconds
        self._fails = fails
        self._seen: set[int] = set()
        self.requests = 0

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._request(reader, writer):
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        raw = await reader.readexactly(int(length[1]) if length else 0)
        if head.startswith("GET"):
            _send(writer, 200, {"requests": self.requests})
            return True
        self.requests += 1
        body = json.loads(raw)
        numbers = [int(found) for found in _NUMBER.findall(json.dumps(body["messages"]))]
        number = numbers[-1]
        failure = failure_of(number) if self._fails else None
        if failure in PASSING and number in self._seen:
            failure = None
        self._seen.add(number)
        await asyncio.sleep(self._seconds)
        return await self._reply(writer, body, number, failure)

    async def _reply(self, writer: asyncio.StreamWriter, body: dict[str, Any], number: int, failure: str | None) -> bool:
        if failure == "hang":
            await asyncio.sleep(HANG_SECONDS)
        if failure == "dropped":
            writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"id": "1", "cho')
            return False
        if failure == "rate":
            _send(writer, 429, _error("Slow down."), "retry-after-ms: 20\r\n")
        elif failure == "fault":
            _send(writer, 500, _error("A fault."), "retry-after-ms: 20\r\n")
        elif failure == "poison":
            _send(writer, 400, _error("This document cannot be read."))
        else:
            _send(writer, 200, completion(body, number, failure))
        return True


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "param": None, "code": None}}


def _send(writer: asyncio.StreamWriter, status: int, body: dict[str, Any], headers: str = "") -> None:
    raw = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(raw)}\r\n{headers}\r\n"
    writer.write(head.encode() + raw)


async def main() -> None:
    """Serve until the process is ended; the port is printed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--fails", action="store_true")
    arguments = parser.parse_args()
    server = Server(arguments.seconds, fails=arguments.fails)
    listening = await asyncio.start_server(server.connection, "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{listening.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
