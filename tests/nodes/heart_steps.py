"""The steps of an agent's nodes, to be run by hand with ``next`` and ``send``."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from answergraph import build_agent_graph
from answergraph.runtime.steps import Step
from answergraph.testing import ScriptedChatModel


class Nodes:
    """The nodes of one agent, whose model is never called: the test says what an effect brought."""

    def __init__(self, *tools: Any, **options: Any) -> None:
        self.graph = build_agent_graph(ScriptedChatModel(replies=[]), list(tools), **options)

    def step(self, node: str, state: dict[str, Any]) -> Step[Any]:
        graph_node: Any = self.graph.nodes[node].runnable
        step: Step[Any] = graph_node._step(state, Runtime())
        return step

    def replied(self, state: dict[str, Any], reply: AIMessage | Exception) -> Any:
        """Return the update of the model node for a reply of the model."""
        step = self.step("model", state)
        next(step)
        with pytest.raises(StopIteration) as stop:
            step.throw(reply) if isinstance(reply, Exception) else step.send(reply)
        return stop.value.value

    def decided(self, state: dict[str, Any]) -> Any:
        """Return the update of the ``structured_response`` node; it asks for nothing but whether anyone listens."""
        step = self.step("structured_response", state)
        try:
            effect = next(step)
            while True:
                effect = step.send(effect.perform())
        except StopIteration as stop:
            return stop.value

    def turn(self, state: dict[str, Any], reply: AIMessage) -> dict[str, Any]:
        """Return the state after a reply, messages appended."""
        return merged(state, self.replied(state, reply))


def merged(state: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    """Return a state with an update, its messages appended."""
    return {**state, **update, "messages": [*state["messages"], *update.get("messages", ())]}
