"""A judge says whether quotes say the claims of an answer: one call for all of them, counted in the run's limits."""

import json
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import AgentSpecError, Quote, SupportedBy, ToolStrategy, UsageLimits, create_agent
from answergraph.evidence import answer_bundle, verify_bundle
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

DOCUMENT = "The invoice was paid 40 days after it was due.\nThe customer was told twice."


class SupportedVerdict(BaseModel):
    """A verdict with its reasons."""

    late: Annotated[bool, SupportedBy("reasons")]
    summary: Annotated[str, SupportedBy("reasons")]
    reasons: Annotated[list[str], Quote()]


GOOD: dict[str, Any] = {
    "late": True,
    "summary": "It was paid 40 days after it was due",
    "reasons": ["paid 40 days after it was due"],
}


def answer(**changed: Any) -> AIMessage:
    args = {**GOOD, **changed}
    call = {"name": "SupportedVerdict", "args": args, "id": f"call_{len(str(args))}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


def says(*given: tuple[int, bool]) -> AIMessage:
    verdicts = [{"claim": claim, "why": f"why {claim}", "passages_say_it": holds} for claim, holds in given]
    return AIMessage("", tool_calls=[{"name": "Verdicts", "args": {"verdicts": verdicts}, "id": "judge", "type": "tool_call"}])


def agent_with(judge: Any, *replies: Any, **options: Any) -> Any:
    grounded = GroundedAnswer(sources=Input(), judge=judge)
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, response_format=ToolStrategy(SupportedVerdict), middleware=[grounded], **options)


def test_one_call_judges_all_claims_and_is_charged_to_the_run(run: Run) -> None:
    judge = ScriptedChatModel(replies=[says((1, True), (2, True))])
    result = run(agent_with(judge, answer()), {"messages": [DOCUMENT]})
    outcome = result["outcome"]
    assert [outcome["fields"][path]["status"] for path in ("late", "summary", "reasons[0]")] == ["judged", "judged", "supported"]
    assert outcome["fields"]["late"]["evidence"][0]["unit"] == "The invoice was paid 40 days after it was due."
    assert (outcome["support"], outcome["usage"]["model_calls"], len(judge.requests)) == (1.0, 2, 1)
    assert outcome["usage"]["by_cause"]["inner_run"]["model_calls"] == 1


def test_the_judge_is_shown_each_claim_with_the_units_of_its_quotes(run: Run) -> None:
    judge = ScriptedChatModel(replies=[says((1, True), (2, True))])
    run(agent_with(judge, answer()), {"messages": [DOCUMENT]})
    shown = json.loads(judge.requests[0].messages[-1].text)
    unit = "The invoice was paid 40 days after it was due."
    assert [(each["claim"], each["field"], each["value"], each["passages"]) for each in shown] == [
        (1, "late", True, [unit]),
        (2, "summary", GOOD["summary"], [unit]),
    ]


def test_a_claim_that_the_judge_refuses_is_asked_for_again_with_its_reason(run: Run) -> None:
    judge = ScriptedChatModel(replies=[says((1, False), (2, True)), says((1, True), (2, True))])
    result = run(agent_with(judge, answer(late=False), answer()), {"messages": [DOCUMENT]})
    assert result["structured_response"].late is True
    assert "why 1" in result["outcome"]["attempts"][0]["fields"]["late"]


@pytest.mark.parametrize("verdicts", [(), ((2, True),), ((1, True), (1, False), (2, True)), ((3, True), (2, True))])
def test_a_claim_without_a_clear_verdict_is_unsupported(run: Run, verdicts: tuple[tuple[int, bool], ...]) -> None:
    judge = ScriptedChatModel(replies=[says(*verdicts)] * 4)
    result = run(agent_with(judge, *[answer()] * 4), {"messages": [DOCUMENT]})
    assert result["outcome"]["status"] == "invalid"
    assert result["outcome"]["fields"]["late"]["status"] == "unsupported"


def test_a_judge_that_gives_no_verdicts_at_all_has_checked_nothing(run: Run) -> None:
    judge = ScriptedChatModel(replies=["I cannot say."] * 8)
    result = run(agent_with(judge, *[answer()] * 4), {"messages": [DOCUMENT]})
    assert result["structured_response"] is None
    assert "the judge gave no verdict on it" in result["outcome"]["fields"]["summary"]["problem"]


def test_what_a_rule_refuses_is_not_judged(run: Run) -> None:
    judge = ScriptedChatModel(replies=[says((1, True), (2, True))])
    result = run(agent_with(judge, answer(summary="It was paid 90 days after it was due"), answer()), {"messages": [DOCUMENT]})
    assert result["outcome"]["status"] == "answered"
    assert len(judge.requests) == 1


def test_the_judge_may_take_the_call_that_was_kept_for_the_answer_and_no_more(run: Run) -> None:
    enough = ScriptedChatModel(replies=[says((1, True), (2, True))])
    result = run(agent_with(enough, answer(), limits=UsageLimits(model_calls=2)), {"messages": [DOCUMENT]})
    assert result["outcome"]["status"] == "answered"
    unasked = ScriptedChatModel(replies=[says((1, True), (2, True))])
    result = run(agent_with(unasked, answer(), limits=UsageLimits(model_calls=1)), {"messages": [DOCUMENT]})
    assert (result["structured_response"], unasked.requests) == (None, [])


def test_a_bundle_says_that_a_judge_said_so_and_checks_the_quotes_again(run: Run) -> None:
    judge = ScriptedChatModel(replies=[says((1, True), (2, True))])
    result = run(agent_with(judge, answer()), {"messages": [DOCUMENT]})
    verdicts = {verdict.path: verdict for verdict in verify_bundle(answer_bundle(result))}
    assert all(verdict.holds for verdict in verdicts.values())
    assert "a judge said" in verdicts["late"].reason


def test_a_judge_that_is_no_model_is_refused_while_building() -> None:
    with pytest.raises(AgentSpecError, match="is not a model"):
        GroundedAnswer(judge=3)  # type: ignore[arg-type]  # what is tested
