"""Witnesses in small repositories: cases are really run again, in work trees of their own."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from answergraph import AgentSpecError
from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage import Witnesses
from answergraph.testing import ScriptedChatModel
from tests.answergraph.cli.test_command_line import answergraph
from tests.graphs.add_ons.triage.junit_files import failed, write_results
from tests.graphs.add_ons.triage.witnesses.small_repository import CODE, TESTS, WRONG, SmallRepository, triaged

OUTDATED = TESTS.replace("== 3", "== 4")


def called(name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": name}])


@pytest.mark.torture
def test_a_change_of_the_code_that_breaks_the_old_test_is_real(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(notes="# nothing\n")
    shop.commit(shop=WRONG)
    broken = shop.git("rev-parse", "HEAD").strip()
    shop.commit(notes="# something\n")
    before = shop.state()
    report = triaged(shop, tmp_path)
    assert report["verdict"] == "real"
    assert f"Broken by {broken[:10]}, which changed shop.py:2." in report["answer"]["cause_details"]
    assert {source["tool"] for source in report["sources"].values()} == {
        *("rerun_alone", "run_on_last_green", "run_old_tests", "run_changed_lines")
    }
    lines = [source["text"] for source in report["sources"].values() if source["tool"] == "run_changed_lines"]
    assert lines[0].startswith("Changed places that it runs through, of 2 outside the tests: shop.py:2.")
    assert shop.state() == before


@pytest.mark.torture
def test_what_is_not_committed_is_judged_too_and_left_as_it_is(shop: SmallRepository, tmp_path: Path) -> None:
    shop.write(shop=WRONG, new="# git does not know it\n")
    before = shop.state()
    assert triaged(shop, tmp_path)["verdict"] == "real"
    assert shop.state() == before


@pytest.mark.torture
def test_a_change_of_the_test_alone_is_not_real(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(test_shop=OUTDATED)
    report = triaged(shop, tmp_path)
    assert (report["verdict"], report["answer"]["misclassification_cause"]) == ("not-real", "spec_issue")


@pytest.mark.torture
def test_a_failure_that_the_last_green_code_has_too_is_of_the_surroundings(tmp_path: Path) -> None:
    flag = tmp_path / "there"
    shop = SmallRepository(
        tmp_path / "shop", test_flag=f"import os\n\ndef test_flag():\n    assert os.path.exists({str(flag)!r})\n"
    )
    report = triaged(shop, tmp_path)
    assert (report["verdict"], report["answer"]["misclassification_cause"]) == ("not-real", "tool_bug")
    assert "surroundings" in report["answer"]["cause_details"]


@pytest.mark.torture
def test_a_case_that_fails_only_after_others_depends_on_their_order(tmp_path: Path) -> None:
    order = "KEPT = []\n\n\ndef test_first():\n    KEPT.append(1)\n\n\ndef test_second():\n    assert KEPT == []\n"
    shop = SmallRepository(tmp_path / "shop", test_order=order)
    report = triaged(shop, tmp_path, last_green=None)
    assert (report["verdict"], report["answer"]["misclassification_cause"]) == ("not-real", "tool_bug")
    assert "passes alone and fails after" in report["answer"]["cause_details"]


@pytest.mark.torture
def test_a_case_that_passes_and_fails_alone_is_flaky_with_its_rate(tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.write_text("0")
    turns = (
        f"from pathlib import Path\n\nCOUNT = Path({str(count)!r})\n\n\ndef test_turns():\n"
        "    turn = int(COUNT.read_text())\n    COUNT.write_text(str(turn + 1))\n    assert turn % 2\n"
    )
    report = triaged(SmallRepository(tmp_path / "shop", test_turns=turns), tmp_path, repeats=4)
    assert report["verdict"] == "flaky"
    assert "failed 2 of 4 times (95 % interval 15% to 85%)" in report["answer"]["evidence"][0]


@pytest.mark.torture
def test_a_case_that_passes_on_the_last_green_code_only_sometimes_is_flaky(tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.write_text("0")
    turns = (
        f"from pathlib import Path\n\nCOUNT = Path({str(count)!r})\n\n\ndef test_turns():\n"
        "    turn = int(COUNT.read_text())\n    COUNT.write_text(str(turn + 1))\n    assert turn == 4\n"
    )
    shop = SmallRepository(tmp_path / "shop", test_turns=turns)
    shop.commit(shop=CODE + "# changed\n")
    report = triaged(shop, tmp_path, repeats=3)  # runs 1 to 3 fail, run 4 passes on the old code, run 5 fails there
    assert report["verdict"] == "flaky"
    assert "on the code that passed last, it passes and fails" in report["answer"]["cause_details"]


@pytest.mark.torture
def test_a_failure_of_another_machine_passes_here(shop: SmallRepository, tmp_path: Path) -> None:
    shop.write(shop=WRONG)
    run = shop.results(tmp_path)
    shop.write(shop=CODE)
    (report,) = create_triage_agent(act=Witnesses(shop.root, repeats=1)).invoke(run)["reports"]
    assert (report["verdict"], (report["answer"] or {})["misclassification_cause"]) == ("not-real", "temporary_error")


@pytest.mark.torture
def test_another_runner_runs_the_case_by_its_own_name(tmp_path: Path) -> None:
    unit = "import unittest\n\nfrom shop import total\n\n\nclass TestTotal(unittest.TestCase):\n"
    unit += "    def test_two(self):\n        self.assertEqual(total([1, 1]), 2)\n"
    repository = SmallRepository(tmp_path / "units", test_shop=unit)
    repository.commit(shop=WRONG)
    report = triaged(repository, tmp_path, rerun="python -m unittest {name}")
    assert report["verdict"] == "real"


@pytest.mark.torture
def test_any_command_runs_the_file_that_the_stack_trace_names(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path / "shell")
    script = repository.root / "price.test.sh"
    script.write_text("test $(cat price.txt) -eq 3\n")
    (repository.root / "price.txt").write_text("3\n")
    repository.commit()
    green = repository.git("rev-parse", "HEAD").strip()
    (repository.root / "price.txt").write_text("4\n")
    run = tmp_path / "run"
    write_results(run, failed("adds prices", f"Error: 4 !== 3\n    at check ({script}:1:1)").replace("shop", "sums", 1))
    witnesses = Witnesses(repository.root, last_green=green, repeats=1, rerun="sh {file}")
    (report,) = create_triage_agent(act=witnesses).invoke({"folder": str(run)})["reports"]
    assert report["verdict"] == "real"
    lines = [source["text"] for source in report["sources"].values() if source["tool"] == "run_changed_lines"]
    assert "of 1 outside the tests: unknown, since no Python program was seen." in lines[0]


@pytest.mark.torture
def test_a_model_cannot_call_a_failure_real_before_witnesses_show_it(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(shop=WRONG)
    case = {"case": "results.xml#1"}
    real = {"is_false_negative": False, "confidence": 0.9, "expected_result_analysis": "3", "step_execution_analysis": "it ran"}
    names = ("rerun_alone", "run_on_last_green", "run_old_tests", "run_changed_lines")
    quote = "Run on the code as it stands with the old tests: fails"
    replies: list[AIMessage | str] = [
        *(called("read_case", case), "It fails."),
        called("FalseNegativeCheck", {**real, "evidence": ["assert 4 == 3"], "recommendations": []}),
        *(called(name, case) for name in names),
        called("FalseNegativeCheck", {**real, "evidence": [quote], "recommendations": []}),
    ]
    model = ScriptedChatModel(replies=replies)
    witnesses = Witnesses(shop.root, last_green=shop.green, repeats=1)
    (report,) = create_triage_agent(model, act=witnesses).invoke(shop.results(tmp_path))["reports"]
    assert report["verdict"] == "real"
    said = str(model.requests[3].messages[-1].content)
    assert "A failure is real only if witnesses show it. No witness has shown it. Call rerun_alone." in said


@pytest.mark.torture
def test_the_command_runs_witnesses_in_the_repository_around(
    shop: SmallRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.commit(shop=WRONG)
    shop.results(tmp_path)
    monkeypatch.chdir(shop.root)
    code, out, _ = answergraph("triage", str(tmp_path), "--act", "--last-green", shop.green, "--fail-on", "real")
    assert (code, out.splitlines()[0]) == (3, "1 case of 1 cause: 1 really failed. Judged by witnesses.")


def test_the_options_of_witnesses_need_act(tmp_path: Path) -> None:
    code, _, err = answergraph("triage", str(tmp_path), "--last-green", "HEAD")
    assert code == 2
    assert "write --act, too" in err


@pytest.mark.torture
def test_without_a_last_green_commit_a_failure_stays_a_disagreement(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(shop=WRONG)
    assert triaged(shop, tmp_path, last_green=None)["verdict"] == "disagreement"


@pytest.mark.torture
@pytest.mark.parametrize(
    "code",
    [
        "import time\n\n\ndef total(prices):\n    time.sleep(60)\n",  # beyond the time for one run
        "import socket\n\n\ndef total(prices):\n    socket.create_connection(('192.0.2.1', 9))\n",  # a network that is not there
    ],
)
def test_a_run_that_could_not_take_place_decides_nothing(shop: SmallRepository, tmp_path: Path, code: str) -> None:
    shop.write(shop=WRONG)
    run = shop.results(tmp_path)
    shop.write(shop=code)
    witnesses = Witnesses(shop.root, last_green=shop.green, repeats=1, seconds_per_run=10)
    (report,) = create_triage_agent(act=witnesses).invoke(run)["reports"]
    assert report["verdict"] == "disagreement"


def test_a_witness_that_cannot_be_heard_is_refused_while_building(shop: SmallRepository, tmp_path: Path) -> None:
    for options, told in (
        ({"repository": tmp_path}, "need a git repository"),
        ({"repository": shop.root, "last_green": "nowhere"}, "There is no commit 'nowhere'"),
        ({"repository": shop.root, "rerun": "make test"}, "names no test; write {file}, {case} or {name}"),
    ):
        with pytest.raises(AgentSpecError, match=told):
            Witnesses(**options)
