"""A separate Redis server for the suite: on a free loopback port, with nothing stored on disk."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.suite import processes

PROGRAM = "redis-server"


def is_installed() -> bool:
    """Return whether there is a server to start."""
    return shutil.which(PROGRAM) is not None


@contextmanager
def private_redis(folder: Path) -> Iterator[str]:
    """Run a server of our own; gives its URL."""
    port = processes.free_port()
    command = [PROGRAM, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    program = processes.start(command, folder, {}, folder / "redis.log")

    def listens() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        program.wait_until(listens)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        program.end()
