"""Reads test results from JUnit XML of any writer, and as much of a broken file as can be read.

Entities are refused: a file may neither blow up while it is read nor pull in another one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from answergraph.graphs.triage.run_files.read_only_folder import Folder, FolderError

Status = Literal["passed", "failed", "error", "skipped"]

MAX_XML_BYTES = 64 << 20
"""A larger XML file is not read."""
MAX_CASES = 100_000
"""How many cases of one file are read."""
MAX_PART_CHARACTERS = 30_000
"""How much of a case's details and of its output is kept: the beginning and the end."""

_FAILURES: dict[str, Status] = {"failure": "failed", "error": "error"}
_RERUNS = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
_DECLARATION = re.compile(rb"""\A\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["'][^>]*\?>""")
_NATIVE = frozenset({"utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "latin-1"})
_NOT_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True)
class JUnitCase:
    """One result of one test case."""

    file: str
    number: int
    """Its place in the file, counted from 1."""
    class_name: str
    name: str
    status: Status
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
    reruns: tuple[str, ...] = ()
    """Messages of failed tries of the same case that the file counts in it."""

    @property
    def id(self) -> str:
        """The file and the place in it: ``"results.xml#3"``."""
        return f"{self.file}#{self.number}"

    @property
    def test(self) -> tuple[str, str]:
        """The test's name, the same in every file that has a result of it."""
        return (self.class_name, self.name)

    @property
    def title(self) -> str:
        return f"{self.class_name}::{self.name}" if self.class_name else self.name

    @property
    def has_failed(self) -> bool:
        return self.status in {"failed", "error"}


@dataclass(frozen=True)
class JUnitFile:
    """The results in one XML file; none where it is not JUnit's."""

    path: str
    cases: tuple[JUnitCase, ...] = ()
    problem: str | None = None
    """What could not be read of it, in one sentence."""


def read_junit(folder: Folder, path: str) -> JUnitFile:
    """Return the test cases of an XML file."""
    try:
        with folder.open(path) as file:
            content = file.read(MAX_XML_BYTES + 1)
    except FolderError as error:
        return JUnitFile(path, problem=str(error))
    if len(content) > MAX_XML_BYTES:
        return JUnitFile(path, problem=f"{path!r} is larger than {MAX_XML_BYTES >> 20} MiB of XML; not read.")
    read = _parsed(path, _decodable(content))
    if read.problem is not None and _NOT_XML.search(content) and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        # Programs write terminal colours into XML, where control characters have no place.
        again = _parsed(path, _decodable(_NOT_XML.sub(b"?", content)))
        read = again if len(again.cases) >= len(read.cases) else read
    return read


def _parsed(path: str, content: bytes) -> JUnitFile:
    cases: list[JUnitCase] = []
    problem = None
    try:
        for case in _cases(path, content):
            cases.append(case)
            if len(cases) >= MAX_CASES:
                problem = f"Only the first {MAX_CASES} cases of {path!r} are read."
                break
    except DefusedXmlException:
        return JUnitFile(path, problem=f"{path!r} declares XML entities, which are not resolved; not read.")
    except (ParseError, LookupError, ValueError) as error:
        problem = f"{path!r} is no complete XML ({error}); {len(cases)} cases of it were read."
    return JUnitFile(path, tuple(cases), problem)


def _cases(path: str, content: bytes) -> Iterator[JUnitCase]:
    started = ""
    number = 0
    opened: list[Element] = []
    for event, element in iterparse(io.BytesIO(content), events=("start", "end"), forbid_external=True):
        tag = _tag(element)
        if event == "start":
            opened.append(element)
            started = element.get("timestamp", started) if tag == "testsuite" else started
            continue
        opened.pop()
        if tag == "testcase":
            number += 1
            yield _case(element, path, number, element.get("timestamp", started))
            if opened:
                opened[-1].remove(element)  # what was read is not kept


def _case(element: Element, path: str, number: int, started: str) -> JUnitCase:
    status: Status = "passed"
    failure: Element | None = None
    output, reruns = [], []
    for child in element:
        tag = _tag(child)
        if tag in _FAILURES and failure is None:
            status, failure = _FAILURES[tag], child
        elif tag == "skipped" and failure is None:
            status = "skipped"
        elif tag in {"system-out", "system-err"}:
            output.append((child.text or "").strip("\n"))
        elif tag in _RERUNS:
            reruns.append(child.get("message") or (child.text or "").strip())
    return JUnitCase(
        file=path,
        number=number,
        class_name=element.get("classname", ""),
        name=element.get("name", ""),
        status=status,
        seconds=element.get("time", ""),
        started=started,
        message=_shortened(failure.get("message") or "") if failure is not None else "",
        details=_shortened("".join(failure.itertext())) if failure is not None else "",
        output=_shortened("\n".join(part for part in output if part)),
        reruns=tuple(reruns),
    )


def _decodable(content: bytes) -> bytes:
    """Return XML in UTF-8 where it declares an encoding that the parser does not know."""
    declared = _DECLARATION.match(content[:200])
    if declared is None or declared[1].decode().lower() in _NATIVE:
        return content
    try:
        return content[declared.end() :].decode(declared[1].decode(), errors="replace").encode()
    except LookupError:
        return content[declared.end() :]


def _shortened(text: str) -> str:
    if len(text) <= MAX_PART_CHARACTERS:
        return text
    half = MAX_PART_CHARACTERS // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def _tag(element: Element) -> str:
    return str(element.tag).rsplit("}", 1)[-1]
