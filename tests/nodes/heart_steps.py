"""The steps of an agent's nodes, for tests that run them with ``next`` and ``send``."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from answergraph import build_agent_graph
from answergraph.runtime.steps import Invoke, Step, run_step
from answergraph.testing import ScriptedChatModel


class Nodes:
    """The nodes of one agent; a test gives the model's reply."""

    def __init__(self, *tools: Any, replies: Any = (), **options: Any) -> None:
        self.graph = build_agent_graph(ScriptedChatModel(replies=list(replies)), list(tools), **options)

    def step(self, node: str, state: dict[str, Any]) -> Step[Any]:
        graph_node: Any = self.graph.nodes[node].runnable
        step: Step[Any] = graph_node._step(state, Runtime())
        return step

    def asked(self, state: dict[str, Any]) -> tuple[Step[Any], Invoke]:
        """Return the step of the model node where it calls the model, and that call."""
        step = self.step("model", state)
        return step, next_call(step, next(step))

    def replied(self, state: dict[str, Any], reply: AIMessage) -> Any:
        """Return the update of the model node for a reply of the model."""
        step, _ = self.asked(state)
        with pytest.raises(StopIteration) as stop:
            step.send(reply)
        return stop.value.value

    def performed(self, node: str, state: dict[str, Any]) -> Any:
        """Return the update of a node whose effects are all performed."""
        return run_step(self.step(node, state))


def next_call(step: Step[Any], effect: Any) -> Invoke:
    """Return the next call of a model; whether anyone listens is asked before it."""
    while not isinstance(effect, Invoke):
        effect = step.send(effect.perform())
    return effect


def merged(state: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    """Return a state with an update, its messages appended."""
    return {**state, **update, "messages": [*state["messages"], *update.get("messages", ())]}
