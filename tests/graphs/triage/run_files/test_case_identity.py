"""Which results are runs of one test: what counts as another try, another environment, another test."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs import create_triage_agent
from answergraph.graphs.triage.run_files.case_identity import environment
from answergraph.graphs.triage.run_files.junit_results import JUnitCase
from answergraph.testing import ScriptedChatModel
from tests.graphs.triage.test_triage_graph import VERDICT, answers
from tests.suite.colors import Run

DIFF = "def test_total():\n>       assert total() == 2\nE       assert 3 == 2\n\ntest_shop.py:4: AssertionError"
FAILURE = f'<failure message="assert 3 == 2">{DIFF.replace(">", "&gt;")}</failure>'


def case(inner: str = "", name: str = "test_total", class_name: str = "shop.test_shop", more: str = "") -> str:
    return f'<testcase classname="{class_name}" name="{name}" {more}>{inner}</testcase>'


def suite(*cases: str, about: str = "", properties: str = "") -> str:
    return f'<testsuite name="pytest" {about}>{properties}{"".join(cases)}</testsuite>'


def verdicts(run: Run, place: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    return [(report["case"], report["verdict"]) for report in triaged(run, place, files)]


def triaged(run: Run, place: Path, files: dict[str, str]) -> list[dict[str, Any]]:
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content)
    reports: list[dict[str, Any]] = run(create_triage_agent(), {"folder": str(place)})["reports"]
    assert all(report["status"] in {"answered", "abstained"} for report in reports)
    return reports


TRIED = f"<{{}} message='late'><stackTrace>{DIFF.replace('>', '&gt;')}</stackTrace></{{}}>"


@pytest.mark.parametrize(
    ("cases", "about", "expected"),
    [
        # pytest-rerunfailures and flaky: a failed try is a case without a word, which the suite does not count.
        ([case(), case(), case(FAILURE)], 'tests="1"', [("results.xml#3", "real")]),
        ([case(), case(), case()], 'tests="1"', [("results.xml#3", "flaky")]),
        ([case(), case(name="test_tax"), case(FAILURE)], 'tests="2"', [("results.xml#3", "real")]),
        # Gradle without mergeReruns: a case for each try.
        ([case(FAILURE), case(FAILURE), case(FAILURE)], 'tests="3"', [("results.xml#3", "real")]),
        ([case(FAILURE), case()], 'tests="2"', [("results.xml#2", "flaky")]),
        # Surefire, nextest, Playwright: tries inside of the case.
        ([case(TRIED.format("flakyFailure", "flakyFailure"))], "", [("results.xml#1", "flaky")]),
        ([case(TRIED.format("flakyError", "flakyError"))], "", [("results.xml#1", "flaky")]),
        ([case(FAILURE + TRIED.format("rerunFailure", "rerunFailure"))], "", [("results.xml#1", "real")]),
        (
            [case("<system-out>[[ATTACHMENT|test-results/a-chromium/error-context.md]]</system-out>")],
            "",
            [("results.xml#1", "flaky")],
        ),
        # The runner of modern-web: the same line of the same file.
        (
            [case(FAILURE, "is green", "cart", 'file="a.js" line="3"'), case("", "is green", "cart", 'file="a.js" line="3"')],
            "",
            [("results.xml#2", "flaky")],
        ),
    ],
)
def test_tries_of_a_test_are_one_result(
    run: Run, tmp_path: Path, cases: list[str], about: str, expected: list[tuple[str, str]]
) -> None:
    assert verdicts(run, tmp_path, {"results.xml": suite(*cases, about=about)}) == expected


def test_a_wrong_count_of_another_tool_makes_no_tries(run: Run, tmp_path: Path) -> None:
    written = suite(case(), case(), case(FAILURE, "test_tax"), about='tests="1"').replace('"pytest"', '"Unit"')
    assert verdicts(run, tmp_path, {"results.xml": written}) == [("results.xml#3", "real")]


@pytest.mark.parametrize(
    "files",
    [
        {"results.xml": suite(case(FAILURE), about='hostname="webkit"') + ""},
        {"results.xml": suite(case(), case(FAILURE), about='tests="2"')},  # counted, so no try; it passed before it failed
        {"results.xml": suite(case("", "adds up", "cart"), case(FAILURE, "adds up", "cart"), about='tests="2"')},
        {"results.xml": suite(case(FAILURE, "adds up", "cart"), case("", "adds up", "cart"), about='tests="2"')},
    ],
)
def test_what_cannot_be_a_try_is_no_pass(run: Run, tmp_path: Path, files: dict[str, str]) -> None:
    (verdict,) = {verdict for _, verdict in verdicts(run, tmp_path, files)}
    assert verdict in {"real", "unknown"}


FAILS, PASSES = case(FAILURE), case()
IN_TWO_BROWSERS = (
    "<testsuites>" + suite(PASSES, about='hostname="chromium"') + suite(FAILS, about='hostname="webkit"') + "</testsuites>"
)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            {"py3.9/results.xml": suite(PASSES), "py3.12/results.xml": suite(FAILS)},
            "passed where folder is 'py3.9' and not 'py3.12'",
        ),
        ({"junit-py39.xml": suite(PASSES), "junit-py312.xml": suite(FAILS)}, "passed where folder is 'py39' and not 'py312'"),
        (
            {
                "r.xml": IN_TWO_BROWSERS,
            },
            "passed where hostname is 'chromium' and not 'webkit'",
        ),
        (
            {
                "r.xml": "<testsuites>"
                + suite(PASSES, properties='<properties><property name="browser" value="chrome"/></properties>')
                + suite(FAILS, properties='<properties><property name="browser" value="safari"/></properties>')
                + "</testsuites>"
            },
            "passed where browser is 'chrome' and not 'safari'",
        ),
    ],
)
def test_a_failure_in_one_environment_alone_is_told_as_that(run: Run, tmp_path: Path, files: dict[str, str], told: str) -> None:
    (report,) = triaged(run, tmp_path, files)
    assert report["verdict"] == "real"
    assert report["cases"][0]["elsewhere"] == [told]
    assert told.removeprefix("passed ") in report["answer"]["cause_details"]


def test_tests_of_one_name_in_several_suites_are_several_tests(run: Run, tmp_path: Path) -> None:
    cases = "".join(
        f'<testsuite name="{name}">{case(FAILURE if fails else "", "A", "")}</testsuite>' for name, fails in (("a", 1), ("b", 0))
    )
    (report,) = triaged(run, tmp_path, {"r.xml": f"<testsuites>{cases}</testsuites>"})
    assert report["verdict"] in {"real", "unknown"}
    assert report["cases"][0]["elsewhere"] == ["passed where suite is 'b' and not 'a'"]


@pytest.mark.parametrize("again", ["attempt-2/results.xml", "results-rerun.xml", "retry1/results.xml", "again.xml"])
def test_a_pass_counts_where_the_run_was_tried_again(run: Run, tmp_path: Path, again: str) -> None:
    (found,) = verdicts(run, tmp_path, {"results.xml": suite(FAILS), again: suite(PASSES)})
    assert found == ("results.xml#1", "not-real")


@given(name=st.sampled_from(["browser", "os.name", "python", "flavor"]), one=st.text(min_size=1), other=st.text(min_size=1))
def test_results_are_of_one_environment_only_if_all_that_is_said_of_it_is_equal(name: str, one: str, other: str) -> None:
    ours, theirs = (JUnitCase("r.xml", 1, "a.B", "t", "passed", settings=((name, value),)) for value in (one, other))
    assert (environment(ours) == environment(theirs)) == (one == other)


def test_no_sentence_of_the_tool_is_a_quote(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(suite(FAILS, PASSES.replace("test_total", "test_tax")))
    for ours in ("ran after: no other", "failed tries before: 0", "status: failed"):
        look = answers("read_case", {"case": "r.xml#1"})
        model = ScriptedChatModel(replies=[look, "Seen.", *[answers("FalseNegativeCheck", {**VERDICT, "evidence": [ours]})] * 9])
        (report,) = run(create_triage_agent(model), {"folder": str(tmp_path)})["reports"]
        assert (report["status"], report["verdict"]) == ("invalid", "unknown")


@pytest.mark.parametrize("said", ["boom", "failure", "x", "", "no", "¯\\_(ツ)_/¯"])
@pytest.mark.parametrize("kind", ["failure", "error"])
def test_a_failure_of_few_words_is_left_open(run: Run, tmp_path: Path, said: str, kind: str) -> None:
    ((_, verdict),) = verdicts(run, tmp_path, {"r.xml": suite(case(f'<{kind} message="{said}">{said}</{kind}>'))})
    assert verdict == "unknown"


def test_a_path_that_is_no_unicode_is_triaged_and_shown(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / b"run-\xff".decode(errors="surrogateescape")
    folder.mkdir()
    (report,) = triaged(run, folder, {b"r\xfe.xml".decode(errors="surrogateescape"): suite(FAILS)})
    assert (report["verdict"], report["case"]) == ("real", "r\\xfe.xml#1")
