"""A grounded judge: a choice counts only with a reason that quotes the work."""

import pytest

from answergraph import AgentSpecError
from answergraph.graphs import create_judge
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.judge.judge_models import answer
from tests.suite.colors import Run

RULES = ["approved", "needs fix"]
REPORT = {"report": "\nTwo tests fail: test_login and test_logout.\n"}


def test_a_reason_that_quotes_the_work_counts_and_the_place_is_recorded(run: Run) -> None:
    model = ScriptedChatModel(replies=[answer("tool", "structured_output", 2, 'It says "Two tests fail".')])
    judgment = run(create_judge(model, RULES, grounded=True), REPORT)["judgment"]
    assert (judgment["index"], judgment["stages"][0]["evidence"]) == (1, [[0, 14]])
    assert "quote word for word" in model.requests[0].messages[-1].text


def test_an_invented_quote_leads_to_the_next_stage(run: Run) -> None:
    invented = answer("tool", "structured_output", 1, 'It says "all tests pass".')
    model = ScriptedChatModel(replies=[invented, "[STEP:1]", answer("tool", "ai_judge", 2, "“test_login and test_logout”")])
    judgment = run(create_judge(model, RULES, grounded=True), REPORT)["judgment"]
    assert (judgment["index"], judgment["method"]) == (1, "ai_judge")
    assert [stage["status"] for stage in judgment["stages"]] == ["no_match", "no_match", "matched"]
    assert "all tests pass" in judgment["stages"][0]["reason"]


def test_a_tag_counts_with_a_quote_beside_it(run: Run) -> None:
    model = ScriptedChatModel(replies=['"Two tests fail"\n[STEP:2]'])
    judgment = run(create_judge(model, RULES, grounded=True, structured_output=False), REPORT)["judgment"]
    assert (judgment["method"], judgment["stages"][0]["evidence"]) == ("phase3_tag", [[0, 14]])


def test_without_any_quote_nothing_matches(run: Run) -> None:
    model = ScriptedChatModel(replies=[answer("tool", "structured_output", 2), "[STEP:2]", "[JUDGE:2]"])
    judgment = run(create_judge(model, RULES, grounded=True), REPORT)["judgment"]
    assert judgment["index"] is None
    assert "does not quote" in judgment["reason"]


def test_the_offline_model_quotes(run: Run) -> None:
    judgment = run(create_judge("offline", RULES, grounded=True), {"report": "Mostly good. It still needs fix in two places."})
    assert judgment["judgment"]["label"] == "needs fix"


def test_a_tag_that_the_work_holds_has_no_reason() -> None:
    with pytest.raises(AgentSpecError, match="grounded"):
        create_judge(None, RULES, grounded=True)
