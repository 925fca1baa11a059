"""Identifies results of the same test in the same environment.

Two results count as runs of one test only if all facts in the files agree, except for marks of a rerun: a folder
``attempt-2``, a file ``rerun.xml``.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath

from answergraph.graphs.add_ons.triage.run_files.junit_results import JUnitCase, Try

CaseKey = tuple[object, ...]
"""The identity of a test in its environment."""
TestName = tuple[str, str]
"""The class and the name of a test, with its parameters."""
OF_TEST = re.compile(r"^_{3,} |::\w+(?:\[.*\])? [A-Z]{4,}\b")
"""What begins the part of a log that is about one test."""
HEADING = re.compile(rf"^={{3,}}(?: |$)|{OF_TEST.pattern}")
"""What begins another part of a log."""

_AGAIN = re.compile(r"(?<![a-z0-9])(?:re-?(?:run|try)|attempt|try|repeat|again|alone)s?[-_ .#]?\d*(?![a-z0-9])", re.IGNORECASE)
_ANY_REPORT = re.compile(r"(?:j?unit|test|tests|result|results|report|reports|output|xml)", re.IGNORECASE)
_WORDS = re.compile(r"[-_. ]+")
_NOT_IN_PATHS = re.compile(r"[^\w./\\$:-]")
_CODE = re.compile(r"[\w$]+(?:\([^()]*\))?(?:\[.*\])?", re.DOTALL)
_DOTTED_NAME = re.compile(r"[\w$]+(?:(?:\.|::|/|\\)[\w$]+)+")
_SCRIPT = re.compile(r"\.(?:[cm]?[jt]sx?|vue|feature)$")
_CHANGES_WITH_EACH_RUN = re.compile(
    r"time|date|seed|random|\bpid|(?:^|[._-])id$|uuid|path|dir|home|te?mp|user\.name|command|url|commit|sha|revision|build|run|attempt"
    r"|retr(?:y|ie)|worker|log|duration|memory|cwd|port\b|session|separator|repository|step",
    re.IGNORECASE,
)
_SURROUNDINGS = re.compile(
    r"browser|platform|python|java|node|ruby|php|dotnet|\bos\b|arch|device|project|target|env|variant|locale|database|backend"
    r"|config|matrix|version|flavou?r",
    re.IGNORECASE,
)


def same_name(result: JUnitCase) -> TestName:
    """Return the key shared by a test's results in all environments."""
    return (result.class_name, result.name)


def case_key(result: JUnitCase) -> CaseKey:
    """Return the key of a test in one environment."""
    return (*same_name(result), *environment(result).items(), result.source, result.source_line, result.occurrence)


def environment(result: JUnitCase) -> dict[str, str]:
    """Return the environment of a result: suite, host, properties, and matrix folder."""
    values = {"suite": " > ".join(filter(None, result.suites))}
    folder = _without_attempts(result.file)
    if folder:
        values["folder"] = folder
    values |= {name: value for name, value in result.settings if _tells_surroundings(name)}
    return values


def surroundings(result: JUnitCase) -> dict[str, str]:
    """Return the environment of a result, and the place of its test's code."""
    return {**environment(result), "file": f"{result.source}:{result.source_line}"}


def differences(one: JUnitCase, other: JUnitCase) -> dict[str, tuple[str, str]]:
    """Return the differences of two environments, by name."""
    ours, theirs = surroundings(one), surroundings(other)
    named = {name: (ours.get(name, "none"), theirs.get(name, "none")) for name in {**ours, **theirs}}
    return {name: values for name, values in named.items() if values[0] != values[1]}


def tests_named_in(line: str, tests: Iterable[TestName]) -> list[TestName]:
    """Return the tests that a line of a log may mean; of namesakes, those whose class or file it names, if it names one.

    >>> tests_named_in("__ TestCart.test_add[2] __", [("shop.TestCart", "test_add[2]"), ("shop.TestTax", "test_add[2]")])
    [('shop.TestCart', 'test_add[2]')]
    """
    named = [test for test in tests if _names(line, *test)]
    words = set(re.split(r"\W+", line))
    nearer = [test for test in named if test[0].rsplit(".", 1)[-1] in words] if len(named) > 1 else []
    return nearer or named


def _names(line: str, class_name: str, name: str) -> bool:
    """Return whether a line has a test's name as a word, without other parameters, and behind no other class or file."""
    function, bracket, parameters = name.partition("[")
    exactly = f"|{re.escape(bracket + parameters)}" if bracket else ""
    for match in re.finditer(rf"{re.escape(function)}(?:(?![\w\[]|\.py\b){exactly})", line):
        before = _NOT_IN_PATHS.split(line[: match.start()])[-1]
        if before.endswith((".", "::")):
            parts = [part for part in re.split(r"\W+", before.replace(".py::", "::")) if part]
            common = min(len(parts), class_name.count(".") + 1)
            if parts[-common:] == class_name.split(".")[-common:]:
                return True
        elif not before or before.endswith(":"):
            return True
    return False


def with_tries(results: Sequence[JUnitCase]) -> list[JUnitCase]:
    """Merge the tries of each test in one file, and separate other tests of the same name."""
    by_test: Mapping[CaseKey, list[JUnitCase]] = defaultdict(list)
    for result in results:
        by_test[case_key(result)].append(result)
    distinct = [result for same in by_test.values() for result in (same if len(same) == 1 else _distinguished(same))]
    return sorted(distinct, key=lambda result: result.number)


def _distinguished(same: list[JUnitCase]) -> Iterator[JUnitCase]:
    *before, last = same
    if _are_tries(before, last):
        yield replace(last, tries=(*(Try(one.written, one.message, one.details) for one in before), *last.tries))
    else:
        yield from (replace(result, occurrence=index) for index, result in enumerate(same))


def _are_tries(before: Iterable[JUnitCase], last: JUnitCase) -> bool:
    """Return whether results of one name in one suite are tries: all but the last failed."""
    if last.suite_lists_more and all(result.status == "passed" for result in before):
        return True  # pytest's plugins do not mark or count a failed try
    if not all(result.has_failed for result in before) or last.status == "skipped":
        return False
    # A class cannot have two tests of one name; titles can repeat.
    is_code = _CODE.fullmatch(last.name) and _DOTTED_NAME.fullmatch(last.class_name) and not _SCRIPT.search(last.class_name)
    return bool(is_code or (last.source and last.source_line))


def _tells_surroundings(name: str) -> bool:
    if name.startswith("test "):
        return bool(_SURROUNDINGS.search(name))
    return not _CHANGES_WITH_EACH_RUN.search(name) or bool(re.search(r"version|browser", name))


@lru_cache(maxsize=10_000)
def _without_attempts(path: str) -> str:
    """Return the folder and name of a result file, without marks of reruns and reports."""
    file = PurePosixPath(path)
    folders = [part for part in file.parent.parts if not _AGAIN.fullmatch(part)]
    words = [word for word in _WORDS.split(_AGAIN.sub("", file.stem)) if word and not _ANY_REPORT.fullmatch(word)]
    return "/".join([*folders, *(["-".join(words)] if words else [])])
