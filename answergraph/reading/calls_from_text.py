"""Turns a call that a model wrote as text into a tool call.

Such a call is a weaker intention than a call that the provider parsed: small models list calls that they make up, and repeat
them. So one call of a reply is carried out, and none whose result the run has.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.tools import BaseTool

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.strategy import Strategy
from answergraph.reading.call_forms import name_of_whole, names_called, with_unknown
from answergraph.reading.received_reply import can_be_kept
from answergraph.reading.text_calls import TextCall, TextCalls, find_text_calls
from answergraph.state.messages import RAN_BEFORE, of_run
from answergraph.state.stop_reasons import BROKEN_CALL, CALLS_FROM_TEXT, diagnose

UNREADABLE_ARGUMENTS = "its arguments are cut, or not a JSON object"
_MAX_FAILURES = 2
"""Of a call; after them it is not carried out again."""


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
    first = next((call for call in calls if "success" not in _statuses_of(call, request)), None)
    # One that failed again bars those behind it.
    new = first if first is not None and len(_statuses_of(first, request)) < _MAX_FAILURES else None
    if new is not None and new.args is not None:
        carried_out = tool_call(name=new.name, args=new.args, id=f"call_{uuid4().hex}")
        return _with_call(message, text_calls.rest, tool_calls=[carried_out])
    if not calls or (is_cut and new is not None):
        return message
    if not strategy.schemas:
        again = first or calls[0]
        is_unknown = new is None and again.name not in names
        return message if is_unknown else _with_malformed(message, text_calls.rest, new, again)
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
    answers = {schema.name for schema in strategy.all_schemas}

    def calls_of(called_names: Iterable[str]) -> TextCalls:
        return find_text_calls(text, with_unknown(names, (name for name in called_names if name not in answers)))

    def has_known(text_calls: TextCalls) -> bool:
        return any(call.name in names for call in text_calls.calls)

    # Beside a call of a tool, whatever has the form of a call is one.
    text_calls = calls_of(names_called(text))
    if not has_known(text_calls):
        whole = name_of_whole(text)
        text_calls = calls_of(whole or names_called(text, only_said=True))
        if not has_known(text_calls) and _may_be_answer(text_calls, strategy.schemas, is_named=not whole):
            return TextCalls((), text)
    return text_calls._replace(calls=tuple(_kept(call, is_known=call.name in names) for call in text_calls.calls))


def _kept(call: TextCall, *, is_known: bool) -> TextCall:
    if can_be_kept(call.args) and call.args is not None:
        return call
    # What is wrong with the call of an unknown tool is its name.
    return TextCall(call.name, None if is_known else {})


def _may_be_answer(text_calls: TextCalls, schemas: Sequence[AnswerSchema], *, is_named: bool) -> bool:
    """Return whether a text may be an answer, and not the call of an unknown tool; ``is_named``: its words say that it is."""
    if not schemas:
        return not is_named or bool(text_calls.rest) or any(call.args is None for call in text_calls.calls)
    are_calls = (s.looks_like_call or s.declares_keys_of(dict.fromkeys(("name", "arguments"))) for s in schemas)
    if any(are_calls) or "{" in text_calls.rest:
        return True
    if is_named:
        return False
    # Without words that say so, a whole text is a call only if it can be read as one, and no answer has such keys.
    keys = [{key: 0} for call in text_calls.calls[:1] if call.args is not None for key in (call.name, *call.args)]
    return not keys or any(not each.is_object or each.declares_keys_of(key) for each in schemas for key in keys)


def _statuses_of(call: TextCall, request: ModelRequest) -> list[str]:
    """Return whether the same call succeeded or failed, each time that the run carried it out."""
    run = of_run(request.messages)
    tool = next((each for each in request.tools if isinstance(each, BaseTool) and each.name == call.name), None)
    alike = [each for m in run if isinstance(m, AIMessage) for each in m.tool_calls if each["name"] == call.name]
    same = {each["id"] for each in alike if _received(tool, each["args"]) == _received(tool, call.args)}
    return [each.status for each in run if isinstance(each, ToolMessage) and each.tool_call_id in same]


def _received(tool: Any, args: Any) -> object:
    """Return arguments as a tool gets them, so that the same call is known with its defaults, or with a number as text."""
    try:
        return tool.tool_call_schema.model_validate(args).model_dump()
    except Exception:  # noqa: BLE001 - there is no type, or a validator raises an error of any class: the call fails anyway
        return args
