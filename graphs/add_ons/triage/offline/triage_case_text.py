"""The triage policy's view of a case: the facts of ``read_case`` and log lines.

All of it is text of tool results, so that quotes are always parts of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Literal

from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.stack_frames import LIBRARY_LINE, SHOWN_AROUND, Frame, frames_of
from answergraph.graphs.add_ons.triage.run_files.case_facts import MAX_MESSAGE_CHARACTERS, CaseFacts, OtherResult

MAX_JUDGED_CHARACTERS = 4_000
"""Characters of a failure used to recognise a failed check."""
MIN_SHARED_PACKAGES = 2
"""Leading packages shared by names of one project."""
MAX_QUOTE_CHARACTERS = 400
"""Maximum length of a quote."""

_PYTEST_END = re.compile(r"^\S[^\n:]*?\.\w+:\d+: ?(?P<type>\S+)$", re.MULTILINE)
_ERROR_LINE = re.compile(
    r"^(?:E\s+|> |[ \t]{2,8}|Caused by: )?(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?: \[\w+\])?(?::\s+(?P<said>\S.*))?$",
    re.MULTILINE,
)
_DRIVER = re.compile(
    r"Error: (?:page|locator|browser\w*|frame\w*|context|elementHandle|keyboard|mouse)\.\w+:"
    r"|openqa[./]selenium|OpenQA\.Selenium|selenium/webdriver|playwright/_impl|io\.(?:restassured|appium)|webdriverio|puppeteer"
)
_LOCATION = re.compile(r"(?<![\w:/.$\\-])(?:[A-Za-z]:|https?://[\w.:-]++)?(?:[\w.$-]*+[/\\])++[\w.$-]+\.\w++:\d+")
"""A place in a file, from its first letter: the names of folders tell nothing of what the code does."""
_PANIC = re.compile(r"^panic: runtime error|^thread '[^'\n]*' panicked at", re.MULTILINE)
_MARK = re.compile(r"^E\s+")
_MARKED = re.compile(r"^E +(\S.*)$", re.MULTILINE)
_FAILING_SOURCE = re.compile(r"(?:^>.*\n)(?:^(?!E ).*\n){0,6}(?:^E .*\n?){1,8}", re.MULTILINE)
_FRAMES_BELOW = re.compile(r"\n[ \t]*(?:at |❯ |#0 |from |in )\S")
_ENDINGS = "Error Exception Expired Failure Exit Interrupt Empty Full Warning Failed Timeout"
_ERROR_ENDINGS = tuple(_ENDINGS.split())
_COMPLAINTS = ("ERROR", "CRITICAL", "FATAL", "Error:", "error:", "Exception:")
_ASSERTIONS = (
    "AssertionError",
    "AssertionFailedError",
    "ComparisonFailure",
    "ERR_ASSERTION",
    "Failed",
    "JestAssertionError",
    "ShouldAssertException",
    "TestFailedException",
)
_CHECK = re.compile(
    r"\AE?\s*(?:assert\b|expected\b|Assert[:.])|\bexpect\(|Failed asserting that|[Aa]ssertion\b.*failed|XCTAssert"
    r"|\b(?:check|expect|assert)(?:_?(?:eq|ne|lt|le|gt|ge|equals?|true|false)\w*)?\(|\b(?:EXPECT|ASSERT|CHECK|REQUIRE)_?[A-Z]*\("
    r"|[Ee]xpected:?[ \n].*(?:\b[Bb]ut:? (?:was|got|found)|\b[Aa]ctual|\b[Rr]eceived|\b[Ww]as\b|\b[Gg]ot\b|Which is)"
    r"|should (?:have|be|equal|match|throw)\b|\bcheck failed|\b[Ee]xpected .{1,200} to (?:equal|be|match|contain)\b"
    r"|condition was false|\A\s*\S{1,200} != \S{1,200}\s|\bActual: \S+\s+Expected: |to be (?:equal|true|false)|did not match",
    re.DOTALL,
)


@dataclass(frozen=True)
class CaseText(CaseFacts):
    """The facts of a case, with predicates for the rules."""

    log: str = ""
    """The part of a log around the test's name."""
    code_lines: Sequence[str] = ()
    """Lines that name files of the missing module."""

    @cached_property
    def failure(self) -> str:
        """The message and the details of the failure."""
        return f"{self.message}\n{self.details}"

    @property
    def marked_lines(self) -> list[str]:
        """The lines that pytest marks as the error."""
        return _MARKED.findall(self.details)

    @property
    def error_lines(self) -> list[str]:
        """The lines of the stack trace that name an exception, causes first, without marks."""
        lines = [_MARK.sub("", match[0]).strip() for match in self._named_errors]
        return lines or [line.strip() for line in (self.message or self.details).strip().splitlines()[:1]]

    @property
    def message_lines(self) -> list[str]:
        """The error lines, and what is said above the stack trace where a trace is not marked as source code and errors."""
        is_marked = _MARKED.search(self._trace) or "Traceback (most recent call last)" in self._trace
        text = "" if is_marked else SHOWN_AROUND.sub("", _FRAMES_BELOW.split(self._trace.strip(), maxsplit=1)[0])
        return [*self.error_lines, *(line.strip() for line in text.splitlines())]

    @property
    def error_type(self) -> str:
        """The type of the exception that ended the test, without its module; empty if unknown."""
        frames = [match["type"] for match in _PYTEST_END.finditer(self._trace)]
        named = [match["type"] for match in self._named_errors]
        last = (frames or named or [self.message.split(":")[0].strip()])[-1]
        return last.rsplit(".", 1)[-1] if "/" not in last else ""

    @property
    def _trace(self) -> str:
        return self.details if self.details.strip() else self.message

    @property
    def _named_errors(self) -> list[re.Match[str]]:
        return [match for match in _ERROR_LINE.finditer(self._trace) if match["type"].endswith(_ERROR_ENDINGS)]

    @property
    def is_assertion(self) -> bool:
        """Whether only a check of the test failed."""
        text = SHOWN_AROUND.sub("", self.failure)[:MAX_JUDGED_CHARACTERS]
        for title in re.split(r"::| › ", self.test):  # the name of a test proves no check
            text = text.replace(title, "") if " " in title else text
        named = self.error_type if self.error_type.endswith(("Error", "Exception", "Expired", "Exit")) else ""
        return self.error_type in _ASSERTIONS or (named in {"", "Error"} and bool(_CHECK.search(text)))

    @cached_property
    def frames(self) -> list[Frame]:
        """The stack trace, the innermost frame last, of the exception that ended the test."""
        return frames_of(self._trace)

    @cached_property
    def own_frames(self) -> list[Frame]:
        """The frames of the project, the innermost last."""
        return [frame for frame in self.frames if not frame.is_library and self._is_of_project(frame)]

    def _is_of_project(self, frame: Frame) -> bool:
        """Return whether a class of Java belongs to the test's project: it shares the first parts of its package."""
        ours, theirs = self.test.split("::")[0].split("."), frame.class_name.split(".")
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
        return not frame.class_name or shared >= max(1, min(MIN_SHARED_PACKAGES, len(ours) - 1))

    @property
    def broke_in(self) -> Literal["application", "test"] | None:
        """The owner of the innermost frame outside libraries; a set-up counts as the test."""
        if not self.own_frames:
            return None
        innermost = self.own_frames[-1]
        is_test = innermost.is_test or innermost.class_name == self.test.split("::")[0]
        # What drives a browser or asks a service runs outside the application: its frames are the test's and its helpers'.
        return "test" if is_test or _DRIVER.search(self._trace) else "application"

    @property
    def breaks_at_import(self) -> bool:
        """Whether a module of the project raised the error while it was imported."""
        location = f"{re.escape(self.own_frames[-1].path)}:{self.own_frames[-1].line}" if self.own_frames else "$^"
        collected = self.message.startswith("collection failure") and self.broke_in == "application"
        return collected or bool(re.search(f"^{location}: in <module>", self.details, re.MULTILINE))

    @property
    def waited_in_vain(self) -> bool:
        """Whether the test waited in vain for something on a page: the page may be wrong, or the test."""
        waits = signs.AWAITED_ELEMENT.search(self.details) and not signs.ACTED.search(self.details)
        return bool(waits and signs.TIMEOUT.search(SHOWN_AROUND.sub("", self.failure)))

    @property
    def names_an_error(self) -> bool:
        """Whether an exception ended the test."""
        return self.error_type.endswith(_ERROR_ENDINGS) or bool(_PANIC.search(self._trace))

    @property
    def is_suspicious(self) -> bool:
        """Whether time, chance, files or the network may explain the failure."""
        in_details = any(sign.search(self.details) for sign in (signs.PROGRAM, signs.RAISES))
        return in_details or any(sign.search(self._own_text) for sign in signs.UNSURE)

    @property
    def complaints(self) -> str:
        """The lines of the output and log that report an error."""
        lines = (line.strip() for text in (self.output, self.log) for line in text.splitlines())
        return "\n".join(line for line in lines if any(word in line for word in _COMPLAINTS))

    @cached_property
    def _own_text(self) -> str:
        return LIBRARY_LINE.sub("", _LOCATION.sub("", self._trace.replace("thread '", "")))

    @property
    def other_runs(self) -> list[OtherResult]:
        """Other results in which the test ran."""
        return [other for other in self.others if other["status"] != "skipped"]

    @property
    def passes(self) -> list[OtherResult]:
        """The other results in which the test passed."""
        return [other for other in self.others if other["status"] == "passed"]

    @property
    def same_failures(self) -> list[OtherResult]:
        """Other results with the same failure."""
        message = " ".join(self.message.split())[:MAX_MESSAGE_CHARACTERS]
        return [other for other in self.other_runs if other["status"] != "passed" and other["message"] == message]

    def failing_lines(self) -> str:
        """Return the part of the stack trace with the failed line and its error."""
        shown = _FAILING_SOURCE.findall(self.details + "\n" if self.details else "")
        if shown:
            return cut(shown[-1].rstrip("\n"))
        marked = _MARKED.search(self.details)
        if marked or "Traceback (most recent call last)" in self._trace:
            return cut(marked[0] if marked else self.last_line())
        text = _FRAMES_BELOW.split(self._trace.strip(), maxsplit=1)[0].strip()
        return text[:MAX_QUOTE_CHARACTERS].rsplit("\n", 1)[0].strip() if len(text) > MAX_QUOTE_CHARACTERS else text

    def line_around(self, part: str) -> str:
        """Return the line of the failure that contains a text."""
        lines = (line.strip() for text in (self.details, self.message) for line in text.splitlines())
        return cut(next((line for line in lines if part in line), self.last_line()))

    def last_line(self) -> str:
        """Return the last meaningful line of the stack trace, or the message."""
        lines = [line.strip() for line in self._trace.splitlines() if line.strip()]
        return cut(lines[-1]) if lines else ""


@dataclass(frozen=True)
class Conclusion:
    """The conclusion of a rule, and its evidence."""

    misjudged: bool | None
    """Whether the test's result is wrong; ``None`` if test and application disagree, and nothing shows which is wrong."""
    confidence: float
    """From 0 to 1."""
    cause: str | None
    """The cause of a wrong result; ``None`` if there is none or it is ambiguous."""
    explanation: str
    """The explanation, in one sentence."""
    quotes: tuple[str, ...]
    """Quotes of tool results."""
    advice: str
    """The recommended action."""
    is_flaky: bool = False
    """Whether the same code passed and failed."""


def cut(text: str) -> str:
    """Return the end of a text too long for a quote, from a line start if possible."""
    if len(text) <= MAX_QUOTE_CHARACTERS:
        return text
    ending = text[-MAX_QUOTE_CHARACTERS:]
    return ending.split("\n", 1)[1] if "\n" in ending[:-40] else ending
