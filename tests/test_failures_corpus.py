"""The labelled runs in ``examples/failures``: their number, their content, and the accuracy of the offline rules."""

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from answergraph.graphs import create_triage_agent
from examples.failures.broken_ways import FLAKY, WAYS
from examples.failures.checkouts import Checkout, Package
from examples.failures.measure_public import CORPORA
from examples.failures.measure_surroundings import measured as measured_around

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


SHOP = "def total(prices):\n    return sum(prices)\n\n\ndef mean(prices):\n    return total(prices) / len(prices)\n"
SHOP_TESTS = "from shop import mean, total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n\n\n"
SHOP_TESTS += "def test_mean():\n    assert mean([1, 3]) == 2\n"
BROKEN = (
    *("missing variable", "port in use", "disk full", "wrong version of a dependency", "missing plugin", "aborted by a library"),
    *("no repository", "order: left behind"),
)
"""Ways to break what is around a run; witnesses are asked for the second and the last."""


@pytest.mark.torture
def test_no_failure_is_called_real_where_neither_code_nor_tests_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tmp_path / "shop"
    root.mkdir()
    (root / "shop.py").write_text(SHOP)
    (root / "test_shop.py").write_text(SHOP_TESTS)
    checkout = Checkout(Package("shop", "shop.py", "test_shop.py", seen=True), root, tmp_path / "run")
    ways = [way for name in BROKEN for way in (*WAYS, *FLAKY) if way.name == name]
    said = [(case.way.name, case.by_witnesses, case.said) for case in measured_around(checkout, tmp_path, first=5, ways=ways)]
    assert {name for name, _, _ in said} == set(BROKEN)
    assert [one for one in said if one[2] in {"wrong", "accused", "disagreement", "untold"}] == []
    assert [one for one in said if one[1]] == [("port in use", True, "right"), ("order: left behind", True, "right")]


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
