"""How sure a rate is, and whether two settings differ: Wilson's interval, and the exact paired test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

Z_95 = 1.959964
"""The normal deviate of a 95 % interval."""


def wilson(rate: float, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate over independent trials.

    Example:
        >>> [round(end, 2) for end in wilson(0.4, 10)]
        [0.17, 0.69]
    """
    z2 = Z_95 * Z_95
    middle = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z_95 * sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class PairedTest:
    """What pairs of figures, one per task, say about two settings."""

    pairs: int
    higher: int
    """In how many pairs the first figure is the higher one."""
    lower: int

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> PairedTest:
        return cls(len(pairs), sum(one > other for one, other in pairs), sum(one < other for one, other in pairs))

    @property
    def p(self) -> float:
        """The two-sided exact probability of so uneven a split by chance: McNemar's test where each task was done once.

        Example:
            >>> PairedTest(10, 6, 0).p
            0.03125
        """
        differing, fewer = self.higher + self.lower, min(self.higher, self.lower)
        return min(1.0, 2 * sum(comb(differing, k) for k in range(fewer + 1)) * 0.5**differing)
