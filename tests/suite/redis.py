"""A separate Redis server for the suite: on a free loopback port, with nothing stored on disk."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.suite import processes

PROGRAM = "redis-server"


def is_installed() -> bool:
    """Return whether there is a server to start."""
    return shutil.which(PROGRAM) is not None


@dataclass
class Redis:
    """A Redis server that stores nothing on disk."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = [PROGRAM, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.program = processes.start([*command, "--dir", str(self.folder)], self.folder, {}, self.folder / "redis.log")
        self.program.wait_until(self._listens)

    def kill(self) -> None:
        """End it at once; what it held is lost."""
        self.program.kill()

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def private_redis(folder: Path) -> Iterator[Redis]:
    """Run a server of our own."""
    server = Redis(folder, processes.free_port())
    server.start()
    try:
        yield server
    finally:
        server.program.end()
