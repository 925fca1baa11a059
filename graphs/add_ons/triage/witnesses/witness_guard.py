"""Watches a process of a witness; copied as ``sitecustomize.py``, so that Python imports it first in each of them.

It refuses other machines unless they are allowed, and notes that, and whether code of the user's own tree was imported; and, if
asked, which lines of the work tree were run.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from _typeshed import TraceFunction

_NAMES = ("LOG", "OWN_TREE", "NETWORK", "LINES", "TREE")
_LOG, _OWN, _NETWORK, _LINES, _TREE = (os.environ.get(f"ANSWERGRAPH_WITNESS_{name}", "") for name in _NAMES)
_RAN: set[str] = set()
_HERE = ("localhost", "::1", "::", "0.0.0.0", "")


def _note(text: str) -> None:
    with open(_LOG, "a", encoding="utf-8", errors="replace") as log:
        log.write(f"{text}\n")


def _refuse_others(event: str, arguments: tuple[object, ...]) -> None:
    if event not in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}:
        return
    host = arguments[0]
    if event == "socket.connect":  # its first argument is the socket; an address that is no tuple is a file
        host = arguments[1][0] if isinstance(arguments[1], tuple) else ""
    host = host.decode(errors="replace") if isinstance(host, bytes) else host
    if isinstance(host, str) and host not in {*_HERE, os.uname().nodename} and not host.startswith("127."):
        _note(f"asked for the network: {host}")
        raise OSError(f"a witness has no network: {host}")


def _note_own_tree() -> None:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        if isinstance(file, str) and file.startswith(f"{_OWN}{os.sep}") and "site-packages" not in file:
            _note(f"imported from the work tree of the user: {file}")
            return


def _note_line(frame: FrameType, event: str, argument: object) -> TraceFunction | None:
    if not frame.f_code.co_filename.startswith(_TREE):
        return None
    if event == "line":
        _RAN.add(f"{frame.f_code.co_filename[len(_TREE) :]}:{frame.f_lineno}\n")
    return _note_line


def _write_lines() -> None:
    with open(_LINES, "a", encoding="utf-8", errors="surrogateescape") as lines:
        lines.writelines(_RAN)


if _LINES:
    atexit.register(_write_lines)
    threading.settrace(_note_line)
    sys.settrace(_note_line)
if _LOG:
    atexit.register(_note_own_tree)
    if not _NETWORK:
        sys.addaudithook(_refuse_others)
