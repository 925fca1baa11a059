"""Only files with examples are looked through for examples: pytest imports each file and walks through all its members."""

from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    collectors = yield
    # pytest has no public name for the class.
    kept = [each for each in collectors if type(each).__name__ != "DoctestModule"]
    return collectors if len(kept) == len(collectors) or ">>> " in file_path.read_text(encoding="utf-8") else kept
