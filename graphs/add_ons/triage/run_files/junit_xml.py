"""Reads the test cases of an XML file with their suites and positions.

Entities are refused: they could expand without bound or include other files.
"""

import codecs
import re
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

MAX_CASES = 100_000
"""Maximum cases per file."""
MAX_ELEMENT_DEPTH = 32
"""Maximum nesting of suites and elements."""
FAILURES = frozenset({"failure", "error"})
FAILED_TRIES = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})

_DECLARATION = re.compile(r"""\A\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["'][^>]*\?>""")
_TAG = re.compile(rb"""<(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
_READ_ENCODINGS = re.compile(
    r"utf-(8|16|32)(-\w+)?|ascii|iso8859-\d+|cp\d+|koi8-\w|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_jis\w*|iso2022_\w+"
)
"""The supported encodings; Python's others are not text, or take quadratic time."""
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass
class XmlElement:
    """An element in a test case, or a suite around it."""

    name: str
    attributes: dict[str, str]
    written: str
    """Its start tag, as it stands in the file."""
    pieces: list[str] = field(default_factory=list)
    children: "list[XmlElement]" = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    cases: int = 0
    """For a suite: the number of its direct cases."""

    @property
    def text(self) -> str:
        """Its text and that of the elements in it."""
        return "".join(self.pieces)

    def number(self, name: str) -> int:
        """Return an attribute as a number, 0 if it is none."""
        value = self.attributes.get(name, "")
        return int(value) if value.isdecimal() else 0


@dataclass
class Tally:
    """The cases and failures in a suite or file, beside those that its suites count."""

    cases: int = 0
    listed: int = 0
    """Failures and errors, with those of earlier tries; a case may have several."""
    counted: int = 0
    missing: int = 0
    """Failures and errors that a suite counts and does not list."""

    def add(self, suite: XmlElement, inside: "Tally") -> None:
        """Add a suite, and what is in it."""
        failures, errors = suite.number("failures"), suite.number("errors")
        counted = failures + errors
        if suite.name == "testsuites" and inside.cases:
            counted = failures  # gotestsum counts the lines of failed builds as errors of all suites
        elif 0 < suite.number("tests") <= inside.cases:
            counted = max(failures, errors)  # no case is missing; Boost counts an aborted one as both
        self.cases += inside.cases
        self.listed += inside.listed
        self.counted += max(inside.counted, failures + errors)
        self.missing += max(inside.missing, counted - inside.listed)


@dataclass
class XmlCases:
    """The test cases of a file, and its reading problem."""

    cases: list[tuple[XmlElement, tuple[XmlElement, ...]]] = field(default_factory=list)
    """Each with the suites around it, outermost first."""
    tally: Tally = field(default_factory=Tally)
    problem: str | None = None


class _FullError(Exception):
    """The maximum was reached."""


def read_xml(path: str, content: bytes) -> XmlCases:
    """Return the test cases of an XML file, up to a syntax error."""
    xml_cases = XmlCases()
    utf8 = _as_utf8(content)
    target = _Target(utf8, xml_cases)
    parser: Any = DefusedXMLParser(target=target, encoding="utf-8", forbid_external=True)
    target.position = parser.parser
    try:
        parser.feed(utf8)
        parser.close()
    except _FullError as full:
        xml_cases.problem = f"{full} of {path!r} are read."
    except DefusedXmlException:
        return XmlCases(problem=f"{path!r} declares XML entities, which are not resolved; not read.")
    except (ParseError, LookupError, ValueError) as error:
        xml_cases.problem = f"{path!r} is no complete XML ({error}); {len(xml_cases.cases)} cases of it were read."
    return xml_cases


class _Target:
    """Collects the test cases from the parser's events."""

    position: Any
    """Expat's parser, for positions."""

    def __init__(self, content: bytes, xml_cases: XmlCases) -> None:
        self._content, self._xml_cases = content, xml_cases
        self._suites: list[XmlElement] = []
        self._tallies = [xml_cases.tally]  # of the file, and of each suite that is open
        self._open: list[XmlElement] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rsplit("}", 1)[-1]
        if len(self._suites) + len(self._open) >= MAX_ELEMENT_DEPTH:
            raise _FullError(f"Only the {len(self._xml_cases.cases)} cases before elements nest {MAX_ELEMENT_DEPTH} deep")
        if name in {"testsuite", "testsuites"} and not self._open:
            self._suites.append(self._element(name, attributes))
            self._tallies.append(Tally())
        elif name == "testcase" or self._open:
            element = self._element(name, attributes)
            for parent in self._open[-1:]:
                parent.children.append(element)
            self._open.append(element)
        elif name == "property" and self._suites:
            self._suites[-1].properties[attributes.get("name", "")] = attributes.get("value", "")

    def data(self, text: str) -> None:
        for element in self._open[1:]:
            element.pieces.append(text)

    def end(self, tag: str) -> None:
        if self._open:
            ended = self._open.pop()
            if not self._open:
                self._add(ended)
        elif tag.rsplit("}", 1)[-1] in {"testsuite", "testsuites"}:
            inside = self._tallies.pop()
            self._tallies[-1].add(self._suites.pop(), inside)

    def close(self) -> None:
        """Required by the parser."""

    def _add(self, case: XmlElement) -> None:
        if self._suites:
            self._suites[-1].cases += 1
        self._tallies[-1].cases += 1
        self._tallies[-1].listed += sum(child.name in {*FAILURES, *FAILED_TRIES} for child in case.children)
        self._xml_cases.cases.append((case, tuple(self._suites)))
        if len(self._xml_cases.cases) >= MAX_CASES:
            raise _FullError(f"Only the first {MAX_CASES} cases")

    def _element(self, name: str, attributes: dict[str, str]) -> XmlElement:
        match = _TAG.match(self._content, self.position.CurrentByteIndex)
        start_tag = match[0].decode(errors="replace") if match else ""
        return XmlElement(name, attributes, start_tag)


def _as_utf8(content: bytes) -> bytes:
    """Convert XML to UTF-8 from its declared or detected encoding."""
    encoding = next((name for mark, name in _BOMS if content.startswith(mark)), None)
    if encoding is None:
        declared = _DECLARATION.match(content[:200].decode("latin-1"))
        encoding = declared[1] if declared else "utf-8"
    if encoding.lower() in {"utf-8", "us-ascii", "ascii"}:
        return content
    try:
        is_read = _READ_ENCODINGS.fullmatch(codecs.lookup(encoding).name)
    except LookupError:
        is_read = None
    return content.decode(encoding, errors="replace").encode(errors="replace") if is_read else content
