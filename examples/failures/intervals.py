"""Shares with what they may be on more cases of the same kind."""

from __future__ import annotations

from math import sqrt

Z = 1.96
"""Of a 95 % interval."""


def share(count: int, total: int) -> str:
    """Return a share with its 95 % interval, by Wilson."""
    if not total:
        return "none"
    rate = count / total
    middle = (rate + Z * Z / (2 * total)) / (1 + Z * Z / total)
    half = Z / (1 + Z * Z / total) * sqrt(rate * (1 - rate) / total + Z * Z / (4 * total * total))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return f"{count} of {total} ({100 * rate:.0f} %, 95 % interval {100 * low:.0f} to {100 * high:.0f} %)"
