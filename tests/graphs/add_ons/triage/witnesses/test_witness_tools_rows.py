"""The rows of the table of witnesses that need a change of both sides, an order of several tests, or a second kind of failure."""

from pathlib import Path

import pytest

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage import Witnesses
from tests.answergraph.cli.test_command_line import answergraph
from tests.graphs.add_ons.triage.witnesses.small_repository import CODE, TESTS, WRONG, SmallRepository, triaged

pytestmark = pytest.mark.torture


def test_where_code_and_test_were_changed_and_fit_no_more_they_disagree(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(
        shop=f"{CODE}\n\ndef tax(price):\n    return price * 2\n\n\nRATE = 2\n",
        test_shop="import shop\n\n\ndef test_total():\n    assert getattr(shop, 'RATE', 1) == 1\n",
    )
    report = triaged(shop, tmp_path)
    assert report["verdict"] == "disagreement"
    assert "Each of test and code passes with the other's old version" in report["answer"]["cause_details"]
    assert report["judge"] == "witnesses"


def test_a_case_that_fails_only_in_another_order_depends_on_it(tmp_path: Path) -> None:
    order = "KEPT = []\n\n\ndef test_first():\n    KEPT[:] = [1]\n\n\ndef test_second():\n    KEPT[:] = []\n\n\n"
    order += "def test_third():\n    assert KEPT == []\n"
    shop = SmallRepository(tmp_path / "shop", test_order=order.replace("KEPT == []", "False"))
    run = shop.results(tmp_path)
    shop.write(test_order=order)  # the run had another order than its report
    witnesses = Witnesses(shop.root, repeats=1)
    (report,) = create_triage_agent(act=witnesses).invoke(run)["reports"]
    assert (report["verdict"], (report["answer"] or {})["misclassification_cause"]) == ("not-real", "tool_bug")
    assert "passes alone and in its order, and fails in another order" in str((report["answer"] or {})["cause_details"])


def test_of_a_test_that_is_new_nothing_is_said_but_the_text(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(test_new="from shop import total\n\n\ndef test_new():\n    assert total([1]) == 2\n")
    assert (triaged(shop, tmp_path)["verdict"], triaged(shop, tmp_path)["judge"]) == ("disagreement", "rules")


def test_another_failure_than_the_reported_one_decides_nothing(shop: SmallRepository, tmp_path: Path) -> None:
    shop.write(shop=WRONG)
    run = shop.results(tmp_path)
    shop.write(shop="def total(prices):\n    raise LookupError('no price')\n")
    witnesses = Witnesses(shop.root, last_green=shop.green, repeats=1)
    (report,) = create_triage_agent(act=witnesses).invoke(run)["reports"]
    assert (report["verdict"], report["judge"]) == ("disagreement", "rules")


def test_code_of_the_users_own_tree_says_nothing_of_an_older_one(
    shop: SmallRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = f"import sys\nsys.path.insert(0, {str(shop.root)!r})\n{TESTS}"
    shop.commit(test_shop=tests)
    green = shop.git("rev-parse", "HEAD").strip()
    shop.commit(shop=WRONG)
    assert triaged(shop, tmp_path, last_green=green)["judge"] == "rules"


def test_when_the_time_of_a_cause_is_spent_the_text_decides(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(shop=WRONG)
    report = triaged(shop, tmp_path, seconds_per_cause=0)
    assert (report["verdict"], report["judge"]) == ("disagreement", "rules")


def test_witnesses_run_once_for_all_cases_of_a_cause_by_the_command_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "def total(prices):\n    raise LookupError('no price')\n"
    tests = "import unittest\n\nfrom shop import total\n\n\nclass TestTotal(unittest.TestCase):\n" + "".join(
        f"    def test_{number}(self):\n        self.assertEqual(total([{number}]), {number})\n\n" for number in range(3)
    )
    shop = SmallRepository(tmp_path / "shop", test_shop=tests)
    shop.commit(shop=broken)
    shop.results(tmp_path)
    runs = tmp_path / "runs"
    monkeypatch.chdir(shop.root)
    command = f"sh -c 'echo $0 >> {runs}; exec python -m unittest $0' {{name}}"
    code, out, _ = answergraph(
        "triage", str(tmp_path), "--act", "--last-green", shop.green, "--rerun", command, "--fail-on", "real"
    )
    assert (code, out.splitlines()[0]) == (3, "3 cases of 1 cause: 3 really failed. Judged by witnesses.")
    assert set(runs.read_text().split()) == {"test_shop.TestTotal.test_0"}


def test_no_hook_of_the_repository_runs(shop: SmallRepository, tmp_path: Path) -> None:
    hook = shop.root / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    hook.chmod(0o755)
    shop.commit(shop=WRONG)
    assert triaged(shop, tmp_path)["verdict"] == "real"
    assert not (tmp_path / "ran").exists()


def test_code_that_a_test_file_imports_and_a_change_removed_is_a_real_failure(shop: SmallRepository, tmp_path: Path) -> None:
    shop.git("rm", "-q", "shop.py")
    shop.commit()
    broken = shop.git("rev-parse", "HEAD").strip()
    report = triaged(shop, tmp_path)
    assert report["verdict"] == "real"
    assert f"Broken by {broken[:10]}, which changed shop.py:1." in report["answer"]["cause_details"]


def test_a_test_file_that_imports_what_no_code_ever_had_is_not_real(shop: SmallRepository, tmp_path: Path) -> None:
    shop.commit(test_shop="from shop import tota\n\n\ndef test_total():\n    assert tota([1, 2]) == 3\n")
    assert triaged(shop, tmp_path)["verdict"] == "not-real"
