"""The processes that own rows of a ledger, or go on with the run of a served thread."""

import os
import socket
from contextlib import suppress
from uuid import uuid4

at_work: set[str] = set()  # the owners of this process that ask for rows, or go on with a run, now


def new_owner() -> str:
    """Return a name of this process that no other owner has."""
    return f"{_machine()}:{os.getpid()}:{uuid4().hex[:8]}"


def _machine() -> str:
    """Name the machine, and on Linux the namespace in which process numbers mean something."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{socket.gethostname()}/{space}".replace(":", "")


def is_dead(owner: str) -> bool:
    """Return whether an owner has ended, here or in a process of this machine: its rows need not wait for their lease."""
    machine, process, _ = owner.split(":")
    is_here = int(process) == os.getpid()
    return machine == _machine() and (owner not in at_work if is_here else has_ended(int(process)))


def has_ended(process: int) -> bool:
    """Return whether a process of this machine has ended, as far as can be known."""
    if not hasattr(os, "getuid"):  # on Windows, signal 0 is not a question
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
