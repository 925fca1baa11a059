"""Runs leave nothing behind and cost the same however many there were; `make torture` does it with larger numbers."""

import pytest

from tests.torture.load.scenarios import findings

PART = 20
"""A twentieth of the runs."""


@pytest.mark.torture
def test_many_runs_leak_nothing_and_do_not_get_slower() -> None:
    found = list(findings(PART))
    assert [each for each in found if not each.holds] == []
    assert len(found) >= 7
