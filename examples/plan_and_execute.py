"""One agent plans, and another executes the plan step by step. Run it: ``python examples/plan_and_execute.py``.

The planner's model is scripted; the other is ``"offline"``, which can calculate. Replace both with any chat model.
"""

import operator
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import BaseModel

from answergraph import as_node, create_agent
from answergraph.graphs.add_ons.calculator.calculator import add, divide, multiply
from answergraph.kit import AnswerChannel
from answergraph.testing import ScriptedChatModel


class Plan(BaseModel):
    """The calculations to do, in order; ``{0}`` stands for the first one's result."""

    steps: list[str]


class Result(BaseModel):
    """The result of one calculation."""

    final_answer: float
    reasoning: str


class State(MessagesState):
    """The plan and the results so far."""

    plan: Annotated[Plan | None, AnswerChannel]
    plan_outcome: dict[str, Any]
    results: Annotated[list[float], operator.add]


def build(planner_model: Any, worker_model: Any, checkpointer: Any = None) -> Any:
    """Return a graph of a planner, which runs once, and a worker, which runs once per step."""
    planner = create_agent(planner_model, response_format=Plan, output_key="plan", name="planner")
    worker = create_agent(worker_model, [add, multiply, divide], response_format=Result, name="worker")
    graph = StateGraph(State)
    graph.add_node("planner", planner)  # its keys are those of the state
    graph.add_node("worker", as_node(worker, inputs=_next_step, outputs=_one_more_result))
    graph.add_edge(START, "planner")
    graph.add_conditional_edges("planner", _what_is_left, {"work": "worker", "finish": END})
    graph.add_conditional_edges("worker", _what_is_left, {"work": "worker", "finish": END})
    return graph.compile(checkpointer)


def _what_is_left(state: State) -> Literal["work", "finish"]:
    plan = state["plan"]
    return "work" if plan is not None and len(state["results"]) < len(plan.steps) else "finish"


def _next_step(state: State) -> dict[str, Any]:
    plan, results = state["plan"], state["results"]
    assert plan is not None, "the worker is asked only if there is a plan"
    return {"messages": [f"What is {plan.steps[len(results)].format(*results)}?"]}


def _one_more_result(result: Mapping[str, Any]) -> dict[str, Any]:
    return {"results": [result["structured_response"].final_answer]}


def scripted(checkpointer: Any = None) -> Any:
    """Return the graph with a scripted planner."""
    plan = {"steps": ["17 × 23", "{0} + 9", "{1} ÷ 4"]}
    reply = AIMessage("", tool_calls=[{"name": "Plan", "args": plan, "id": "1"}])
    return build(ScriptedChatModel(replies=[reply]), "offline", checkpointer)


def main() -> None:
    """Plan, and execute the plan."""
    result = scripted().invoke({"messages": ["A quarter of 17 × 23 and nine more?"]})
    for step, value in zip(result["plan"].steps, result["results"], strict=True):
        print(f"{step} = {value:g}")


if __name__ == "__main__":
    main()
