"""Any reply of a server ends in an outcome, and the next turn of the same thread works."""

from collections.abc import Iterable

import pytest

from tests.torture.chaos import ALL_WAYS, FINE, Case, became_of, cases
from tests.torture.hostile_replies import COSTLY, OVERWRITTEN, READABLE, REPLIES

WORST = (
    "a text: 10000 deep",
    "arguments: brackets in a string",
    "an answer call: a lone surrogate",
    "cut: an open fence",
    "calls of one id",
    "role: 'wizard'",
    "total_tokens: '7'",
    "tool_calls: 'None'",
)
"""One reply of each kind, sent in every run of the suite."""


def wrong(chosen: Iterable[Case]) -> dict[Case, list[str]]:
    return {case: said for case, said in became_of(chosen).items() if not {*said} <= FINE}


def test_after_the_worst_replies_the_run_has_an_outcome_and_the_thread_continues() -> None:
    assert wrong(cases(1, WORST)) == {}


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # about the ids, which the SDK keeps as numbers
def test_a_thread_continues_after_a_reply_whose_ids_are_numbers() -> None:
    assert wrong([Case("id: '7'", "responses", "fallback", "invoke")]) == {}


@pytest.mark.torture
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # about a token count of 1.5, which LangChain keeps
@pytest.mark.parametrize("replies", [READABLE, OVERWRITTEN], ids=["readable", "overwritten"])
def test_every_reply_of_a_server_ends_in_an_outcome(replies: Iterable[str]) -> None:
    assert wrong(cases(2, replies)) == {}


def test_hundreds_of_replies_are_sent_over_every_api_and_strategy() -> None:
    sent = {*cases(2, READABLE), *cases(2, OVERWRITTEN)}
    assert {case.reply for case in sent} == {*REPLIES} - COSTLY
    assert len(sent) > 360
    assert {case[1:] for case in sent} == {*ALL_WAYS}
