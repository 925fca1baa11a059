"""A claim is told apart from a true quote that does not say it, by rule."""

from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, TypeAdapter

from answergraph import AgentSpecError, Quote, SupportedBy, check_evidence, create_agent
from answergraph.evidence.marks import Mark
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel
from tests.answergraph.evidence.said_cases import ELSEWHERE, SAID


def status_of(sentence: str, claim: Any) -> str:
    marks: dict[str, Mark] = {"claim": SupportedBy("quote"), "quote": Quote(min_length=4)}
    return check_evidence({"claim": claim, "quote": sentence}, f"{sentence}\n", marks=marks).fields["claim"]["status"]


def test_most_claims_that_their_quotes_say_are_supported() -> None:
    kept = [claim for sentence, claim, _ in SAID if status_of(sentence, claim) == "supported"]
    assert len(kept) >= 0.9 * len(SAID)


def test_few_claims_that_their_quotes_deny_are_supported() -> None:
    wrong = [claim for sentence, _, claim in SAID if status_of(sentence, claim) == "supported"]
    assert len(wrong) <= 0.1 * len(SAID), wrong


def test_no_claim_about_something_else_with_a_name_or_number_is_supported() -> None:
    assert [claim for sentence, claim in ELSEWHERE if status_of(sentence, claim) == "supported"] == []


def test_no_claim_is_supported_by_the_quote_of_another_case() -> None:
    sentences = [sentence for sentence, _, _ in SAID]
    others = [*sentences[1:], sentences[0]]
    assert [claim for (_, claim, _), other in zip(SAID, others, strict=True) if status_of(other, claim) == "supported"] == []


class Cause(Enum):
    """What went wrong."""

    DISK = "disk full"
    NETWORK = "network down"


class Finding(BaseModel):
    """One finding."""

    cause: Annotated[Cause, SupportedBy("quotes")]
    quotes: Annotated[list[str], Quote(min_items=0)]


class Report(BaseModel):
    """A report."""

    findings: list[Finding]
    verdict: Annotated[str, SupportedBy("findings[].quotes")] = "disk of db-7 full"


LOG = "12:01 the network is fine\n12:03 db-7: the disk is full"


def fields_of(cause: Cause, *quotes: str, **changed: Any) -> Any:
    return check_evidence(Report(findings=[Finding(cause=cause, quotes=list(quotes))], **changed), LOG).fields


def test_a_claim_of_an_item_is_supported_by_the_quotes_beside_it_and_shows_them() -> None:
    fields = fields_of(Cause.DISK, "the disk is full")
    assert fields["findings[0].cause"]["status"] == "supported"
    assert [place["unit"] for place in fields["findings[0].cause"]["evidence"]] == ["12:03 db-7: the disk is full"]
    assert fields["verdict"]["status"] == "supported"


def test_a_claim_that_its_quotes_do_not_speak_of_says_so() -> None:
    record = fields_of(Cause.NETWORK, "the disk is full")["findings[0].cause"]
    assert (record["status"], record["evidence"]) == ("unsupported", [])
    assert "its quotes speak of something else" in record["problem"]


def test_a_claim_with_a_made_up_quote_or_none_is_unsupported() -> None:
    assert "nothing stands behind that" in fields_of(Cause.DISK, "the disk of db-7 is very full")["findings[0].cause"]["problem"]
    assert "nothing stands in quotes" in fields_of(Cause.DISK)["findings[0].cause"]["problem"]


def test_numbers_are_compared_by_value() -> None:
    sentence = "The total of all items is 1,250.00 EUR."
    assert [status_of(sentence, Decimal(text)) for text in ("1250", "1250.5")] == ["supported", "unsupported"]


def test_yes_or_no_is_for_a_judge() -> None:
    marks: dict[str, Mark] = {"late": SupportedBy("quote"), "quote": Quote()}
    report = check_evidence({"late": True, "quote": "30 days late"}, "30 days late", marks=marks)
    assert report.fields["late"]["status"] == "unsupported"
    assert "GroundedAnswer(judge=…)" in report.feedback


@pytest.mark.parametrize("fields", [(), ("",), (3,)])
def test_a_claim_that_names_no_field_is_refused(fields: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"SupportedBy\(['\"]quotes['\"]\)"):
        SupportedBy(*fields)


def test_the_schema_tells_the_model_what_must_say_it() -> None:
    schema = TypeAdapter(Annotated[str, SupportedBy("quotes", "total")]).json_schema()
    assert schema["description"] == "Only what quotes and total say."


class Unmarked(BaseModel):
    """The quotes have no mark."""

    verdict: Annotated[str, SupportedBy("quotes")]
    quotes: list[str]
    other: Annotated[str, Quote()]


class YesOrNo(BaseModel):
    """A claim for a judge."""

    late: Annotated[bool, SupportedBy("quotes")]
    quotes: Annotated[list[str], Quote()]


@pytest.mark.parametrize(
    ("declared", "message"), [(Unmarked, "rests on 'quotes', which has no mark"), (YesOrNo, r"Write GroundedAnswer\(judge=")]
)
def test_a_claim_that_nothing_could_check_is_refused_while_building(declared: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        create_agent(ScriptedChatModel(replies=[]), response_format=declared, middleware=[GroundedAnswer(sources=Input())])


def test_fields_that_are_all_checked_need_no_mark_to_support_a_claim() -> None:
    grounded = GroundedAnswer(sources=Input(), fields="all")
    assert create_agent(ScriptedChatModel(replies=[]), response_format=Unmarked, middleware=[grounded])
