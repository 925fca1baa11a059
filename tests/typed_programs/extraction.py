# pyright: strict
"""A nested record, extracted with tools, whose first form is sent back."""

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from answergraph import UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel


class Item(BaseModel):
    """One line of an order."""

    name: str
    count: int = Field(ge=1)


class Order(BaseModel):
    """An order."""

    customer: str
    items: list[Item]


@tool
def look_up(customer: str) -> str:
    """Look up a customer."""
    return f"{customer}: 3 open orders"


def answer(count: int) -> AIMessage:
    """Return an answer with one item."""
    args = {"customer": "Ada", "items": [{"name": "pen", "count": count}]}
    return AIMessage("", tool_calls=[{"name": "Order", "args": args, "id": f"answer_{count}"}])


def main() -> list[str]:
    """Extract an order."""
    search = AIMessage("", tool_calls=[{"name": "look_up", "args": {"customer": "Ada"}, "id": "1"}])
    model = ScriptedChatModel(replies=(search, answer(0), answer(2)))
    agent = create_agent(model, [look_up], response_format=Order, limits=UsageLimits(answer_attempts=3), name="orders")
    result = agent.invoke({"messages": ["What did Ada order?"]}, {"tags": ["orders"]})
    order = result["structured_response"]
    if order is None:
        return [result["outcome"]["reason"]]
    return [f"{item.count} × {item.name}" for item in order.items]
