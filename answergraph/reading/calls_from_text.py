"""Turns a call that a model wrote as text into a tool call.

Such a call is a weaker intention than a call that the provider parsed: small models list calls that they make up, and repeat
them. So one call of a reply is carried out, and none whose result the run has.
"""

import json
import re
from collections.abc import Collection, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.tools import BaseTool

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.strategy import Strategy
from answergraph.reading.received_reply import can_be_kept
from answergraph.reading.text_calls import TextCall, TextCalls, find_text_calls
from answergraph.state.messages import RAN_BEFORE, of_run
from answergraph.state.stop_reasons import BROKEN_CALL, CALLS_FROM_TEXT, diagnose

UNREADABLE_ARGUMENTS = "its arguments are cut, or not a JSON object"
_MAX_FAILURES = 2
"""Of a call; after them it is not carried out again."""
_NAME = re.compile(
    r"""(?:["'](?:name|function)["']\s*+:\s*+["']|<function=|<(?:\w+:)?invoke name="|\[TOOL_CALLS\]\s*+)([\w.-]{1,64}+)\W"""
)
_WHOLE = re.compile(r"""\s*+(?:\{\s*+")?([A-Za-z_][\w.-]{0,63}+)(?:\(.*\)|"\s*+:\s*+\{.*\}\s*+\})\s*+""", re.DOTALL)
"""A text that may be a call as a whole: ``name(city="Oslo")``, ``{"name": {"city": "Oslo"}}``."""


def with_calls(message: AIMessage, names: Collection[str], strategy: Strategy, request: ModelRequest) -> AIMessage:
    """Return a reply in which the first written call without a result is a tool call with a new id; others are dropped.

    The reply is unchanged if there are none, or if its text may be the answer. Of a cut reply only its first call counts. A call
    that cannot be read stays text, with a note. Where no answer is asked for, it and a repeated one are malformed: the run would
    end otherwise.
    """
    may_be_answer = strategy.answers_in_text and any(schema.looks_like_call for schema in strategy.schemas)
    if message.tool_calls or message.invalid_tool_calls or may_be_answer:
        return message
    text_calls, is_cut = _calls_in(message.text, names, strategy), diagnose(message) == "truncated"
    calls = text_calls.calls[:1] if is_cut else text_calls.calls
    new = next((call for call in calls if not _is_done(call, request)), None)
    if new is not None and new.args is not None:
        carried_out = tool_call(name=new.name, args=new.args, id=f"call_{uuid4().hex}")
        return _with_call(message, text_calls.rest, tool_calls=[carried_out])
    if not calls or (is_cut and new is not None):
        return message
    if not strategy.schemas:
        is_unknown = new is None and calls[0].name not in names
        return message if is_unknown else _with_malformed(message, text_calls.rest, new, calls[0])
    return _with_call(message, text_calls.rest) if new is None else _noted(message, new, strategy)


def _noted(message: AIMessage, broken: TextCall, strategy: Strategy) -> AIMessage:
    note = {} if strategy.tools_off else {BROKEN_CALL: broken.name}
    return message.model_copy(update={"response_metadata": {**message.response_metadata, **note}})


def _with_malformed(message: AIMessage, text: str, broken: TextCall | None, repeated: TextCall) -> AIMessage:
    """Return a reply of an agent without a response format with a call that is broken, or that was carried out before."""
    args, why = (str(message.text), UNREADABLE_ARGUMENTS) if broken else (json.dumps(repeated.args), RAN_BEFORE)
    call_id = f"call_{uuid4().hex}"
    refused = invalid_tool_call(name=(broken or repeated).name, args=args, id=call_id, error=why)
    return _with_call(message, text, invalid_tool_calls=[refused])


def _with_call(message: AIMessage, text: str, **calls: object) -> AIMessage:
    """Return a reply with another text, with calls, and with a note that they were written as text."""
    content: object = text
    if not isinstance(message.content, str):
        others = [block for block in message.content if isinstance(block, dict) and block.get("type") != "text"]
        content = [*others, *([{"type": "text", "text": text}] if text else [])]
    metadata = {**message.response_metadata, CALLS_FROM_TEXT: True}
    return message.model_copy(update={"content": content, "response_metadata": metadata, **calls})


def _calls_in(text: str, names: Collection[str], strategy: Strategy) -> TextCalls:
    """Return the calls in a text, and among them those of an unknown tool, which its error answers.

    Without a call of a tool, the text may be an answer instead. Arguments that cannot be stored or sent are unreadable.
    """
    text_calls, whole = find_text_calls(text, names), _WHOLE.fullmatch(text)
    if not text_calls.calls and whole is None and _NAME.search(text) is None:
        return text_calls
    known = {*names, *(schema.name for schema in strategy.all_schemas)}
    called = (each[1] for each in ([whole] if whole else _NAME.finditer(text)))
    if names and (unknown := next((name for name in called if name not in known), None)):
        with_unknown = find_text_calls(text, {*names, unknown})
        is_call = text_calls.calls or not _may_be_answer(with_unknown, strategy.schemas, is_named=whole is None)
        text_calls = with_unknown if is_call else text_calls
    return text_calls._replace(
        calls=tuple(each if can_be_kept(each.args) else TextCall(each.name, None) for each in text_calls.calls)
    )


def _may_be_answer(text_calls: TextCalls, schemas: Sequence[AnswerSchema], *, is_named: bool) -> bool:
    """Return whether a text may be an answer, and not the call of an unknown tool; ``is_named``: its words say that it is."""
    if not schemas:
        return not is_named or bool(text_calls.rest) or any(call.args is None for call in text_calls.calls)
    are_calls = (s.looks_like_call or s.declares_keys_of(dict.fromkeys(("name", "arguments"))) for s in schemas)
    if any(are_calls) or "{" in text_calls.rest:
        return True
    # Without words that say so, a whole text is a call only if no answer has such keys.
    keys = [{key: 0} for call in text_calls.calls[:1] for key in (call.name, *(call.args or ()))]
    return not is_named and (
        not keys or any(not each.is_object or each.declares_keys_of(key) for each in schemas for key in keys)
    )


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
