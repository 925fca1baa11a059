"""An agent as a node of a graph whose state has other keys."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, get_type_hints

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.errors import GraphInterrupt
from langgraph.pregel import Pregel

from answergraph.graphs.agent.agent_state_graph import AgentStateGraph
from answergraph.runtime.argument_checks import check_function, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant

REMOTE_WAITS = (
    "The remote agent waits for a person, and neither a tool nor a node can go on with it; run it on its own: "
    "RemoteGraph(…).invoke(…, config), then invoke(Command(resume=…), config)."
)

Mapped = Mapping[str, str] | Callable[[Any], Mapping[str, object]]
"""A mapping between two states: for each key the key of the other state, or a function."""

StateMapper = Callable[[Any], Mapping[str, object]]


def as_node(agent: Runnable[Any, Any], *, inputs: Mapped, outputs: Mapped) -> Runnable[Any, Any]:
    """Turn an agent into a node of a graph whose state has other keys; it is drawn and streamed as a subgraph.

    Args:
        agent: The agent, or any compiled graph.
        inputs: Maps the graph's state to the agent's input: the state key for each input key, or a function.
        outputs: Maps the agent's result to the state update: the result key for each state key, or a function.

    Returns:
        The node.

    Raises:
        AgentSpecError: If the agent has no such key; in a run, if the state holds nothing for its messages, or a ``RemoteGraph``
            waits for a person.

    Example:
        >>> from langgraph.graph import MessagesState, StateGraph
        >>> from answergraph import create_agent
        >>> class State(MessagesState):
        ...     reply: str
        >>> agent = create_agent("offline", name="greeter")
        >>> node = as_node(agent, inputs={"messages": "messages"}, outputs=lambda result: {"reply": result["messages"][-1].text})
        >>> graph = StateGraph(State).add_node("greeter", node).add_edge("__start__", "greeter").compile()
    """
    if not hasattr(agent, "invoke"):
        raise AgentSpecError(f"as_node takes a compiled graph, not {shown(agent)}; write as_node(create_agent(…), …).")
    builder = getattr(agent, "builder", None)
    schema = getattr(builder, "input_schema", None)
    _check_names("inputs", inputs, Mapping.keys, get_type_hints(schema) if isinstance(schema, type) else ())
    results = getattr(agent, "output_channels", ())
    _check_names("outputs", outputs, Mapping.values, () if isinstance(results, str) else results)
    needed = "messages" if isinstance(builder, AgentStateGraph) else ""
    to_input, to_update = _mapping("inputs", inputs, needed), _mapping("outputs", outputs)

    def invoke(state: Any, config: RunnableConfig) -> Any:
        with _refused_waiting(agent):
            return to_update(agent.invoke(to_input(state), config))

    async def ainvoke(state: Any, config: RunnableConfig) -> Any:
        with _refused_waiting(agent):
            return to_update(await agent.ainvoke(to_input(state), config))

    # LangGraph finds subgraphs in a ``RunnableLambda``.
    return RunnableLambda(invoke, ainvoke, name=agent.get_name())


@contextmanager
def _refused_waiting(agent: object) -> Iterator[None]:
    """Refuse an interrupt on a server: LangGraph would answer it by running the remote agent from the beginning."""
    try:
        yield
    except GraphInterrupt as waits:
        if isinstance(agent, Pregel):
            raise
        raise AgentSpecError(REMOTE_WAITS) from waits


def _check_names(which: str, mapped: object, side: Callable[[Any], Iterable[object]], known: Collection[str]) -> None:
    """Raise ``AgentSpecError`` for a name that the agent does not have."""
    form = "{key of the agent: key of the state}" if which == "inputs" else "{key of the state: key of the agent's result}"
    if callable(mapped):
        check_function(f"{which}={shown(mapped)}", mapped, "state" if which == "inputs" else "result")
        return
    if not isinstance(mapped, Mapping):
        raise AgentSpecError(f"as_node: {which}={shown(mapped)} is not a mapping; write {which}={form}.")
    for name in side(mapped):
        if known and name not in known:
            raise AgentSpecError(
                f"as_node: {which}={dict(mapped)!r}: the agent has no {name!r}.{meant(name, known)} It has {sorted(known)!r}; "
                f"write {which}={form}."
            )


def _mapping(which: str, mapped: Mapped, needed: str = "") -> StateMapper:
    if callable(mapped):
        return mapped

    def made(source: Any) -> dict[str, object]:
        fields = source if isinstance(source, Mapping) else vars(source)
        if needed in mapped and mapped[needed] not in fields:
            raise AgentSpecError(
                f"as_node: {which}={dict(mapped)!r}: the state has no value under {mapped[needed]!r} for the agent's "
                f"{needed!r}.{meant(mapped[needed], fields)} It has {sorted(fields)!r}."
            )
        return {key: fields[other] for key, other in mapped.items() if other in fields}

    return made
