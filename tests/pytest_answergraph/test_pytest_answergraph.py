"""``pytest --triage``, in a pytest of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

SHOP = """
def test_total():
    assert 1 + 1 == 3

def test_url():
    import shop_that_is_nowhere
"""


@pytest.fixture(autouse=True)
def settings(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function")


@pytest.mark.parametrize("own_results", [False, True])
def test_the_runs_own_results_are_triaged(pytester: pytest.Pytester, own_results: bool) -> None:
    pytester.makepyfile(test_shop=SHOP)
    wanted = ["--junitxml=here.xml"] if own_results else []
    ended = pytester.runpytest("--triage", "--triage-html=page.html", *wanted)
    ended.stdout.fnmatch_lines(
        ["*= triage =*", "2 cases of 2 causes: 1 test and application disagree, 1 should have passed. Judged by rules."]
    )
    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    assert Path(pytester.path, "page.html").exists()
    assert Path(pytester.path, "here.xml").exists() == own_results


def test_without_the_option_nothing_is_said(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): assert False")
    pytester.runpytest().stdout.no_fnmatch_line("*triage*")


def test_the_plugin_alone_imports_nothing_of_answergraph() -> None:
    told = "import sys, pytest_answergraph; print([name for name in sys.modules if name.split('.')[0] == 'answergraph'])"
    assert subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True).stdout == "[]\n"


TAPED = """
from answergraph import create_agent
from answergraph.testing import ScriptedChatModel

def test_refund(tape):
    replies = {replies}
    with tape():
        agent = create_agent(ScriptedChatModel(replies=replies), response_format=bool)
        assert agent.invoke({{"messages": "Refund?"}})["structured_response"] is True
"""


def test_the_fixture_records_a_run_and_plays_it(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(test_shop=TAPED.format(replies=["true"]))
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    assert Path(pytester.path, "tapes", "test_shop", "test_refund.jsonl").exists()
    pytester.makepyfile(test_shop=TAPED.format(replies=[]))
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_in_ci_a_missing_tape_fails_and_no_model_is_asked(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(test_shop=TAPED.format(replies=["true"]))
    ended = pytester.runpytest_inprocess()
    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(["*record it with mode='once'*"])
