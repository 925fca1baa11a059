"""An agent as a function of plain JSON, for any protocol: schemas, one run, and how it ended."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import uuid4

import jsonschema_rs
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command, Interrupt
from pydantic_core import to_jsonable_python

from answergraph import AgentSpecError, AnswerGraphError, NoAnswerError, aunfinished
from answergraph.many.ledger.agent_door import AgentDoor, used_definitions
from answergraph.serving.thread_claims import claimed
from answergraph.streaming import is_answer_event

logger = logging.getLogger(__name__)

JSON = dict[str, object]
Plain = Mapping[str, Any]
"""A part of JSON to read: arguments, a schema, an outcome."""
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Takes the steps so far, their total, and what was done."""
Grow = Callable[[object], Awaitable[None]]
"""Takes the answer so far."""

UNNAMED = "LangGraph"
"""The name that LangGraph gives to a graph without one."""
OWN_THREADS = "served-"
"""The beginning of the threads that a client may continue; others of the same checkpointer are not its own."""
MISSING = {"waits_for_calls": "results", "waits_for_person": "decision"}
"""The argument that goes on with a run, by what it waits for."""
_NO_RUN = "No run waits under the thread_id {thread!r}."
MAX_PROBLEM_CHARACTERS = 300
"""Of what is said about wrong arguments: the message holds the value."""

NULL: JSON = {"type": "null"}
WAITING: JSON = {
    "title": "Waiting",
    "description": "There is no answer yet: call the tool in `go_on_with`.",
    "type": "object",
    "properties": {
        "status": {"enum": ["deferred", "waits_for_person"]},
        "reason": {"type": "string"},
        "thread_id": {"type": "string"},
        "go_on_with": {"type": "string", "description": "The tool that goes on with the run."},
        "pending": {"type": "array", "description": "Calls to execute: their id, name and args."},
        "questions": {
            "type": "array",
            "description": "What a person has to decide: an id and a value each, and the schema of the decision, if it says one.",
        },
    },
    "required": ["status", "reason", "thread_id", "go_on_with"],
}
"""The result of a run that waits."""

RESUMING: JSON = {
    "type": "object",
    "properties": {
        "thread_id": {"type": "string", "description": "As in the result that waits."},
        "results": {"type": "object", "description": "For pending calls: the result of each, by the call's id."},
        "decision": {"description": "For questions: the decision; for several, a decision each, by the question's id."},
    },
    "required": ["thread_id"],
    "additionalProperties": False,
}
"""The arguments that go on with a run."""


@dataclass(frozen=True)
class End:
    """How one call ended."""

    content: JSON | None
    """What the output schema declares; ``None`` for an error, since clients hold to the schema what stands beside its text."""
    outcome: Plain = field(default_factory=dict)
    """The run's outcome, or of one that has none its status and reason; empty while it waits for a person."""
    waits: bool = False
    """Whether the content is no answer, but says what the run waits for."""

    @property
    def text(self) -> str:
        """The end for a reader of texts."""
        if self.content is None:
            return f"{self.outcome['status']}: {self.outcome['reason']}"
        return json.dumps(self.content, ensure_ascii=False)


def failed(reason: str) -> End:
    """Return the end of a call that did not run, or whose run broke."""
    return End(None, {"status": "failed", "reason": reason})


class ServedAgent:
    """An agent with a name, its schemas, and its runs.

    Raises:
        AgentSpecError: If the agent has no typed answer, or no name.
    """

    def __init__(self, agent: object, default_name: str = "") -> None:
        self._door = AgentDoor(agent)
        self._agent = self._door.agent
        self.name: str = self._agent.name if self._agent.name != UNNAMED else default_name
        self.can_wait = isinstance(self._agent.checkpointer, BaseCheckpointSaver)
        if not self.name:
            raise AgentSpecError("An agent that is served needs a name; write create_agent(…, name='…').")

    @cached_property
    def input_schema(self) -> JSON:
        """The arguments of a run: a text, and what else the agent's state takes as input."""
        whole = self._agent.get_input_jsonschema()
        own = {key: value for key, value in whole["properties"].items() if key not in {"messages", "document"}}
        about = "The text of the document." if self.text_key == "document" else "What to do, with all that is needed for it."
        return {
            "type": "object",
            "$defs": used_definitions(own, whole.get("$defs", {})),
            "properties": {self.text_key: {"type": "string", "description": about}, **own},
            "required": [self.text_key, *(key for key in whole.get("required", ()) if key in own)],
            "additionalProperties": False,
        }

    @cached_property
    def output_schema(self) -> JSON:
        """The answer's JSON Schema; one that is no object is under ``answer``, as the protocols ask for objects."""
        definitions, members = self._definitions, self._members
        plain: list[JSON] = [*([] if self._is_object else members), *([NULL] if self._door.may_be_null else [])]
        if plain:
            answer = plain[0] if len(plain) == 1 else {"anyOf": plain}
            wrapped: JSON = {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
            members = [*members, wrapped] if self._is_object else [wrapped]
        if self.can_wait:
            members = [*members, WAITING]
        alone: JSON = self._resolved(members[0]) if len(members) == 1 else {"anyOf": members}
        return {**alone, "type": "object", "$defs": definitions}

    @property
    def description(self) -> str:
        """What the agent answers with, in the words of its types."""
        types = [self._resolved(member) for member in self._members]
        return " ".join(f"Answers with {each.get('title', 'a value')}. {each.get('description', '')}".strip() for each in types)

    async def run(self, arguments: Plain, report: Report, thread: str = "", grow: Grow | None = None) -> End:
        """Run the agent, in a thread of its own; cancelling this cancels the run."""
        if problem := _problem(self.input_schema, arguments):
            return failed(problem)
        own = {key: value for key, value in arguments.items() if key != self.text_key}
        run_input = {**self._door.as_input(arguments[self.text_key]), **own}
        return await self._end(run_input, thread or f"{OWN_THREADS}{uuid4().hex}", report, grow)

    async def resume(self, arguments: Plain, report: Report, grow: Grow | None = None) -> End:
        """Go on with a run that waits."""
        if problem := _problem(RESUMING, arguments):
            return failed(problem)
        thread = arguments["thread_id"]
        if await self.waits_for(thread) is None:
            return failed(_NO_RUN.format(thread=thread))
        async with claimed(self._agent.checkpointer, thread) as is_ours:  # what was approved once is not carried out twice
            if not is_ours:
                return failed(f"The run of the thread_id {thread!r} goes on already.")
            return await self._go_on(thread, arguments, report, grow)

    async def _go_on(self, thread: str, arguments: Plain, report: Report, grow: Grow | None) -> End:
        waits = await self.waits_for(thread)
        if waits == "waits_for_calls" and (results := arguments.get("results")):
            messages = [ToolMessage(as_text(result), tool_call_id=call_id) for call_id, result in results.items()]
            return await self._end({"messages": messages}, thread, report, grow)
        if waits == "waits_for_person" and "decision" in arguments:
            return await self._end(Command(resume=arguments["decision"]), thread, report, grow)
        return failed(f"The run waits for {MISSING[waits]!r}." if waits else _NO_RUN.format(thread=thread))

    async def waits_for(self, thread: str) -> str | None:
        """Say what the run of a thread that was served waits for."""
        if not self.can_wait or not thread.startswith(OWN_THREADS):
            return None
        why = await aunfinished(self._agent, _config(thread))
        return why if why in MISSING else None

    async def waiting(self, thread: str) -> End:
        """Say again what the run of a thread waits for."""
        if await self.waits_for(thread) is None:
            return failed(_NO_RUN.format(thread=thread))
        state = await self._agent.aget_state(_config(thread))
        if state.interrupts:
            return self._questions(state.interrupts, thread)
        return self._ended(state.values, state.values[self._door.outcome_key], thread)

    async def _end(self, inputs: object, thread: str, report: Report, grow: Grow | None) -> End:
        """Run the agent, and say how it ended."""
        try:
            result, interrupts = await self._result(inputs, thread, report, grow)
        except NoAnswerError as error:
            return self._ended({}, error.outcome, thread)
        except AnswerGraphError as error:
            return failed(str(error))
        except Exception:  # errors of others may hold secrets: their text stays here, as on LangGraph's servers
            logger.exception("A run of %s failed.", self.name)
            return failed("An internal error occurred.")
        if interrupts:
            return self._questions(interrupts, thread)
        return self._ended(result, result.get(self._door.outcome_key) or {}, thread)

    async def _result(self, inputs: object, thread: str, report: Report, grow: Grow | None) -> tuple[Plain, Sequence[Interrupt]]:
        result: Plain = {}
        interrupts: Sequence[Interrupt] = ()
        steps = 0
        config = _config(thread) if self.can_wait else None
        # Only who hears the answer grow asks for it: its stream makes the model stream.
        modes = ["updates", "values", *(["custom"] if grow else [])]
        async for mode, chunk in self._agent.astream(inputs, config, stream_mode=modes):
            if mode == "values":
                result = chunk
            elif mode == "custom":
                if grow and is_answer_event(chunk) and (chunk["key"], chunk["status"]) == (self._door.answer_key, "growing"):
                    await grow(chunk["value"])
            elif "__interrupt__" in chunk:
                interrupts = chunk["__interrupt__"]
            else:
                steps += 1
                await report(steps, None, ", ".join(chunk))
        return result, interrupts

    def _ended(self, result: Plain, outcome: Plain, thread: str) -> End:
        answer = result.get(self._door.answer_key)
        if answer is None and outcome.get("status") == "answered":
            return End({"answer": None}, outcome)
        if answer is not None:
            plain = self._door.plain(answer)
            value = to_jsonable_python(answer, fallback=str) if plain is None else plain
            return End(value if self._is_object else {"answer": value}, outcome)
        if outcome.get("status") == "deferred" and self.can_wait:
            return self._waiting("deferred", outcome["reason"], thread, pending=outcome["pending"])
        return End(None, outcome) if outcome else failed("The run ended without an answer.")

    def _questions(self, interrupts: Sequence[Interrupt], thread: str) -> End:
        questions = [
            {"id": each.id, "value": to_jsonable_python(each.value, fallback=str)}
            | ({"schema": schema} if (schema := getattr(each, "response_schema", None)) else {})  # of newer LangGraphs
            for each in interrupts
        ]
        return self._waiting("waits_for_person", "A person has to decide.", thread, questions=questions)

    def _waiting(self, status: str, reason: str, thread: str, **what: object) -> End:
        return End(
            {"status": status, "reason": reason, "thread_id": thread, "go_on_with": f"{self.name}_resume", **what}, waits=True
        )

    @cached_property
    def text_key(self) -> str:
        """The argument that is the text."""
        return "document" if "document" in self._door.as_input("") else "request"

    @cached_property
    def _definitions(self) -> dict[str, Any]:
        definitions: Any = self._door.answer_schema["$defs"]
        return dict(definitions)

    @cached_property
    def _members(self) -> list[JSON]:
        """The schemas of the answer's types."""
        schema: dict[str, Any] = dict(self._door.answer_schema)
        return [member for member in schema.get("anyOf", [schema]) if member != NULL]

    @cached_property
    def _is_object(self) -> bool:
        return all(self._resolved(member).get("type") == "object" for member in self._members)

    def _resolved(self, schema: JSON) -> JSON:
        """Return what a schema refers to."""
        name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        return dict(self._definitions.get(name, schema))


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def _problem(schema: JSON, arguments: Plain) -> str | None:
    """Say what is wrong with the arguments."""
    error = next(jsonschema_rs.validator_for(schema).iter_errors(dict(arguments)), None)
    if error is None:
        return None
    path = ".".join(map(str, error.instance_path)) or "arguments"
    return f"The arguments do not fit. {path}: {error.message[:MAX_PROBLEM_CHARACTERS]}"


def as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
