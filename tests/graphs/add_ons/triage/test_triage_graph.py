"""The whole triage: cases in, verdicts with evidence out, for any folder."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage import Disagreement, FalseNegativeCheck
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results
from tests.suite.colors import Run
from tests.suite.fields import places

REFUSED = """def test_rates():
>       fetch()

test_rates.py:4:
_ _ _ _
>       raise
E       ConnectionRefusedError: [Errno 111] Connection refused

rates.py:7: ConnectionRefusedError"""
VERDICT: dict[str, Any] = {
    "is_false_negative": True,
    "confidence": 0.9,
    "evidence": ["ConnectionRefusedError: [Errno 111] Connection refused"],
    "expected_result_analysis": "Rates were expected.",
    "step_execution_analysis": "The connection failed.",
    "misclassification_cause": "temporary_error",
    "recommendations": ["Run it again."],
}


def answers(name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call_{name}"}])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_results(tmp_path, failed("test_rates", REFUSED), passed("test_total"))
    return tmp_path


def test_a_failed_case_gets_a_verdict_with_quotes_from_a_tool_result(run: Run, place: Path) -> None:
    result = run(create_triage_agent(), {"folder": str(place)})
    (report,) = result["reports"]
    answer = FalseNegativeCheck.model_validate(report["answer"])
    assert (report["case"], report["test"], report["status"]) == ("results.xml#1", "shop::test_rates", "answered")
    assert (answer.is_false_negative, answer.misclassification_cause) == (True, "temporary_error")
    call_id, start, end = places(report["fields"])["evidence[0]"]
    assert report["sources"][call_id]["text"][start:end] == answer.evidence[0]
    assert (result["problems"], result["results"]) == ([], 2)


def test_an_invented_quote_is_sent_back_and_never_reported(run: Run, place: Path) -> None:
    invented = {**VERDICT, "evidence": ["ConnectionRefusedError: the moon was in the way"]}
    model = ScriptedChatModel(
        replies=[
            answers("read_case", {"case": "results.xml#1"}),
            "The service was down.",
            answers("FalseNegativeCheck", invented),
            answers("FalseNegativeCheck", VERDICT),
        ]
    )
    (report,) = run(create_triage_agent(model), {"folder": str(place)})["reports"]
    assert report["status"] == "answered"
    assert report["answer"]["evidence"] == VERDICT["evidence"]


def test_a_model_that_keeps_inventing_gets_no_verdict(run: Run, place: Path) -> None:
    invented = {**VERDICT, "evidence": ["ConnectionRefusedError: the moon was in the way"]}
    model = ScriptedChatModel(
        replies=[answers("read_case", {"case": "results.xml#1"}), "Down.", *[answers("FalseNegativeCheck", invented)] * 9]
    )
    (report,) = run(create_triage_agent(model), {"folder": str(place)})["reports"]
    assert (report["status"], report["answer"]) == ("invalid", None)


def test_exploring_offers_no_answer_and_concluding_offers_the_verdict_and_the_abstention(run: Run, place: Path) -> None:
    look = answers("read_case", {"case": "results.xml#1"})
    abstains = answers("Abstention", {"missing": ["a log"], "tried": ["read_case"]})
    model = ScriptedChatModel(replies=[look, "Nothing else.", abstains])
    (report,) = run(create_triage_agent(model), {"folder": str(place)})["reports"]
    looks = ["list_failed_cases", "read_case", "list_files", "read_lines", "search"]
    assert [request.tool_names for request in model.requests] == [
        looks,
        looks,
        [*looks, "FalseNegativeCheck", "Disagreement", "Abstention"],
    ]
    assert (report["status"], report["answer"]["missing"]) == ("abstained", ["a log"])


def test_a_model_that_has_read_nothing_is_not_asked_for_a_verdict(run: Run, place: Path) -> None:
    model = ScriptedChatModel(replies=["I know already."])
    (report,) = run(create_triage_agent(model), {"folder": str(place)})["reports"]
    assert len(model.requests) == 1
    assert (report["status"], report["verdict"]) == ("abstained", "unknown")
    assert report["answer"]["missing"] == ["what the test run says: nothing of it was read"]


def test_a_passed_case_with_a_failure_in_its_output_is_judged_as_a_possible_false_pass(run: Run, tmp_path: Path) -> None:
    write_results(tmp_path, passed("test_sync", "Exception in thread sync: nothing was synchronised"))
    (report,) = run(create_triage_agent(), {"folder": str(tmp_path)})["reports"]
    assert report["answer"]["is_false_positive"] is True
    assert report["answer"]["evidence"] == ["Exception in thread sync: nothing was synchronised"]


def test_failures_with_one_cause_are_judged_once_and_reported_with_all_cases(run: Run, tmp_path: Path) -> None:
    names = [f"test_{number:02}" for number in range(12)]
    write_results(tmp_path, *(failed(name, REFUSED) for name in names))
    (report,) = run(create_triage_agent(), {"folder": str(tmp_path)})["reports"]
    assert [case["test"] for case in report["cases"]] == [f"shop::{name}" for name in names]
    assert (report["test"], report["verdict"]) == ("shop::test_00", "not-real")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        (None, "", "The folder has no files."),
        ("app.log", "ERROR", "no JUnit XML with results"),
        ("bad.xml", "<testsuite", "'bad.xml' is no complete XML"),
        ("e.xml", '<!DOCTYPE t [<!ENTITY a "b">]><testsuite/>', "'e.xml' declares XML entities"),
    ],
)
def test_a_folder_without_results_says_why(run: Run, tmp_path: Path, name: str | None, content: str, why: str) -> None:
    if name:
        (tmp_path / name).write_text(content)
    result = run(create_triage_agent(), {"folder": str(tmp_path)})
    assert (result["reports"], result["results"]) == ([], 0)
    assert any(why in problem for problem in result["problems"])


@pytest.mark.parametrize("name", ["it's.xml", "a b/c d.xml", "[x]#1.xml", "“時刻”.xml", 'say "hi".xml', "a: 1: b.xml"])
def test_files_may_have_any_name(run: Run, tmp_path: Path, name: str) -> None:
    write_results(tmp_path, failed("test_rates", REFUSED), name=name)
    (report,) = run(create_triage_agent(), {"folder": str(tmp_path)})["reports"]
    assert (report["case"], report["status"]) == (f"{name}#1", "answered")


def test_a_folder_outside_the_root_is_not_read(run: Run, place: Path) -> None:
    (place / "inner").mkdir()
    triage = create_triage_agent(root=place / "inner")
    for folder in ("..", str(place), "/etc", "/there/is/none"):
        result = run(triage, {"folder": folder})
        assert (result["reports"], len(result["problems"])) == ([], 1)
        assert "not below the folder" in result["problems"][0]


def test_the_drawing_of_the_graph_is_the_documented_one() -> None:
    drawn = create_triage_agent().get_graph(xray=1).draw_mermaid(with_styles=False)
    for node in ("find_cases", "explore", "hand_over", "conclude_failed", "conclude_passed", "report"):
        assert node in drawn
    assert all(f"&nbsp;{reason}&nbsp;" in drawn for reason in ("judge", "finish", "failed", "passed"))


def test_a_failed_check_alone_is_a_disagreement(run: Run, tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_total", "E   assert 27 == 30", message="AssertionError"))
    (report,) = run(create_triage_agent(), {"folder": str(tmp_path)})["reports"]
    answer = Disagreement.model_validate(report["answer"])
    assert (report["verdict"], report["schema"]) == ("disagreement", "Disagreement")
    assert (answer.expected, answer.actual) == ("30", "27")


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        ("E   ConnectionRefusedError: [Errno 111] Connection refused", "Judged by rules."),
        ("E   AssertionError: exit status 3\nE   assert 3 == 0", "The rules do not decide it."),
    ],
)
def test_a_report_by_rules_never_says_that_a_model_answered(tmp_path: Path, details: str, reason: str) -> None:
    write_results(tmp_path, failed("test_rates", details))
    (report,) = create_triage_agent().invoke({"folder": str(tmp_path)})["reports"]
    assert (report["judge"], report["reason"]) == ("rules", reason)
