"""HTTP/1.1 on a free loopback port: reads a request, sends a reply whole or as a stream of events."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Any

from tests.openai_server.reply import Failure, JSONObject


@dataclass(frozen=True)
class ServedRequest:
    """One request as it was received."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    """Names in lower case."""


Answer = JSONObject | Iterator[str] | Failure
"""A body, the events of a stream, or an error."""


class LoopbackServer(ThreadingHTTPServer):
    """Serves HTTP on a free loopback port, one thread to a connection."""

    daemon_threads = False  # closing the server then waits for its threads, so none outlives the test
    request_queue_size = 128

    def __init__(self, answer: Callable[[ServedRequest], Answer], *, keep_alive: bool) -> None:
        self.answer = answer
        self.keep_alive = keep_alive
        self._connections: set[socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client may disconnect in the middle of a stream
            super().handle_error(request, client_address)

    def drop_connections(self) -> None:
        """End the connections that clients keep alive; their threads would wait forever."""
        for connection in list(self._connections):
            try:
                connection.shutdown(SHUT_RDWR)
            except OSError:
                continue  # the client closed it first


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 10  # seconds; a connection that drop_connections missed does not block the test forever
    wbufsize = -1
    server: LoopbackServer

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.answer(ServedRequest(self.path, json.loads(raw), headers))
        if isinstance(answer, Failure):
            self._send_failure(answer)
        elif isinstance(answer, Iterator):
            self._send_events(answer)
        else:
            self._send_json(HTTPStatus.OK, answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test's output clean."""

    def _send_failure(self, failure: Failure) -> None:
        kind = "invalid_request_error" if failure.status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
        error = {"message": failure.message, "type": kind, "param": failure.param, "code": failure.code}
        retry = {"retry-after-ms": "1"} if failure.may_retry else {"x-should-retry": "false"}
        self._send_json(failure.status, {"error": error}, retry)

    def _send_json(self, status: int, body: JSONObject, headers: Mapping[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        length = {"content-type": "application/json", "content-length": str(len(raw))}
        self._send_head(status, length | dict(headers or {}))
        self.wfile.write(raw)

    def _send_events(self, events: Iterator[str]) -> None:
        self._send_head(HTTPStatus.OK, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        for event in events:
            self._send_chunk(event.encode())
        self._send_chunk(b"")

    def _send_head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        connection = {} if self.server.keep_alive else {"connection": "close"}
        for name, value in (headers | connection).items():
            self.send_header(name, value)
        self.end_headers()

    def _send_chunk(self, chunk: bytes) -> None:
        self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        self.wfile.flush()
