"""The agent's graph with nodes that do nothing of their own: its state keys, its writes and its three conditional edges.

It tells what the shape of the agent costs, before a line of the agent runs. The nodes are those of the hand graph, and also write
what the agent's nodes write, with empty values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

import answergraph
from answergraph.state.agent_state import AnswerKeys
from answergraph.state.ledger import ANSWER_REQUEST, LEDGER, RUNNING
from benchmarks.peers.hand_graph import AfterModel, AfterTools, CallModel, CallTool, HandNode, ReadAnswer
from benchmarks.work import Report

# By their own names: LangGraph drops a key that the state does not have, and would then count too little.
_OF_MODEL = {LEDGER: {}, ANSWER_REQUEST: {}, RUNNING: ()}
_OF_ANSWER = {LEDGER: {}, AnswerKeys().outcome: {}}


class Writing(HandNode):
    """A node of the hand graph that also writes the agent's records."""

    def __init__(self, node: HandNode, records: dict[str, Any]) -> None:
        """Take the node, and what it writes besides."""
        super().__init__(node.name)
        self._node = node
        self._records = records

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call the node."""
        return {**self._node.invoke(input, config, **kwargs), **self._records}

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call the node."""
        return {**await self._node.ainvoke(input, config, **kwargs), **self._records}


class AfterAnswer(HandNode):
    """Ends the run."""

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Route."""
        return END


def build_idle(model: Any, tools: Sequence[Any], **options: Any) -> Any:
    """Build the graph.

    Args:
        model: The chat model.
        tools: LangChain tools.
        **options: For ``compile``.
    """
    agent = answergraph.create_agent(model, tools, response_format=answergraph.ToolStrategy(Report)).builder
    graph = StateGraph(agent.state_schema, input_schema=agent.input_schema, output_schema=agent.output_schema)
    graph.add_node("model", Writing(CallModel(model.bind_tools([*tools, Report])), _OF_MODEL))
    graph.add_node("tools", CallTool(tools))
    graph.add_node("structured_response", Writing(ReadAnswer("structured_response"), _OF_ANSWER))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", AfterModel("after model"), ["tools", "structured_response"])
    graph.add_conditional_edges("tools", AfterTools("after tools"), ["model"])
    graph.add_conditional_edges("structured_response", AfterAnswer("after answer"), ["model", END])
    return graph.compile(**options)
