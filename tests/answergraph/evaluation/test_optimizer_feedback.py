"""Optimizers of prompts learn from a score and from what is wrong, in words."""

import pytest

from answergraph import AgentSpecError
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import feedback_on
from tests.answergraph.evaluation.scored_agent import INVOICE, ITEMS, Quoted, agent_of
from tests.suite.colors import Run

ASKED = {"messages": "Read it."}


def test_feedback_names_how_the_run_ended_and_each_wrong_field(run: Run) -> None:
    result = run(agent_of(INVOICE), ASKED)
    score, feedback = feedback_on(result, {"number": "B", "items": ITEMS, "note": "Paid."})
    assert score == 4 / 6
    assert feedback.splitlines() == [
        f"answered: {result['outcome']['reason']}",
        "number: expected 'B', got 'A-17'",
        "note: 'Paid.' is missing",
    ]
    assert feedback_on(result, {"number": "a 17"}, normalize=lambda text: text.replace("-", " ").lower()).score == 1
    assert feedback_on(result, lambda answer: answer.number == "A-17").score == 1


def test_what_a_check_of_the_agent_found_is_in_the_feedback_of_a_run_without_an_answer(run: Run) -> None:
    reply = {"quotes": ["Nobody wrote this sentence."], "number": 1}
    result = run(agent_of(*[reply] * 4, response_format=Quoted, middleware=[GroundedAnswer(sources=[Input()])]), ASKED)
    score, feedback = feedback_on(result, reply)
    assert score == 0
    assert feedback.startswith(f"{result['outcome']['status']}: ")
    assert any(line.startswith("quotes[0]: ") for line in feedback.splitlines())


def test_a_result_without_an_outcome_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="the result has no outcome"):
        feedback_on({"messages": []}, 4)
