"""Counts the functions that some work calls: the same on every machine, also on a busy one."""

import sys
import threading
from collections.abc import Callable


def calls_of(work: Callable[[], object], *, in_c: bool = False, in_threads: bool = False) -> int:
    """Return how many Python functions some work calls, also those written in C, or in threads it starts, if they count."""
    events = {"call", "c_call"} if in_c else {"call"}
    calls: list[None] = []

    def count(_frame: object, event: str, _argument: object) -> None:
        if event in events:
            calls.append(None)  # no thread loses another's

    if in_threads:
        threading.setprofile(count)
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return len(calls)
