"""Parses stack frames of many languages, the innermost last."""

import re
from dataclasses import dataclass

_FRAMES = (
    # Per language the frames, and whether the innermost comes first.
    (re.compile(r"^(?P<path>(?:[A-Za-z]:)?\S[^\n:]*?\.\w+):(?P<line>\d+): ?(?:in )?\S*$", re.MULTILINE), False),  # pytest
    (re.compile(r'^[ \t]*File "(?P<path>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE), False),  # Python
    (re.compile(r"^[ \t]*at (?P<path>[\w$.<>/ ]+)\((?P<file>[\w$]+\.\w+):(?P<line>\d+)\)", re.MULTILINE), True),  # Java
    (
        re.compile(r"^[ \t]*(?:at |❯ )(?:.*?[ (])?(?:file://)?(?P<path>[^\s()]+?\.\w+):(?P<line>\d+)(?::\d+)?\)?$", re.MULTILINE),
        True,
    ),
    (re.compile(r" in (?P<path>[^\n]{1,300}?\.\w+):line (?P<line>\d+)", re.MULTILINE), True),  # .NET
    (re.compile(r"panicked at (?:'.*', )?(?P<path>[^\s:]+\.rs):(?P<line>\d+)"), True),  # Rust
    # PHP, Go, C++
    (re.compile(r"^[ \t]*(?P<path>(?:[A-Z]:)?[^\s:]+\.\w+):(?P<line>\d+)(?::(?:\d+:?)?)?(?: |$)", re.MULTILINE), True),
)
_TEST_FILE = re.compile(
    r"(^|/)(test_[^/]*|tests|[^/]*_(test|spec)|conftest|[^/]*[a-z](Tests?|Spec|Suite|IT)|Test[A-Z][^/]*|[^/]*\.(test|spec|cy|e2e))\.\w+$"
    r"|(^|/)(tests?|specs?|__tests__|e2e)/",
)
_JAVA = re.compile(r"(?<=[\w$>])/[\w$]+\.(?:java|kt|groovy|scala)$")
_SUPPORT_FILE = re.compile(
    r"(^|/)(conftest\.py$|fixtures?/|__mocks__/|(\.\.|tests?|specs?|__tests__|e2e|cypress)/(.*/)?(support|mocks)/)"
)
_LIBRARY = re.compile(
    r"(^|/)(site-packages|dist-packages|node_modules|[Ll]ib/python[\d.]+|Lib/(?:importlib|unittest|asyncio|urllib|json)|vendor|\.cargo|rustc|go/src|go/pkg)/|^<"
    r"|^(node|internal|java|jdk|sun|javax|android)[.:/]"
    r"|^(org\.(junit|testng|hamcrest|assertj|mockito|gradle|apache\.maven)|junit|kotlin|scala|groovy|com\.sun|jdk|android|androidx)\."
)
INSTALLED = re.compile(r"(?:site|dist)-packages|node_modules")
"""Where packages are installed."""
SHOWN_AROUND = re.compile(r"^[ \t]*(?:> )?\d+ \|.*$", re.MULTILINE)
"""The lines of source code that are shown around the failed one."""
LIBRARY_LINE = re.compile(
    SHOWN_AROUND.pattern + r"|^(?:E |[ \t]*(?:Expected|Received)\b).*$|^.*(?:node_modules|site-packages|node:|\binternal/"
    r"|new Promise|Promise\.(?:all|then)|processTicks|<anonymous>\)|Error Context:|RUST_BACKTRACE"
    r"|at (?:java|javax|sun|jdk|kotlin|scala|junit|org\.(?:junit|testng|hamcrest|gradle|apache\.maven))\.).*$"
    r"|^[ \t]*(?:from [\w.]+ )?import [\w., ]+$",
    re.MULTILINE,
)
"""Lines that tell nothing of what the project's code does: of libraries, imports, and compared values, which may say anything."""


@dataclass(frozen=True)
class Frame:
    """One place in a stack trace."""

    path: str
    """A file; in Java the class and the file."""
    line: str

    @property
    def is_library(self) -> bool:
        return bool(_LIBRARY.search(self.path))

    @property
    def is_test(self) -> bool:
        return bool(_TEST_FILE.search(self.path))

    @property
    def is_support(self) -> bool:
        return bool(_SUPPORT_FILE.search(self.path))

    @property
    def class_name(self) -> str:
        """The class of a Java frame, with its packages; empty for other languages."""
        return _JAVA.sub("", self.path) if _JAVA.search(self.path) else ""


def frames_of(trace: str) -> list[Frame]:
    """Return the frames of the exception that ended the test, the innermost last."""
    for pattern, innermost_first in _FRAMES:
        frames = [_frame(match) for match in pattern.finditer(trace)]
        if frames:
            return frames[::-1] if innermost_first else frames
    return []


def _frame(match: re.Match[str]) -> Frame:
    parts = match.groupdict()
    path = parts["path"].replace("\\", "/")
    # A Java frame names a method; its class identifies the owner.
    return Frame(f"{path.rsplit('.', 1)[0]}/{parts['file']}" if parts.get("file") else path, parts["line"])
