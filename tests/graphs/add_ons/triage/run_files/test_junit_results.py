"""JUnit XML of any writer, and the readable part of a broken file."""

from pathlib import Path

import pytest

from answergraph.graphs.add_ons.triage.run_files.junit_results import MAX_PART_CHARACTERS, MAX_XML_BYTES, JUnitFile, read_junit
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder

CASE = '<testcase classname="shop" name="test_total" time="0.1"><failure message="1 != 2">x &lt; y</failure></testcase>'


def read(place: Path, content: str | bytes) -> JUnitFile:
    (place / "r.xml").write_bytes(content.encode() if isinstance(content, str) else content)
    return read_junit(Folder(place), "r.xml")


def test_a_case_is_read_with_its_output(tmp_path: Path) -> None:
    output = "<system-out>out</system-out><system-err>err</system-err>"
    suite = f'<testsuite timestamp="2026-01-02T03:04:05">{CASE.replace("</testcase>", f"{output}</testcase>")}</testsuite>'
    (case,) = read(tmp_path, suite).cases
    assert (case.id, case.title, case.status, case.seconds) == ("r.xml#1", "shop::test_total", "failed", "0.1")
    assert (case.message, case.details, case.output) == ("1 != 2", "x < y", "out\nerr")
    assert case.started == "2026-01-02T03:04:05"


@pytest.mark.parametrize(
    ("inner", "status"),
    [
        ("", "passed"),
        ("<failure/>", "failed"),
        ("<error/>", "error"),
        ("<skipped/>", "skipped"),
        ("<failure/><error/>", "failed"),
    ],
)
def test_the_child_element_decides_the_status(tmp_path: Path, inner: str, status: str) -> None:
    (case,) = read(tmp_path, f'<testsuites><testsuite><testcase name="t">{inner}</testcase></testsuite></testsuites>').cases
    assert case.status == status


def test_nested_suites_and_namespaces_are_read_in_order(tmp_path: Path) -> None:
    inner = '<testsuite><testcase name="b"/></testsuite>'
    read_file = read(tmp_path, f'<testsuite xmlns="urn:x"><testcase name="a"/>{inner}<testcase name="c"/></testsuite>')
    assert [(case.name, case.number) for case in read_file.cases] == [("a", 1), ("b", 2), ("c", 3)]


def test_failed_tries_of_a_passed_case_are_kept(tmp_path: Path) -> None:
    (case,) = read(tmp_path, '<testsuite><testcase name="t"><flakyFailure message="late"/></testcase></testsuite>').cases
    assert (case.status, [one.message for one in case.tries], case.is_flaky) == ("passed", ["late"], True)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE t [<!ENTITY a "boom"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE t [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd"> %a;]>',
    ],
)
def test_entities_are_refused_with_a_message(tmp_path: Path, declaration: str) -> None:
    got = read(tmp_path, f'<?xml version="1.0"?>{declaration}<testsuite><testcase name="t"/></testsuite>')
    assert got.cases == ()
    assert got.problem == "'r.xml' declares XML entities, which are not resolved; not read."


def test_the_complete_cases_of_a_truncated_file_are_read(tmp_path: Path) -> None:
    got = read(tmp_path, f"<testsuite>{CASE}{CASE}<testcase name='half'><fail")
    assert len(got.cases) == 2
    assert got.problem is not None
    assert "'r.xml' is no complete XML" in got.problem


@pytest.mark.parametrize(
    ("suites", "problem"),
    [
        ('<testsuite failures="2" errors="1"><testcase name="t"/></testsuite>', "3 failures and errors"),
        (
            '<testsuites failures="2"><testsuite failures="2"><testcase name="t"/></testsuite></testsuites>',
            "2 failures and errors",
        ),
        ('<testsuites><testsuite errors="1"/><testsuite errors="1"/></testsuites>', "2 failures and errors"),
        ('<testsuite failures="0" errors=""><testcase name="t"/></testsuite>', None),
    ],
)
def test_failures_that_are_counted_and_not_listed_are_reported(tmp_path: Path, suites: str, problem: str | None) -> None:
    got = read(tmp_path, suites)
    assert got.problem == (problem and f"'r.xml' counts {problem}, and has no case that failed.")


PASSED = '<testcase name="passed"/>'
ERROR = '<testcase name="set up"><error/></testcase>'
SUITE = f'<testsuite tests="1" failures="1">{CASE}</testsuite>'


@pytest.mark.parametrize(
    ("suites", "missing"),
    [
        (f'<testsuite failures="9">{CASE}</testsuite>', 8),
        (f'<testsuite tests="2" failures="2">{CASE}{PASSED}</testsuite>', 1),
        (f'<testsuite tests="3" failures="1" errors="1">{CASE}{PASSED}</testsuite>', 1),
        (
            f'<testsuites><testsuite failures="2">{CASE}</testsuite>{SUITE}</testsuites>',
            1,
        ),
        (f'<testsuites failures="3">{SUITE}</testsuites>', 2),
        (f'<testsuite failures="3">{SUITE}{CASE}</testsuite>', 1),
        (f'<testsuites tests="2" failures="1" errors="1">{SUITE}<testsuite errors="1"/></testsuites>', 1),
    ],
)
def test_a_part_of_the_failures_that_is_missing_is_reported(tmp_path: Path, suites: str, missing: int) -> None:
    problem = read(tmp_path, suites).problem
    assert problem == f"'r.xml' counts more failures and errors than it has: {missing} of them are missing."


@pytest.mark.parametrize(
    "suites",
    [
        # pytest: a case that failed, and whose teardown failed. Maven: earlier tries are not counted.
        f'<testsuite tests="2" failures="1" errors="1">{CASE.replace("</testcase>", "<error/></testcase>")}{PASSED}</testsuite>',
        '<testsuite tests="1" failures="1"><testcase name="t"><failure/><rerunFailure/></testcase></testsuite>',
        '<testsuite tests="1" failures="0" flakes="1"><testcase name="t"><flakyFailure/></testcase></testsuite>',
        # PHPUnit and Robot: an outer suite counts what is in the inner ones. GoogleTest: a failure for each assertion.
        f'<testsuite tests="2" failures="2">{SUITE}{SUITE}</testsuite>',
        '<testsuites tests="1" failures="1"><testsuite><testcase><failure/><failure/></testcase></testsuite></testsuites>',
        # Catch2 counts assertions.
        '<testsuite tests="40" failures="2" errors="1"><testcase><failure/><failure/><error/></testcase></testsuite>',
        # gotestsum counts the lines of a failed build. Boost counts an aborted case twice, and as tests those that passed.
        f'<testsuites tests="1" failures="1" errors="5">{SUITE}</testsuites>',
        f'<testsuite tests="1" failures="2" errors="1">{CASE}{ERROR}{PASSED}</testsuite>',
        # Reporters that count each failure as an error, too.
        f'<testsuite tests="3" failures="2" errors="2">{CASE}{CASE}{PASSED}</testsuite>',
    ],
)
def test_a_file_of_a_writer_that_counts_in_another_way_is_not_accused(tmp_path: Path, suites: str) -> None:
    assert read(tmp_path, suites).problem is None


@pytest.mark.parametrize("content", ["", "no xml", "<", b"\0\1\2", b"\xff\xfe<\0"])
def test_a_file_that_is_not_xml_is_reported(tmp_path: Path, content: str | bytes) -> None:
    got = read(tmp_path, content)
    assert got.cases == ()
    assert got.problem is not None


def test_other_xml_is_ignored_without_a_report(tmp_path: Path) -> None:
    got = read(tmp_path, "<coverage><line/></coverage>")
    assert (got.cases, got.problem) == ((), None)


def test_terminal_colours_in_the_xml_are_removed(tmp_path: Path) -> None:
    (case,) = read(tmp_path, CASE.replace("x &lt;", "\x1b[31mx\x1b[0m &lt;").join(["<testsuite>", "</testsuite>"])).cases
    assert case.details == "?[31mx?[0m < y"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "cp932", "gb18030"])
def test_the_declared_encoding_is_followed(tmp_path: Path, encoding: str) -> None:
    name = "Größe" if encoding == "iso-8859-1" else "時刻"
    text = f'<?xml version="1.0" encoding="{encoding}"?><testsuite><testcase name="{name}"/></testsuite>'
    assert [case.name for case in read(tmp_path, text.encode(encoding)).cases] == [name]


def test_a_long_stack_trace_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    (case,) = read(
        tmp_path, CASE.replace("x &lt; y", "first " + "x" * 200_000 + " last").join(["<testsuite>", "</testsuite>"])
    ).cases
    assert case.details.startswith("first ")
    assert case.details.endswith(" last")
    assert len(case.details) < MAX_PART_CHARACTERS + 100


def test_a_file_that_is_too_large_is_reported(tmp_path: Path) -> None:
    with (tmp_path / "r.xml").open("wb") as file:
        file.truncate(MAX_XML_BYTES + 1)
    problem = read_junit(Folder(tmp_path), "r.xml").problem
    assert problem is not None
    assert "larger than" in problem


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert read_junit(Folder(tmp_path), "r.xml").problem == "'r.xml' cannot be read: no such file or directory."


@pytest.mark.parametrize("encoding", ["idna", "undefined", "punycode", "rot13", "base64", "none-such"])
def test_an_encoding_that_is_not_for_text_gives_cases_or_a_message(tmp_path: Path, encoding: str) -> None:
    file = read(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?><testsuite>{CASE}</testsuite>')
    assert len(file.cases) == 1 or file.problem
