"""A proxy between a client and a model's server: it sets the same settings for every client and records everything.

Each run has a budget of requests and of seconds; beyond it the proxy refuses.
"""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

MAX_REQUESTS = 6
MAX_RUN_SECONDS = 120
_KEPT = frozenset({"messages", "prompt", "tools", "tool_choice", "response_format", "stop"})


@dataclass
class Settings:
    """What every request is sent with."""

    temperature: float = 0.7
    seed: int = 7
    max_tokens: int = 128


@dataclass
class Run:
    """What one run has asked and was told."""

    settings: Settings
    samples: int = 1
    """How many agents answer the one question: each has the same budget, and each request has a seed of its own."""
    began: float = field(default_factory=time.monotonic)
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    tokens: int = 0
    refused: str = ""
    """Why the proxy refused a request, if it did."""
    _asked: "count[int]" = field(default_factory=count)

    def next_settings(self) -> Settings:
        """Return what the next request is sent with; samples of one seed would all be the same."""
        return replace(self.settings, seed=self.settings.seed + next(self._asked)) if self.samples > 1 else self.settings


class RecordingProxy:
    """A server on a loopback port; ``url`` is where clients go."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.run = Run(Settings())
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @contextmanager
    def new_run(self, settings: Settings | None = None, samples: int = 1) -> Iterator[Run]:
        self.run = Run(settings or Settings(), samples)
        yield self.run

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        run = self.run
        seconds = MAX_RUN_SECONDS * run.samples
        left = seconds - (time.monotonic() - run.began)
        if len(run.exchanges) >= MAX_REQUESTS * run.samples or left <= 0:
            run.refused = "time" if left <= 0 else "requests"
            return 400, _error(f"The run has no {run.refused} left.")
        sent = {key: value for key, value in body.items() if key not in {"max_completion_tokens", "stream"}} | vars(
            run.next_settings()
        )
        status, raw = _posted(self.upstream + path, sent, left)
        if time.monotonic() - run.began > seconds:
            run.refused = "time"
        run.exchanges.append(_exchange(body, raw, status))
        run.tokens += json.loads(raw).get("usage", {}).get("total_tokens", 0)
        return status, raw


class _Handler(BaseHTTPRequestHandler):
    proxy: RecordingProxy

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, raw = self.proxy.answer(self.path, body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing on the terminal."""


def _posted(url: str, body: dict[str, Any], seconds: float) -> tuple[int, bytes]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=seconds) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError as error:
        return 400, _error(str(error))


def _error(text: str) -> bytes:
    return json.dumps({"error": {"message": text, "type": "invalid_request_error", "code": 400}}).encode()


def _exchange(body: dict[str, Any], raw: bytes, status: int) -> dict[str, Any]:
    """One line of a corpus: what was asked, the reply, why it ended and its tokens."""
    request = {key: value for key, value in body.items() if key in _KEPT}
    answer = json.loads(raw)
    if status >= 400:
        return {"request": request, "reply": None, "error": answer.get("error", {}).get("message", "")}
    choice = answer["choices"][0]
    reply = choice.get("message") or {"content": choice.get("text", "")}
    tokens = answer.get("usage", {}).get("completion_tokens", 0)
    return {"request": request, "reply": reply, "finish_reason": choice["finish_reason"], "completion_tokens": tokens}
