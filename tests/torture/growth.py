"""How the CPU time of a reader grows with its input: the exponent, fitted over inputs that double."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

MAX_EXPONENT = 1.2
"""Linear is 1; sorting, caches that overflow and a busy machine take a part."""

SMALLEST = 500
ENOUGH_SECONDS = 0.008
"""An input that takes so long is large enough."""
MEASURABLE_SECONDS = 0.001
"""What takes less says nothing of growth."""
TRIES = 4


class Growth(NamedTuple):
    """How one reader takes one kind of hostile input."""

    exponent: float
    size: int
    """Characters of the largest input."""
    seconds: float
    """CPU time that it took."""


def growth(read: Callable[[Any], object], hostile: Callable[[int], Any], largest: int) -> Growth:
    """Return the smallest exponent of some measurements, each on larger inputs and with more runs of each.

    A machine with other work to do only adds to it, and so does a reader whose work on one place grows up to a bound.
    """
    measured = _measured(read, hostile, largest, ENOUGH_SECONDS)
    for attempt in range(1, TRIES):
        if measured.exponent <= MAX_EXPONENT:
            break
        measured = min(measured, _measured(read, hostile, largest, ENOUGH_SECONDS * 5**attempt, runs=1 + attempt))
    return measured


def _measured(
    read: Callable[[Any], object], hostile: Callable[[int], Any], largest: int, enough_seconds: float, runs: int = 1
) -> Growth:
    points: list[tuple[int, float]] = []
    size = SMALLEST
    while size <= largest and (not points or points[-1][1] < enough_seconds):
        points.append((size, min(_seconds(read, hostile(size)) for _ in range(runs))))
        size *= 2
    # A reader that begins to work in earnest only with the last input is measured on a further one.
    counted = [(math.log(size), math.log(seconds)) for size, seconds in points if seconds >= MEASURABLE_SECONDS][-4:]
    return Growth(_slope(counted), *points[-1])


def _slope(points: list[tuple[float, float]]) -> float:
    if len(points) < 3:
        return 0.0
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
