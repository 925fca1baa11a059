"""Agents for the tests of workflows: rules instead of models, built as workflow files build them."""

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda

from answergraph.graphs import WorkflowStep


def speaker(model: Any) -> Runnable[Any, Any]:
    """Return an agent that says the text from the facts, otherwise the task."""
    return RunnableLambda(lambda state: {"text": state.get("says") or state["task"]})


def says(*texts: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return an agent that says one text per visit, then repeats the last one."""
    left = list(texts)

    def agent(state: Mapping[str, Any]) -> dict[str, Any]:
        return {"text": left.pop(0) if len(left) > 1 else left[0]}

    return agent


def step(name: str, agent: Any, rules: Any, **fields: Any) -> WorkflowStep:
    """Return a step; a text becomes an agent that says it."""
    return WorkflowStep(name, says(agent) if isinstance(agent, str) else agent, rules, **fields)
