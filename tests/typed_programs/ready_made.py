# pyright: strict
"""Every ready-made graph is known to strict type checkers, also with a checkpointer."""

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from answergraph import AgentGraph, create_agent
from answergraph.graphs import (
    ExtractorInput,
    create_calculator,
    create_ensemble,
    create_extractor,
    create_judge,
    create_react,
    create_triage_agent,
    create_workflow,
    load_workflow,
)
from answergraph.testing import ScriptedChatModel

CREATORS = (create_calculator, create_ensemble, create_extractor, create_judge, create_react, create_triage_agent)
WORKFLOWS = (create_workflow, load_workflow)


class Order(BaseModel):
    """An order."""

    number: str


def reader(reply: str) -> AgentGraph[Order | None]:
    """Return an agent that reads an order."""
    return create_agent(ScriptedChatModel(replies=[reply]), response_format=Order)


def extractor() -> AgentGraph[Order | None, ExtractorInput]:
    """Return what reads an order from a document."""
    return create_extractor(ScriptedChatModel(replies=['{"number": "A-1"}']), Order)


def main() -> str:
    """Ask two readers, and return what both read."""
    two = create_ensemble([reader('{"number": "A-1"}'), reader('{"number": "A-1"}')], checkpointer=InMemorySaver())
    order = two.invoke({"messages": "Order A-1"}, {"configurable": {"thread_id": "1"}})["structured_response"]
    read = extractor().invoke({"document": "Order A-1"})["structured_response"]
    return "" if order is None or order != read else order.number
