"""Threads that earlier versions stored, finished or stopped anywhere, continue as if nothing had happened."""

import lzma
from functools import cache
from pathlib import Path

import pytest

from tests.upgrades.stopped_threads import differences, write
from tests.upgrades.thread_kinds import KINDS, STOPPING

FILES = sorted(Path(__file__).parent.glob("*.sqlite.xz"))
NOT_IN_0_1 = {"a call made elsewhere"}


def of_version(file: Path) -> str:
    return file.name.removesuffix(".sqlite.xz")


@cache
def content_of(file: Path) -> bytes:
    return lzma.decompress(file.read_bytes())


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("file", FILES, ids=of_version)
def test_a_thread_of_an_earlier_version_ends_as_it_does_without_a_stop(file: Path, name: str) -> None:
    assert differences(content_of(file), name) == {}


@pytest.mark.parametrize("file", FILES, ids=of_version)
def test_each_file_holds_threads_of_every_kind_that_its_version_had(file: Path) -> None:
    missing = {name for name in KINDS if f"{name}/1".encode() not in content_of(file)}
    assert missing == (NOT_IN_0_1 if of_version(file) == "0.1.0" else set())


@pytest.mark.parametrize("name", ["a held answer and a person", "a stopped tool beside another", "two strategies"])
def test_the_threads_of_this_version_can_be_stored_for_the_next_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "threads.sqlite"
    monkeypatch.setattr(STOPPING, "active", True)
    write(str(file), [name])
    monkeypatch.setattr(STOPPING, "active", False)
    assert differences(file.read_bytes(), name) == {}
