"""The agent, the schemas and the answers that the tests of evaluations score."""

import json
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, Field

from answergraph import Quote, create_agent
from answergraph.testing import Case, ScriptedChatModel, evaluate


class Item(BaseModel):
    sku: str
    price: Decimal


class Invoice(BaseModel):
    number: str
    total: float = Field(alias="sum total")
    items: list[Item] = []
    note: str | None = None


class Quoted(BaseModel):
    quotes: list[Annotated[str, Quote()]]
    number: int


ITEMS = [{"sku": "a", "price": 1.5}, {"sku": "b", "price": 2}]
INVOICE = {"number": "A-17", "sum total": 3.5, "items": ITEMS}


def agent_of(*replies: Any, response_format: Any = Invoice, **options: Any) -> Any:
    """Return an agent that replies with JSON."""
    texts = [reply if isinstance(reply, Exception) else json.dumps(reply) for reply in replies]
    return create_agent(ScriptedChatModel(replies=texts), [], response_format=response_format, **options)


def score(expected: Any, reply: Any, response_format: Any = Invoice, **options: Any) -> dict[str, tuple[int, int, int, int]]:
    """Return right, wrong, missing and extra of each field."""
    fields = evaluate(agent_of(reply, response_format=response_format), [Case("Read it.", expected)], **options).fields
    return {name: (each.right, each.wrong, each.missing, each.extra) for name, each in fields.items()}
