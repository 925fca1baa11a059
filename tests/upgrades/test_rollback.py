"""Threads of this version, finished or stopped anywhere, continue in the version before it.

``0.1.0.tar.xz`` holds the sources of version 0.1 that an agent, a judge and a workflow import.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.upgrades.stopped_threads import write
from tests.upgrades.thread_kinds import KINDS, STOPPING

HERE = Path(__file__).parent
NOT_IN_0_1 = {"a call made elsewhere"}

SAME = ("answer", "status", "schema", "messages")
"""What a rollback may not change. Version 0.1 names the strategy of a thread of another process by the declared one."""

ONCE_MORE = {"no call left/4"}
"""0.1 does not see that the last call of the budget was made, and asks for the answer once more (docs/versioning.md)."""

COUNTED_TWICE = {f"an agent inside/{stop}" for stop in range(4, 8)}
"""0.1 does not see that the calls of an inner run were counted (docs/versioning.md)."""


@pytest.mark.torture
def test_the_version_before_ends_every_thread_of_this_one_with_the_same_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rolled_back = threads_continued_by_0_1(tmp_path, monkeypatch)
    assert Path(rolled_back["library"]).is_relative_to(tmp_path)
    assert set(KINDS) - set(rolled_back["kinds"]) == NOT_IN_0_1
    ends = rolled_back["differences"]
    other_ends = {thread for thread, (end, expected) in ends.items() if _kept(end, SAME) != _kept(expected, SAME)}
    assert other_ends == ONCE_MORE
    assert not any(_kept(end, SAME[:2]) != _kept(expected, SAME[:2]) for end, expected in ends.values())
    other_counts = {thread for thread, (end, expected) in ends.items() if _kept(end, ("usage",)) != _kept(expected, ("usage",))}
    assert other_counts == COUNTED_TWICE


def threads_continued_by_0_1(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Store threads of this version; return how they end in a process of version 0.1."""
    monkeypatch.setattr(STOPPING, "active", True)
    write(str(folder / "threads.sqlite"), [name for name in KINDS if name not in NOT_IN_0_1])
    with tarfile.open(HERE / "0.1.0.tar.xz") as sources:
        sources.extractall(folder, filter="data")
    (folder / "tests" / "upgrades").mkdir(parents=True)
    (folder / "tests" / "__init__.py").touch()
    for module in HERE.glob("*.py"):
        shutil.copy(module, folder / "tests" / "upgrades")
    # Stand for two dependencies of 0.1: none of these threads needs JSON repaired, nor the nearest quote in a correction.
    (folder / "json_repair.py").touch()
    (folder / "rapidfuzz.py").write_text("class fuzz:\n    partial_ratio_alignment = staticmethod(lambda *_, **__: None)\n")
    command = [sys.executable, "-W", "ignore", "-m", "tests.upgrades.rolled_back", "threads.sqlite"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def _kept(ends: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{name: end.get(name) for name in names} for end in ends]
