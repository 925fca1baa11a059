"""``answergraph eval`` as shells and people see it."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from answergraph import create_agent
from answergraph.testing import EvalReport, ScriptedChatModel
from tests.answergraph.cli.test_command_line import answergraph

good: Any = create_agent(ScriptedChatModel(replies=["4"] * 100), response_format=int)
bad: Any = create_agent(ScriptedChatModel(replies=["5"] * 100), response_format=int)
broken: Any = create_agent(ScriptedChatModel(replies=[]), response_format=int)
GOOD, BAD, BROKEN = (f"{__name__}:{name}" for name in ("good", "bad", "broken"))


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps({"inputs": f"{n}?", "expected_output": 4}) + "\n" for n in range(7)))
    return path


def test_the_scores_are_markdown_on_stdout_and_json_in_a_file(cases: Path, tmp_path: Path) -> None:
    last = tmp_path / "last.json"
    code, out, err = answergraph("eval", str(cases), "--agent", GOOD, "--repeats", "2", "--save", str(last))
    assert (code, err) == (0, "")
    assert out.startswith("Cases: 7; runs: 14 (14 answered)\n")
    assert "| all fields | 14 | 0 | 0 | 0 | 0 | 100% | 65% to 100% |" in out.splitlines()
    assert EvalReport.load(last).accuracy == 1


def test_a_drop_exits_with_1_names_the_field_and_keeps_the_earlier_report(cases: Path, tmp_path: Path) -> None:
    last = tmp_path / "last.json"
    both = ("--against", str(last), "--save", str(last))
    answergraph("eval", str(cases), "--agent", GOOD, "--save", str(last))
    assert answergraph("eval", str(cases), "--agent", GOOD, *both)[0] == 0
    for _ in range(2):
        code, _, err = answergraph("eval", str(cases), "--agent", BAD, *both)
        assert code == 1
        assert "Worse: the answer: right 100% before, 0% now; worse in 7 of 7 cases" in err
    assert EvalReport.load(last).accuracy == 1


def test_the_same_command_goes_on_by_its_ledger(cases: Path, tmp_path: Path) -> None:
    ledger = ("--ledger", str(tmp_path / "eval.db"))
    assert answergraph("eval", str(cases), "--agent", GOOD, *ledger)[0] == 0
    code, out, _ = answergraph("eval", str(cases), "--agent", BROKEN, *ledger)
    assert (code, out.splitlines()[0]) == (0, "Cases: 7; runs: 7 (7 answered)")


def test_cases_are_written_as_junit(cases: Path, tmp_path: Path) -> None:
    junit = tmp_path / "eval.xml"
    assert answergraph("eval", str(cases), "--agent", BAD, "--junit", str(junit))[0] == 0
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("7", "7")
    assert suite[0][0].get("message") == "run 1, answered: the answer: expected 4, got 5"


def test_a_run_that_raises_is_told(cases: Path) -> None:
    code, out, err = answergraph("eval", str(cases), "--agent", BROKEN)
    assert (code, out.splitlines()[0]) == (0, "Cases: 7; runs: 7 (7 unanswered)")
    assert err.startswith("1: The run raised ScriptExhaustedError:")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no.jsonl", "--agent", GOOD], "no.jsonl"),
        (["{cases}", "--agent", "nowhere:agent"], "cannot be imported"),
        (["{cases}", "--agent", GOOD, "--against", "{cases}"], "is no report of an evaluation"),
        (["{cases}", "--agent", GOOD, "--key", "items"], "--key takes LIST=FIELD"),
        (["{cases}", "--agent", BROKEN, "--save", "none/report.json"], "There is no folder 'none' for report.json."),
    ],
)
def test_a_request_that_cannot_be_run_is_told(cases: Path, arguments: list[str], said: str) -> None:
    code, _, err = answergraph("eval", *(each.format(cases=cases) for each in arguments))
    assert code == 2
    assert said in err
