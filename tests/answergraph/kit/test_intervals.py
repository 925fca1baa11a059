"""The intervals and the exact test follow their definitions."""

from itertools import product
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.kit.intervals import Z_95, PairedTest, wilson


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"), [(4, 10, 0.168, 0.687), (10, 10, 0.722, 1), (0, 10, 0, 0.278), (1, 1, 0.207, 1)]
)
def test_the_interval_is_wilsons(hits: int, trials: int, low: float, high: float) -> None:
    assert wilson(hits / trials, trials) == pytest.approx((low, high), abs=0.0006)


@given(trials=st.integers(1, 200), hits=st.integers(0, 200))
def test_each_end_is_as_far_from_the_rate_as_its_own_deviation_allows(trials: int, hits: int) -> None:
    share = min(hits, trials) / trials
    for end in wilson(share, trials):
        if 0 < end < 1:
            assert abs(share - end) == pytest.approx(Z_95 * sqrt(end * (1 - end) / trials), abs=1e-6)


@given(st.lists(st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)]), max_size=8))
def test_the_exact_p_is_the_share_of_splits_that_are_no_more_even(pairs: list[tuple[float, float]]) -> None:
    found = PairedTest.of(pairs)
    differing = found.higher + found.lower
    splits = [abs(2 * sum(signs) - differing) for signs in product((0, 1), repeat=differing)]
    as_uneven = sum(split >= abs(found.higher - found.lower) for split in splits)
    assert found.p == pytest.approx(as_uneven / 2**differing)
