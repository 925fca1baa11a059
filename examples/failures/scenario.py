"""A small suite that fails for a known reason, and how it is really run.

What a run leaves is kept as a CI job would keep it: ``results.xml`` and ``console.log``, and a folder per further attempt.
Only places of the machine it ran on are rewritten.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

KINDS = ("assertion", "import", "fixture", "timeout", "refused", "order", "seed", "disk", "clock", "flaky")
"""The kinds of failure, by how it is made."""
CAUSES: Mapping[str, str | None] = {
    "assertion": None,
    "import": "tool_bug",
    "fixture": "tool_bug",
    "timeout": "temporary_error",
    "refused": "temporary_error",
    "order": "tool_bug",
    "seed": "tool_bug",
    "disk": "temporary_error",
    "clock": "tool_bug",
    "flaky": "temporary_error",
}
"""The cause of the misclassification per kind; ``None`` for a failure that is real."""

MAX_TRIES = 60
"""How often a run that depends on chance is repeated until it went as wanted."""
MAX_RUN_SECONDS = 60

_PYTEST = ("-v", "--tb=auto", "-p", "no:cacheprovider", "-p", "no:randomly", "-o", "junit_logging=all", "-o", "addopts=")


@dataclass(frozen=True)
class Attempt:
    """One run of the suite."""

    arguments: Sequence[str] = ()
    """For pytest, beside the usual ones."""
    environment: Mapping[str, str] = field(default_factory=dict)
    fails: bool = True
    """How the labelled test has to end; the attempt is repeated until it does."""


ONCE = (Attempt(),)
TWICE = (Attempt(), Attempt())


@dataclass(frozen=True)
class Scenario:
    """One failing run, or one passing run whose log shows a failure."""

    kind: str
    test: str
    """The name of the labelled test."""
    files: Mapping[str, str]
    attempts: Sequence[Attempt] = ONCE
    is_false_positive: bool | None = None
    """For a passing case: whether it should have failed."""

    def label(self) -> dict[str, object]:
        """Return what the triage should find."""
        if self.is_false_positive is not None:
            return {"kind": self.kind, "test": self.test, "is_false_positive": self.is_false_positive}
        cause = CAUSES[self.kind]
        return {"kind": self.kind, "test": self.test, "is_false_negative": cause is not None, "cause": cause}

    def run(self, target: Path) -> None:
        """Run every attempt, and keep what it leaves."""
        for index, attempt in enumerate(self.attempts):
            left = self._run_until_as_wanted(attempt)
            folder = target if index == 0 else target / f"attempt-{index + 1}"
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in left.items():
                (folder / name).write_text(text, encoding="utf-8")

    def _run_until_as_wanted(self, attempt: Attempt) -> dict[str, str]:
        for _ in range(MAX_TRIES):
            left = self._run_once(attempt)
            if self._has_failed(left["results.xml"]) == attempt.fails:
                return left
        raise RuntimeError(f"{self.kind} {self.test} did not go as wanted in {MAX_TRIES} tries:\n{left['console.log']}")

    def _run_once(self, attempt: Attempt) -> dict[str, str]:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place).resolve() / "project"
            for name, text in self.files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
            report = Path(place) / "results.xml"
            finished = subprocess.run(
                [sys.executable, "-m", "pytest", *_PYTEST, f"--junitxml={report}", *attempt.arguments],
                cwd=folder,
                env={**_environment(), **attempt.environment},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=MAX_RUN_SECONDS,
                check=False,
            )
            console = finished.stdout.decode(errors="replace")
            return {
                "results.xml": _without_places(report.read_text(encoding="utf-8"), folder),
                "console.log": _without_places(console, folder),
            }

    def _has_failed(self, report: str) -> bool:
        if self.is_false_positive is not None:
            return True  # a passing run is wanted as it comes
        case = re.search(rf'<testcase [^>]*name="{re.escape(self.test)}"[^>]*?(/>|>.*?</testcase>)', report, re.DOTALL)
        if case is None:
            raise RuntimeError(f"{self.kind}: there is no test {self.test!r} in\n{report}")
        return "<failure" in case[1] or "<error" in case[1]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100", "PY_COLORS": "0"}


def _without_places(text: str, folder: Path) -> str:
    ours = {str(Path(sys.base_prefix).resolve()), str(Path(sys.prefix).resolve()), sys.base_prefix, sys.prefix}
    rewritten = {str(folder): "/srv/ci/build", str(folder.parent): "/srv/ci", **dict.fromkeys(ours, "/srv/ci/python")}
    for place, instead in sorted(rewritten.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(place, instead)
    text = re.sub(r"(cachedir|plugins): .*\n", "", text)
    text = re.sub(r"(?m)^-* ?Captured (Log|Out|Err) ?-*\n\n?(?=<|-|$)", "", text)
    return re.sub(r'hostname="[^"]*"', 'hostname="ci-runner"', text)
