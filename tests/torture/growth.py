"""Measures how the CPU time of a reader grows with its input: the exponent, fitted over inputs that double in size."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

MAX_EXPONENT = 1.2
"""Linear is 1; the margin allows for sorting, overflowing caches and a busy machine."""

SMALLEST = 500
ENOUGH_SECONDS = 0.008
"""An input that takes this long is large enough."""
MEASURABLE_SECONDS = 0.001
"""Shorter times say nothing about growth."""
LONGEST_SECONDS = 0.5
"""No attempt needs a longer one."""
FEWEST_POINTS = 3
"""Two times say nothing about growth either."""
TRIES = 7


class Growth(NamedTuple):
    """How one reader takes one kind of hostile input."""

    exponent: float
    size: int
    """Characters of the largest input."""
    seconds: float
    """The CPU time for it."""


def growth(read: Callable[[Any], object], hostile: Callable[[int], Any], largest: int) -> Growth:
    """Return the growth over the fastest run of each size; each attempt that grows too fast adds larger inputs and more runs.

    A busy machine makes a time only longer, so the fastest of many runs is the nearest to the reader's own. The sizes take
    turns: a machine that is slow for a while is slow for all of them. Larger inputs are for a reader whose work per position
    grows up to a bound.
    """
    # The first run loads tables and compiles patterns.
    read(hostile(SMALLEST))
    fastest: dict[int, float] = {}
    for attempt in range(TRIES):
        for _ in range(1 + attempt):
            _run_each_size(read, hostile, largest, min(ENOUGH_SECONDS * 5**attempt, LONGEST_SECONDS), fastest)
        exponent = _slope(_measurable(fastest)[-4:])
        if exponent <= MAX_EXPONENT:
            break
    return Growth(exponent, max(fastest), fastest[max(fastest)])


def _run_each_size(
    read: Callable[[Any], object],
    hostile: Callable[[int], Any],
    largest: int,
    enough_seconds: float,
    fastest: dict[int, float],
) -> None:
    size = SMALLEST
    while size <= largest:
        seconds = _seconds(read, hostile(size))
        fastest[size] = min(seconds, fastest.get(size, seconds))
        if fastest[size] >= enough_seconds and len(_measurable(fastest)) >= FEWEST_POINTS:
            break
        size *= 2


def _measurable(fastest: dict[int, float]) -> list[tuple[int, float]]:
    return [(size, seconds) for size, seconds in sorted(fastest.items()) if seconds >= MEASURABLE_SECONDS]


def _slope(measured: list[tuple[int, float]]) -> float:
    """Fit a line through the logarithms."""
    if len(measured) < FEWEST_POINTS:
        return 0.0
    points = [(math.log(size), math.log(seconds)) for size, seconds in measured]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def _seconds(read: Callable[[Any], object], given: Any) -> float:
    gc.disable()
    try:
        started = process_time()
        read(given)
        return process_time() - started
    finally:
        gc.enable()
