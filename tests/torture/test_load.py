"""Runs leave nothing behind and cost the same however many there were; `make torture` does it with larger numbers."""

import pytest

from tests.torture.load.scenarios import findings

PART = 20
"""A twentieth of the runs."""


@pytest.mark.torture
def test_runs_leave_nothing_behind_and_take_no_longer_each_time() -> None:
    found = list(findings(PART))
    assert [each for each in found if not each.holds] == []
    assert len(found) >= 7
