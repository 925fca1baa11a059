"""What the triage policy knows of a case: the facts of ``read_case``, and the log lines that were looked up.

Everything here stands in what tools returned, so that a quote is always a piece of their text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from answergraph.graphs.triage.run_files.case_facts import MAX_MESSAGE_CHARACTERS, CaseFacts, OtherResult

MAX_QUOTE_CHARACTERS = 400
"""How long a quote may be."""

_PYTEST_FRAME = re.compile(r"^(?P<path>\S[^\n:]*?\.\w+):(?P<line>\d+): ?(?P<type>\S*)$", re.MULTILINE)
_PYTHON_FRAME = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line \d+', re.MULTILINE)
_ERROR_LINE = re.compile(r"^(?:E\s+)?(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?: \[\w+\])?(?::\s+(?P<said>\S.*))?$", re.MULTILINE)
_MARK = re.compile(r"^E\s+")
_MARKED = re.compile(r"^E\s+(?P<said>\S.*)$", re.MULTILINE)
_FAILING_SOURCE = re.compile(r"(?:^>.*\n)(?:^(?!E ).*\n){0,6}(?:^E .*\n?){1,8}", re.MULTILINE)
_PARAMETERS = re.compile(r"^\s*(?:async )?def (?P<name>test\w*)\((?P<parameters>[^)]*)\)", re.MULTILINE)
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest|[^/]*[a-z]Tests?|[^/]*\.(test|spec))\.\w+$")
_LIBRARY = re.compile(r"(^|/)(site-packages|dist-packages|node_modules|lib/python[\d.]+)/|^<|^(node|java|jdk)[.:]")
_GIVEN_BY_PYTEST = frozenset({"self", "tmp_path", "capsys", "caplog", "request", "recwarn", "capfd"})
_ASSERTIONS = ("AssertionError", "AssertionFailedError", "ComparisonFailure", "ERR_ASSERTION", "Failed")


@dataclass(frozen=True)
class CaseText(CaseFacts):
    """The facts of a case, and the questions that the rules ask about its texts."""

    log: str = ""
    """The part of a log around the test's name."""
    found: Sequence[str] = ()
    """Further lines that were searched for, as the tool gave them."""

    @property
    def error_lines(self) -> list[str]:
        """The lines of the stack trace that name an exception, causes first; each without its mark."""
        lines = [_MARK.sub("", match[0]).strip() for match in self._named_errors]
        return lines or [line.strip() for line in self.message.splitlines()[:1]]

    @property
    def error_type(self) -> str:
        """The type of the exception that ended the test, without its module; empty if it cannot be told."""
        frames = [match["type"] for match in _PYTEST_FRAME.finditer(self.details) if match["type"]]
        named = [match["type"] for match in self._named_errors]
        last = (frames or named or [self.message.split(":")[0].strip()])[-1]
        return last.rsplit(".", 1)[-1]

    @property
    def _named_errors(self) -> list[re.Match[str]]:
        ends = ("Error", "Exception", "Expired", "Failure", "Exit", "Interrupt", "Empty", "Full", "Warning", "Failed", "Timeout")
        return [match for match in _ERROR_LINE.finditer(self.details) if match["type"].endswith(ends)]

    @property
    def is_assertion(self) -> bool:
        """Whether a check of the test failed, and nothing else broke."""
        said = self.message.lstrip()
        return self.error_type in _ASSERTIONS or (not self.error_type and said.startswith(("assert", "expected")))

    @property
    def frames(self) -> list[str]:
        """The files of the stack trace, the innermost last, of the exception that ended the test."""
        pytest_frames = [match["path"] for match in _PYTEST_FRAME.finditer(self.details)]
        return pytest_frames or [match["path"] for match in _PYTHON_FRAME.finditer(self.details)]

    @property
    def broke_in(self) -> Literal["application", "test"] | None:
        """Whose the innermost frame is that is no library's; a test's set-up counts as the test."""
        own = [path for path in self.frames if not _LIBRARY.search(path)]
        return ("test" if _TEST_FILE.search(own[-1]) else "application") if own else None

    @property
    def takes_fixtures(self) -> bool | None:
        """Whether the test gets values prepared elsewhere; ``None`` if its head is not shown."""
        match = _PARAMETERS.search(self.details)
        if match is None:
            return None
        names = {part.split(":")[0].split("=")[0].strip() for part in match["parameters"].split(",")}
        return bool(names - _GIVEN_BY_PYTEST - {""})

    @property
    def other_runs(self) -> list[OtherResult]:
        """The other results in which the test ran."""
        return [other for other in self.others if other["status"] != "skipped"]

    @property
    def passes(self) -> list[OtherResult]:
        """The other results in which the test passed."""
        return [other for other in self.others if other["status"] == "passed"]

    @property
    def same_failures(self) -> list[OtherResult]:
        """The other results in which it failed with the same words."""
        said = " ".join(self.message.split())[:MAX_MESSAGE_CHARACTERS]
        return [other for other in self.other_runs if other["status"] != "passed" and other["message"] == said]

    def failing_lines(self) -> str:
        """Return the piece of the stack trace that shows the failed line and what was wrong with it."""
        shown = _FAILING_SOURCE.findall(self.details + "\n" if self.details else "")
        if shown:
            return cut(shown[-1].rstrip("\n"))
        marked = _MARKED.search(self.details)
        return cut(marked[0] if marked else self.last_line())

    def last_line(self) -> str:
        """Return the last line of the stack trace that says something, or the message."""
        lines = [line.strip() for line in (self.details or self.message).splitlines() if line.strip()]
        return cut(lines[-1]) if lines else ""


def cut(text: str) -> str:
    """Return the end of a piece of text that is too long for a quote, from the beginning of a line where there is one."""
    if len(text) <= MAX_QUOTE_CHARACTERS:
        return text
    ending = text[-MAX_QUOTE_CHARACTERS:]
    return ending.split("\n", 1)[1] if "\n" in ending[:-40] else ending
