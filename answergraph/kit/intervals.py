"""Wilson's interval for a rate, and the exact paired test for two sets of runs of the same tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

Z_95 = 1.959964
"""The normal deviate of a 95 % interval."""


def wilson(rate: float, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate over independent trials."""
    z2 = Z_95 * Z_95
    middle = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z_95 * sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class PairedTest:
    """The paired comparison of two settings, one pair per task."""

    pairs: int
    higher: int
    """Number of pairs in which the first figure is higher."""
    lower: int

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> "PairedTest":
        return cls(len(pairs), sum(one > other for one, other in pairs), sum(one < other for one, other in pairs))

    @property
    def p(self) -> float:
        """The two-sided exact p-value of the sign test; McNemar's test if each task ran once."""
        differing, fewer = self.higher + self.lower, min(self.higher, self.lower)
        return min(1.0, 2 * sum(comb(differing, k) for k in range(fewer + 1)) * 0.5**differing)
