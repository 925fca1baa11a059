"""A document in, a record out, every field with its place.

It reads a short text with a scripted model. With a key: ``extract(Path("invoice.pdf").read_bytes())``.
"""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel

from answergraph import Grounded
from answergraph.graphs import create_extractor
from answergraph.testing import ScriptedChatModel

DOCUMENT = """Invoice No. A-17, 3 May 2026
pens 12.50
paper 7.50
Amount due: 20.00 - PAID"""
READ = """{"number": "A-17", "day": "2026-05-03", "total": "20.00", "paid": true,
"items": [{"name": "pens", "price": "12.50"}, {"name": "paper", "price": "7.50"}]}"""


class Item(BaseModel):
    """One line of an invoice."""

    name: str
    price: Decimal


class Invoice(BaseModel):
    """An invoice."""

    number: Annotated[str, Grounded(label=["invoice", "No."])]
    day: date
    items: list[Item]
    total: Annotated[Decimal, Grounded(label=["total", "amount due"])]
    paid: Annotated[bool | None, Grounded(spelled={"PAID": True, "open": False}, min_items=0)] = None


def extract(document: str | bytes, model: Any = "openai:gpt-4.1-mini") -> dict[str, Any]:
    """Return the result of the run: the record and what stands behind it."""
    result: dict[str, Any] = create_extractor(model, Invoice, on_doubt="omit").invoke({"document": document})
    return result


def main() -> None:
    """Print the record and its fields."""
    result = extract(DOCUMENT, ScriptedChatModel(replies=[READ]))
    print(result["outcome"]["reason"])
    for path, field in result["outcome"]["fields"].items():
        print(path, field["status"], *(repr(place["unit"]) for place in field["evidence"]))


if __name__ == "__main__":
    main()
