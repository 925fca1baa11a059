"""The state graph of an agent: a LangGraph ``StateGraph`` that keeps the agent's private state out of streams when compiled."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Self, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolCallTransformer
from langgraph.types import Checkpointer, TracePolicy

from answergraph.answers.storage.answer_channel import answer_codec
from answergraph.graphs.agent.agent_spec import AgentSpec
from answergraph.graphs.agent.compiled_agent import CompiledAgent
from answergraph.nodes.direct_calls.tool_threads import MAX_TOOL_THREADS
from answergraph.nodes.external_tool import noting_calls_taken_out
from answergraph.nodes.names import STRUCTURED_RESPONSE, TOOLS
from answergraph.nodes.tools import ToolsNode
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.langchains_agent import subagent_transformer
from answergraph.runtime.recent_cache import MAX_KEPT
from answergraph.runtime.steps import GraphNode, Step, Surroundings, TimedVisits
from answergraph.state.agent_state import PRIVATE_KEYS, StateSchemas
from answergraph.state.budget import InnerRunBudget
from answergraph.state.own_keys import check_kept, for_trace, without_keys, without_refused_keys

_TRACED = TracePolicy(process_inputs=for_trace, process_outputs=for_trace)
_TRACED_CALL = TracePolicy(process_outputs=for_trace)
"""For the tools node: its input is a call, not the state."""

WAITS = (
    "on_doubt='review' waits for a person, so the run must be kept: write checkpointer=InMemorySaver(), or checkpointer=True "
    "inside another graph, or where a server brings its own."
)


class GuestNode(TimedVisits, RunnableLambda[Any, Any]):
    """A user's node, with the agent's surroundings for its visits.

    A ``RunnableLambda``, because LangGraph finds subgraphs in those. It has no trace span.
    """

    def __init__(self, node: Runnable[Any, Any], around: Callable[..., Surroundings]) -> None:
        super().__init__(lambda state: node.invoke(state), name=node.get_name())  # noqa: PLW0108 - what LangGraph looks into
        self._node = node
        self._around = around

    def _visit(self, input: object, config: RunnableConfig | None, **kwargs: object) -> object:
        with self._around(lambda: input) as visit:
            return visit.finished_update(self._node.invoke(input, config, **kwargs))

    async def _avisit(self, input: object, config: RunnableConfig | None, **kwargs: object) -> object:
        with self._around(lambda: input) as visit:
            return visit.finished_update(await self._node.ainvoke(input, config, **kwargs))


class AgentStateGraph(StateGraph[Any, Any]):
    """An uncompiled agent; add nodes and edges of your own before you compile it."""

    def __init__(self, spec: AgentSpec) -> None:
        # A copy of what LangGraph's constructor makes once: reading the schemas' type hints again would be 685 more calls, where
        # building an agent takes 900. A test compares the two.
        for name, value in vars(_blank(spec.schemas)).items():
            setattr(self, name, copy(value))
        self.context_schema = spec.context_schema
        self.limits, self.model = spec.limits, spec.model
        self.has_times = spec.limits.has_times
        self.repair = spec.repair
        self.agent_name = spec.name
        self.codec = answer_codec(spec.format.schemas)
        self.keys = spec.keys
        self._reads_answers = spec.format.reads_answers
        self._reviews = spec.reviews
        self._transformers = tuple(spec.stack.transformers)

    def add_node(self, node: Any, action: Any = None, **options: Any) -> Self:
        """Add a node of your own, with the arguments of ``StateGraph.add_node``.

        Agents that run in it share the run's remaining limits. Its writes to the agent's own keys, such as the answer and the
        outcome, are dropped, so a node may return the whole result of another agent.
        """
        around = partial(InnerRunBudget, self.limits, left_out=partial(without_keys, names=self.keys.own))
        known = set(self.nodes)
        super().add_node(node, action, **{"trace_policy": _TRACED, **options})
        for name in self.nodes.keys() - known:  # an error handler is a node as well
            self.nodes[name].runnable = GuestNode(cast("Runnable[Any, Any]", self.nodes[name].runnable), around)
        return self

    def add_own_node(self, name: str, step: Callable[[Any, Any], Step[Any]], trace_policy: Any = _TRACED, **options: Any) -> None:
        """Add one of the agent's own nodes, which alone write its answer, its outcome and its private keys."""
        # Once there is an answer, a model that judges it may take the call that was kept for it.
        limits = replace(self.limits, reserve_final_answer=False) if name == STRUCTURED_RESPONSE else self.limits
        node = GraphNode(step, name=name, around=partial(InnerRunBudget, limits), **options)
        super().add_node(name, node, trace_policy=trace_policy)

    def add_tools(self, node: ToolsNode) -> None:
        node.known_keys = self.channels
        self.has_times |= node.has_times
        super().add_node(TOOLS, node, trace_policy=_TRACED_CALL)

    def add_hook(
        self, name: str, step: Callable[[Any, Any], Step[Any]], trace_policy: object, may_write: frozenset[str] = frozenset()
    ) -> None:
        names = self.keys.no_hook_writes(reads_answers=self._reads_answers) - may_write

        def guarded(state: Any, runtime: Any) -> Step[Any]:
            message = state["messages"][-1] if self._reads_answers and isinstance(state, dict) and state["messages"] else None
            calls = list(message.tool_calls) if isinstance(message, AIMessage) else []
            update = without_refused_keys(name, (yield from step(state, runtime)), state, names)
            if update is not None and not (type(update) is dict and self.channels.keys() >= update.keys()):
                check_kept(name, update, self.channels)
            return noting_calls_taken_out(calls, state, update) if calls else update

        self.add_own_node(name, guarded, trace_policy)

    def compile(
        self,
        checkpointer: Checkpointer = None,
        *,
        transformers: Sequence[Callable[..., object]] | None = None,
        **options: Any,
    ) -> CompiledStateGraph[Any, Any]:
        """Compile the graph, with the arguments of ``StateGraph.compile``.

        Your stream transformers follow those of the middleware. ``max_concurrency`` is 64 unless the caller's config sets it.
        """
        if self._reviews and not checkpointer:
            raise AgentSpecError(WAITS)
        every = [ToolCallTransformer, subagent_transformer(), *self._transformers, *(transformers or ())]
        compiled = super().compile(checkpointer, transformers=list({id(each): each for each in every}.values()), **options)
        # LangGraph's ``compile`` names its class; ours only adds a check of the input.
        compiled.__class__ = CompiledAgent
        # As many concurrent blocking tools as on an event loop; LangGraph's default is the number of cores plus four.
        compiled.config = {**(compiled.config or {}), "max_concurrency": MAX_TOOL_THREADS}
        compiled.stream_channels = [name for name in compiled.stream_channels_list if name not in PRIVATE_KEYS]
        # LangChain's keys: LangSmith groups runs by one, consumers of token streams use the other.
        metadata = {"ls_integration": "langchain_create_agent"}
        if self.agent_name is not None:
            metadata["lc_agent_name"] = self.agent_name
        compiled.config["metadata"] = metadata
        return compiled


@lru_cache(maxsize=MAX_KEPT)
def _blank(schemas: StateSchemas) -> StateGraph[Any, Any]:
    """Return an empty graph with schemas, to copy."""
    return StateGraph(schemas.state, input_schema=schemas.input, output_schema=schemas.output)
