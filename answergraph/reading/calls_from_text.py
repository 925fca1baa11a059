"""Turns a call that a model wrote as text into a tool call.

Such a call is a weaker intention than a call that the provider parsed: small models list calls that they make up, and repeat
them. So one call of a reply is carried out, and none whose result the run has.
"""

import json
import re
from collections.abc import Collection
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.tools import BaseTool

from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.strategy import Strategy
from answergraph.reading.text_calls import TextCall, TextCalls, find_text_calls
from answergraph.state.messages import RAN_BEFORE, of_run
from answergraph.state.stop_reasons import BROKEN_CALL, CALLS_FROM_TEXT, diagnose

_MAX_FAILURES = 2
"""Of a call; after them it is not carried out again."""
_NAME = re.compile(
    r"""(?:["'](?:name|function)["']\s*+:\s*+["']|<function=|<(?:\w+:)?invoke name="|\[TOOL_CALLS\]\s*+)([\w.-]{1,64}+)\W"""
)
_WHOLE = re.compile(r"""\s*+(?:\{\s*+")?([A-Za-z_][\w.-]{0,63}+)(?:\(.*\)|"\s*+:\s*+\{.*\}\s*+\})\s*+""", re.DOTALL)
"""A text that may be a call as a whole: ``name(city="Oslo")``, ``{"name": {"city": "Oslo"}}``."""


def with_calls(message: AIMessage, names: Collection[str], strategy: Strategy, request: ModelRequest) -> AIMessage:
    """Return a reply in which the first written call without a result is a tool call with a new id; others are dropped.

    The reply is unchanged if there are none, or if its text may be the answer. Of a cut reply only its first call counts. The
    call of an unknown tool, in a text without other objects, is a call too, which its error answers. A call that cannot be read
    stays text, with a note. Where no answer is asked for, it and a repeated one are malformed: the run would end otherwise.
    """
    may_be_answer = strategy.answers_in_text and any(schema.looks_like_call for schema in strategy.schemas)
    if message.tool_calls or message.invalid_tool_calls or may_be_answer:
        return message
    is_cut = diagnose(message) == "truncated"
    text_calls = find_text_calls(message.text, names)
    if not text_calls.calls and not text_calls.malformed:
        text_calls = _unknown_call(message.text, names, strategy)
    malformed = () if is_cut else text_calls.malformed
    if not text_calls.calls and not malformed:
        return message
    if not text_calls.calls and strategy.schemas:
        note = {} if strategy.tools_off else {BROKEN_CALL: malformed[0]}
        return message.model_copy(update={"response_metadata": {**message.response_metadata, **note}})
    calls = text_calls.calls[:1] if is_cut else text_calls.calls
    new = [call for call in calls if not _is_done(call, request)]
    refused = [(name, str(message.text), "its arguments are cut, or not a JSON object") for name in malformed if not calls]
    refused += [(call.name, json.dumps(call.args), RAN_BEFORE) for call in calls if not (strategy.schemas or new)]
    content: object = text_calls.rest
    new_id = f"call_{uuid4().hex}"
    if not isinstance(message.content, str):
        others = [block for block in message.content if isinstance(block, dict) and block.get("type") != "text"]
        content = [*others, *([{"type": "text", "text": text_calls.rest}] if text_calls.rest else [])]
    return message.model_copy(
        update={
            "content": content,
            "tool_calls": [tool_call(name=name, args=args, id=new_id) for name, args in new[:1]],
            "invalid_tool_calls": [invalid_tool_call(name=n, args=args, id=new_id, error=why) for n, args, why in refused[:1]],
            "response_metadata": {**message.response_metadata, CALLS_FROM_TEXT: True},
        }
    )


def _unknown_call(text: str, names: Collection[str], strategy: Strategy) -> TextCalls:
    """Return the call in a text without other objects, of a name that is neither a tool's nor an answer's."""
    none, schemas = TextCalls((), text), strategy.schemas
    are_calls = (s.looks_like_call or s.declares_keys_of(dict.fromkeys(("name", "arguments"))) for s in schemas)
    if not (names and schemas) or any(are_calls):
        return none
    whole = _WHOLE.fullmatch(text)
    name = whole or _NAME.search(text)
    if name is None or name[1] in {*names, *(schema.name for schema in strategy.all_schemas)}:
        return none
    text_calls = find_text_calls(text, [name[1]])
    # Without words that say so, a whole text is a call only if no answer has such keys.
    keys = [{key: 0} for call in text_calls.calls[:1] for key in (name[1], *call.args)]
    may_be_answer = not keys or any(not each.is_object or each.declares_keys_of(key) for each in schemas for key in keys)
    return none if (whole and may_be_answer) or "{" in text_calls.rest else text_calls


def _is_done(call: TextCall, request: ModelRequest) -> bool:
    """Return whether the run has the result of a call, or its error twice."""
    run = of_run(request.messages)
    tool = next((each for each in request.tools if isinstance(each, BaseTool) and each.name == call.name), None)
    alike = [each for m in run if isinstance(m, AIMessage) for each in m.tool_calls if each["name"] == call.name]
    done = {each["id"] for each in alike if _received(tool, each["args"]) == _received(tool, call.args)}
    statuses = [each.status for each in run if isinstance(each, ToolMessage) and each.tool_call_id in done]
    return len(statuses) >= _MAX_FAILURES or "success" in statuses


def _received(tool: Any, args: Any) -> object:
    """Return arguments as a tool gets them, so that the same call is known with its defaults, or with a number as text."""
    try:
        return tool.tool_call_schema.model_validate(args).model_dump()
    except Exception:  # noqa: BLE001 - there is no type, or a validator raises an error of any class: the call fails anyway
        return args
