"""A small repository for each test."""

from pathlib import Path

import pytest

from tests.graphs.add_ons.triage.witnesses.small_repository import SmallRepository


@pytest.fixture(autouse=True)
def _quick_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load no plugin into the runs: it takes longer than they do."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def shop(tmp_path: Path) -> SmallRepository:
    return SmallRepository(tmp_path / "shop")
