"""Searches a tool result for the claims of an answer; either may be hostile."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel

from answergraph import Grounded, Quote
from answergraph.evidence import FromTools
from answergraph.evidence.claim_checking import check_fields
from answergraph.evidence.claims import fields_of
from answergraph.state.tool_results import ToolRun


class Marked(BaseModel):
    """What the log says."""

    said: Annotated[list[str], Quote()]
    number: Annotated[float, FromTools()]
    value: Annotated[str, Grounded()]
    amount: Annotated[Decimal, Grounded(label="total")]
    day: Annotated[date, Grounded()]


def look_for_evidence(text: str) -> None:
    for result, quote in ((text, "it ran, and passed"), ("It ran, and passed 41 tests.", text), (text, text[:200])):
        marked = Marked(said=[quote], number=41.5, value=quote, amount=Decimal("41.5"), day=date(2025, 10, 27))
        check_fields(fields_of(marked), [ToolRun("1", "look", {}, (result,))])
