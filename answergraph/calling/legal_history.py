"""The conversation as it is sent: whatever a thread holds, no server refuses the request for it."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from math import isfinite
from operator import itemgetter
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from answergraph.asking.providers.provider_table import TurnRule
from answergraph.state.messages import ABANDONED_CALL, MALFORMED_CALL, failed_call_message
from answergraph.state.stop_reasons import is_paused

SEEN = "I have seen the result."
"""Sent between a tool message and a user message to providers that require it; never stored."""
GO_ON = "Go on."
"""Sent where a provider requires a user message; never stored."""
_MAX_NAME = 64
_is_tool_name = re.compile(rf"[a-zA-Z0-9_-]{{1,{_MAX_NAME}}}").fullmatch
_is_author = re.compile(rf"[^\s<|\\/>]{{1,{_MAX_NAME}}}").fullmatch
_holds_no_number = re.compile(r"[ \[-](?:nan|inf)[,\]}]").search
"""Finds what may be NaN or infinity in the ``repr`` of calls; in a text, nothing comes of it."""
_call_id, _call_name = itemgetter("id"), itemgetter("name")
_NO_ARGUMENTS = {"arguments": "{}", "input": {}, "args": {}}
"""The arguments of a call in a content block: of OpenAI, of Anthropic, and of LangChain."""


def legal_history(messages: Sequence[AnyMessage], tools: frozenset[str]) -> Sequence[AnyMessage]:
    """Return a conversation that strict servers accept: the same object if it is one already, as almost all are.

    The arguments of every call are a JSON object, without NaN and infinity, and every call has one result, in the block right
    after it. Results without a call are left out; the others keep the order in which they arrived. Names have only characters
    that every server accepts, except for those of ``tools``. The messages themselves are not changed.
    """
    # No function of Python is called per message, because each step looks at the whole conversation.
    waiting: set[str | None] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                return _repaired(messages, tools)
            waiting.remove(message.tool_call_id)
            continue
        # A middleware may give messages in other forms, which have no name.
        if waiting or ((name := getattr(message, "name", None)) and not _is_author(name)):
            return _repaired(messages, tools)
        if isinstance(message, AIMessage) and (message.tool_calls or message.invalid_tool_calls):
            waiting = set(map(_call_id, message.tool_calls))
            names = set(map(_call_name, message.tool_calls)) - tools
            has_all_ids = all(waiting) and len(waiting) == len(message.tool_calls)
            is_json = not message.invalid_tool_calls and _holds_no_number(repr(message.tool_calls)) is None
            if not (is_json and has_all_ids and all(map(_is_tool_name, names))):
                return _repaired(messages, tools)
    return _repaired(messages, tools) if waiting else messages


def _repaired(messages: Sequence[AnyMessage], tools: frozenset[str]) -> list[AnyMessage]:
    turns: list[tuple[AnyMessage, AnyMessage, dict[str, ToolMessage]]] = []
    results_by_call: dict[str, dict[str, ToolMessage]] = {}
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            # A later result of the same call replaces the earlier one: it may have come after the run had given the call up.
            if (known := results_by_call.get(message.tool_call_id)) is not None:
                known[message.tool_call_id] = message
            continue
        results: dict[str, ToolMessage] = {}
        legal = _with_legal_name(message)
        if isinstance(legal, AIMessage) and (legal.tool_calls or legal.invalid_tool_calls):
            legal = _with_legal_calls(legal, index, tools)
            results_by_call |= {str(call["id"]): results for call in legal.tool_calls}
        turns.append((message, legal, results))
    # No server accepts an empty conversation either.
    return [each for stored, legal, results in turns for each in (legal, *_block(stored, legal, results))] or list(messages)


def _with_legal_name(message: AnyMessage) -> AnyMessage:
    name = getattr(message, "name", None)
    if not name or _is_author(name):
        return message
    return message.model_copy(update={"name": re.sub(r"[\s<|\\/>]+", "_", name)[:_MAX_NAME]})


def _with_legal_calls(message: AIMessage, index: int, tools: frozenset[str]) -> AIMessage:
    """Return a reply whose malformed calls are calls without arguments, each with a name and an id of its own."""
    spoilt = {call.get("id") for call in message.invalid_tool_calls} - {None}
    calls: dict[str, ToolCall] = {}
    for number, call in enumerate((*message.tool_calls, *message.invalid_tool_calls)):
        name, call_id = call.get("name") or "unknown", call.get("id")
        # The same in every request, so that the provider's prompt cache stays valid.
        own = call_id if call_id and call_id not in calls else f"call_{index}_{number}"
        legal = name if name in tools or _is_tool_name(name) else re.sub(r"[^a-zA-Z0-9_-]+", "_", name)[:_MAX_NAME]
        args: Any = _as_json(call["args"]) if number < len(message.tool_calls) else {}
        calls[own] = ToolCall(name=legal, args=args, id=own, type="tool_call")
    if [*calls.values()] == message.tool_calls and not message.invalid_tool_calls:
        return message
    content: object = message.content
    if spoilt and isinstance(content, list):
        content = [_without_arguments(block) if _id_of(block) in spoilt else block for block in content]
    content = _as_json(content)
    return message.model_copy(update={"content": content, "tool_calls": [*calls.values()], "invalid_tool_calls": []})


def _as_json(value: object) -> object:
    """Return arguments without NaN and infinity, which Python reads from JSON and no server accepts: as texts."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return json.dumps(value) if isinstance(value, float) and not isfinite(value) else value


def _id_of(block: object) -> object:
    return (block.get("call_id") or block.get("id")) if isinstance(block, dict) else None


def _without_arguments(block: dict[str, object]) -> dict[str, object]:
    emptied = {**block, **{key: empty for key, empty in _NO_ARGUMENTS.items() if key in block}}
    return {**emptied, "type": "tool_call"} if block.get("type") == "invalid_tool_call" else emptied


def _block(stored: AnyMessage, legal: AnyMessage, results: dict[str, ToolMessage]) -> Iterator[ToolMessage]:
    """Yield the results of a turn's calls in the order of their arrival, then an error for each call without one."""
    yield from results.values()
    if not isinstance(stored, AIMessage) or not isinstance(legal, AIMessage):
        return
    for number, call in enumerate(legal.tool_calls):
        if call["id"] not in results:
            yield failed_call_message(call, ABANDONED_CALL if number < len(stored.tool_calls) else MALFORMED_CALL)


def in_turns(messages: Sequence[AnyMessage], rules: Collection[TurnRule]) -> list[AnyMessage]:
    """Return a conversation whose roles follow each other as a provider requires."""
    turns: list[AnyMessage] = []
    before: AnyMessage | None = None
    for message in messages:
        if isinstance(message, AIMessage):
            # A paused turn is continued by the model's next message.
            is_after_model = isinstance(before, AIMessage) and not is_paused(before)
            if "user_first" in rules and (before is None or is_after_model):
                turns.append(HumanMessage(GO_ON))
            if "user_first" in rules and message.tool_calls and str(message.content).isspace():
                # Servers with this rule refuse blank text too.
                message = message.model_copy(update={"content": ""})  # noqa: PLW2901 - the copy takes its place
        elif "model_after_tool" in rules and isinstance(before, ToolMessage) and isinstance(message, HumanMessage):
            turns.append(AIMessage(SEEN))
        turns.append(message)
        before = before if isinstance(message, SystemMessage) else message
    if "user_last" in rules and isinstance(before, AIMessage) and not is_paused(before):
        turns.append(HumanMessage(GO_ON))
    return turns
