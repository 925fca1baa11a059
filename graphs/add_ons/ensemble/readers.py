"""The agents of an ensemble as nodes: each is asked within the common limits, and adds a reading."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any, NotRequired, get_type_hints

from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from answergraph import NoAnswerError, UsageLimits, as_node
from answergraph.graphs.add_ons.ensemble.agreement import Reading
from answergraph.graphs.add_ons.ensemble.usages import usage_by_round
from answergraph.graphs.add_ons.graph_schemas import GraphSchemas, graph_schemas
from answergraph.kit import Budget
from answergraph.types import FieldRecord

READINGS = "answergraph_readings"
"""State key: the readings of this run."""
DECISION = "answergraph_decision"
"""State key: what the comparison decided."""
EXISTING = "existing"
"""Input key of an agent; in the metadata of a message it says that the message tells of answers."""
MAX_EVIDENCE_CHARACTERS = 200

IN_DOUBT = "These fields of the answer below are in doubt. Look at the sources again, and decide each of them:\n{fields}"


class Decision(TypedDict):
    """What happens after a comparison."""

    action: str
    asked: list[str] | None
    """The fields that the next agent is asked for; ``None``: all."""
    value: object
    """The answer so far as JSON."""
    fields: dict[str, FieldRecord]
    """The records of the fields in doubt, by the names that the model knows: those of the JSON."""


def _collected(before: list[Reading] | None, more: list[Reading] | None) -> list[Reading]:
    """Add readings; ``None`` begins a run."""
    return [] if more is None else [*(before or []), *more]


def state_schemas(agents: Sequence[Any]) -> GraphSchemas:
    """Return the schemas of a graph with the input and the answer of its agents."""
    inputs: dict[str, object] = {}
    for agent in agents:
        inputs |= get_type_hints(agent.builder.input_schema, include_extras=True)
    if "messages" in inputs:
        inputs["messages"] = Annotated[list[AnyMessage], add_messages]
    answer: Any = get_type_hints(agents[0].builder.output_schema, include_extras=True)["structured_response"]
    results = {"structured_response": answer, "outcome": NotRequired[Any]}
    own = {READINGS: NotRequired[Annotated[list[Reading], _collected]], DECISION: NotRequired[Decision]}
    shown = {name: hint for name, hint in inputs.items() if name == "messages"}
    return graph_schemas("Ensemble", {**inputs, **results, **own}, inputs, {**shown, **results})


def reader_node(agent: Any, name: str, round_: int, limits: UsageLimits | None, parts: int) -> Runnable[Any, Any]:
    """Return an agent as the node ``name``; ``round_`` is its round, ``parts`` the agents that share the rest of the limits."""
    keys = get_type_hints(agent.builder.input_schema)
    schemas = {schema.name: schema for schema in agent.channels["structured_response"].codec.schemas}

    def inputs(state: Any) -> dict[str, object]:
        values = {key: state[key] for key in keys if key in state}
        decision = state[DECISION]
        if not round_ or decision["asked"] is None:
            return values
        if "messages" in values:
            values["messages"] = [*values["messages"], _message(decision["fields"])]
        # Nothing stands behind a field in doubt, so the next agent's own check decides about its value.
        return {**values, EXISTING: {"structured_response": decision["value"], "outcome": {"fields": decision["fields"]}}}

    def outputs(result: Mapping[str, Any]) -> dict[str, object]:
        outcome, answer = result["outcome"], result["structured_response"]
        schema = schemas.get(outcome["schema"] or "")
        value = schema.dump(answer) if schema is not None and outcome["status"] == "answered" else None
        reading = Reading(
            reader=name, round=round_, asked=None, schema=outcome["schema"], value=value, outcome={**outcome, "limits": {}}
        )
        return {READINGS: [reading]}

    node = as_node(agent, inputs=inputs, outputs=outputs)
    return _within(node, name, limits, parts, lambda error: outputs({"outcome": error.outcome, "structured_response": None}))


def _within(
    node: Runnable[Any, Any], name: str, limits: UsageLimits | None, parts: int, without: Callable[[NoAnswerError], Any]
) -> Runnable[Any, Any]:
    """Return a node whose runs share limits; ``without`` makes its update for an agent that raises where it has no answer.

    LangGraph looks for subgraphs in what a ``RunnableLambda`` refers to.
    """

    def with_asked(state: Any, update: Any) -> dict[str, object]:
        (reading,) = update[READINGS]
        return {READINGS: [{**reading, "asked": state[DECISION]["asked"] if reading["round"] else None}]}

    def sharing(state: Any) -> AbstractContextManager[object]:
        used = [(reading["round"], reading["outcome"]["usage"]) for reading in state.get(READINGS) or ()]
        return Budget.sharing(limits, usage_by_round(used), parts)

    def invoke(state: Any, config: RunnableConfig) -> object:
        with sharing(state):
            try:
                update = node.invoke(state, config)
            except NoAnswerError as error:
                update = without(error)
        return with_asked(state, update)

    async def ainvoke(state: Any, config: RunnableConfig) -> object:
        with sharing(state):
            try:
                update = await node.ainvoke(state, config)
            except NoAnswerError as error:
                update = without(error)
        return with_asked(state, update)

    return RunnableLambda(invoke, ainvoke, name=name)


def _message(fields: Mapping[str, FieldRecord]) -> HumanMessage:
    lines = [f"- {path}: {'; '.join(_sentences(record))}" for path, record in fields.items()]
    # What other readers read is no source.
    return HumanMessage(IN_DOUBT.format(fields="\n".join(lines)), response_metadata={EXISTING: None})


def _sentences(record: FieldRecord) -> list[str]:
    """Return what was read, where the value stands, and what is wrong with it."""
    readings = [f"{reading['reader']} read {reading['value']!r}" for reading in record.get("readings", ())]
    units = [f"in a source: {each['unit'][:MAX_EVIDENCE_CHARACTERS]!r}" for each in record["evidence"] if each["unit"]]
    shows_problem = record["problem"] and record["status"] != "disputed"
    return [*readings, *units, *([str(record["problem"])] if shows_problem else [])]
