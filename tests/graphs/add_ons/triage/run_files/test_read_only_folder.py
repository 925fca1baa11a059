"""Nothing outside the folder is read, whatever the folder contains and however it changes."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs.add_ons.triage.run_files.read_only_folder import MAX_DEPTH, Folder, FolderError
from answergraph.graphs.add_ons.triage.run_files.text_stream import TextFile


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder next to a secret file."""
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "run"
    (inside / "logs").mkdir(parents=True)
    (inside / "logs" / "app.log").write_text("one\ntwo\n")
    return inside


def content(folder: Folder, path: str) -> bytes:
    with folder.open(path) as file:
        return file.read()


@pytest.mark.parametrize("path", ["logs/app.log", "./logs/app.log", "logs//app.log"])
def test_a_file_below_the_folder_is_read(place: Path, path: str) -> None:
    assert content(Folder(place), path) == b"one\ntwo\n"


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "logs/../../secret.txt", "/etc/passwd", "//etc/passwd", "logs/..", "..", "a\0b"],
)
def test_a_path_that_leads_out_is_refused(place: Path, path: str) -> None:
    with pytest.raises(FolderError, match="not below the folder"):
        content(Folder(place), path)


@pytest.mark.parametrize("path", ["link.txt", "linked/secret.txt", "inner.log"])
def test_no_link_is_followed(place: Path, path: str) -> None:
    (place / "link.txt").symlink_to(place.parent / "secret.txt")
    (place / "linked").symlink_to(place.parent)
    (place / "inner.log").symlink_to(place / "logs" / "app.log")
    with pytest.raises(FolderError, match="links are not followed"):
        content(Folder(place), path)


def test_links_and_special_files_are_listed_as_what_they_are(place: Path) -> None:
    (place / "link").symlink_to(place.parent)
    os.mkfifo(place / "pipe")
    listing = Folder(place).listing()
    assert [(entry.path, entry.kind) for entry in listing.entries] == [
        ("link", "link"),
        ("logs/app.log", "file"),
        ("pipe", "special"),
    ]
    assert [entry.path for entry in listing.files] == ["logs/app.log"]


@pytest.mark.parametrize(("path", "why"), [("pipe", "no regular file"), ("logs", "is a directory"), ("none.log", "no such file")])
def test_anything_but_a_file_is_reported_without_waiting(place: Path, path: str, why: str) -> None:
    os.mkfifo(place / "pipe")
    with pytest.raises(FolderError, match=why):
        content(Folder(place), path)


def test_a_file_exchanged_for_a_link_after_it_was_listed_is_not_followed(place: Path) -> None:
    folder = Folder(place)
    (entry,) = folder.listing().files
    (place / "logs" / "app.log").unlink()
    (place / "logs" / "app.log").symlink_to(place.parent / "secret.txt")
    with pytest.raises(FolderError, match="links are not followed"):
        content(folder, entry.path)


def test_a_folder_exchanged_for_a_link_is_not_followed(place: Path) -> None:
    folder = Folder(place)
    (place / "logs").rename(place / "old")
    (place / "logs").symlink_to(place.parent)
    assert [entry.path for entry in folder.listing().files] == ["old/app.log"]
    with pytest.raises(FolderError):
        content(folder, "logs/secret.txt")


def test_a_file_that_grows_is_read_up_to_a_limit(place: Path) -> None:
    log = place / "logs" / "app.log"
    with Folder(place).open("logs/app.log") as file, log.open("ab") as writer:
        seen = b""
        for block in TextFile.of("logs/app.log", file).blocks():
            seen += block
            writer.write(b"more\n")
            writer.flush()
        assert seen == b"one\ntwo\n"


def test_a_file_that_shrinks_is_read_to_its_new_end(place: Path) -> None:
    log = place / "logs" / "app.log"
    log.write_bytes(b"line\n" * 1_000_000)
    with Folder(place).open("logs/app.log") as file:
        blocks = TextFile.of("logs/app.log", file).blocks()
        first = next(blocks)
        log.write_bytes(b"")
        assert first.startswith(b"line\n")
        assert sum(map(len, blocks)) < 1_000_000


def test_folders_are_searched_to_a_maximum_depth(place: Path) -> None:
    deep = place
    for _ in range(MAX_DEPTH + 2):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "too-deep.log").write_text("x")
    assert [entry.path for entry in Folder(place).listing().files] == ["logs/app.log"]


@pytest.mark.parametrize("root", ["none", "run/logs/app.log"])
def test_a_root_must_be_a_folder(place: Path, root: str) -> None:
    with pytest.raises(FolderError, match=r"not a folder|There is no folder"):
        Folder(place.parent / root)


@given(path=st.text(st.sampled_from("./\\~ab:\0"), max_size=12))
def test_no_path_names_anything_outside(path: str) -> None:
    folder = Folder("tests")
    try:
        place = folder.relative(path)
    except FolderError:
        return
    assert folder.root.joinpath(place).is_relative_to(folder.root)
    assert ".." not in place.parts


@pytest.mark.parametrize(
    "path", ["l" * 300, "logs/" + "l" * 300, "l/" * 3_000, "\ud800", "a\0b"], ids=lambda path: ascii(path)[:9]
)
def test_an_impossible_path_is_reported(place: Path, path: str) -> None:
    with pytest.raises(FolderError), Folder(place).open(path):
        pass
