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
TRIES = 6


class Growth(NamedTuple):
    """How one reader takes one kind of hostile input."""

    exponent: float
    size: int
    """Characters of the largest input."""
    seconds: float
    """The CPU time for it."""


def growth(read: Callable[[Any], object], hostile: Callable[[int], Any], largest: int) -> Growth:
    """Return the smallest exponent of several measurements; each uses larger inputs and more runs than the one before.

    A busy machine makes an exponent only larger; so does a reader whose work per position grows up to a bound.
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
    # The fit uses the last four times that are long enough.
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
