"""Counts the functions that some work calls: the same on every machine, also on a busy one."""

import sys
from collections.abc import Callable


def calls_of(work: Callable[[], object], *, in_c: bool = False) -> int:
    """Return how many Python functions some work calls, also those written in C if they count."""
    events = {"call", "c_call"} if in_c else {"call"}
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in events

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls
