"""The labelled runs in ``examples/failures``: their number, their content, and the accuracy of the offline rules."""

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from answergraph.graphs import create_triage_agent
from examples.failures.measure_public import CORPORA

ROOT = Path(__file__).parents[1]
FAILURES = ROOT / "examples" / "failures"
KINDS = {"assertion", "import", "fixture", "timeout", "refused", "order", "seed", "disk", "clock", "flaky"}


@cache
def measured(corpus: str) -> str:
    command = [sys.executable, "-m", "examples.failures.measure", corpus]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("corpus", ["seen", "unseen"])
def test_there_are_forty_failing_runs_of_ten_kinds(corpus: str) -> None:
    labels = json.loads((FAILURES / "labels" / f"{corpus}.json").read_text())
    kinds = Counter(label["kind"] for label in labels.values() if "is_false_negative" in label)
    assert kinds.keys() == KINDS
    assert min(kinds.values()) >= 4
    assert kinds.total() >= 40
    assert {path.name for path in (FAILURES / corpus).iterdir()} == labels.keys()


@pytest.mark.parametrize("corpus", ["seen", "unseen"])
def test_no_label_is_in_a_file_that_the_rules_read(corpus: str) -> None:
    names = {path.name for path in (FAILURES / corpus).rglob("*") if path.is_file()}
    assert names == {"results.xml", "console.log"}


@pytest.mark.torture
@pytest.mark.parametrize("corpus", ["seen", "unseen"])
def test_four_of_five_cases_are_told_and_one_in_twenty_of_them_is_wrong_at_most(corpus: str) -> None:
    words = measured(corpus).splitlines()[2].split()
    cases, concluded, disagreements, wrong = (int(words[place]) for place in (0, 2, 6, 11))
    assert cases >= 45
    assert concluded + disagreements >= 0.8 * cases
    assert wrong <= 0.05 * (concluded + disagreements)


@pytest.mark.torture
@pytest.mark.parametrize("corpus", ["seen", "unseen"])
def test_the_page_shows_the_figures_as_they_are(corpus: str) -> None:
    page = (ROOT / "docs" / "triage.md").read_text()
    shown = [line for line in measured(corpus).splitlines() if line.startswith("|") or " concluded " in line]
    assert [line for line in shown if line not in page] == []


PLUGIN_RUNS = json.loads((FAILURES / "labels" / "plugins.json").read_text())
"""Per tool that tries tests again, or runs them in several environments, what is right to say of each of its tests."""


@pytest.mark.parametrize("tool", PLUGIN_RUNS)
def test_what_a_tool_leaves_of_its_tries_and_environments_is_read_rightly(tool: str) -> None:
    reports = create_triage_agent().invoke({"folder": str(FAILURES / "plugins" / tool)})["reports"]
    said = {(case["test"], report["verdict"]) for report in reports for case in report["cases"]}
    assert said == set(PLUGIN_RUNS[tool].items())


def test_a_failure_in_one_of_two_environments_is_reported_as_such() -> None:
    for tool, told in (
        ("tox", "where folder is 'plain' and not 'strict'"),
        ("playwright", "where hostname is 'chromium' and not 'webkit'"),
    ):
        reports = create_triage_agent().invoke({"folder": str(FAILURES / "plugins" / tool)})["reports"]
        assert any(told in str((report["answer"] or {}).get("cause_details")) for report in reports)


def test_the_labels_of_public_files_name_a_commit_and_a_verdict_for_each() -> None:
    sources = json.loads((FAILURES / "labels" / "public.json").read_text())
    assert all(len(source["commit"]) == 40 and source["corpus"] in CORPORA for source in sources)
    for corpus, reader in zip(CORPORA, ("labels", "labels", "second_labels", "second_labels"), strict=True):
        chosen = [source[reader] for source in sources if source["corpus"] == corpus]
        verdicts = [verdict for files in chosen for labels in files.values() for verdict in labels.values()]
        assert {"real"} <= set(verdicts) <= {"real", "not-real", "flaky", "open"}
