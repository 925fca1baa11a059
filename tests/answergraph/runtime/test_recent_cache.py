"""The cache of recently used values."""

from __future__ import annotations

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.runtime.recent_cache import MAX_KEPT, RecentCache


class Source:
    """Equal to every other source, and without a hash."""

    __hash__ = None  # type: ignore[assignment]  # as of a dict

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source)


def test_a_value_is_made_once_for_the_same_sources() -> None:
    cache: RecentCache[object] = RecentCache()
    first, second = Source(), Source()

    made = cache.get_or_make(object, first, second)

    assert cache.get_or_make(object, first, second) is made
    assert cache.get_or_make(object, second, first) is not made


def test_keys_are_known_by_equality_and_sources_by_identity() -> None:
    cache: RecentCache[object] = RecentCache()
    source = Source()

    made = cache.get_or_make(object, source, key=(1, "a"))

    assert cache.get_or_make(object, source, key=(1, "a")) is made
    assert cache.get_or_make(object, source, key=(2, "a")) is not made
    assert cache.get_or_make(object, Source(), key=(1, "a")) is not made


def test_sources_live_as_long_as_their_values() -> None:
    cache: RecentCache[object] = RecentCache()
    source = Source()
    alive = weakref.ref(source)
    cache.get_or_make(object, source)

    del source
    gc.collect()
    assert alive() is not None

    for number in range(MAX_KEPT):
        cache.put(number, object())
    gc.collect()
    assert alive() is None


def test_an_error_is_raised_each_time() -> None:
    cache: RecentCache[int] = RecentCache()

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.get_or_make(lambda: 1 // 0)

    assert cache.get_or_make(lambda: 1) == 1


@given(st.lists(st.integers(0, MAX_KEPT + 20), max_size=400))
def test_the_least_recently_used_value_is_dropped_first(uses: list[int]) -> None:
    cache: RecentCache[int] = RecentCache()
    recent: list[int] = []
    for key in uses:
        assert (cache.get(key) is not None) == (key in recent)
        cache.put(key, key)
        recent = [*(other for other in recent if other != key), key][-MAX_KEPT:]
    assert [cache.get(key) for key in recent] == recent


def test_a_value_in_use_outlives_many_others() -> None:
    cache: RecentCache[object] = RecentCache()
    source = Source()
    made = cache.get_or_make(object, source)

    for number in range(4 * MAX_KEPT):
        cache.put(number, object())
        assert cache.get_or_make(object, source) is made


def test_threads_are_given_the_same_value_and_never_an_error() -> None:
    cache: RecentCache[object] = RecentCache()

    def use(start: int) -> list[object]:
        return [cache.get_or_make(object, key=(start * number) % (2 * MAX_KEPT)) for number in range(3000)]

    with ThreadPoolExecutor(8) as pool:
        assert all(len(made) == 3000 for made in pool.map(use, range(1, 9)))
        shared = set(pool.map(lambda _: id(cache.get_or_make(object, key="shared")), range(100)))

    assert len(shared) == 1


def test_what_holds_a_cache_can_be_copied_and_pickled() -> None:
    cache: RecentCache[str] = RecentCache()
    cache.put("key", "value")

    assert deepcopy(cache).get("key") == pickle.loads(pickle.dumps(cache)).get("key") == "value"
