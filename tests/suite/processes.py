"""Programs that tests start: each in its own process group, which is ended as a whole."""

import os
import random
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

POLL_SECONDS = 0.1
MOST_POLLS = 1200
GRACE_SECONDS = 30
"""How long a program may take to end when it is asked to."""
_CHANCE = random.SystemRandom()
"""Not the seeded one, with which two processes of a test run would choose the same."""


@dataclass(frozen=True)
class Program:
    """A running program and where it writes."""

    process: subprocess.Popen[bytes]
    log: Path

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Ask again and again; the program's own words are the error if it ends before it is ready, or never is."""
        for _ in range(MOST_POLLS):
            if ready():
                return
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=POLL_SECONDS)
                break
        raise RuntimeError(f"{self.process.args!r} did not get ready:\n{self.log.read_text()}")

    def end(self) -> None:
        """Ask all processes of the group to end, and kill what is left of it."""
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=GRACE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the group at once, as a crash would."""
        self._signal(signal.SIGKILL)
        self.process.wait()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


def start(command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path) -> Program:
    """Start a program in a folder; what it prints goes to the log."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Program(process, log)


def answers(url: str) -> Callable[[], bool]:
    """Return the question whether a server answers a request for this address with success."""

    def ready() -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(url).is_success
        return False

    return ready


def free_port() -> int:
    """Return a loopback port that nobody listens on.

    It lies below those that the system gives to connections by itself: one of them could take it before the program does.
    """
    while True:
        port = _CHANCE.randrange(10_000, 32_768)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
