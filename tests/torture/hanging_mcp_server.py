"""An MCP server at stdin and stdout that hangs, in the way of its first argument; it notes its processes in a file."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from mcp.server import MCPServer

LONG = 60


def main(kind: str, pids: str) -> None:
    with Path(pids).open("a") as file:
        file.write(f"{os.getpid()}\n")
    if kind == "never starts":
        threading.Event().wait(LONG)
    if kind == "ignores signals":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = MCPServer("hanging")

    @server.tool()
    def slow() -> str:
        """Search for long."""
        if kind == "spawns":
            child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})"])
            with Path(pids).open("a") as file:
                file.write(f"{child.pid}\n")
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            if kind != "spins":
                threading.Event().wait(1)
        return "late"

    server.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
