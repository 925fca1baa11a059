"""Reads the CPU seconds and the memory of processes from Linux's ``/proc``; a busy machine does not change them."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit


class Process(NamedTuple):
    """One process and its usage so far."""

    pid: int
    parent: int
    command: str
    cpu_seconds: float
    """The usage of the process and of its ended children."""
    megabytes: float
    """The memory that it keeps now."""


def used_by(urls: Collection[str]) -> list[Process]:
    """Return the processes that serve at these addresses, and their children.

    Args:
        urls: Addresses with ports; a server is known by the port in its command line.
    """
    ports = [str(urlsplit(url).port) for url in urls]
    every = list(_processes())
    servers = {process.pid for process in every if any(_names(process.command, port) for port in ports)}
    return [process for process in every if process.pid in servers or process.parent in servers]


def _names(command: str, port: str) -> bool:
    return any(word.removeprefix("port=").endswith(port) for word in command.replace(":", " ").split())


def _processes() -> Iterator[Process]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            with suppress(OSError):  # it has ended meanwhile
                yield _process(folder)


def _process(folder: Path) -> Process:
    # The name in brackets may hold anything; what follows it are numbers.
    numbers = (folder / "stat").read_text().rpartition(")")[2].split()
    ticks = sum(int(number) for number in numbers[11:15])
    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    megabytes = int(numbers[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return Process(int(folder.name), int(numbers[1]), command, ticks / os.sysconf("SC_CLK_TCK"), megabytes)
