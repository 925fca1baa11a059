"""What a map knows of an agent, by LangGraph's public attributes: its input, its answer's channel, its answer's JSON Schema."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, get_type_hints

from langgraph.pregel import Pregel
from pydantic import TypeAdapter
from typing_extensions import TypedDict, is_typeddict

from answergraph import AgentSpecError
from answergraph.kit import AnswerChannel
from answergraph.many.ledger.stored_types import check_stored


class AgentDoor:
    """An agent graph as a function from an input to an answer and an outcome.

    Raises:
        AgentSpecError: If the graph has no typed answer with an outcome.
    """

    def __init__(self, agent: Any) -> None:
        channels = agent.channels if isinstance(agent, Pregel) else {}
        answers = [name for name, channel in channels.items() if isinstance(channel, AnswerChannel)]
        outcomes = {name: "outcome" if name == "structured_response" else f"{name}_outcome" for name in answers}
        keys = [(name, outcome) for name, outcome in outcomes.items() if outcome in channels]
        if not keys:
            wanted = "an agent of create_agent or build_agent_graph with response_format="
            raise AgentSpecError(f"{agent!r} has no typed answer: take {wanted}")
        self.agent = agent
        self.answer_key, self.outcome_key = keys[0]
        self._channel: Any = channels[self.answer_key]
        self._input_key = "document" if "document" in channels else "messages"

    @property
    def may_be_null(self) -> bool:
        """Whether null is an answer; the answer's JSON Schema has it in any case, for runs without one."""
        return any(schema.holds(None) for schema in self._channel.codec.schemas)

    def as_input(self, value: object) -> Mapping[str, object]:
        """Return the agent's input for a text, or for what the user's function returned."""
        if isinstance(value, Mapping):
            return value
        if not isinstance(value, str):
            raise TypeError(f"the input is a {type(value).__name__}, not a text or a dict of the agent's input")
        return {self._input_key: value if self._input_key == "document" else [("user", value)]}

    def stored(self, answer: object) -> Any:
        """Return the form of an answer that checkpoints have, and a ledger."""
        if answer is None:
            return None
        channel = self._channel.copy()
        channel.update([answer])
        return channel.checkpoint()

    def check_stored(self) -> None:
        """Raise ``AgentSpecError`` if JSON does not restore the answers."""
        check_stored(self._channel.codec)

    def restored(self, stored: object) -> Any:
        """Return the answer in the declared type."""
        return None if stored is None else self._channel.from_checkpoint(stored).get()

    def plain(self, answer: object) -> Any:
        """Return an answer as JSON, with the keys of its JSON Schema."""
        stored = self.stored(answer)
        # The form of a checkpoint names the schema beside the JSON; what JSON does not restore is stored as it is.
        return stored["value"] if isinstance(stored, Mapping) and stored.keys() == {"answergraph", "value"} else None

    @cached_property
    def answer_schema(self) -> dict[str, object]:
        """The JSON Schema of the answer, with the definitions that it uses."""
        output = getattr(getattr(self.agent, "builder", None), "output_schema", None)
        if not is_typeddict(output):
            return self._answer_in(self.agent.get_output_jsonschema())
        # Of the answer alone: the messages beside it take more than ten times as long.
        hints = {self.answer_key: get_type_hints(output, include_extras=True)[self.answer_key]}
        answer: type[object] = TypedDict("answer", hints)  # type: ignore[misc]  # mypy wants literal fields
        return self._answer_in(TypeAdapter(answer).json_schema())

    def _answer_in(self, output: Mapping[str, Mapping[str, Mapping[str, object]]]) -> dict[str, object]:
        own = output["properties"][self.answer_key]
        return {"$defs": used_definitions(own, output.get("$defs", {})), **own}

    @property
    def schema_mark(self) -> str:
        """A short name of the answer's schema, equal for equal schemas."""
        return mark_of(self.answer_schema)

    def earlier_mark(self) -> str:
        """Return the mark that earlier versions gave: in the whole output, a type with another one's name has a longer name."""
        return mark_of(self._answer_in(self.agent.get_output_jsonschema()))


def agent_at(reference: object) -> Any:
    """Return the agent that ``"module:name"`` names, or a factory makes.

    Raises:
        AgentSpecError: If there is none.
    """
    agent = reference
    if isinstance(reference, str):
        module, _, name = reference.partition(":")
        try:
            agent = getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise AgentSpecError(f"{reference!r} cannot be imported: {error}; write 'package.module:name'.") from error
    try:
        return agent() if callable(agent) and not isinstance(agent, Pregel) else agent
    except TypeError as error:
        raise AgentSpecError(f"{reference!r} makes no agent: {error}") from error


def mark_of(value: object) -> str:
    """Return a short name of plain JSON, equal for equal values."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=repr).encode()).hexdigest()[:16]


def used_definitions(schema: object, definitions: Mapping[str, object]) -> dict[str, object]:
    """Return the definitions that a schema refers to, directly or not."""
    used: dict[str, object] = {}
    open_schemas = [schema]
    while open_schemas:
        text = json.dumps(open_schemas.pop())
        for name, definition in definitions.items():
            if name not in used and json.dumps(f"#/$defs/{name}") in text:
                used[name] = definition
                open_schemas.append(definition)
    return used
