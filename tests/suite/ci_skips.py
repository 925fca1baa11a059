"""In CI a skipped test is a failed one: everything a test needs is there, or the suite is broken."""

import os
from collections.abc import Generator

import pytest

INAPPLICABLE = {
    "test_init_from_env": "neither of our models reads its settings from the environment",
    "test_serdes": "neither of our models can be serialized",
}
"""The cases of langchain-tests that skip themselves, and why that is right."""


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # The report is changed where it is made: under xdist that is a worker, and the controller counts a failure.
    if report.skipped and not hasattr(report, "wasxfail") and _in_ci() and not _is_inapplicable(item):
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped and _in_ci():
        _fail(report)
    return report


def _is_inapplicable(item: pytest.Item) -> bool:
    module: str = item.function.__module__ if isinstance(item, pytest.Function) else ""
    return module.startswith("langchain_tests.") and item.name in INAPPLICABLE


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"CI allows no skips. {reason}"
