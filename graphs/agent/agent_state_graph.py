"""The state graph of an agent: a LangGraph ``StateGraph`` that keeps the agent's private state out of streams when compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import lru_cache
from typing import Any, Self

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolCallTransformer
from langgraph.pregel import Pregel
from langgraph.types import Checkpointer

from answergraph.graphs.agent.agent_spec import AgentSpec
from answergraph.nodes.direct_calls.tool_threads import MAX_TOOL_THREADS
from answergraph.nodes.subgraph_node import SubgraphNode
from answergraph.response_format.storage.answer_channel import answer_codec
from answergraph.runtime.recent_cache import MAX_KEPT
from answergraph.runtime.steps import GraphNode
from answergraph.state.agent_state import ANSWER_REQUEST, TOOL_RESULTS, StateSchemas
from answergraph.state.budget import InnerRunBudget
from answergraph.state.ledger import INNER_USAGE, LEDGER, RUNNING

_PRIVATE = {INNER_USAGE, LEDGER, ANSWER_REQUEST, RUNNING, TOOL_RESULTS}


class AgentStateGraph(StateGraph[Any, Any, Any, Any]):
    """An uncompiled agent; add nodes and edges of your own before you compile it.

    Attributes:
        agent_name: The agent's name, if it has one.
        codec: Converts its answers; without schemas if it answers with a text.
        keys: Where its answer and its outcome go.
    """

    def __init__(self, spec: AgentSpec) -> None:
        """Start with the agent's schemas and no nodes."""
        # In place of LangGraph's constructor, which would read the type hints of the same schemas again for every agent.
        for name, value in vars(_blank(spec.schemas)).items():
            setattr(self, name, copy(value))
        self.context_schema = spec.context_schema
        self._limits = spec.limits
        self.agent_name = spec.name
        self.codec = answer_codec(spec.format.schemas)
        self.keys = spec.keys
        self._transformers = tuple(spec.stack.transformers)

    def add_node(self, node: Any, action: Any = None, **options: Any) -> Self:
        """Add a node; agents that run in it share what the run has left of its limits.

        Args:
            node: The node's name, or what it runs.
            action: What it runs, if ``node`` is the name.
            **options: As for ``StateGraph.add_node``.

        Returns:
            This graph.
        """
        if isinstance(node, Pregel):
            node, action = node.get_name(), node
        if isinstance(action, Pregel):
            action = SubgraphNode(action)
        if isinstance(action, SubgraphNode):
            action = action.within(self._with_budget)
        elif isinstance(action, GraphNode):
            action = action.within(self._with_budget_and_codec)
        super().add_node(node, action, **options)
        return self

    def compile(
        self,
        checkpointer: Checkpointer = None,
        *,
        transformers: Sequence[Callable[..., Any]] | None = None,
        **options: Any,
    ) -> CompiledStateGraph[Any, Any, Any, Any]:
        """Compile the graph.

        Args:
            checkpointer: Keeps the state of threads.
            transformers: Stream transformers, after those of the middleware.
            **options: As for ``StateGraph.compile``.

        Returns:
            The compiled graph. The caller's recursion limit is left alone; ``max_concurrency`` is 64 where the caller's config
            says nothing else.
        """
        compiled = super().compile(
            checkpointer,
            transformers=[ToolCallTransformer, *self._transformers, *(transformers or ())],
            **options,
        )
        # As many blocking tools at once as on an event loop. LangGraph alone has as many threads as cores, and four.
        compiled.config = {**(compiled.config or {}), "max_concurrency": MAX_TOOL_THREADS}
        compiled.stream_channels = [name for name in compiled.stream_channels_list if name not in _PRIVATE]
        if self.agent_name is None:
            return compiled
        # LangChain's name for it; consumers of token streams tell agents apart by it.
        return compiled.with_config({"metadata": {"lc_agent_name": self.agent_name}})

    @contextmanager
    def _with_budget(self, state: Any) -> Iterator[Callable[[Any], Any]]:
        with InnerRunBudget(self._limits, lambda: state) as budget:
            yield budget.with_charges

    @contextmanager
    def _with_budget_and_codec(self, state: Any) -> Iterator[Callable[[Any], Any]]:
        with InnerRunBudget(self._limits, lambda: state) as budget:
            yield lambda update: budget.with_charges(self.codec.update_to_write(update, self.keys.answer))


@lru_cache(maxsize=MAX_KEPT)
def _blank(schemas: StateSchemas) -> StateGraph[Any, Any, Any, Any]:
    """Return a graph with schemas and no nodes, to copy; its channels are copied by every run."""
    return StateGraph(schemas.state, input_schema=schemas.input, output_schema=schemas.output)
