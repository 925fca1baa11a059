"""A request through the client of OpenAI, to a server on this machine."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from pydantic import BaseModel

from answergraph import create_agent


class Verdict(BaseModel):
    """The verdict about a test."""

    passed: bool


class Server(BaseHTTPRequestHandler):
    """Answers every request with the same object."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": json.dumps({"passed": True})}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def main() -> None:
    """Ask once."""
    server = HTTPServer(("127.0.0.1", 0), Server)
    Thread(target=server.serve_forever, daemon=True).start()
    os.environ.update(OPENAI_BASE_URL=f"http://127.0.0.1:{server.server_port}/v1", OPENAI_API_KEY="none")
    result = create_agent("openai:gpt-4.1", response_format=Verdict).invoke({"messages": ["Did it pass?"]})
    server.shutdown()
    server.server_close()
    assert result["structured_response"] == Verdict(passed=True)


if __name__ == "__main__":
    main()
