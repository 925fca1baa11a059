"""Makes a tape of a stored thread, which was not recorded: its last run's input, replies, tool results and end."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import StateSnapshot

from answergraph.answers.storage.answer_channel import MARK
from answergraph.graphs.agent.create import create_agent
from answergraph.models.in_process.scripted_model import ScriptedChatModel
from answergraph.runtime.errors import AgentSpecError
from answergraph.tapes.tape_json import end_of, to_json


def records_of_thread(checkpointer: object, thread_id: str) -> list[dict[str, object]]:
    """Return the records of a thread's last run.

    Raises:
        AgentSpecError: If nothing is stored for the thread, or its run has not ended.
    """
    if not isinstance(checkpointer, BaseCheckpointSaver):
        raise AgentSpecError("Tape.from_thread takes a checkpointer; write Tape.from_thread(agent.checkpointer, …).")
    # The channels and nodes of any agent with tools read the thread; neither model nor tool is asked.
    unused = StructuredTool.from_function(_answer_in, name="unused", description="It is not called.")
    reader: Any = create_agent(ScriptedChatModel(replies=[]), [unused], checkpointer=checkpointer)
    config: Any = {"configurable": {"thread_id": thread_id}}
    last = reader.get_state(config)
    if not last.values.get("messages"):
        raise AgentSpecError(f"Nothing is stored for the thread {thread_id!r}.")
    if last.next or last.interrupts:
        raise AgentSpecError(f"The run of thread {thread_id!r} has not ended: it goes on with {', '.join(last.next)}.")
    begun = _begin_of_run(reader.get_state_history(config))
    messages: Sequence[AnyMessage] = last.values["messages"]
    return [
        {"kind": "run", "input": {"messages": to_json(messages[: len(begun)])}},
        *_replies_and_results(messages[len(begun) :]),
        {"kind": "end", **end_of({**last.values, "structured_response": _answer_in(last.values)})},
    ]


def _answer_in(values: Any) -> object:
    """Return the answer, which is stored with the name of its schema."""
    stored = values.get("structured_response")
    return stored["value"] if isinstance(stored, dict) and stored.keys() == {MARK, "value"} else stored


def _begin_of_run(history: Iterator[StateSnapshot]) -> Sequence[AnyMessage]:
    """Return the messages with which the last run began: those of the step after its input."""
    first: StateSnapshot | None = None
    for snapshot in history:
        if (snapshot.metadata or {}).get("source") == "input":
            break
        first = snapshot
    return first.values.get("messages", ()) if first is not None else ()


def _replies_and_results(messages: Sequence[AnyMessage]) -> Iterator[dict[str, object]]:
    calls = {call["id"]: call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}
    for message in messages:
        if isinstance(message, AIMessage):
            yield {"kind": "reply", "message": to_json(message)}
        elif isinstance(message, ToolMessage) and (call := calls.get(message.tool_call_id)) is not None:
            result = {"args": to_json(call["args"]), "interrupts": [], "asks_models": False, "result": to_json(message)}
            yield {"kind": "tool", "name": call["name"], **result}
