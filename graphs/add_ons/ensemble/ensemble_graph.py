"""The ensemble: several agents of one schema, compared field by field; the next one is asked only for what is in doubt.

::

    START → begin ─┬→ reader 1 ─┬→ compare ─┬ ask_1 → then 1 ─→ compare
                   └→ reader 2 ─┘           ├ ask_2 → then 2 ─→ compare
                                            └ finish → END

Each agent is a node, so that it is seen in drawings and streams, and continues after a stop.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel

from answergraph import AgentSpecError, UsageLimits
from answergraph.graphs.add_ons.ensemble.ensemble_rules import Ensemble
from answergraph.graphs.add_ons.ensemble.readers import DECISION, reader_node, state_schemas
from answergraph.graphs.add_ons.graph_schemas import Checkpointer
from answergraph.kit import AnswerChannel, GraphNode, Router, pure
from answergraph.types import FieldStatus, OnDoubt, Status

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from answergraph import AgentGraph
    from answergraph.middleware import InputAgentState

    ValueT = TypeVar("ValueT", default=Any)
    InputT = TypeVar("InputT", default=InputAgentState)
    Agents = Sequence[AgentGraph[Any, Any, object]]

BEGIN = "begin"
COMPARE = "compare"

OF_ONE_AGENT = ("seconds_per_model_call", "seconds_per_tool_call", "answer_attempts", "tell_model")
"""Limits that say nothing of all agents together."""
DOUBTED = frozenset({"disputed", "ambiguous", "unsupported", "not_found"})
"""The statuses of a field that the next agent is asked for."""
WITHOUT_ANSWER = frozenset(get_args(Status)) - {"answered", "deferred"}
"""The ends of a run after which the next agent is asked."""


def create_ensemble(  # noqa: PLR0913  # waiver: each argument is a choice of its own
    agents: Sequence[AgentGraph[ValueT, InputT, object]],
    *,
    then: Sequence[AgentGraph[ValueT, InputT, object]] = (),
    agree: int | None = None,
    when: Collection[Status | FieldStatus] | None = None,
    on_doubt: OnDoubt = "refuse",
    limits: UsageLimits | None = None,
    checkpointer: Checkpointer = None,
    name: str | None = None,
) -> AgentGraph[ValueT | None, InputT]:
    """Ask several agents of one schema, compare by field, and ask the next only for what is in dispute.

    Two agents side by side are a second opinion; one agent and ``then`` is a cascade; ``[agent] * 3`` samples one thrice. Numbers
    are compared by value, texts without case and spacing, items of lists in any order.

    Args:
        agents: Asked at the same time; each may have its own model, prompt and tools.
        then: Asked in order, for a patch of the doubtful fields, with the readings so far; for the whole if too few answered.
        agree: Readings that must be equal; ``None``: more than half of ``agents``. Between different values with as many
            readings, the agent asked last decides.
        when: What goes on to ``then``: ends (``"invalid"``, ``"truncated"``) and states of fields (``"disputed"``,
            ``"unsupported"``). ``None``: every end without an answer, and every field that is disputed, ambiguous, unsupported
            or not found; of what different agents agree on, only unsupported values, and texts that are not found.
        on_doubt: For what is still doubtful at the end. ``"refuse"``: no answer; ``"omit"``: the field's default;
            ``"review"``: the run waits for a person, and needs a checkpointer.
        limits: The limits of all agents together; seconds per call, answer attempts and ``tell_model`` are each agent's own.
        checkpointer: Keeps the state of threads.
        name: The graph's name.

    Returns:
        The compiled graph, with the input of the agents, and ``structured_response`` and ``outcome`` as an agent has them.

    Raises:
        AgentSpecError: If the agents have different schemas, there is one agent and no ``then``, a limit is one agent's
            own, there are fewer model calls than first agents, or there is no checkpointer for a review.

    Example:
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel
        >>> readers = [create_agent(ScriptedChatModel(replies=["7"]), response_format=int) for _ in range(2)]
        >>> create_ensemble(readers).invoke({"messages": ["Score it."]})["structured_response"]
        7
    """
    every = [*agents, *then]
    needed = len(agents) // 2 + 1 if agree is None else agree
    schemas = _checked_schemas(every)
    _check(agents, then, needed, on_doubt)
    if on_doubt == "review" and not checkpointer:
        raise AgentSpecError("create_ensemble: on_doubt='review' waits for a person; write checkpointer=InMemorySaver().")
    if on_doubt == "omit" and not any(_may_lack(schema.value_schema) for schema in schemas):
        raise AgentSpecError("create_ensemble: on_doubt='omit', but every field is required; give one a default.")
    if limits is not None:
        _check_limits(limits, len(agents))
    doubted, ends = _states(when)
    # Samples of one agent may invent the same value.
    settles = when is None and len(set(map(id, every))) == len(every)
    ensemble = Ensemble(schemas, needed, doubted, ends, on_doubt, limits, len(then), settles)
    names = _names(agents, then)
    state = state_schemas(every)
    graph = StateGraph[Any, Any](state.state, input_schema=state.input, output_schema=state.output)
    graph.add_node(BEGIN, GraphNode(pure(ensemble.begin), name=BEGIN))
    for index, (node, agent) in enumerate(zip(names, every, strict=True)):
        round_ = max(index - len(agents) + 1, 0)
        graph.add_node(node, reader_node(agent, node, round_, limits, 1 if round_ else len(agents)))
    graph.add_node(COMPARE, GraphNode(pure(ensemble.compare), name=COMPARE))
    first, later = names[: len(agents)], names[len(agents) :]
    graph.add_edge(START, BEGIN)
    for node in first:
        graph.add_edge(BEGIN, node)
    # The first ones are one superstep and need no joined edges: after those, LangGraph's development server hides a wait.
    for node in names:
        graph.add_edge(node, COMPARE)
    where: dict[Hashable, str] = {f"ask_{number}": node for number, node in enumerate(later, start=1)}
    graph.add_conditional_edges(COMPARE, Router(_route, name="route after compare"), {**where, "finish": END})
    return cast("AgentGraph[ValueT | None, InputT]", graph.compile(checkpointer, name=name))


def _route(state: Mapping[str, Mapping[str, str]]) -> str:
    return state[DECISION]["action"]


def _checked_schemas(every: Agents) -> tuple[Any, ...]:
    channels = [agent.channels.get("structured_response") if isinstance(agent, Pregel) else None for agent in every]
    for agent, channel in zip(every, channels, strict=True):
        if not isinstance(channel, AnswerChannel):
            raise AgentSpecError(f"create_ensemble: {agent!r} is not an agent with a response_format; write create_agent(…).")
    schemas = [channel.codec.schemas for channel in channels if isinstance(channel, AnswerChannel)]
    forms = [{schema.name: schema.json_schema for schema in each} for each in schemas]
    for form in forms:
        if form != forms[0]:
            raise AgentSpecError(
                f"create_ensemble: the agents answer with {[list(each) for each in forms]!r}; give them one schema."
            )
    return schemas[0] if schemas else ()


def _check_limits(limits: UsageLimits, first: int) -> None:
    own = next((name for name in OF_ONE_AGENT if getattr(limits, name) != getattr(UsageLimits(), name)), None)
    if own:
        raise AgentSpecError(f"create_ensemble: {own} is an agent's own; give each one limits=UsageLimits({own}=…).")
    if limits.model_calls is not None and limits.model_calls < first:
        raise AgentSpecError(
            f"create_ensemble: model_calls={limits.model_calls} are fewer than the {first} agents that are asked first; "
            f"write limits=UsageLimits(model_calls={first}) or more."
        )


def _check(agents: Sequence[object], then: Sequence[object], agree: int, on_doubt: object) -> None:
    if not agents or len(agents) + len(then) == 1:
        raise AgentSpecError("create_ensemble needs two agents; write create_ensemble([a, b]) or create_ensemble([a], then=[b]).")
    if not isinstance(agree, int) or not 1 <= agree <= len(agents) + len(then):
        raise AgentSpecError(f"create_ensemble: agree={agree!r}, but there are {len(agents) + len(then)} agents.")
    if on_doubt not in get_args(OnDoubt):
        raise AgentSpecError(f"create_ensemble: on_doubt={on_doubt!r} must be one of {get_args(OnDoubt)!r}.")


def _may_lack(schema: object) -> bool:
    """Return whether a field or an item can be left out of an answer."""
    if isinstance(schema, list):
        return any(map(_may_lack, schema))
    if not isinstance(schema, dict):
        return False
    is_optional = schema.get("type") == "array" or not set(schema.get("properties", ())) <= set(schema.get("required", ()))
    return is_optional or any(map(_may_lack, schema.values()))


def _states(when: Collection[str] | None) -> tuple[frozenset[str], frozenset[str]]:
    if when is None:
        return DOUBTED, WITHOUT_ANSWER
    chosen = frozenset([when] if isinstance(when, str) else when)
    fields, ends = chosen & frozenset(get_args(FieldStatus)), chosen & WITHOUT_ANSWER
    if unknown := chosen - fields - ends:
        known = sorted({*WITHOUT_ANSWER, *get_args(FieldStatus)})
        raise AgentSpecError(f"create_ensemble: when={sorted(unknown)!r} is no end and no state of a field; they are {known!r}.")
    return fields, ends


def _names(agents: Agents, then: Agents) -> list[str]:
    """Return a node's name per agent: its own if it has one that no other has."""
    own = [str(agent.get_name()) for agent in (*agents, *then)]
    numbered = [
        *(f"reader_{number}" for number in range(1, len(agents) + 1)),
        *(f"then_{number}" for number in range(1, len(then) + 1)),
    ]
    return [
        name if own.count(name) == 1 and name not in {"LangGraph", BEGIN, COMPARE} else other
        for name, other in zip(own, numbered, strict=True)
    ]
