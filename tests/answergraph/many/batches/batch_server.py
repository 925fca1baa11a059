"""A provider's batch endpoint on a loopback port: what those of all providers share."""

import json
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self

Reply = Callable[[dict[str, Any]], Mapping[str, Any] | int | str]
"""Returns the message of the reply to a request, or the status of an error; a text is the message of a 400."""

PRICE = 1.0
"""Of a direct request; a batched one costs half."""


class BatchServer:
    """Serves a provider for the time of a ``with`` block.

    Args:
        reply: Returns the message for a request.
        polls: How often a batch is looked at before it has ended.
        done: The share of a batch's requests that is done when it ends; with less than 1 it ends as expired.
        lost: Whether the first batch is made and its reply lost.
        refusal: Why every batch is refused.
    """

    def __init__(
        self, reply: Reply, *, polls: int = 1, done: float = 1.0, lost: bool = False, refusal: str | None = None
    ) -> None:
        self.reply, self.polls, self.done, self.lost, self.refusal = reply, polls, done, lost, refusal
        self.batches: dict[str, dict[str, Any]] = {}
        self.spent = 0.0
        self.lock = Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._http.daemon_threads = False
        self._thread = Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def posted(self, path: str, raw: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        """Return the status and the body for a POST."""
        raise NotImplementedError

    def got(self, path: str) -> Any:
        """Return the body for a GET."""
        raise NotImplementedError


def _handler_of(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            with server.lock:
                self._send(*server.posted(self.path, raw, {name.lower(): value for name, value in self.headers.items()}))

        def do_GET(self) -> None:
            with server.lock:
                self._send(200, server.got(self.path))

        def _send(self, status: int, body: Any) -> None:
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output clean."""

    return Handler
