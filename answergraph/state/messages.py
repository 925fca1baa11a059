"""Pure functions on conversations."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeVar
from uuid import uuid4

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES

MessageT = TypeVar("MessageT", bound=BaseMessage)
CallT = TypeVar("CallT", bound=Mapping[str, object])

WHOLE_MESSAGES = frozenset({AIMessage, HumanMessage, SystemMessage, ToolMessage})
"""The types of finished messages: no chunks, no removals, no other forms that become messages."""

CUT_TEXT = "…"
"""Replaces the text of a cut reply that is requested again."""

NO_VALID_TOOL = "is not a valid tool"
"""Part of the error about an unknown tool."""

MALFORMED_CALL = "Tool call {name} with id {id} could not be executed - arguments were malformed or truncated."
ABANDONED_CALL = "Tool call {name} with id {id} was not carried out - the run ended before its result came."
CUT_CALL = (
    "Tool call {name} with id {id} was not carried out - your reply was cut at the token limit, so its arguments may be "
    "incomplete. Be brief, and call the tool again if you still need it."
)
"""A cut reply's arguments may be incomplete although they parse."""
TOOL_UNAVAILABLE = "Tool {name} is not available: the run's budget is spent."
TOOL_TOO_LATE = "Tool {name} is not available any more: the answer is asked for."

CORRECTION_ID_PREFIX = "answergraph-correction-"
"""Prefix of the ids of corrections, to distinguish them from messages of users and tools."""


def correction_message(text: str) -> HumanMessage:
    """Return a ``text`` of the program as a user message, known by its id: it begins no new run, so earlier evidence counts."""
    return HumanMessage(text, id=f"{CORRECTION_ID_PREFIX}{uuid4()}")


def without_cut_text(message: AIMessage) -> AIMessage:
    """Move the text of a cut reply to the metadata: a model that sees it would continue it."""
    blocks = [] if isinstance(message.content, str) else message.content
    others = [block for block in blocks if isinstance(block, dict) and block.get("type") != "text"]
    content: Any = [*others, {"type": "text", "text": CUT_TEXT}] if others else CUT_TEXT
    metadata = {**message.response_metadata, "cut_text": message.text}
    return message.model_copy(update={"content": content, "response_metadata": metadata})


def is_correction(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and (message.id or "").startswith(CORRECTION_ID_PREFIX)


def last_turn(messages: Sequence[MessageT]) -> tuple[AIMessage | None, Sequence[MessageT]]:
    """Return the last AI message, ``None`` if there is none, and the messages after it."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AIMessage):
            return message, messages[index + 1 :]
    return None, messages


def last_two_turns(messages: Sequence[AnyMessage]) -> list[tuple[AIMessage | None, Sequence[AnyMessage]]]:
    """Return the last AI message and the one before it, each with the messages that follow it."""
    message, after = last_turn(messages)
    return [(message, after), last_turn(messages[: -len(after) - 1])]


def begins_new_run(messages: Sequence[AnyMessage]) -> bool:
    """Return whether a user message follows the model's last reply."""
    message, after = last_turn(messages)
    return message is None or any(isinstance(m, HumanMessage) and not is_correction(m) for m in after)


def answered_ids(messages: Iterable[BaseMessage]) -> set[str]:
    return {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}


def pending_tool_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """Return the tool calls of the last AI message that no tool message has answered, in the model's order."""
    message, after = last_turn(messages)
    return [] if message is None else unanswered(message.tool_calls, after)


def unanswered(calls: Sequence[CallT], after: Sequence[BaseMessage]) -> list[CallT]:
    """Return the calls, also malformed ones, that no tool message in ``after`` has answered."""
    if not calls:
        return []
    done = answered_ids(after) if after else ()
    return [call for call in calls if call.get("id") not in done]


def calls_taken_out(message: AIMessage, before: Sequence[ToolCall], written: Sequence[Any]) -> list[ToolCall]:
    """Return the calls that a hook removed from a reply, in place or by its messages."""
    ids = {message.id, REMOVE_ALL_MESSAGES}
    is_rewritten = any(getattr(other, "id", None) in ids for other in written)
    replies = [other for other in written if isinstance(other, AIMessage)] if is_rewritten else [message]
    left = {call["id"] for reply in replies for call in reply.tool_calls}
    return [call for call in before if call["id"] not in left]


def direct_results(
    message: AIMessage | None, after: Sequence[AnyMessage], return_direct: Mapping[str, bool]
) -> list[ToolMessage]:
    """Return the results of a turn that called only ``return_direct`` tools, which ends the run; otherwise none.

    If a call was redirected to another tool, the name on the result counts.
    """
    calls = [] if message is None else message.tool_calls
    results = {m.tool_call_id: m for m in after if isinstance(m, ToolMessage) and m.name in return_direct}
    names = [results[c["id"]].name if c["id"] in results else c["name"] for c in calls]
    called = [name for name in names if name in return_direct]
    return list(results.values()) if called and all(return_direct[str(name)] for name in called) else []


def malformed_call_message(call: InvalidToolCall) -> ToolMessage:
    """Return the error for an unknown tool, or for arguments that are not JSON, in LangChain's words."""
    error = call.get("error") or ""
    return failed_call_message(call, error.replace("{", "{{").replace("}", "}}") if NO_VALID_TOOL in error else MALFORMED_CALL)


def failed_call_message(call: Mapping[str, Any], words: str) -> ToolMessage:
    name, call_id = call.get("name") or "unknown", str(call["id"])
    return ToolMessage(words.format(name=name, id=call_id), name=name, tool_call_id=call_id, status="error")


def repaired_history(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return a conversation in which every tool call has a result, so that strict providers accept it.

    A result is missing if the process died between a call and its result, or if the user wrote before approving a call.
    Corrections right before a user message are removed.
    """
    done = answered_ids(messages)
    repaired: list[AnyMessage] = []
    waiting: list[ToolMessage] = []
    for message, following in zip_longest(messages, messages[1:]):
        if isinstance(following, HumanMessage) and is_correction(message):
            # The run was stopped before the model saw the correction. Some providers refuse two user messages in a row.
            continue
        if not isinstance(message, ToolMessage):
            repaired.extend(waiting)
            waiting = []
        repaired.append(message)
        if isinstance(message, AIMessage):
            waiting = _missing_results(message, done)
    return [*repaired, *waiting]


def _missing_results(message: AIMessage, done: set[str]) -> list[ToolMessage]:
    malformed = [call for call in message.invalid_tool_calls if call.get("id") is not None and call["id"] not in done]
    abandoned = [call for call in message.tool_calls if call["id"] is not None and call["id"] not in done]
    return [*map(malformed_call_message, malformed), *(failed_call_message(call, ABANDONED_CALL) for call in abandoned)]


def repeats_malformed_calls(messages: Sequence[AnyMessage]) -> bool:
    """Return whether the last two AI messages hold the same malformed tool calls, so that asking again is useless."""
    (message, _), (earlier, _) = last_two_turns(messages)
    if message is None or not message.invalid_tool_calls:
        return False
    return earlier is not None and _malformed(earlier) == _malformed(message)


def calls_without_news(messages: Sequence[AnyMessage]) -> list[tuple[str, Any]]:
    """Return the names and arguments of the calls of the last turn, if the turn before it had the same calls and results."""
    turns = []
    for message, after in last_two_turns(messages):
        if message is None or not all(isinstance(result, ToolMessage) for result in after):
            return []
        turns.append(([(call["name"], call["args"]) for call in message.tool_calls], [result.content for result in after]))
    return turns[0][0] if turns[0] == turns[1] else []


def _malformed(message: AIMessage) -> list[tuple[Any, Any]]:
    return [(call.get("name"), call.get("args")) for call in message.invalid_tool_calls]
