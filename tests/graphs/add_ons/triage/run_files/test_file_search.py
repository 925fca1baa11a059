"""Lines by number and lines that match: bounded, in linear time, and with an editor's line numbers."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs.add_ons.triage.run_files.file_search import (
    MAX_CHARACTERS,
    MAX_LINE_CHARACTERS,
    MAX_LINES,
    MAX_MATCHES,
    Match,
    read_lines,
    search,
)
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder, FolderError


def found(place: Path, text: str, *, regex: bool = False) -> list[tuple[int, str]]:
    folder = Folder(place)
    return [(match.number, match.line) for match in search(folder, text, folder.listing().files, regex=regex).matches]


def log(place: Path, text: str) -> Folder:
    (place / "app.log").write_text(text, encoding="utf-8", newline="")
    return Folder(place)


@pytest.mark.parametrize(
    ("start", "count", "lines"),
    [(1, 2, ("a", "b")), (3, 9, ("c", "d")), (-1, 1, ("d",)), (-2, 5, ("c", "d")), (-99, 1, ("a",)), (0, 1, ("a",)), (9, 1, ())],
)
def test_lines_are_read_from_either_end(tmp_path: Path, start: int, count: int, lines: tuple[str, ...]) -> None:
    read = read_lines(log(tmp_path, "a\nb\r\nc\nd"), "app.log", start, count)
    assert (read.lines, read.total) == (lines, 4)


@given(
    lines=st.lists(st.text(st.sampled_from("ab \t\ré接"), max_size=6), max_size=8),
    start=st.integers(1, 9),
    count=st.integers(1, 9),
)
def test_lines_have_the_numbers_of_an_editor(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], start: int, count: int
) -> None:
    folder = log(tmp_path_factory.mktemp("run"), "".join(f"{line}\n" for line in lines))
    shown = tuple(line.rstrip("\r") for line in lines[start - 1 : start - 1 + count])
    read = read_lines(folder, "app.log", start, count)
    assert (read.lines, read.total) == (shown, len(lines))


def test_a_result_is_bounded_and_says_that_it_was_cut(tmp_path: Path) -> None:
    read = read_lines(log(tmp_path, ("x" * 5000 + "\n") * 1000), "app.log", 1, 10_000)
    assert read.is_cut
    assert sum(map(len, read.lines)) <= MAX_CHARACTERS
    assert {len(line) for line in read.lines} == {MAX_LINE_CHARACTERS}
    assert len(read_lines(log(tmp_path, "x\n" * 1000), "app.log", 1, 10_000).lines) == MAX_LINES


def test_plain_text_is_not_a_pattern_and_case_does_not_matter(tmp_path: Path) -> None:
    log(tmp_path, "a.c\nabc\nA.C\n接続エラー\n")
    assert found(tmp_path, "a.c") == [(1, "a.c"), (3, "A.C")]
    assert found(tmp_path, "a.c", regex=True) == [(1, "a.c"), (2, "abc"), (3, "A.C")]
    assert found(tmp_path, "エラー") == [(4, "接続エラー")]


@given(lines=st.lists(st.sampled_from(["error here", "fine", "", "ERROR", "é error\r"]), max_size=30))
def test_each_matching_line_is_found_once_with_its_number(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    place = tmp_path_factory.mktemp("run")
    log(place, "\n".join(lines))
    expected = [(number, line.rstrip("\r")) for number, line in enumerate(lines, start=1) if "error" in line.lower()]
    assert found(place, "error") == expected


def test_line_numbers_are_right_across_blocks(tmp_path: Path) -> None:
    log(tmp_path, "filler line\n" * 300_000 + "needle\n" + "filler line\n" * 200_000 + "needle\n")
    assert found(tmp_path, "needle") == [(300_001, "needle"), (500_002, "needle")]


def test_the_part_of_a_long_line_that_matches_is_shown(tmp_path: Path) -> None:
    log(tmp_path, "接" * 50_000 + "needle" + "続" * 50_000)
    ((number, line),) = found(tmp_path, "needle")
    assert number == 1
    assert "needle" in line
    assert len(line) <= MAX_LINE_CHARACTERS


def test_matches_are_bounded_and_the_result_says_that_there_are_more(tmp_path: Path) -> None:
    folder = log(tmp_path, "error\n" * 1000)
    matches = search(folder, "error", folder.listing().files, regex=False)
    assert (len(matches.matches), matches.is_cut) == (MAX_MATCHES, True)


def test_a_pattern_that_makes_other_engines_hang_is_fast(tmp_path: Path) -> None:
    log(tmp_path, "a" * 200_000 + "\n")
    started = time.process_time()
    assert found(tmp_path, "(a+)+$x", regex=True) == []
    assert found(tmp_path, "(a|aa)+b", regex=True) == []
    assert time.process_time() - started < 5


@pytest.mark.parametrize("pattern", ["(", "a{1001}", "(?=x)", r"\1", "[z-a]", "", "x" * 3000])
def test_an_invalid_pattern_is_reported(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(FolderError, match=r"regular expression of RE2|takes 1 to"):
        found(log(tmp_path, "x").root, pattern, regex=True)


def test_a_binary_file_among_logs_is_reported_and_the_others_are_searched(tmp_path: Path) -> None:
    folder = log(tmp_path, "error\n")
    (tmp_path / "core.log").write_bytes(b"\0\1error" * 100)
    matches = search(folder, "error", folder.listing().files, regex=False)
    assert matches.matches == (Match("app.log", 1, "error"),)
    assert matches.problems == ("'core.log' is a binary file of 700 bytes, not text.",)


def test_a_search_sees_text_written_since_the_last_search(tmp_path: Path) -> None:
    log(tmp_path, "fine\n")
    assert found(tmp_path, "error") == []
    log(tmp_path, "fine\nerror\n")
    assert found(tmp_path, "error") == [(2, "error")]


def test_a_large_binary_file_that_sorts_first_hides_no_log(tmp_path: Path) -> None:
    with (tmp_path / "a.core").open("wb") as core:
        core.truncate(3 << 30)
    log(tmp_path, "ERROR: no route\n")
    assert found(tmp_path, "no route") == [(1, "ERROR: no route")]
