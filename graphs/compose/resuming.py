"""Detects and resumes unfinished runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.pregel import Pregel
from langgraph.types import StateSnapshot

from answergraph.graphs.agent.agent_state_graph import AgentStateGraph
from answergraph.nodes.names import NO_ANSWER
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError

if TYPE_CHECKING:
    from answergraph.graphs.agent.agent_types import AgentGraph, ResultT, ValueT

Unfinished = Literal["stopped", "waits_for_person", "waits_for_calls"]

Graph = Pregel[Any, Any]

_WAITS = {
    "waits_for_person": "a person: agent.invoke(Command(resume=…), config), or behind a breakpoint agent.invoke(None, config)",
    "waits_for_calls": "external calls: agent.invoke({'messages': [ToolMessage(…)]}, config)",
}


def unfinished(agent: Graph, config: RunnableConfig) -> Unfinished | None:
    """Say whether the last run of a thread is unfinished, and why.

    ``get_state(config).next`` does not suffice: it is empty if a run was killed after the writes of its last step were stored and
    before the checkpoint was. A run in progress in another process looks like a stopped one.

    Args:
        agent: An agent, another graph of answergraph, or a graph with an agent as a node; with a checkpointer.
        config: Names the thread.

    Returns:
        ``"stopped"`` if it was killed or an exception ended it, ``"waits_for_person"`` at an interrupt, ``"waits_for_calls"`` if
        its outcome is ``deferred``; ``None`` if it has ended, or nothing is stored for the thread.

    Raises:
        AgentSpecError: If the graph is of another kind or has no checkpointer, or the config names no thread.

    Example:
        >>> from langgraph.checkpoint.memory import InMemorySaver
        >>> from answergraph import create_agent
        >>> agent = create_agent("offline", checkpointer=InMemorySaver())
        >>> unfinished(agent, {"configurable": {"thread_id": "1"}}) is None
        True
    """
    _check_thread(agent, config)
    return _why(agent, agent.get_state(config))


async def aunfinished(agent: Graph, config: RunnableConfig) -> Unfinished | None:
    """Await ``unfinished``, with the same arguments."""
    _check_thread(agent, config)
    return _why(agent, await agent.aget_state(config))


@overload
def resume(agent: AgentGraph[ValueT, Any, ResultT], config: RunnableConfig, **options: object) -> ResultT: ...
@overload
def resume(agent: Graph, config: RunnableConfig, **options: object) -> Any: ...
def resume(agent: Graph, config: RunnableConfig, **options: Any) -> object:
    """Resume a stopped run; for a finished run, return or raise its result.

    Stored steps do not run again, except the one in progress when the process was killed.

    Args:
        agent: As for ``unfinished``.
        config: Names the thread.
        **options: Further arguments of ``invoke``, such as ``context``: LangGraph does not store a run's context.

    Returns:
        What ``invoke`` returns.

    Raises:
        AgentSpecError: As ``unfinished``; also if nothing is stored for the thread, or the run waits for a person or for calls.
    """
    _check_thread(agent, config)
    _check_goes_on(agent, agent.get_state(config))
    return agent.invoke(None, config, **options)


@overload
async def aresume(agent: AgentGraph[ValueT, Any, ResultT], config: RunnableConfig, **options: object) -> ResultT: ...
@overload
async def aresume(agent: Graph, config: RunnableConfig, **options: object) -> Any: ...
async def aresume(agent: Graph, config: RunnableConfig, **options: Any) -> Any:
    """Await ``resume``, with the same arguments."""
    _check_thread(agent, config)
    _check_goes_on(agent, await agent.aget_state(config))
    return await agent.ainvoke(None, config, **options)


def _check_thread(agent: object, config: RunnableConfig) -> None:
    """Raise ``AgentSpecError`` for an unknown kind of graph or thread."""
    if not isinstance(agent, Pregel) or not any(map(_is_ours, _builders(agent))):
        raise AgentSpecError(
            f"{shown(agent)} is not a graph of answergraph and contains none, so nothing says whether its run has ended. "
            "Pass an agent of create_agent(…), or a graph that contains one."
        )
    if not isinstance(agent.checkpointer, BaseCheckpointSaver):
        raise AgentSpecError("The graph has no checkpointer; write create_agent(…, checkpointer=…) or compile(checkpointer=…).")
    named = merge_configs(agent.config, {"configurable": config.get("configurable", {})})["configurable"]
    if "thread_id" not in named or "checkpoint_id" in named:
        raise AgentSpecError(f"config={shown(config)} names no thread; write config={{'configurable': {{'thread_id': …}}}}.")


def _builders(agent: Graph) -> list[object]:
    return [getattr(graph, "builder", None) for graph in (agent, *(graph for _, graph in agent.get_subgraphs(recurse=True)))]


def _is_ours(builder: object) -> bool:
    schema = getattr(builder, "state_schema", None)
    return isinstance(builder, AgentStateGraph) or getattr(schema, "__module__", "").startswith("answergraph.")


def _check_goes_on(agent: Graph, state: StateSnapshot) -> None:
    """Raise ``AgentSpecError`` if the run cannot continue by itself."""
    if "source" not in (state.metadata or {}):  # with durability="exit", the first checkpoint may be an empty one
        raise AgentSpecError(f"Nothing is stored under {state.config['configurable']!r}; call agent.invoke(…) with an input.")
    if wait := _WAITS.get(_why(agent, state) or ""):
        # Continuing would use the person's last answer for the next question: LangGraph keeps it with the step.
        raise AgentSpecError(f"The run waits for {wait}.")


def _why(agent: Graph, state: StateSnapshot) -> Unfinished | None:
    left = {task.name for task in state.tasks if not (task.name == NO_ANSWER and task.error)}
    # Checkpoints do not distinguish a breakpoint from a kill: a review must not be skipped.
    before = left if agent.interrupt_before_nodes == "*" else left.intersection(agent.interrupt_before_nodes)
    if state.interrupts or before or (left and agent.interrupt_after_nodes):
        return "waits_for_person"
    if left:
        return "stopped"
    ends = [state.values.get(each.keys.outcome) for each in _builders(agent) if isinstance(each, AgentStateGraph)]
    return "waits_for_calls" if any(end and end["status"] == "deferred" for end in ends) else None
