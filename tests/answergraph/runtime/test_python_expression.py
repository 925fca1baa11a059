"""Expressions that many threads read at once, while the collector runs finalizers in between."""

import ast
import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from answergraph.runtime.python_expression import parse_expression

CALL = "f(a=1, b=[1, 2, {'a': (1, 2)}], c='x' + 'y' * 3)"
THREADS = 4


class Finalized:
    """Garbage that runs Python code when it is collected, where Python may go on with another thread."""

    def __init__(self) -> None:
        self.cycle = self

    def __del__(self) -> None:
        sum(range(50))


@pytest.fixture
def hurried() -> Iterator[None]:
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(20, 2, 2)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("hurried")
def test_threads_that_read_expressions_at_once_do_not_disturb_each_other() -> None:
    def at_depth(depth: int) -> str:
        if depth:
            return at_depth(depth - 1)
        Finalized()
        return ast.dump(parse_expression(CALL))

    with ThreadPoolExecutor(THREADS) as threads:
        read = list(threads.map(at_depth, [number % 7 for number in range(2_000)]))
    assert set(read) == {ast.dump(ast.parse(CALL, mode="eval").body)}
