"""Graphs for the page's tests that take a record out of a document: made-up values left out or refused, and many rows."""

from typing import Annotated, Any

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, Field

from answergraph import Derived, create_agent
from answergraph.graphs import create_ensemble, create_extractor
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel

MANY = 60
INVOICE = """Brenner & Sohn GmbH
Tools and measuring instruments since 1961

INVOICE No. RE-2026-01847
Date 3 November 2026

Description            Amount
Torque wrench          756.00
Hex key set            294.00
Calibration            180.00

Total                 1230.00
<b>Payable</b> within 30 days."""
LONG = "🚂 Parts\n" + "\n".join(f"part-{number:03} {number}.50" for number in range(1, MANY + 1))


class Supplier(BaseModel):
    """Who sends it."""

    name: str
    phone: str | None = None


class Item(BaseModel):
    """One line."""

    what: str
    amount: float


class Invoice(BaseModel):
    """An invoice."""

    number: str
    supplier: Supplier
    items: list[Item]
    total: Annotated[float, Derived("sum(items[].amount)")]
    purchase_order: str | None = Field(default=None, pattern="^PO-")
    note: str | None = Field(default=None, description="What else it says.")


ITEMS = [
    {"what": "Torque wrench", "amount": 756},
    {"what": "Hex key set", "amount": 294},
    {"what": "Calibration", "amount": 180},
]
MADE_UP: dict[str, Any] = {
    "number": "RE-2026-01847",
    "supplier": {"name": "Brenner & Sohn GmbH", "phone": "+49 40 555 0199"},
    "items": ITEMS,
    "total": 1230,
    "purchase_order": "PO-77120",
}


class Parts(BaseModel):
    """A list of parts."""

    items: list[Item]


def _answers(schema: str, args: dict[str, Any]) -> ScriptedChatModel:
    def reply(messages: list[BaseMessage]) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": schema, "args": args, "id": f"call-{len(messages)}"}])

    return ScriptedChatModel(replies=reply)


def invoice() -> Any:
    """Return an agent that leaves out two values that stand nowhere."""
    check = GroundedAnswer(sources=Input(), fields="all", on_doubt="omit")
    return create_agent(_answers("Invoice", MADE_UP), response_format=Invoice, middleware=[check], name="invoice")


def refused_invoice() -> Any:
    """Return an extractor whose record is never accepted."""
    return create_extractor(_answers("Invoice", MADE_UP), Invoice, name="refused_invoice")


def parts() -> Any:
    """Return an agent with a long list, of which one value is not in the document."""
    items = [{"what": f"part-{number:03}", "amount": number + (0.5 if number != 40 else 0.75)} for number in range(1, MANY + 1)]
    check = GroundedAnswer(sources=Input(), fields="all")
    return create_agent(_answers("Parts", {"items": items}), response_format=Parts, middleware=[check], name="parts")


def second_opinion() -> Any:
    """Return two readers that differ about the number, and a person who decides."""
    other = {**MADE_UP, "number": "1961", "supplier": {"name": "Brenner & Sohn GmbH"}, "purchase_order": None}
    one = {**other, "number": "RE-2026-01847"}
    readers = [create_extractor(_answers("Invoice", args), Invoice, on_doubt="omit") for args in (one, other)]
    return create_ensemble(readers, on_doubt="review", checkpointer=True, name="second_opinion")


def reviewed_invoice() -> Any:
    """Return an extractor that asks a person about the fields that stand nowhere, and about a total that does not follow."""
    wrong = {**MADE_UP, "number": "RE-1", "total": 1231, "note": "Handle with care"}
    return create_extractor(_answers("Invoice", wrong), Invoice, on_doubt="review", checkpointer=True, name="reviewed_invoice")
