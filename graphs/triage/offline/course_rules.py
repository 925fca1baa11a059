"""The rule about a test that fails in one environment and passes in another."""

from __future__ import annotations

import re

from answergraph.graphs.triage.offline.triage_case_text import CaseText
from answergraph.graphs.triage.offline.triage_finding import Finding
from answergraph.graphs.triage.run_files.case_facts import different

_BROWSER = re.compile(r"chrom|webkit|firefox|safari|edge|mobile|desktop|iphone|ipad|pixel|opera", re.IGNORECASE)


def fails_in_one_place(case: CaseText) -> Finding | None:
    """Find a failure real if only one environment shows it and nothing in it is time-dependent."""
    passed = [other for other in case.elsewhere if other["status"] == "passed" and is_other_environment(other["differs"])]
    if not passed or case.passes or case.is_suspicious or not (case.is_assertion or case.broke_in == "application"):
        return None
    explanation = f"The test fails here and passes where {different(passed[0])}: the failure belongs to that environment."
    quotes = (case.failing_lines(), passed[0]["written"])
    return Finding(False, 0.7, None, explanation, quotes, "Treat it as a defect that shows in this environment only.")


def is_other_environment(differs: dict[str, tuple[str, str]]) -> bool:
    """Return whether two results of one name are of one test in two environments."""
    if differs.keys() & {"suite", "file"}:
        return False
    return differs.keys() != {"hostname"} or any(_BROWSER.search(value) for value in differs["hostname"])
