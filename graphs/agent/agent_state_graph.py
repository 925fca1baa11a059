"""The state graph of an agent: a LangGraph ``StateGraph`` that keeps the agent's private state out of streams when compiled."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Self, cast, get_args

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolCallTransformer
from langgraph.types import Checkpointer, Command, StreamMode, TracePolicy

from answergraph.answers.storage.answer_channel import answer_codec
from answergraph.graphs.agent.agent_spec import AgentSpec
from answergraph.graphs.agent.signature import CONFIG_KEYS, RUN_OPTIONS
from answergraph.nodes.direct_calls.tool_threads import MAX_TOOL_THREADS
from answergraph.nodes.external_tool import noting_calls_taken_out
from answergraph.nodes.names import STRUCTURED_RESPONSE, TOOLS
from answergraph.nodes.tools import ToolsNode
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant
from answergraph.runtime.langchains_agent import subagent_transformer
from answergraph.runtime.recent_cache import MAX_KEPT
from answergraph.runtime.steps import CLOCK, TIMED_VISIT, Around, GraphNode, Step, no_update, without_clock
from answergraph.state.agent_state import PRIVATE_KEYS, StateSchemas
from answergraph.state.budget import InnerRunBudget
from answergraph.state.ledger import EXISTING
from answergraph.state.own_keys import check_kept, for_trace, without_keys, without_refused_keys
from answergraph.state.usage import UsageLimits

_TRACED = TracePolicy(process_inputs=for_trace, process_outputs=for_trace)
_TRACED_CALL = TracePolicy(process_outputs=for_trace)
"""For the tools node: its input is a call, not the state."""

WAITS = (
    "on_doubt='review' waits for a person, so the run must be kept: write checkpointer=InMemorySaver(), or checkpointer=True "
    "inside another graph, or where a server brings its own."
)


class GuestNode(RunnableLambda[Any, Any]):
    """A user's node, with the agent's surroundings for its visits.

    A ``RunnableLambda``, because LangGraph finds subgraphs in those. It has no trace span.
    """

    def __init__(self, node: Runnable[Any, Any], around: Around) -> None:
        super().__init__(lambda state: node.invoke(state), name=node.get_name())  # noqa: PLW0108 - what LangGraph looks into
        self._node = node
        self._around = around

    def invoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        if config and CLOCK in config.get("configurable", ()):
            clock = config["configurable"][CLOCK]
            return clock.visit(partial(self.invoke, config=without_clock(config), **kwargs), input, no_update, clock.ends)
        with self._around(lambda: input) as visit:
            return visit.finished_update(self._node.invoke(input, config, **kwargs))

    async def ainvoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        if config and CLOCK in config.get("configurable", ()):
            clock = config["configurable"][CLOCK]
            return await clock.avisit(partial(self.ainvoke, config=without_clock(config), **kwargs), input, no_update, clock.ends)
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


_MODES = frozenset({None, *get_args(StreamMode)})


class CompiledAgent(CompiledStateGraph[Any, Any]):
    """A compiled agent. The input and commands of callers cannot write its own keys."""

    def stream(self, input: object, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        builder: Any = self.builder
        if builder.has_times or self.step_timeout is not None or TIMED_VISIT.get() is not None:
            config = self._with_clock(config)
        if isinstance(input, Command):
            from answergraph.graphs.agent.call_checks import check_command, check_resumed  # noqa: PLC0415 - few calls resume

            check_command(input, self)
            check_resumed(input, config, self)
        return super().stream(self._checked(input, config, options), config, **options)

    def astream(self, input: object, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        builder: Any = self.builder
        if builder.has_times or self.step_timeout is not None or TIMED_VISIT.get() is not None:
            config = self._with_clock(config)
        chunks = super().astream(self._checked(input, config, options), config, **options)
        if isinstance(input, Command):
            from answergraph.graphs.agent.call_checks import check_command, resumed_chunks  # noqa: PLC0415 - few calls resume

            check_command(input, self)
            return resumed_chunks(chunks, input, config, self)
        return chunks

    def update_state(self, config: RunnableConfig, values: Any, *args: Any, **options: Any) -> RunnableConfig:
        self._check_update(config, values)
        return super().update_state(config, values, *args, **options)

    async def aupdate_state(self, config: RunnableConfig, values: Any, *args: Any, **options: Any) -> RunnableConfig:
        self._check_update(config, values)
        return await super().aupdate_state(config, values, *args, **options)

    def _check_update(self, config: RunnableConfig, values: object) -> None:
        from answergraph.graphs.agent.call_checks import check_written  # noqa: PLC0415 - few threads are changed from outside

        check_written("The update has", values, self, config)

    def _with_clock(self, config: RunnableConfig | None) -> RunnableConfig:
        """Start the clock of a run; it ends before the visit of the node around it."""
        # Only runs with time limits need it.
        from answergraph.runtime.time_limits import clock_of  # noqa: PLC0415 - see above

        builder: Any = self.builder
        limits: UsageLimits = builder.limits
        clock = clock_of(
            seconds=limits.seconds,
            per_model_call=limits.seconds_per_model_call,
            per_tool_call=limits.seconds_per_tool_call,
            per_visit=self.step_timeout,
            keeps_reserve=limits.reserve_final_answer,
        )
        return {**(config or {}), "configurable": {**((config or {}).get("configurable") or {}), CLOCK: clock}}

    def _checked(self, input: object, config: Any, options: Mapping[str, object]) -> object:
        """Return an input without the agent's own keys; raise ``AgentSpecError`` if the agent would read nothing of it."""
        builder: Any = self.builder
        modes = mode if isinstance(mode := options.get("stream_mode"), list | tuple) else (mode,)
        has_saver = isinstance(self.checkpointer, BaseCheckpointSaver)
        is_plain = isinstance(config, Mapping | None) and CONFIG_KEYS.issuperset(config or ()) and RUN_OPTIONS.issuperset(options)
        is_plain = is_plain and isinstance((config or {}).get("recursion_limit", 1), int) and _MODES.issuperset(modes)
        if has_saver or not is_plain or options.get("context") is not None:
            from answergraph.graphs.agent.call_checks import check_call, check_thread  # noqa: PLC0415 - only for the message

            check_call(config, options, modes, builder.context_schema)
            if has_saver and not _is_inside_a_run():
                check_thread(self.config, config)
        if isinstance(input, dict):
            if EXISTING in input and EXISTING not in builder.channels:
                from answergraph.patches.existing import with_existing  # noqa: PLC0415 - few runs have one

                input = with_existing(input, builder.codec.schemas, builder.repair)
            if input and builder.channels.keys().isdisjoint(input):
                raise AgentSpecError(_unread(input, list(builder.schemas[builder.input_schema])))
            if not input.keys() <= builder.channels.keys() and not _is_inside_a_run():  # where it is another graph's state
                from answergraph.graphs.agent.call_checks import check_keys  # noqa: PLC0415 - only for the message

                check_keys(input, builder.schemas[builder.input_schema])
            return input if PRIVATE_KEYS.isdisjoint(input) else without_keys(input, builder.keys.own)
        if isinstance(input, Command):
            return without_keys(input, builder.keys.own)
        from answergraph.graphs.agent.call_checks import check_input  # noqa: PLC0415 - few inputs are no dict

        check_input(input, goes_on=has_saver or _is_inside_a_run())
        return input


def _is_inside_a_run() -> bool:
    try:
        get_config()
    except RuntimeError:
        return False
    return True


def _unread(given: Iterable[str], known: Sequence[str]) -> str:
    names = " ".join(f"{name!r} is not a key of the agent's state.{meant(name, known)}" for name in given)
    return f"The agent reads nothing of its input: {names} Its keys: {', '.join(known)}."


@lru_cache(maxsize=MAX_KEPT)
def _blank(schemas: StateSchemas) -> StateGraph[Any, Any]:
    """Return an empty graph with schemas, to copy."""
    return StateGraph(schemas.state, input_schema=schemas.input, output_schema=schemas.output)
