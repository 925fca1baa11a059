"""The test question for each graph of ``langgraph.json``, with a check of its answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient

from tests.suite.langgraph_dev import shipped


@dataclass(frozen=True)
class Question:
    """An input and the check of what the graph's run ends with."""

    input: dict[str, Any]
    is_right: Callable[[dict[str, Any]], bool]


def asks(text: str) -> dict[str, Any]:
    """Return the input of a graph that holds a conversation."""
    return {"messages": [{"role": "user", "content": text}]}


async def assistant_id(client: LangGraphClient, graph: str) -> str:
    """Return the id of the assistant that the server made for a graph."""
    (found,) = await client.assistants.search(graph_id=graph, metadata={"created_by": "system"})
    return found["assistant_id"]


QUESTIONS = {
    "agent": Question(asks("3 + 4"), lambda end: end["messages"][-1]["content"] == "The result of 3 + 4 is 7."),
    "calculator": Question(
        asks("(17 × 23) + (89 ÷ 4) - 156"),
        lambda end: (end["structured_response"]["final_answer"], end["outcome"]["status"]) == (257.25, "answered"),
    ),
    "react": Question(asks("What is (2 + 3) × 4?"), lambda end: end["messages"][-1]["content"] == "20"),
    # Its default model has rules for arithmetic only, and says so.
    "extract": Question({"document": "Invoice A-17"}, lambda end: end["outcome"]["status"] == "refused"),
    "judge": Question({"report": "The work is approved."}, lambda end: end["judgment"]["label"] == "approved"),
    "workflow": Question({"facts": {"fault": "misspelt_name", "seed": 4}}, lambda end: end["status"] == "COMPLETE"),
    "triage": Question({"folder": "seen/run-02"}, lambda end: [r["status"] for r in end["reports"]] == ["answered"]),
}
"""By the graph's name. A graph that is served needs a question here: its absence fails every test over all graphs."""

SHIPPED = sorted(shipped()["graphs"])
