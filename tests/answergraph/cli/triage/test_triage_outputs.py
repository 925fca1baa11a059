"""A triage in the forms that CI reads, and the record it keeps from night to night."""

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from answergraph.cli.triage.triage_outputs import junit, markdown, workflow_commands
from tests.answergraph.cli.test_command_line import answergraph
from tests.answergraph.cli.triage.test_triage_html import report
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results

ROOT = Path(__file__).parents[4]
DIFF = "def test_total():\n>       assert total() == 21\nE       assert 22 == 21\n\ntests/test_shop.py:4: AssertionError"
REFUSED = "E       ConnectionRefusedError: [Errno 111] Connection refused\n\nrates.py:7: ConnectionRefusedError"


WORDS = [f"{first}{second}" for first in ("ab", "cd", "ef", "gh") for second in ("rick", "mill", "oven", "quay", "zinc")]
SCREEN = 40
"""Lines of a screen."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_results(tmp_path / "run", failed("test_rates", REFUSED), failed("test_total", DIFF), passed("test_tax"))
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("fail_on", "code"), [("", 0), ("real", 0), ("real,disagreement", 3), ("flaky, unknown", 0), ("not-real", 3), ("red", 2)]
)
def test_the_exit_code_says_whether_there_is_a_verdict_to_fail_on(place: Path, fail_on: str, code: int) -> None:
    assert answergraph("triage", str(place), "--fail-on", fail_on)[0] == code


def test_what_was_not_judged_is_unknown_and_fails_what_fails_on_unknown(place: Path) -> None:
    code, out, _ = answergraph("triage", str(place), "--limit", "1", "--fail-on", "unknown", "--json")
    assert code == 3
    assert [report["status"] for report in json.loads(out)["reports"]] == ["not_judged", "answered"]


def test_github_gets_annotations_and_a_summary(place: Path, tmp_path: Path) -> None:
    summary, page = tmp_path / "summary.md", tmp_path / "page.md"
    job = {"GITHUB_STEP_SUMMARY": str(summary)}
    code, out, err = answergraph("triage", str(place), "--github", "--markdown", str(page), env=job)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith(
        "::error file=tests/test_shop.py,line=4,title=test and application disagree%3A shop%3A%3Atest_total::"
    )
    assert out.splitlines()[1].startswith("::notice file=rates.py,line=7,title=should have passed")
    assert "2 cases of 2 causes: 1 test and application disagree, 1 should have passed." in summary.read_text()
    assert page.read_text() == summary.read_text()


def test_junit_keeps_each_failure_and_adds_its_verdict(place: Path, tmp_path: Path) -> None:
    assert answergraph("triage", str(place), "--junit", str(tmp_path / "out.xml"))[0] == 0
    cases = ElementTree.parse(tmp_path / "out.xml").getroot().findall("testcase")
    told = {case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")} for case in cases}
    assert {name: properties["verdict"] for name, properties in told.items()} == {
        "test_rates": "not-real",
        "test_total": "disagreement",
    }
    assert all(case.find("failure") is not None for case in cases)


@given(hostile=st.text(max_size=80))
def test_no_text_of_a_run_becomes_a_command_or_markup(hostile: str) -> None:
    text = f"{hostile}\n::error::x\n<img src=x>|`]("
    told = report(text, (0, len(text)), test=text, why=text)
    (command,) = workflow_commands([told])
    assert len(command.splitlines()) == 1
    shown = markdown(text, [told], [text], None, None)
    assert "<img" not in "".join(line for line in shown.splitlines() if not line.startswith("    "))
    assert ElementTree.fromstring(junit([told]).encode(errors="replace")).find("testcase") is not None


def test_an_estimate_asks_no_model(place: Path) -> None:
    code, out, err = answergraph("triage", str(place), "--estimate", "--model", "openai:x", env={"OPENAI_API_KEY": "none"})
    assert (code, err) == (0, "")
    assert out.startswith("2 cases of 2 causes to judge: about 10 calls of the model and ")


def test_a_history_shows_what_is_new_fixed_and_flaky_over_nights(tmp_path: Path) -> None:
    record, night = tmp_path / "nights.db", tmp_path / "night"
    nights = [
        (passed("test_total"), failed("test_tax", DIFF)),
        (failed("test_total", DIFF), passed("test_tax")),
        (passed("test_total"), failed("test_tax", DIFF)),
    ]
    told = []
    for number, cases in enumerate(nights):
        write_results(night, *cases, started=f"2026-01-0{number + 1}T03:04:05")
        for _ in range(2):  # triaged twice, it is the same night
            code, out, _ = answergraph("triage", str(night), "--history", str(record), "--json")
            assert code == 0
        told.append(json.loads(out)["changes"])
    assert [(changes["new"], changes["fixed"]) for changes in told] == [
        ([], []),
        (["shop::test_total"], ["shop::test_tax"]),
        (["shop::test_tax"], ["shop::test_total"]),
    ]
    assert told[-1]["flaky"] == ["shop::test_tax"]


def test_a_file_that_is_not_a_history_is_reported_in_one_line(place: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 99)
    code, out, err = answergraph("triage", str(place), "--history", str(tmp_path / "notes.txt"))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cannot be used as a history" in err


def test_the_action_runs_the_command_with_its_inputs_as_variables(place: Path, tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    *_, step = action["runs"]["steps"]
    assert {name.replace("-", "_").upper() for name in action["inputs"]} - {"PYTHON"} == step["env"].keys()
    command = tmp_path / "answergraph" / "bin" / "answergraph"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    command.chmod(0o755)
    given = dict.fromkeys(step["env"], "")
    given |= {"FOLDER": str(place), "MODEL": "offline", "FAIL_ON": "disagreement", "HTML": str(tmp_path / "page.html")}
    script = ["bash", "-e", "-c", step["run"]]
    called = subprocess.run(
        script, env={**os.environ, **given, "RUNNER_TEMP": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    code, out, err = answergraph(*called.stdout.splitlines(), env={"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")})
    assert (code, err) == (3, "")
    assert out.startswith("::error file=tests/test_shop.py")
    assert (tmp_path / "page.html").exists()


def test_many_causes_are_one_screen_and_the_rest_is_behind_an_option(tmp_path: Path) -> None:
    said = "E   OSError: [Errno 28] No space left on device: {}"
    write_results(tmp_path, *(failed(f"test_{word}", said.format(word)) for word in WORDS))
    code, out, _ = answergraph("triage", str(tmp_path))
    assert code == 0
    assert out.splitlines()[0].endswith("20 should have passed. Judged by rules.")
    assert "and 5 more causes, with 5 cases" in out
    assert "--details shows the quotes of each cause" in out
    assert len(out.splitlines()) < SCREEN
    assert "│ OSError" not in out
    assert out.count("\n    Free disk space, and run the test again.\n") == len(WORDS) - 5
    assert "│ OSError: [Errno 28] No space left on device: abrick" in answergraph("triage", str(tmp_path), "--details")[1]


def test_a_cause_says_how_many_of_its_cases_are_new(tmp_path: Path) -> None:
    history = str(tmp_path / "nights.db")
    write_results(tmp_path / "one", passed("test_total"), passed("test_tax"), failed("test_old", REFUSED))
    answergraph("triage", str(tmp_path / "one"), "--history", history)
    write_results(
        tmp_path / "two", failed("test_total", DIFF), passed("test_tax"), failed("test_old", REFUSED), started="2026-01-03"
    )
    out = answergraph("triage", str(tmp_path / "two"), "--history", history)[1]
    assert "New since the last run: shop::test_total" in out
    assert out.count("1 case, 1 new") == 1


def test_what_is_new_in_one_browser_is_not_new_in_the_other(tmp_path: Path) -> None:
    history = str(tmp_path / "nights.db")
    write_results(tmp_path / "one", failed("test_total", REFUSED), name="chromium/results.xml")
    write_results(tmp_path / "one", passed("test_total"), name="webkit/results.xml")
    answergraph("triage", str(tmp_path / "one"), "--history", history)
    for browser in ("chromium", "webkit"):
        write_results(tmp_path / "two", failed("test_total", REFUSED), name=f"{browser}/results.xml", started="2026-01-03")
    assert "2 cases, 1 new" in answergraph("triage", str(tmp_path / "two"), "--history", history)[1].replace("\n", " ")
