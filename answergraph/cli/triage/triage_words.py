"""The wording of verdicts, totals and places, shared by all output formats."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from answergraph.graphs.add_ons.triage import CaseReport
from answergraph.graphs.add_ons.triage.history import Changes
from answergraph.graphs.add_ons.triage.triage_schema import Verdict

VERDICTS: Mapping[Verdict, str] = {
    "real": "really failed",
    "false-pass": "should have failed",
    "disagreement": "test and application disagree",
    "flaky": "flaky",
    "unknown": "not decided",
    "not-real": "should have passed",
    "true-pass": "really passed",
}
"""The verdicts in words, the most urgent first."""


def verdict_of(report: CaseReport) -> str:
    return VERDICTS[report["verdict"]]


def by_urgency(reports: Iterable[CaseReport]) -> list[CaseReport]:
    """Sort reports by urgency, then by number of cases."""
    order = list(VERDICTS)
    return sorted(reports, key=lambda report: (order.index(report["verdict"]), -len(report["cases"])))


def cases_by(kind: Callable[[CaseReport], str], reports: Iterable[CaseReport]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for report in reports:
        counts[kind(report)] += len(report["cases"])
    return counts


def total(reports: Sequence[CaseReport]) -> str:
    counts = cases_by(verdict_of, reports)
    listed = ", ".join(f"{counts[words]} {words}" for words in VERDICTS.values() if counts[words])
    causes = f"{len(reports)} cause{'s' if len(reports) != 1 else ''}"
    judges = sorted({report["judge"] for report in reports} - {""})
    by = f" Judged by {' and '.join(judges)}." if judges else ""
    return f"{counts.total()} case{'s' if counts.total() != 1 else ''} of {causes}: {listed}.{by}"


def next_step(report: CaseReport) -> str:
    """Return what to do next about a cause, in a line."""
    answer = report["answer"] or {}
    steps = [*(answer.get("recommendations") or ()), *(f"Find out: {one}" for one in answer.get("missing", ()))]
    return " ".join(str(steps[0]).split()) if steps else ""


def new_cases(report: CaseReport, changes: Changes | None) -> int:
    """Return how many cases of a cause are new since the last run."""
    new = set(changes["new_cases"]) if changes else set()
    return sum(case["case"] in new for case in report["cases"])


def several(names: Sequence[str], most: int) -> str:
    """Return the first names, and the number of the others."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def printable(text: str) -> str:
    """Replace control characters and lone surrogates, but keep lines and tabs."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)


def why(report: CaseReport) -> str:
    """Return the reason for a verdict, or for its absence, in a sentence."""
    answer = report["answer"] or {}
    missing = "; ".join(answer.get("missing", ()))
    return str(answer.get("cause_details") or (f"Missing: {missing}" if missing else report["reason"]))


def further(report: CaseReport) -> list[str]:
    """Return further facts about a cause: environments, tries, and when it was judged."""
    first = report["cases"][0] if report["cases"] else None
    sentences = [f"It {elsewhere}." for elsewhere in (first["elsewhere"] if first else ())]
    tries = [f"Failed try: {text}" for text in (first["tries"] if first else ())]
    remembered = [f"Judged on {report['remembered']}, when it was last seen."] if report["remembered"] else []
    return [*sentences, *tries, *remembered]


def changes_by_heading(changes: Changes | None) -> dict[str, list[str]]:
    """Return the changes since earlier runs under headings, without empty lists."""
    if changes is None:
        return {}
    lists = {
        "New since the last run": changes["new"],
        "Fixed since then": changes["fixed"],
        "Flaky over nights": changes["flaky"],
    }
    return {heading: tests for heading, tests in lists.items() if tests}


def location_of(source: str) -> tuple[str, str]:
    """Return the file and line of a test's code, relative to the CI checkout if possible."""
    path, colon, line = source.rpartition(":")
    path, line = (path, line) if colon and line.isdecimal() else (source, "")
    workspace = os.environ.get("GITHUB_WORKSPACE", os.getcwd()).rstrip("/")
    return path.removeprefix(f"{workspace}/").removeprefix("./"), line


def link_to(source: str, base: str | None) -> str | None:
    """Return the URL of a test's code; ``None`` if it is not below the base."""
    path, line = location_of(source)
    if not path or path.startswith(("/", "..")) or ":" in path:
        return None
    base = base if base is not None else _on_github()
    return f"{base.rstrip('/') + '/' if base else ''}{quote(path, errors='replace')}{f'#L{line}' if line else ''}"


def _on_github() -> str:
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")]
    return "{}/{}/blob/{}".format(*parts) if all(parts) else ""
