"""The cases of a test run to judge: those that failed, and those that passed while their logs show a failure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from answergraph.graphs.triage.run_files.file_search import Match, search
from answergraph.graphs.triage.run_files.junit_results import JUnitCase, JUnitFile, read_junit
from answergraph.graphs.triage.run_files.read_only_folder import FileEntry, Folder

TROUBLE = (
    r"Traceback \(most recent call last\)|\bAssertionError\b|Exception in thread|was never retrieved|Exception ignored in"
    r"|^panic: |\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b|\bUnhandled\w* (?:exception|rejection|promise)"
)
"""Signs of a failure in a passed case's output or log, as an RE2 expression."""
MAX_LOG_LINES_BEFORE = 30
"""How far above such a line the name of its test is looked for."""

_TROUBLE_IN_OUTPUT = re.compile(f"^.*(?:{TROUBLE}).*$", re.MULTILINE)
_WORD = re.compile(r"[^\s:,;()\[\]'\"<>/]+")
_MAX_KEPT_FILES = 512
_NO_TEXT = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp4", ".webm", ".zip", ".gz", ".xz", ".zst", ".pdf", ".pyc", ".class")
"""Files that nobody expects to be text; any other file that is none is a problem to tell."""

Kind = Literal["failed", "passed"]


@dataclass(frozen=True)
class Case:
    """One case to judge: a test and all its results in the folder."""

    kind: Kind
    """``"failed"`` where at least one result is a failure; ``"passed"`` where none is, and a log shows one."""
    result: JUnitCase
    """The first failure, or the passed result itself."""
    others: tuple[JUnitCase, ...] = ()
    """The other results of the same test."""
    sign: str = ""
    """For a passed case: the line that shows a failure."""


@dataclass(frozen=True)
class Survey:
    """The test results of a folder."""

    results: tuple[JUnitCase, ...]
    problems: tuple[str, ...]
    """One sentence for each file that could not be read."""
    passed_with_trouble: tuple[tuple[JUnitCase, str], ...] = ()
    files: Mapping[str, tuple[JUnitCase, ...]] = field(default_factory=dict)
    """The results by file, in the file's order."""

    def cases(self) -> list[Case]:
        """Return the cases to judge: failed ones first, each in the order of the files."""
        by_test: dict[tuple[str, str], list[JUnitCase]] = defaultdict(list)
        for result in self.results:
            by_test[result.test].append(result)
        failed = [_failed_case(results) for results in by_test.values() if any(result.has_failed for result in results)]
        passed = [
            Case("passed", result, tuple(other for other in by_test[result.test] if other is not result), sign)
            for result, sign in self.passed_with_trouble
        ]
        return failed + passed

    def case(self, case_id: str) -> Case | None:
        """Return the case that a result belongs to; a result that nobody suspects is a passed case of its own."""
        for case in self.cases():
            if case_id in {case.result.id, *(other.id for other in case.others)}:
                return case
        result = next((result for result in self.results if result.id == case_id), None)
        return None if result is None else Case("passed", result)

    def before(self, result: JUnitCase) -> tuple[str, ...]:
        """Return the titles of the cases that ran before one, in the order of its file."""
        return tuple(other.title for other in self.files[result.file][: result.number - 1] if other.status != "skipped")


def survey(folder: Folder) -> Survey:
    """Read every JUnit file of a folder, and look for failures in the logs of what passed."""
    listing = folder.listing()
    read = [_read_once(str(folder.root), entry) for entry in listing.files if entry.path.lower().endswith(".xml")]
    files = {file.path: file.cases for file in read if file.cases}
    problems = [*listing.problems, *(file.problem for file in read if file.problem)]
    problems += [
        f"{entry.path!r} is a {'link; links are' if entry.kind == 'link' else 'special file; these are'} not followed."
        for entry in listing.entries
        if entry.kind != "file"
    ]
    results = tuple(result for cases in files.values() for result in cases)
    failed_tests = {result.test for result in results if result.has_failed}
    quiet = [result for result in results if result.status == "passed" and result.test not in failed_tests]
    trouble = _trouble_in_output(quiet)
    logs = tuple(entry for entry in listing.files if not entry.path.lower().endswith((".xml", *_NO_TEXT)))
    found = search(folder, TROUBLE, logs, regex=True) if results else None
    if found is not None:
        problems += found.problems
        trouble |= _trouble_in_logs(found.found, results, {result.test for result in quiet})
    return Survey(results, tuple(problems), tuple(trouble.values()), files)


def _failed_case(results: list[JUnitCase]) -> Case:
    first = min((result for result in results if result.has_failed), key=_ran_first)
    return Case("failed", first, tuple(result for result in results if result is not first and result.status != "skipped"))


def _ran_first(result: JUnitCase) -> tuple[str, int, str]:
    # Where no file says when it started, a run's own folder comes before those of its reruns.
    return (result.started, result.file.count("/"), result.file)


def _trouble_in_output(results: Iterable[JUnitCase]) -> dict[tuple[str, str], tuple[JUnitCase, str]]:
    trouble: dict[tuple[str, str], tuple[JUnitCase, str]] = {}
    for result in results:
        match = _TROUBLE_IN_OUTPUT.search(result.output)
        if match:
            trouble.setdefault(result.test, (result, match[0].strip()))
    return trouble


def _trouble_in_logs(
    matches: Iterable[Match], results: Iterable[JUnitCase], quiet: set[tuple[str, str]]
) -> dict[tuple[str, str], tuple[JUnitCase, str]]:
    """Return the passed cases whose name stands right above, or in, a line that shows a failure."""
    by_name: dict[str, list[JUnitCase]] = defaultdict(list)
    for result in results:
        by_name[result.name].append(result)
    trouble: dict[tuple[str, str], tuple[JUnitCase, str]] = {}
    for match in matches:
        for result in _named_above(match, by_name):
            if result.test in quiet:
                trouble.setdefault(result.test, (result, match.line.strip()))
    return trouble


def _named_above(match: Match, by_name: Mapping[str, list[JUnitCase]]) -> list[JUnitCase]:
    """Return the results, in the log's own folder, of the test that is named last before the line."""
    lines = [*match.before.splitlines()[-MAX_LOG_LINES_BEFORE:], match.line]
    place = PurePosixPath(match.path).parent
    for line in reversed(lines):
        named = [result for name in _names_in(line) for result in by_name.get(name, ())]
        near = [result for result in named if PurePosixPath(result.file).parent == place]
        if near:
            return near
    return []


def _names_in(line: str) -> Iterator[str]:
    for word in _WORD.findall(line):
        yield word
        yield word.rsplit(".", 1)[-1]


@lru_cache(maxsize=_MAX_KEPT_FILES)
def _read_once(root: str, entry: FileEntry) -> JUnitFile:
    # The entry says how large it is and when it was written: what has changed since is read again.
    return read_junit(Folder(root), entry.path)
