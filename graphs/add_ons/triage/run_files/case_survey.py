"""The cases of a test run to judge: those that failed, were flaky, or passed while their logs show a failure."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import Literal, TypeVar

from answergraph.graphs.add_ons.triage.run_files.case_identity import (
    HEADING,
    OF_TEST,
    CaseKey,
    TestName,
    case_key,
    differences,
    same_name,
    surroundings,
    tests_named_in,
    with_tries,
)
from answergraph.graphs.add_ons.triage.run_files.file_search import Match, search
from answergraph.graphs.add_ons.triage.run_files.junit_results import JUnitCase, read_junit
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import MAX_KEPT_LOOKS, Folder

TRIED_AGAIN = (
    r"\bfailed \(\d+ runs? remaining out of \d+\)|\bfailed on attempt \d+! Retrying|^[ \t]*\(retries\) |error-context\.md"
    r"|\btest-failed-\d+\.png|\bRetry #\d+ ─"
)
"""Signs of failed tries of a passed case: of pytest's plugins flaky and retry, and Playwright."""
TROUBLE = (
    r"Traceback \(most recent call last\)|\bAssertionError\b|Exception in thread|was never retrieved|Exception ignored in"
    rf"|{TRIED_AGAIN}|^panic: |\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b|\bUnhandled\w* (?:exception|rejection|promise)"
)
"""Signs of a failure in a passed case's output or log, as an RE2 expression."""
MAX_LOG_LINES_BEFORE = 30
"""Lines searched for the test's name above such a line."""

_TROUBLE_IN_OUTPUT = re.compile(f"^.*(?:{TROUBLE}).*$", re.MULTILINE)
_TRIED_AGAIN = re.compile(TRIED_AGAIN)
_WORD = re.compile(r"[^\s:,;()\[\]'\"<>/]+")
_NO_TEXT = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp4", ".webm", ".zip", ".gz", ".xz", ".zst", ".pdf", ".pyc", ".class")
"""Known binary files; other binary files are reported as problems."""

_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")
Kind = Literal["failed", "flaky", "passed"]


@dataclass(frozen=True)
class Case:
    """One case to judge: a test in one environment, and all its results there."""

    kind: Kind
    """``"failed"``: at least one failure; ``"flaky"``: failed and passed within one run; ``"passed"``: only a log shows a
    failure."""
    result: JUnitCase
    """The first failure, or the passed result itself."""
    others: tuple[JUnitCase, ...] = ()
    """The other results of the same test in the same environment."""
    elsewhere: tuple[JUnitCase, ...] = ()
    """Results of the same name in other environments, perhaps of other tests."""
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
    unread: tuple[str, ...] = ()
    """The XML files whose results may not all be known."""

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The cases to judge: failed ones first, then flaky ones, each in the order of the files."""
        failed = [min(bad, key=_ran_first) for same in self._by_test.values() if (bad := [one for one in same if one.has_failed])]
        sound = [same for same in self._by_test.values() if not any(one.has_failed for one in same)]
        flaky = [min(bad, key=_ran_first) for same in sound if (bad := [one for one in same if one.is_flaky])]
        of_passed = self.passed_with_trouble
        troubled = [self._case("flaky" if _TRIED_AGAIN.search(sign) else "passed", one, sign) for one, sign in of_passed]
        return (
            *(self._case("failed", result) for result in failed),
            *(self._case("flaky", result) for result in flaky),
            *sorted(troubled, key=lambda case: case.kind),
        )

    def case(self, case_id: str) -> Case | None:
        """Return the case of a result; an unsuspicious result is a passed case."""
        result = self.by_id.get(case_id)
        return None if result is None else self._case_of.get(case_key(result)) or self._case("passed", result)

    def before(self, result: JUnitCase) -> tuple[str, ...]:
        """Return the titles of the cases that ran before one, in the order of its file."""
        numbers, titles = self._ran[result.file]
        return titles[: bisect_left(numbers, result.number)]

    def namesakes(self, result: JUnitCase) -> tuple[TestName, ...]:
        """Return the other tests whose function has the same name, one for each class."""
        own = same_name(result)
        return tuple({test[0]: test for test in self._by_function[_function(result)] if test != own}.values())

    @cached_property
    def by_id(self) -> Mapping[str, JUnitCase]:
        """The results by their ids."""
        return {result.id: result for result in self.results}

    @cached_property
    def _ran(self) -> Mapping[str, tuple[list[int], tuple[str, ...]]]:
        ran = {path: [case for case in cases if case.status != "skipped"] for path, cases in self.files.items()}
        return {path: ([case.number for case in cases], tuple(case.title for case in cases)) for path, cases in ran.items()}

    @cached_property
    def _case_of(self) -> Mapping[CaseKey, Case]:
        return {case_key(case.result): case for case in reversed(self.cases)}

    @cached_property
    def _by_function(self) -> Mapping[str, list[TestName]]:
        return _grouped((_function(result), same_name(result)) for result in self.results)

    @cached_property
    def _by_test(self) -> Mapping[CaseKey, list[JUnitCase]]:
        return _grouped((case_key(result), result) for result in self.results)

    @cached_property
    def _by_name(self) -> Mapping[TestName, list[tuple[dict[str, str], JUnitCase]]]:
        ran = [result for result in self.results if result.name and result.status != "skipped"]
        return _grouped((same_name(result), (surroundings(result), result)) for result in ran)

    def _case(self, kind: Kind, result: JUnitCase, sign: str = "") -> Case:
        same = [other for other in self._by_test[case_key(result)] if other.status != "skipped" or kind == "passed"]
        here, named = surroundings(result), self._by_name.get(same_name(result), ())
        others = tuple(other for other in same if other is not result)
        elsewhere = tuple(other for there, other in named if there != here and differences(result, other))
        return Case(kind, result, others, elsewhere, sign)


@lru_cache(maxsize=MAX_KEPT_LOOKS)
def survey_of(folder: Folder) -> Survey:
    """Read all JUnit files of a folder, and search the logs of passed tests for failures; once for each look at it."""
    listing = folder.whole
    junit_files = [read_junit(folder, entry.path) for entry in listing.files if entry.path.lower().endswith(".xml")]
    files = {file.path: tuple(with_tries(file.cases)) for file in junit_files if file.cases}
    unread = {file.path: file.problem for file in junit_files if file.problem}
    problems = [*listing.problems, *unread.values()]
    problems += [
        f"{entry.path!r} is a {'link; links are' if entry.kind == 'link' else 'special file; these are'} not followed."
        for entry in listing.entries
        if entry.kind != "file"
    ]
    results = tuple(result for cases in files.values() for result in cases)
    judged = {case_key(result) for result in results if result.has_failed or result.is_flaky}
    quiet = [result for result in results if result.status == "passed" and case_key(result) not in judged]
    trouble = _trouble_in_output(quiet)
    logs = tuple(entry for entry in listing.files if not entry.path.lower().endswith((".xml", *_NO_TEXT)))
    log_search = search(folder, TROUBLE, logs, regex=True) if results else None
    if log_search is not None:
        problems += log_search.problems
        trouble |= _trouble_in_logs(log_search.matches, results, {case_key(result) for result in quiet})
    return Survey(results, tuple(problems), tuple(trouble.values()), files, tuple(unread))


def _function(result: JUnitCase) -> str:
    return result.name.partition("[")[0]  # without its parameters


def _grouped(pairs: Iterable[tuple[_Key, _Item]]) -> Mapping[_Key, list[_Item]]:
    grouped: dict[_Key, list[_Item]] = defaultdict(list)
    for key, item in pairs:
        grouped[key].append(item)
    return grouped


def _ran_first(result: JUnitCase) -> tuple[str, int, str]:
    # Without start times, a run's folder comes before those of its reruns.
    return (result.started, result.file.count("/"), result.file)


def _trouble_in_output(results: Iterable[JUnitCase]) -> dict[CaseKey, tuple[JUnitCase, str]]:
    trouble: dict[CaseKey, tuple[JUnitCase, str]] = {}
    for result in results:
        if match := _TROUBLE_IN_OUTPUT.search(result.output):
            trouble.setdefault(case_key(result), (result, match[0].strip()))
    return trouble


def _trouble_in_logs(
    matches: Iterable[Match], results: Iterable[JUnitCase], quiet: set[CaseKey]
) -> dict[CaseKey, tuple[JUnitCase, str]]:
    """Return the passed cases named in or right above a line that shows a failure."""
    by_function = _grouped((_function(result), result) for result in results)
    trouble: dict[CaseKey, tuple[JUnitCase, str]] = {}
    for match in matches:
        for result in _named_above(match, by_function):
            if case_key(result) in quiet:
                trouble.setdefault(case_key(result), (result, match.line.strip()))
    return trouble


def _named_above(match: Match, by_function: Mapping[str, list[JUnitCase]]) -> list[JUnitCase]:
    """Return the results, in the log's folder, of the one test that the heading, or the last line that names any, means."""
    lines = [*match.before.splitlines()[-MAX_LOG_LINES_BEFORE:], match.line]
    lines = lines[max((index for index, line in enumerate(lines) if HEADING.search(line)), default=0) :]
    folder = PurePosixPath(match.path).parent
    for line in lines[:1] if OF_TEST.search(lines[0]) else reversed(lines):
        words = {part for word in _WORD.findall(line) for part in (word, *word.split("."))}
        named = [result for word in words for result in by_function.get(word, ())]
        near = [result for result in named if PurePosixPath(result.file).parent == folder]
        if near:
            meant = tests_named_in(line, dict.fromkeys(map(same_name, near)))
            return [result for result in near if [same_name(result)] == meant]
    return []
