"""Why a reply cannot contain an answer, by the fields in the providers' documentation."""

from enum import Enum
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from answergraph.answers.canonical_json import MAX_QUOTED_CHARACTERS, shortened
from answergraph.state.stop_reasons import diagnose, refusal_text
from tests.graphs.agent.scripted_agents import call, calls


class BlockReason(Enum):
    """An enumeration like those of an SDK."""

    SAFETY = "SAFETY"


REFUSAL_BLOCK: Any = {"type": "refusal", "refusal": "I will not."}

DIAGNOSES: list[tuple[Any, AIMessage]] = [
    (None, AIMessage("text")),
    (None, AIMessage("text", response_metadata={"finish_reason": "stop", "stop_reason": "end_turn", "stopReason": "end_turn"})),
    (None, calls(call("search", {}))),
    ("empty", AIMessage("")),
    ("empty", AIMessage(" \n", response_metadata={"finish_reason": "stop"})),
    ("refused", AIMessage("", additional_kwargs={"refusal": "no"})),
    ("refused", AIMessage([REFUSAL_BLOCK])),
    *(("refused", AIMessage("x", response_metadata=data)) for data in (
        {"finish_reason": "content_filter"}, {"stop_reason": "refusal"}, {"finish_reason": "SAFETY"},
        {"stopReason": "guardrail_intervened"}, {"incomplete_details": {"reason": "content_filter"}},
    )),
    *(("truncated", AIMessage("x", response_metadata=data)) for data in (
        {"finish_reason": "length"}, {"stop_reason": "max_tokens"}, {"finish_reason": "MAX_TOKENS"}, {"stopReason": "max_tokens"},
        {"incomplete_details": {"reason": "max_output_tokens"}}, {"stop_reason": "model_context_window_exceeded"},
    )),
    *(("truncated", AIMessage("x", response_metadata=data)) for data in (
        {"done_reason": "length"}, {"finish_reason": "insufficient_system_resource"}, {"finish_reason": "error"},
        {"status": "incomplete"}, {"finish_reason": "lengthlength"}, {"stop_reason": "pause_turn"},
    )),
    *(("refused", AIMessage("x", response_metadata=data)) for data in (
        {"stopReason": "content_filtered"}, {"finish_reason": "SPII"}, {"finish_reason": BlockReason.SAFETY},
        {"prompt_feedback": {"block_reason": "SAFETY"}}, {"prompt_feedback": {"block_reason": BlockReason.SAFETY}},
    )),
    (None, AIMessage("x", response_metadata={"prompt_feedback": {"block_reason": 0}})),
    (None, AIMessage("x", response_metadata={"done_reason": "stop", "status": "completed"})),
    ("refused", AIMessage("", additional_kwargs={"refusal": "no"}, response_metadata={"finish_reason": "length"})),
    ("truncated", AIMessage("", response_metadata={"finish_reason": "length"})),
    (None, AIMessage("x", response_metadata={"finish_reason": 7, "incomplete_details": None})),
]  # fmt: skip


@pytest.mark.parametrize(("status", "message"), DIAGNOSES)
def test_a_reply_is_diagnosed_by_its_marks(status: Any, message: AIMessage) -> None:
    assert diagnose(message) == status


def test_a_refusal_is_reported_in_the_models_own_words() -> None:
    assert refusal_text(AIMessage("", additional_kwargs={"refusal": "no"})) == "no"
    assert refusal_text(AIMessage([REFUSAL_BLOCK])) == "I will not."
    assert refusal_text(AIMessage("I had rather not.", response_metadata={"stop_reason": "refusal"})) == "I had rather not."
    assert refusal_text(AIMessage("", response_metadata={"stop_reason": "refusal"})) == ""


def test_a_text_is_quoted_on_one_line_and_shortened() -> None:
    assert shortened(" a\n\tb  c ") == "a b c"
    assert shortened("x" * MAX_QUOTED_CHARACTERS) == "x" * MAX_QUOTED_CHARACTERS
    assert shortened("x" * (MAX_QUOTED_CHARACTERS + 1)) == f"{'x' * MAX_QUOTED_CHARACTERS} …"
