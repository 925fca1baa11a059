"""One agent reads many documents in parallel, and a reducer collects its answers: ``python examples/parallel_extraction.py``.

It uses scripted models, so it runs anywhere. Replace them with any chat model or its name.
"""

import operator
from collections.abc import Mapping
from typing import Annotated, Any

from langchain_core.messages import BaseMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph import as_node, create_agent
from answergraph.testing import ScriptedChatModel


class Invoice(BaseModel):
    """What an invoice says."""

    number: str
    total: float = Field(ge=0)


class State(TypedDict):
    """The documents and the invoices found in them."""

    documents: list[str]
    invoices: Annotated[list[Invoice], operator.add]
    unread: Annotated[list[str], operator.add]


def build(model: Any) -> Any:
    """Return a graph with one agent that runs once per document."""
    reader = create_agent(model, response_format=Invoice, output_key="invoice", name="reader")
    graph = StateGraph(State)
    graph.add_node("reader", as_node(reader, inputs=_question, outputs=_found))
    graph.add_conditional_edges(START, _one_reader_per_document, ["reader"])
    graph.add_edge("reader", END)
    return graph.compile()


def _one_reader_per_document(state: State) -> list[Send]:
    return [Send("reader", document) for document in state["documents"]]


def _question(document: str) -> dict[str, Any]:
    return {"messages": [f"Extract the invoice:\n{document}"]}


def _found(result: Mapping[str, Any]) -> dict[str, Any]:
    if result["invoice"] is None:
        return {"unread": [result["invoice_outcome"]["reason"]]}
    return {"invoices": [result["invoice"]]}


def _reads(messages: list[BaseMessage]) -> str:
    """Answer as a model would: from the document, or in prose if it has no invoice."""
    question = next(message.text for message in messages if message.type == "human")
    kind, _, rest = question.partition("\n")[2].partition(" ")
    number, _, total = rest.partition(": ")
    return f'{{"number": "{number}", "total": {total}}}' if kind == "Invoice" else "This is no invoice."


def main() -> None:
    """Read three documents."""
    documents = ["Invoice A-17: 120.50", "Dear Ms Kim, see you on Monday.", "Invoice B-4: 80"]
    graph = build(ScriptedChatModel(replies=_reads))
    result = graph.invoke({"documents": documents})
    for invoice in result["invoices"]:
        print(f"{invoice.number}: {invoice.total:.2f}")
    print(f"total: {sum(invoice.total for invoice in result['invoices']):.2f}")
    print(f"not read: {len(result['unread'])}")


if __name__ == "__main__":
    main()
