"""Many runs leak nothing, and the last one costs as much as the first; `make torture` uses larger numbers."""

import pytest

from tests.torture.load.scenarios import findings

PART = 20
"""The suite makes a twentieth of the runs."""


@pytest.mark.torture
def test_many_runs_leak_nothing_and_do_not_get_slower() -> None:
    found = list(findings(PART))
    assert [each for each in found if not each.holds] == []
    assert len(found) >= 7
