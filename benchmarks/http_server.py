"""The played model behind HTTP, in another process, so that only the client's CPU time is measured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.work import ANSWER_ARGUMENTS, ANSWER_TEXT, ANSWER_TOOL, SERVED_MODEL, Work, calls_of, next_step

ANSWER_TOOLS = (ANSWER_TOOL, "final_result")
"""The names of the systems' answer tools."""


@contextmanager
def served(module: str = "benchmarks.http_server", *options: str) -> Iterator[str]:
    """Start a server that prints its port in a process of its own, and yield its base URL."""
    command = [sys.executable, "-m", module, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to a request for a chat completion."""
    work = Work(steps=int(body["model"].removeprefix(SERVED_MODEL)))
    calls = calls_of(work, next_step(body["messages"][-1].get("tool_call_id")))
    names = {tool["function"]["name"] for tool in body.get("tools", ())}
    answer = next((name for name in ANSWER_TOOLS if name in names), None)
    if not calls and answer is not None:
        calls = [{"name": answer, "args": ANSWER_ARGUMENTS, "id": "answer"}]
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else ANSWER_TEXT}
    if calls:
        message["tool_calls"] = [_call(call) for call in calls]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice], "usage": usage}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": json.dumps(call["args"])}
    return {"id": call["id"], "type": "function", "function": function}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without this each reply waits for the client's delayed acknowledgement of its headers.
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps(completion(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
