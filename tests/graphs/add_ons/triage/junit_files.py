"""Writes the files of a test run for tests."""

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr


def passed(name: str, output: str = "") -> str:
    inner = f"<system-out>{escape(output)}</system-out>" if output else ""
    return f'<testcase classname="shop" name="{name}">{inner}</testcase>'


def failed(name: str, details: str, *, message: str = "", status: str = "failure") -> str:
    said = message or details.strip().splitlines()[-1]
    inner = f"<{status} message={quoteattr(said)}>{escape(details)}</{status}>"
    return f'<testcase classname="shop" name="{name}">{inner}</testcase>'


def write_results(place: Path, *cases: str, name: str = "results.xml", started: str = "2026-01-02T03:04:05") -> None:
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<testsuite timestamp="{started}">{"".join(cases)}</testsuite>', encoding="utf-8")
