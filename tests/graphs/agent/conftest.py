"""What hangs in the tests of time limits and cancelled tools."""

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.graphs.agent.hanging_agents import LONG, void


@pytest.fixture
def hang() -> Iterator[Callable[[], None]]:
    """Give a function that hangs until the test is over."""
    over = threading.Event()
    yield lambda: void(over.wait(LONG))
    over.set()
