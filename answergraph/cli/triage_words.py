"""The words for a triage's verdicts, its totals, and the places it points to: the same in every form it is told in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from answergraph.graphs.triage import CaseReport
from answergraph.graphs.triage.history import Changes
from answergraph.graphs.triage.triage_schema import Verdict

VERDICTS: Mapping[Verdict, str] = {
    "real": "really failed",
    "false-pass": "should have failed",
    "flaky": "flaky",
    "unknown": "not decided",
    "not-real": "should have passed",
    "true-pass": "really passed",
}
"""The verdicts in words, the most urgent first."""


def verdict_of(report: CaseReport) -> str:
    """Return a report's verdict in words."""
    return VERDICTS[report["verdict"]]


def by_urgency(reports: Iterable[CaseReport]) -> list[CaseReport]:
    """Return the reports, what is most urgent and has most cases first."""
    order = list(VERDICTS)
    return sorted(reports, key=lambda report: (order.index(report["verdict"]), -len(report["cases"])))


def counts(reports: Iterable[CaseReport]) -> str:
    """Return how many cases have which verdict, in a line."""
    found: Counter[str] = Counter()
    for report in reports:
        found[report["verdict"]] += len(report["cases"])
    return ", ".join(f"{found[verdict]} {words}" for verdict, words in VERDICTS.items() if found[verdict])


def total(reports: Sequence[CaseReport]) -> str:
    """Return how many cases and causes there are, in a sentence."""
    cases = sum(len(report["cases"]) for report in reports)
    causes = f"{len(reports)} cause{'s' if len(reports) != 1 else ''}"
    return f"{cases} case{'s' if cases != 1 else ''} of {causes}: {counts(reports)}."


def why(report: CaseReport) -> str:
    """Return the reason of a verdict, or why there is none, in a sentence."""
    answer = report["answer"] or {}
    missing = "; ".join(answer.get("missing", ()))
    return str(answer.get("cause_details") or (f"Missing: {missing}" if missing else report["reason"]))


def further(report: CaseReport) -> list[str]:
    """Return what else there is to tell of a cause: environments, tries, and when it was judged."""
    first = report["cases"][0] if report["cases"] else None
    told = [f"It {elsewhere}." for elsewhere in (first["elsewhere"] if first else ())]
    tries = [f"Failed try: {said}" for said in (first["tries"] if first else ())]
    remembered = [f"Judged on {report['remembered']}, when it was seen before."] if report["remembered"] else []
    return [*told, *tries, *remembered]


def told_changes(changes: Changes | None) -> dict[str, list[str]]:
    """Return what is different from earlier runs, under headings; no empty list."""
    if changes is None:
        return {}
    lists = {
        "New since the run before": changes["new"],
        "Fixed since then": changes["fixed"],
        "Flaky over nights": changes["flaky"],
    }
    return {heading: tests for heading, tests in lists.items() if tests}


def place_of(source: str) -> tuple[str, str]:
    """Return the file and line of a test's code; the file below the folder that CI checks out to, if it lies there."""
    path, colon, line = source.rpartition(":")
    path, line = (path, line) if colon and line.isdecimal() else (source, "")
    workspace = os.environ.get("GITHUB_WORKSPACE", os.getcwd()).rstrip("/")
    return path.removeprefix(f"{workspace}/").removeprefix("./"), line


def link_to(source: str, base: str | None) -> str | None:
    """Return the address of a test's code; ``None`` where it is not known to lie below the base."""
    path, line = place_of(source)
    if not path or path.startswith(("/", "..")) or ":" in path:
        return None
    base = base if base is not None else _on_github()
    return f"{base.rstrip('/') + '/' if base else ''}{quote(path, errors='replace')}{f'#L{line}' if line else ''}"


def _on_github() -> str:
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")]
    return "{}/{}/blob/{}".format(*parts) if all(parts) else ""
