"""The two groups of the suite: what `make test` runs, and the slow marks it leaves to `make test-slow`."""

from collections import Counter
from typing import Any

import pytest

SLOW_MARKS = {
    "server": "keeps a LangGraph server busy (the short smoke test of it is not marked)",
    "postgres": "needs a PostgreSQL server",
    "browser": "looks at a page in a browser",
    "cluster": "needs several servers with one database",
    "torture": "kills, floods, repeats, tries thousands of inputs, or runs whole suites of tests",
    "program": "starts a program of its own, which imports everything anew",
    "checkers": "runs type checkers from the start",
}

OWN_MARKS = {
    "providers": "asks through the clients of all providers: make test-providers has them",
    "inspect_ai": "needs inspect-ai: make test-inspect has them",
    "clients": "asks with clients in JavaScript: make test-clients has them",
}
"""Per mark the environment of its own that its tests need; the option of that name runs them, and only those."""

_LEFT = pytest.StashKey[dict[str, int]]()
_LEFT_BY_WORKER = "left_to_slow"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests with a slow mark, and only those")
    for mark in OWN_MARKS:
        parser.addoption(f"--{mark}", action="store_true", help=f"run the tests marked {mark}, and only those")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_LEFT] = {}
    for mark, meaning in {**SLOW_MARKS, **OWN_MARKS}.items():
        config.addinivalue_line("markers", f"{mark}: {meaning}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Read once: to look through all tests for each mark by its name takes a second of each worker.
    marks = {item: {mark.name for mark in item.iter_markers()} for item in items}
    for mark in OWN_MARKS:
        is_own = bool(config.getoption(mark))
        items[:] = [item for item in items if (mark in marks[item]) == is_own]
        if is_own:
            return
    slow: bool = config.getoption("slow")
    left = [item for item in items if marks[item].isdisjoint(SLOW_MARKS) == slow]
    items[:] = [item for item in items if marks[item].isdisjoint(SLOW_MARKS) != slow]
    if left:
        config.hook.pytest_deselected(items=left)
    config.stash[_LEFT] = dict(Counter(", ".join(mark for mark in SLOW_MARKS if mark in marks[item]) for item in left))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[_LEFT_BY_WORKER] = session.config.stash[_LEFT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    # Under xdist only the workers collect, each of them everything; one that crashed has no output.
    node.config.stash[_LEFT] |= getattr(node, "workeroutput", {}).get(_LEFT_BY_WORKER, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("slow"):
        left = config.stash[_LEFT]
        counts = ", ".join(f"{count} {marks}" for marks, count in sorted(left.items()))
        terminalreporter.write_line(f"left to make test-slow: {counts or 'nothing'}")
