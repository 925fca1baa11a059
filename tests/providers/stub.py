"""A provider on loopback: it refuses requests that break its rules, and lets the model answer the others."""

import json
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Self

from tests.providers.apis import Api
from tests.providers.dialogue import JSON, Asked, Model, Refused, Rule, Sent


class Stub:
    """Serves one API on a free port, for the time of a `with` block."""

    def __init__(self, api: Api, rules: Sequence[Rule], model: Model) -> None:
        self.asked: list[Asked] = []
        """Every request, in the order of arrival."""
        self.refused: list[str] = []
        """The messages about requests that broke a rule."""
        self._api, self._rules, self._model = api, rules, model
        self._answered = 0
        self._lock = Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, path: str, body: JSON) -> Sent:
        with self._lock:
            asked = self._api.read(path, body)
            self.asked.append(asked)
            broken = next(filter(None, (rule.broken_by(asked) for rule in self._rules)), None)
            if broken is not None:
                self.refused.append(broken)
                return self._failure(Refused(broken))
            self._answered += 1
            reply = self._model(asked, self._answered)
        if isinstance(reply, Refused):
            return self._failure(reply)
        return self._api.sent(path, body, reply, self._answered)

    def _failure(self, refused: Refused) -> Sent:
        body = json.dumps(self._api.error(refused)).encode()
        return Sent(refused.status, "application/json", body, self._api.error_headers(refused))


def _handler(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            sent = stub.answer(self.path.partition("?")[0], body)
            chunks: Iterator[bytes] = iter([sent.body]) if isinstance(sent.body, bytes) else sent.body
            self.send_response(sent.status)
            for name, value in {"content-type": sent.content_type, **sent.headers, "connection": "close"}.items():
                self.send_header(name, value)
            self.end_headers()
            for chunk in chunks:
                self.wfile.write(chunk)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output clean."""

    return Handler
