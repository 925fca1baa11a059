"""The test results of a JUnit XML file, each with its tries."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from answergraph.graphs.add_ons.triage.run_files.junit_xml import FAILED_TRIES, FAILURES, Tally, XmlElement, read_xml
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder, FolderError

Status = Literal["passed", "failed", "error", "skipped"]

MAX_XML_BYTES = 64 << 20
"""Larger XML files are not read."""
MAX_SETTINGS = 200
"""Properties of a suite that each of its cases repeats; the tools write about a hundred."""
MAX_HEAD_BYTES = 400
"""Where a file names the tool that wrote it."""
MAX_PART_CHARACTERS = 30_000
"""Characters kept of a case's details and output, from beginning and end."""

_ATTEMPT = re.compile(r"^[ \t]*+Retry #\d++ ─++$", re.MULTILINE)
"""Playwright's heading above each further attempt in one failure's text."""
_PYTESTS = frozenset({"pytest", "pytest tests"})
"""pytest's suite names."""
_NOT_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True)
class Try:
    """A failed try of a repeated test."""

    written: str
    """Its start tag in the file."""
    message: str = ""
    details: str = ""


@dataclass(frozen=True)
class JUnitCase:
    """One result of one test case."""

    file: str
    number: int
    """Its number in the file, from 1."""
    class_name: str
    name: str
    status: Status
    """The result of its last try."""
    written: str = ""
    """Its start tag and its failure's in the file, each on a separate line."""
    suites: tuple[str, ...] = ()
    """The names of the suites around it, outermost first."""
    source: str = ""
    """The file of the test's code, if known."""
    source_line: str = ""
    occurrence: int = 0
    """Numbers tests of the same name in one suite, from 0."""
    seconds: str = ""
    """As given in the file."""
    started: str = ""
    """The suite's start time, as given in the file."""
    message: str = ""
    """The failure's one-line message."""
    details: str = ""
    """The failure's text, usually the stack trace."""
    output: str = ""
    """The case's own output, if in the file."""
    tries: tuple[Try, ...] = ()
    """Earlier failed tries of the same run."""
    settings: tuple[tuple[str, str], ...] = ()
    """Its host and properties."""
    suite_lists_more: bool = field(default=False, compare=False)
    """Whether its pytest suite lists more cases than it counts: some are tries."""

    @property
    def id(self) -> str:
        """The file and number: ``"results.xml#3"``."""
        return f"{self.file}#{self.number}"

    @property
    def title(self) -> str:
        return f"{self.class_name}::{self.name}" if self.class_name else self.name

    @property
    def has_failed(self) -> bool:
        return self.status in {"failed", "error"}

    @property
    def is_flaky(self) -> bool:
        """Whether it passed after a failed try."""
        return self.status == "passed" and bool(self.tries)


@dataclass(frozen=True)
class JUnitFile:
    """The results in an XML file; empty if it is not JUnit's."""

    path: str
    cases: tuple[JUnitCase, ...] = ()
    problem: str | None = None
    """The reading problem, in one sentence."""


def read_junit(folder: Folder, path: str) -> JUnitFile:
    """Return the test cases of an XML file, with tries merged."""
    try:
        with folder.open(path) as file:
            content = file.read(MAX_XML_BYTES + 1)
    except FolderError as error:
        return JUnitFile(path, problem=str(error))
    if len(content) > MAX_XML_BYTES:
        return JUnitFile(path, problem=f"{path!r} is larger than {MAX_XML_BYTES >> 20} MiB of XML; not read.")
    xml_cases = read_xml(path, content)
    if xml_cases.problem is not None and _NOT_XML.search(content) and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        # Programs write terminal colours into XML, where control characters are invalid.
        again = read_xml(path, _NOT_XML.sub(b"?", content))
        xml_cases = again if len(again.cases) >= len(xml_cases.cases) else xml_cases
    cases = [_case(element, suites, path, number) for number, (element, suites) in enumerate(xml_cases.cases, start=1)]
    if b"org.testng.reporters" in content[:MAX_HEAD_BYTES]:
        same: Counter[str] = Counter()
        for index, case in enumerate(cases):  # one test for each row of a data provider
            cases[index] = replace(case, occurrence=same[case.title])
            same[case.title] += 1
    return JUnitFile(path, tuple(cases), xml_cases.problem or _what_is_missing(path, cases, xml_cases.tally))


def _what_is_missing(path: str, cases: Sequence[JUnitCase], tally: Tally) -> str | None:
    if tally.counted and not any(case.has_failed or case.tries for case in cases):
        return f"{path!r} counts {tally.counted} failures and errors, and has no case that failed."
    more = f"{path!r} counts more failures and errors than it has: {tally.missing} of them are missing."
    return more if tally.missing else None


def _case(element: XmlElement, suites: tuple[XmlElement, ...], path: str, number: int) -> JUnitCase:
    failures = [child for child in element.children if child.name in FAILURES]
    skipped = any(child.name == "skipped" for child in element.children)
    status: Status = "skipped" if skipped else "passed"
    if failures:
        status = "failed" if failures[0].name == "failure" else "error"
    output = [child.text.strip("\n") for child in element.children if child.name in {"system-out", "system-err"}]
    tries = [child for child in element.children if child.name in FAILED_TRIES]
    attempts = _ATTEMPT.split(failures[-1].text) if failures else []
    around = dict(pair for suite in suites for pair in suite.attributes.items())
    own = {**around, **element.attributes}
    names = tuple(suite.attributes.get("name", "") for suite in suites)
    return JUnitCase(
        file=path,
        number=number,
        class_name=element.attributes.get("classname", ""),
        name=element.attributes.get("name", ""),
        status=status,
        written="\n".join([element.written, *(failure.written for failure in failures)]),
        suites=names,
        source=own.get("file", own.get("filepath", "")),
        source_line=element.attributes.get("line", ""),
        seconds=element.attributes.get("time", ""),
        started=own.get("timestamp", ""),
        message=_message(failures[0]) if failures else "",
        details=_shortened("\n".join([*(failure.text for failure in failures[:-1]), *attempts[-1:]])),
        output=_shortened("\n".join(part for part in output if part)),
        tries=tuple(Try(part.written, _message(part), _shortened(part.text)) for part in tries)
        or tuple(Try(failures[-1].written, details=_shortened(text)) for text in attempts[:-1]),
        settings=tuple(_settings(element, suites, own)),
        suite_lists_more=any(name in _PYTESTS for name in names) and suites[-1].cases > _count(suites[-1]),
    )


def _settings(element: XmlElement, suites: tuple[XmlElement, ...], own: dict[str, str]) -> Iterator[tuple[str, str]]:
    if own.get("hostname"):
        yield "hostname", own["hostname"]
    for suite in suites:
        yield from islice(suite.properties.items(), MAX_SETTINGS)
    for child in element.children:
        if child.name == "properties":
            # Other properties are mostly measurements; these describe the environment.
            yield from ((f"test {part.attributes.get('name', '')}", part.attributes.get("value", "")) for part in child.children)


def _count(suite: XmlElement) -> float:
    counted = suite.attributes.get("tests", "")
    return int(counted) if counted.isdecimal() else float("inf")


def _message(failure: XmlElement) -> str:
    return _shortened(failure.attributes.get("message", ""))


def _shortened(text: str) -> str:
    if len(text) <= MAX_PART_CHARACTERS:
        return text
    half = MAX_PART_CHARACTERS // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
