"""The processes that own rows of a ledger."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from uuid import uuid4


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
    """Return whether an owner was a process of this machine that has ended: its rows need not wait for their lease."""
    machine, process, _ = owner.split(":")
    return machine == _machine() and has_ended(int(process))


def has_ended(process: int) -> bool:
    """Return whether a process of this machine has ended, as far as can be known."""
    if not hasattr(os, "getuid"):  # on Windows, signal 0 is not a question
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
