"""Pure functions on conversations."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile, zip_longest
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

from answergraph.runtime.python_expression import parse_expression

WHOLE_MESSAGES = frozenset({AIMessage, HumanMessage, SystemMessage, ToolMessage})
"""The types of finished messages: no chunks, no removals, no other forms that become messages."""

CUT_TEXT = "…"
"""Replaces the text of a cut reply that is requested again."""

NO_VALID_TOOL = "is not a valid tool"
"""Part of the error about an unknown tool."""

MALFORMED_CALL = "Tool call {name} with id {id} could not be executed - arguments were malformed or truncated."
NO_TEXT = (
    "Tool {name} returned {text}, which is no result: an object without a text of its own. "
    "Whoever wrote the tool must return text, numbers, lists or dicts."
)
_OBJECT = re.compile(r"<(?:class '[^'\n]+'|[^<>\n]*(?:<\w+>[^<>\n]*)*at 0x[0-9a-fA-F]+)>")
_WRITTEN = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict)
_MAX_REPR = 100_000

_TEXT_BLOCKS = frozenset({"text", "text-plain"})
_BLOCKS_OF_BLOCKS = frozenset({"search_result", "document", "tool_result"})
_SOURCES = {"text": "data", "content": "content"}  # the text field of a document's source, by its type
ABANDONED_CALL = "Tool call {name} with id {id} was not carried out - the run ended before its result came."
CUT_CALL = (
    "Tool call {{name}} with id {{id}} was not carried out - your reply {how_cut}, so its arguments may be "
    "incomplete. Be brief, and call the tool again if you still need it."
)
"""A cut reply's arguments may be incomplete although they parse."""
RAN_BEFORE = "This call was not carried out again: its result is above."
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
    content: object = [*others, {"type": "text", "text": CUT_TEXT}] if others else CUT_TEXT
    metadata = {**message.response_metadata, "cut_text": message.text}
    return message.model_copy(update={"content": content, "response_metadata": metadata})


def is_correction(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and (message.id or "").startswith(CORRECTION_ID_PREFIX)


def of_run(messages: Sequence[AnyMessage]) -> Sequence[AnyMessage]:
    """Return the messages of the last run: those after the last one of a user."""
    starts = (index for index in range(len(messages), 0, -1) if isinstance(messages[index - 1], HumanMessage))
    return messages[next((index for index in starts if not is_correction(messages[index - 1])), 0) :]


def was_sent_back(messages: Sequence[BaseMessage]) -> bool:
    """Return whether corrections or the errors of calls follow the last reply."""
    last = list(takewhile(lambda each: not isinstance(each, AIMessage), reversed(messages)))
    ids = [(each.id or "").startswith(CORRECTION_ID_PREFIX) for each in last]
    return any(ids) or any(isinstance(each, ToolMessage) and each.status == "error" for each in last)


def without_wrong_answers(messages: Sequence[AnyMessage], wrong: Collection[str | None]) -> list[AnyMessage]:
    """Return a conversation without the replies of the ``wrong`` ids, without empty ones, and without their corrections.

    A reply stays if it has a call with a result that is no correction.
    """
    results = [each for each in messages if isinstance(each, ToolMessage)]
    sent_back = {each.tool_call_id for each in results if (each.id or "").startswith(CORRECTION_ID_PREFIX)}
    left_out: set[str | None] = set()
    kept: list[AnyMessage] = []
    for message in messages:
        if isinstance(message, AIMessage):
            calls = {call["id"] for call in (*message.tool_calls, *message.invalid_tool_calls)}
            is_wrong = message.id in wrong or not (calls or message.text)
            left_out |= calls if (is_left_out := is_wrong and calls <= sent_back) else set()
        else:
            is_left_out = message.tool_call_id in left_out if isinstance(message, ToolMessage) else is_correction(message)
        kept += [] if is_left_out else [message]
    return kept


def calls_taken_out(message: AIMessage, before: Sequence[ToolCall], messages: Sequence[object]) -> list[ToolCall]:
    """Return the calls that a hook removed from a reply, in place or by its messages."""
    is_rewritten = any(getattr(other, "id", None) in (message.id, REMOVE_ALL_MESSAGES) for other in messages)
    replies = [other for other in messages if isinstance(other, AIMessage)] if is_rewritten else [message]
    left = {call["id"] for reply in replies for call in reply.tool_calls}
    return [call for call in before if call["id"] not in left]


def malformed_call_message(call: InvalidToolCall) -> ToolMessage:
    """Return the error for a repeated call, or, in LangChain's words, for an unknown tool or arguments that are not JSON."""
    error = call.get("error") or ""
    is_said = NO_VALID_TOOL in error or error == RAN_BEFORE
    return failed_call_message(call, error.replace("{", "{{").replace("}", "}}") if is_said else MALFORMED_CALL)


def failed_call_message(call: Mapping[str, object], words: str) -> ToolMessage:
    name, call_id = call.get("name") or "unknown", str(call["id"])
    return ToolMessage(words.format(name=name, id=call_id), name=name, tool_call_id=call_id, status="error")


def has_failed(result: ToolMessage) -> bool:
    """Return whether a call failed; of an abandoned one, which may have been carried out, nobody knows."""
    return result.status == "error" and result.content != ABANDONED_CALL.format(name=result.name, id=result.tool_call_id)


def is_default_repr(text: str) -> bool:
    """Return whether Python wrote a text for an object without one of its own, or for a list or dict that holds one."""
    if "<" not in text or len(text) > _MAX_REPR or not _OBJECT.search(text):
        return False
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):  # raised by words around the name of an object
        node = parse_expression(_OBJECT.sub("...", text))  # what stands inside a string stays part of it
        parts = ast.walk(node) if isinstance(node, _WRITTEN) else ()
        return any(isinstance(part, ast.Constant) and part.value is ... for part in parts)
    return False


def with_own_text(result: ToolMessage) -> ToolMessage:
    """Return a tool's result, or an error if its text is only what Python writes for an object without a text of its own."""
    text = result.content
    if isinstance(text, str) and (legal := text.encode(errors="replace").decode()) != text:
        # A lone surrogate, as in the name of a file that is not UTF-8: no request can contain one.
        return result.model_copy(update={"content": legal})
    if not isinstance(text, str) or not is_default_repr(text):
        return result
    return result.model_copy(update={"content": NO_TEXT.format(name=result.name, text=text), "status": "error"})


def texts_of(message: AnyMessage) -> list[str]:
    """Return the texts of a message's content blocks, in order; those of search results and documents too."""
    return [text for text, _ in pieces_of(message.content)]


def pieces_of(blocks: object, source_block: Mapping[str, object] | None = None) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the texts of content blocks, each with its search result or document."""
    for block in blocks if isinstance(blocks, list) else [blocks]:
        if isinstance(block, str):
            yield block, source_block or {}
        elif isinstance(block, Mapping) and block.get("type") in _TEXT_BLOCKS and isinstance(block.get("text"), str):
            yield block["text"], source_block or block
        elif isinstance(block, Mapping) and block.get("type") in _BLOCKS_OF_BLOCKS:
            source = block["source"] if isinstance(block.get("source"), Mapping) else {}
            for inner in (block.get("content"), source.get(_SOURCES.get(str(source.get("type")), ""))):
                yield from pieces_of(inner or [], block)


def unread_in(blocks: object) -> list[str]:
    """Return the kinds of content blocks that cannot be read, each once."""
    kinds = [block.get("type") for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
    return list(dict.fromkeys(str(kind) for kind in kinds if kind not in _TEXT_BLOCKS | _BLOCKS_OF_BLOCKS))


def repaired_history(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return a conversation in which every tool call has a result, so that strict providers accept it.

    A result is missing if the process died between a call and its result, or if the user wrote before approving a call.
    Corrections right before a user message are removed.
    """
    done = _answered_ids(messages)
    repaired: list[AnyMessage] = []
    waiting: list[ToolMessage] = []
    for message, following in zip_longest(messages, messages[1:]):
        if isinstance(following, HumanMessage) and is_correction(message):
            # The run was stopped before the model saw the correction. Some providers refuse two user messages in a row.
            continue
        if not isinstance(message, ToolMessage):
            repaired.extend(waiting)
            waiting = _missing_results(message, done) if isinstance(message, AIMessage) else []
        repaired.append(message)
    return [*repaired, *waiting]


def _missing_results(message: AIMessage, done: set[str]) -> list[ToolMessage]:
    malformed = [call for call in message.invalid_tool_calls if call.get("id") is not None and call["id"] not in done]
    abandoned = [call for call in message.tool_calls if call["id"] is not None and call["id"] not in done]
    return [*map(malformed_call_message, malformed), *(failed_call_message(call, ABANDONED_CALL) for call in abandoned)]


def malformed_results(messages: Sequence[BaseMessage], answers: Collection[str]) -> Iterator[ToolMessage]:
    """Yield the errors for open malformed calls; the ``structured_response`` node handles those of answer tools."""
    done = _answered_ids(messages)
    for message in messages:
        for call in message.invalid_tool_calls if isinstance(message, AIMessage) else ():
            if call.get("id") and call["id"] not in done and call.get("name") not in answers:
                yield malformed_call_message(call)


def _answered_ids(messages: Iterable[BaseMessage]) -> set[str]:
    return {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
