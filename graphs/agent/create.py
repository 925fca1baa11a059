"""The agent graph. ``_connect`` reads as the drawing below, edge by edge.

::

    START → before_agent hooks → ┌→ before_model hooks → model → after_model hooks ─┐
                                 │                                                  │ route_after_model
            ask_again ───────────┤   call_tools → tools ── route_after_tools ───────┤
                                 │   read_answer → structured_response ─────────────┤ route_after_structured_response
                                 │                                                  │
                                 └──────────────────────────────────────────────────┘
                                     finish → after_agent hooks → END

Unreachable nodes are omitted: without a response format there is no ``structured_response``, without tools there is no ``tools``.
With ``end_strategy="early"``, ``structured_response`` has an edge ``call_tools`` as well: if a check rejects an early answer,
the tools called beside it run.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, Unpack

from langgraph.graph import END, START
from langgraph.graph.state import CompiledStateGraph

from answergraph.graphs.agent.agent_spec import AgentSpec
from answergraph.graphs.agent.agent_state_graph import AgentStateGraph
from answergraph.graphs.agent.arguments import check_compiling, check_names
from answergraph.graphs.agent.guards import check_named_tools
from answergraph.graphs.agent.hook_chains import HookChains
from answergraph.graphs.agent.routing import (
    Route,
    RoutingFacts,
    TurnRouter,
    route_after_model,
    route_after_structured_response,
    route_after_tools,
)
from answergraph.graphs.agent.signature import COMPILING, AgentArguments, Model, ResponseFormat, Tool, typed_by_response_format
from answergraph.nodes.endings import raise_without_answer
from answergraph.nodes.model import ModelNode
from answergraph.nodes.model_visit import Readings
from answergraph.nodes.names import MODEL, NO_ANSWER, STRUCTURED_RESPONSE, TOOLS
from answergraph.nodes.structured_response import StructuredResponseNode
from answergraph.nodes.tools import ToolsNode
from answergraph.runtime.recent_cache import RecentCache
from answergraph.runtime.steps import pure

Destinations = dict[Hashable, str]
"""Where the graph goes, per reason."""


@typed_by_response_format
def create_agent(
    model: Model,
    tools: Sequence[Tool] | None = None,
    *,
    response_format: ResponseFormat | None = None,
    output_key: str | None = None,
    **arguments: Unpack[AgentArguments],
) -> CompiledStateGraph[Any, Any]:
    """Create an agent: a model that calls tools in a loop until there is an answer, or a reason why there is none.

    Args:
        model: A chat model, or a name: ``"offline"``, ``"openai:NAME"``, ``"local:smollm2"`` or ``"local:/file.gguf"`` with
            the extra ``[local]``, or ``"provider:NAME"`` where ``langchain`` and the provider's package are installed.
        tools: Tools, functions with type hints and a docstring, or ``dict`` descriptions of tools the provider runs.
        system_prompt: Precedes the conversation in every call.
        middleware: Behaviour around the nodes; LangChain's middleware runs unchanged.
        response_format: The type of the answer: a Pydantic model, dataclass, TypedDict, list, scalar, ``Literal`` or enum, a
            union of these, or a JSON Schema ``dict``; or a strategy that also says how the model is asked; or a function
            of ``(state, runtime)``, such as ``FromContext()``, that makes one of these for each call. ``None`` for a text.
        state_schema: A ``TypedDict`` that adds your own keys to ``AgentState``.
        context_schema: The type of the run's context.
        checkpointer: Keeps the state of threads.
        store: Keeps data across threads.
        interrupt_before: Nodes to stop before.
        interrupt_after: Nodes to stop after.
        debug: Whether LangGraph prints each step.
        name: The agent's name, on its messages and as a node of another graph.
        cache: Caches the results of nodes.
        transformers: LangGraph stream transformers, after the middleware's.
        output_key: The state key of the answer, instead of ``structured_response``; the outcome goes to
            ``<output_key>_outcome``. Agents that run in parallel in one graph need different keys.
        limits: The limits of a run. By default, 50 model calls and four answer attempts with a response format, no limits
            without one.
        end_strategy: How to treat an answer beside tool calls. ``"defer"``: the tools run, then the model confirms or replaces
            the answer. ``"exhaustive"``: the tools run and the answer is accepted, as in LangChain. ``"early"``: the answer is
            accepted and the tools do not run; if a check rejects it, they run, and the answer is read again with their results.
        on_failure: ``"return"``: a run without an answer returns, and the outcome says why. ``"raise"``: a last node
            ``no_answer`` raises ``NoAnswerError``; the checkpoint keeps messages and outcome.
        check_answer: Called with ``(answer, state, runtime)`` for each valid answer; raises ``AnswerRejected`` to send it back
            with an explanation, or returns ``False`` to send it back with the check's name and docstring. It may be async;
            then the agent must be awaited. A check that changes the answer raises ``AgentSpecError``.
        repair: How an answer that is wrong in some fields is asked for again. ``"auto"``: as a patch of these fields where that
            costs fewer tokens. ``"patch"``: as a patch whenever the wrong fields are known. ``"whole"``: as a whole answer.

    Returns:
        The compiled graph. ``result["structured_response"]`` is an instance of the declared type, or ``None``;
        ``result["outcome"]`` says why.

    Raises:
        AgentSpecError: If the arguments are wrong; the message says what to write.

    Example:
        >>> agent = create_agent("offline")
        >>> agent.invoke({"messages": ["Hello"]})["messages"][-1].type
        'ai'
    """
    check_names("create_agent", arguments, AgentArguments.__annotations__)
    building: Any = {name: value for name, value in arguments.items() if name not in COMPILING}
    compiling: Any = {name: value for name, value in arguments.items() if name in COMPILING}
    graph = build_agent_graph(model, tools, response_format=response_format, output_key=output_key, **building)
    check_compiling(compiling, graph.nodes)
    return graph.compile(name=arguments.get("name"), **compiling)


def build_agent_graph(
    model: Model,
    tools: Sequence[Tool] | None = None,
    *,
    response_format: ResponseFormat | None = None,
    output_key: str | None = None,
    **arguments: Unpack[AgentArguments],
) -> AgentStateGraph:
    """Build the graph of ``create_agent`` uncompiled, to add nodes and edges of your own before you compile it.

    Takes the same arguments, except those of ``compile``.

    Raises:
        AgentSpecError: If the arguments are wrong; the message says what to write.
    """
    check_names("build_agent_graph", arguments, AgentArguments.__annotations__.keys() - COMPILING)
    spec = AgentSpec.create(model, tools, response_format, output_key, arguments)
    last = NO_ANSWER if spec.on_failure == "raise" else END
    hooks = HookChains(spec.stack, reads_answers=spec.format.reads_answers, last=last)
    graph = AgentStateGraph(spec)
    _add_nodes(graph, spec, hooks)
    _connect(graph, spec, hooks)
    return graph


def _add_nodes(graph: AgentStateGraph, spec: AgentSpec, hooks: HookChains) -> None:
    readings: Readings = RecentCache()
    asks = ModelNode(spec, spec.stack.wrap_model_call, readings, partial(check_named_tools, spec.stack))
    graph.add_own_node(MODEL, asks.step, late=asks.late, grace=0.15)
    if spec.has_tools:
        graph.add_tools(ToolsNode(spec.tools, spec.stack.wrap_tool_call, spec.limits, spec.call_names, spec.keys))
    if spec.format.reads_answers:
        reads = StructuredResponseNode(spec, graph.codec, spec.stack.wrap_reviewed(spec.reviewed_answers), readings)
        graph.add_own_node(STRUCTURED_RESPONSE, reads.step, late=reads.late, grace=0.35)
    if spec.on_failure == "raise":
        graph.add_own_node(NO_ANSWER, pure(partial(raise_without_answer, keys=spec.keys)), grace=float("inf"))
    hooks.add_nodes(graph)


def _connect(graph: AgentStateGraph, spec: AgentSpec, hooks: HookChains) -> None:
    facts = _routing_facts(spec, hooks)
    call_tools: Destinations = {"call_tools": TOOLS} if spec.has_tools else {}
    read_answer: Destinations = {"read_answer": STRUCTURED_RESPONSE} if facts.reads_answers else {}
    ask_again: Destinations = {"ask_again": hooks.turn_start}
    finish: Destinations = {"finish": hooks.finish}
    # With a response format a run ends through ``structured_response``; a run-time format may be ``None``.
    end = {**read_answer, **finish} if spec.call_names.at_run_time else read_answer or finish

    graph.add_edge(START, hooks.start)
    hooks.add_edges(graph, facts)
    _route(graph, hooks.turn_end, route_after_model, facts, {**call_tools, **ask_again, **end})
    if spec.has_tools:
        direct: Destinations = finish if any(spec.return_direct.values()) or spec.external else {}
        _route(graph, TOOLS, route_after_tools, facts, {**ask_again, **(end if read_answer else direct)})
    if facts.reads_answers:
        tools_late = call_tools if facts.tools_follow_answers else {}
        _route(graph, STRUCTURED_RESPONSE, route_after_structured_response, facts, {**tools_late, **ask_again, **finish})
    if spec.on_failure == "raise":
        graph.add_edge(NO_ANSWER, END)


def _route(graph: AgentStateGraph, source: str, route: Route, facts: RoutingFacts, where: Destinations) -> None:
    graph.add_conditional_edges(source, TurnRouter(route, facts, name=f"route after {source}"), where)


def _routing_facts(spec: AgentSpec, hooks: HookChains) -> RoutingFacts:
    loops = spec.has_tools or spec.format.reads_answers
    return RoutingFacts(
        names=spec.call_names,
        has_tools=spec.has_tools,
        reads_answers=spec.format.reads_answers,
        end_strategy=spec.end_strategy,
        # In a graph without a loop, only declared jumps are edges.
        jumps=frozenset(("tools", "model", "end") if loops else hooks.jumps_at_turn_end),
    )
