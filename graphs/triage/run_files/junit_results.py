"""The test results of a JUnit XML file of any writer, each with the tries that it took."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from answergraph.graphs.triage.run_files.junit_xml import XmlElement, read_xml
from answergraph.graphs.triage.run_files.read_only_folder import Folder, FolderError

Status = Literal["passed", "failed", "error", "skipped"]

MAX_XML_BYTES = 64 << 20
"""A larger XML file is not read."""
MAX_PART_CHARACTERS = 30_000
"""How much of a case's details and of its output is kept: the beginning and the end."""

_FAILURES: dict[str, Status] = {"failure": "failed", "error": "error"}
_FAILED_TRIES = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
_ATTEMPT = re.compile(r"^[ \t]*+Retry #\d++ ─++$", re.MULTILINE)
"""Playwright's heading above each further attempt in one failure's text."""
_PYTESTS = frozenset({"pytest", "pytest tests"})
"""The names that pytest gives its suites."""
_NOT_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True)
class Try:
    """A failed try of a test that was tried again."""

    line: int
    """Where it stands in the file."""
    written: str
    """Its start tag, as it stands in the file."""
    message: str = ""
    details: str = ""


@dataclass(frozen=True)
class JUnitCase:
    """One result of one test case."""

    file: str
    number: int
    """Its place in the file, counted from 1."""
    class_name: str
    name: str
    status: Status
    """How its last try ended."""
    line: int = 0
    """The line of the file on which it begins."""
    written: str = ""
    """Its start tag, and that of its failure, as they stand in the file; each on a line of its own."""
    suites: tuple[str, ...] = ()
    """The names of the suites around it, outermost first."""
    source: str = ""
    """The file of the test's own code, if the result says so."""
    source_line: str = ""
    occurrence: int = 0
    """Told from another test of the same suite that goes by the same name: 0 for the first, 1 for the second."""
    seconds: str = ""
    """As the file has it."""
    started: str = ""
    """When its suite started, as the file has it."""
    message: str = ""
    """The failure's one-line message."""
    details: str = ""
    """The failure's text, usually the stack trace."""
    output: str = ""
    """What the case itself printed, if the file has it."""
    tries: tuple[Try, ...] = ()
    """The failed tries before, of the same run."""
    settings: tuple[tuple[str, str], ...] = ()
    """The host and the properties that the file has for it."""
    suite_lists_more: bool = field(default=False, compare=False)
    """Whether its suite, of pytest, lists more cases than it counts tests: some of them are tries."""

    @property
    def id(self) -> str:
        """The file and the place in it: ``"results.xml#3"``."""
        return f"{self.file}#{self.number}"

    @property
    def title(self) -> str:
        return f"{self.class_name}::{self.name}" if self.class_name else self.name

    @property
    def has_failed(self) -> bool:
        return self.status in {"failed", "error"}

    @property
    def is_flaky(self) -> bool:
        """Whether it passed after it had failed."""
        return self.status == "passed" and bool(self.tries)


@dataclass(frozen=True)
class JUnitFile:
    """The results in one XML file; none where it is not JUnit's."""

    path: str
    cases: tuple[JUnitCase, ...] = ()
    problem: str | None = None
    """What could not be read of it, in one sentence."""


def read_junit(folder: Folder, path: str) -> JUnitFile:
    """Return the test cases of an XML file, those that are tries of one test as one."""
    try:
        with folder.open(path) as file:
            content = file.read(MAX_XML_BYTES + 1)
    except FolderError as error:
        return JUnitFile(path, problem=str(error))
    if len(content) > MAX_XML_BYTES:
        return JUnitFile(path, problem=f"{path!r} is larger than {MAX_XML_BYTES >> 20} MiB of XML; not read.")
    read = read_xml(path, content)
    if read.problem is not None and _NOT_XML.search(content) and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        # Programs write terminal colours into XML, where control characters have no place.
        again = read_xml(path, _NOT_XML.sub(b"?", content))
        read = again if len(again.cases) >= len(read.cases) else read
    cases = [_case(element, suites, path, number) for number, (element, suites) in enumerate(read.cases, start=1)]
    return JUnitFile(path, tuple(cases), read.problem)


def _case(element: XmlElement, suites: tuple[XmlElement, ...], path: str, number: int) -> JUnitCase:
    failures = [child for child in element.children if child.name in _FAILURES]
    skipped = any(child.name == "skipped" for child in element.children)
    status: Status = _FAILURES[failures[0].name] if failures else "skipped" if skipped else "passed"
    output = [child.text.strip("\n") for child in element.children if child.name in {"system-out", "system-err"}]
    tries = [child for child in element.children if child.name in _FAILED_TRIES]
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
        line=element.line,
        written="\n".join([element.written, *(failure.written for failure in failures)]),
        suites=names,
        source=own.get("file", own.get("filepath", "")),
        source_line=element.attributes.get("line", ""),
        seconds=element.attributes.get("time", ""),
        started=own.get("timestamp", ""),
        message=_message(failures[0]) if failures else "",
        details=_shortened("\n".join([*(failure.text for failure in failures[:-1]), *attempts[-1:]])),
        output=_shortened("\n".join(part for part in output if part)),
        tries=tuple(Try(part.line, part.written, _message(part), _shortened(part.text)) for part in tries)
        or tuple(Try(failures[-1].line, failures[-1].written, details=_shortened(text)) for text in attempts[:-1]),
        settings=tuple(_settings(element, suites, own)),
        suite_lists_more=any(name in _PYTESTS for name in names) and suites[-1].cases > _count(suites[-1]),
    )


def _settings(element: XmlElement, suites: tuple[XmlElement, ...], own: dict[str, str]) -> Iterator[tuple[str, str]]:
    if own.get("hostname"):
        yield "hostname", own["hostname"]
    for suite in suites:
        yield from suite.properties.items()
    for child in element.children:
        if child.name == "properties":
            # A test's own properties are mostly what it measured; those of its surroundings go by these names.
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
