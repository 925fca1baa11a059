"""Evidence shows what a quote is read with: its whole sentence, and the line that introduces it."""

import pytest

from answergraph import Quote, check_evidence
from answergraph.state.field_record import FieldRecord
from tests.answergraph.evidence.real_texts import real_texts
from tests.answergraph.evidence.turned_cases import turned_cases

WARRANTY = "It is a common belief, but not true, that\nthe warranty covers water damage in any of\nour devices. Ask us."
NEVER = "Never do:\n\n- open mail\n- share your password"
QUOTES = 50
"""Of the texts of the installed packages, which differ."""


def record_of(quote: str, text: str) -> FieldRecord:
    return check_evidence({"quote": quote}, text, marks={"quote": Quote()}).fields["quote"]


def test_what_turns_a_quote_is_shown_with_it() -> None:
    shown: list[bool] = []
    for case in turned_cases(list(real_texts(20, languages=0)), QUOTES):
        for evidence in record_of(case.quote, case.text)["evidence"]:
            start, end = evidence["place"]
            shown.append(start <= case.turn[0] and case.turn[1] <= end)
    assert len(shown) >= 0.8 * QUOTES
    assert sum(shown) >= 0.9 * len(shown)


@pytest.mark.parametrize(
    ("quote", "text", "unit"),
    [
        ("the warranty covers water damage", f"Hello.\n\n{WARRANTY}\n\nBye.", WARRANTY),
        ("share your password", f"{NEVER}\n- sleep", NEVER),
        ("the disk is full", "# Known untruths\n\nthe disk is full", "# Known untruths\n\nthe disk is full"),
        ("the disk is full", "12:03 all is well\n12:04 the disk is full\n12:05 no", "12:04 the disk is full"),
        ("share your password", "Never do this:\n" + "- open mail\n" * 99 + "- share your password", "- share your password"),
    ],
)
def test_a_quote_is_shown_with_its_sentence_and_what_introduces_it(quote: str, text: str, unit: str) -> None:
    (evidence,) = record_of(quote, text)["evidence"]
    start, end = evidence["marks"][0]
    assert (evidence["unit"], evidence["unit"][start:end]) == (unit, quote)


def test_prose_may_be_quoted_over_a_line_break_that_a_capital_follows() -> None:
    text = "If you use Linux, we recommend that you use a\nNodeSource installer."
    assert record_of("we recommend that you use a NodeSource installer", text)["status"] == "supported"
