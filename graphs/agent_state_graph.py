"""The state graph of an agent: a LangGraph ``StateGraph`` that keeps the agent's private state out of streams when compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolCallTransformer
from langgraph.types import Checkpointer

from answergraph.graphs.spec import AgentSpec
from answergraph.nodes.state import LEDGER, OFFER, RUNNING

_PRIVATE = {LEDGER, OFFER, RUNNING}


class AgentStateGraph(StateGraph[Any, Any, Any, Any]):
    """An uncompiled agent; add nodes and edges of your own before you compile it."""

    def __init__(self, spec: AgentSpec) -> None:
        """Start with the agent's schemas and no nodes."""
        super().__init__(
            state_schema=spec.schemas.state,
            input_schema=spec.schemas.input,
            output_schema=spec.schemas.output,
            context_schema=spec.context_schema,
        )
        self._agent_name = spec.name
        self._transformers = tuple(spec.stack.transformers)

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
            The compiled graph. The caller's recursion limit is left alone.
        """
        compiled = super().compile(
            checkpointer,
            transformers=[ToolCallTransformer, *self._transformers, *(transformers or ())],
            **options,
        )
        compiled.stream_channels = [name for name in compiled.stream_channels_list if name not in _PRIVATE]
        if self._agent_name is None:
            return compiled
        # LangChain's name for it; consumers of token streams tell agents apart by it.
        return compiled.with_config({"metadata": {"lc_agent_name": self._agent_name}})
