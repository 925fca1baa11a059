# pyright: strict, reportUnknownMemberType=false, reportMissingTypeStubs=false
# The two that are off are about LangGraph's own StateGraph.
"""An add-on: one checked question inside a node of an own graph."""

from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from answergraph import ToolStrategy
from answergraph.kit import FieldPath, Step, Work, ask_model
from answergraph.testing import ScriptedChatModel

MODEL = ScriptedChatModel(replies=lambda: AIMessage("", tool_calls=[{"name": "int", "args": {"value": 7}, "id": "1"}]))


class State(TypedDict):
    """A conversation and its score."""

    messages: list[AnyMessage]
    score: int


def score(state: State) -> dict[str, int]:
    """Score a conversation, blocking."""
    reading = ask_model(MODEL, [*state["messages"], HumanMessage("Score it from 0 to 10.")], int).run()
    return {"score": reading.answer.value if reading.answer else 0}


def twice() -> Work[int]:
    """Ask twice, in either colour."""
    first = yield from ask_model(MODEL, [HumanMessage("Score it.")], ToolStrategy(int))
    second = yield from ask_model(MODEL, [HumanMessage("Score it again.")], int)
    return sum(reading.answer.value for reading in (first, second) if reading.answer)


def main() -> tuple[int, int, str]:
    """Return a score, the sum of two, and the name of a field."""
    graph: Any = StateGraph(State).add_node("score", score).add_edge(START, "score").compile()
    messages: list[AnyMessage] = [HumanMessage("Hello")]
    both: Step[int] = Step(twice)
    return graph.invoke({"messages": messages})["score"], both.run(), FieldPath("items[3].price").pattern
