"""Turns a call that a model wrote as text into a tool call.

Such a call is a weaker intention than a call that the provider parsed: small models list calls that they make up, and repeat
them. So one call of a reply is carried out, and none whose result the run has.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.asking.strategies.strategy import Strategy
from answergraph.reading.text_calls import TextCall, TextCalls, find_text_calls
from answergraph.state.messages import of_run
from answergraph.state.stop_reasons import BROKEN_CALL, CALLS_FROM_TEXT, diagnose

_MAX_FAILURES = 2
"""Of a call; after them it is not carried out again."""
_NAME = re.compile(
    r"""(?:["'](?:name|function)["']\s*+:\s*+["']|<function=|<(?:\w+:)?invoke name="|\[TOOL_CALLS\]\s*+)([\w.-]{1,64}+)\W"""
)

_WHOLE = re.compile(r"""\s*+(?:\{\s*+")?([A-Za-z_][\w.-]{0,63}+)(?:\(.*\)|"\s*+:\s*+\{.*\}\s*+\})\s*+""", re.DOTALL)
"""A text that may be a call as a whole: ``name(city="Oslo")``, ``{"name": {"city": "Oslo"}}``."""


def with_calls(message: AIMessage, names: Collection[str], strategy: Strategy, history: Sequence[AnyMessage]) -> AIMessage:
    """Return a reply in which the first written call without a result is a tool call with a new id; others are dropped.

    The reply is unchanged if there are none, or if its text may be the answer. Of a cut reply only its first call counts. The
    call of an unknown tool, in a text without other objects, is a call too, which its error answers. A call that cannot be read
    stays text, with a note for the correction. Where no answer is asked for, it is a malformed call, and a call that has a
    result is made again: the run would end otherwise.
    """
    may_be_answer = strategy.answers_in_text and any(schema.looks_like_call for schema in strategy.schemas)
    if message.tool_calls or message.invalid_tool_calls or may_be_answer:
        return message
    is_cut = diagnose(message) == "truncated"
    found = find_text_calls(message.text, names)
    if not found.calls and not found.malformed:
        found = _unknown_call(message.text, names, strategy)
    malformed = () if is_cut else found.malformed
    if not found.calls and not malformed:
        return message
    if not found.calls and strategy.schemas:
        note = {} if strategy.tools_off else {BROKEN_CALL: malformed[0]}
        return message.model_copy(update={"response_metadata": {**message.response_metadata, **note}})
    calls = found.calls[:1] if is_cut else found.calls
    new = [call for call in calls if not _is_done(call, history)]
    chosen = new[:1] if strategy.schemas else (new or calls)[:1]
    content: object = found.rest
    if not isinstance(message.content, str):
        others = [block for block in message.content if isinstance(block, dict) and block.get("type") != "text"]
        content = [*others, *([{"type": "text", "text": found.rest}] if found.rest else [])]
    return message.model_copy(
        update={
            "content": content,
            "tool_calls": [tool_call(name=call.name, args=call.args, id=_new_id()) for call in chosen],
            "invalid_tool_calls": [
                invalid_tool_call(name=name, args=message.text, id=_new_id(), error="its arguments are cut, or not a JSON object")
                for name in (() if found.calls else malformed[:1])
            ],
            "response_metadata": {**message.response_metadata, CALLS_FROM_TEXT: True},
        }
    )


def _unknown_call(text: str, names: Collection[str], strategy: Strategy) -> TextCalls:
    """Return the call in a text without other objects, of a name that is neither a tool's nor an answer's."""
    none = TextCalls((), text)
    if not names or not strategy.schemas or any(map(_takes_calls, strategy.schemas)):
        return none
    whole = _WHOLE.fullmatch(text)
    name = whole or _NAME.search(text)
    if name is None or name[1] in names or any(schema.name == name[1] for schema in strategy.all_schemas):
        return none
    found = find_text_calls(text, [name[1]])
    # Without words that say so, a whole text is a call only if no answer has such keys.
    is_answer = whole is not None and (not found.calls or _shares_keys(strategy, {name[1]: 0, **found.calls[0].args}))
    return none if is_answer or "{" in found.rest else found


def _shares_keys(strategy: Strategy, data: Mapping[str, object]) -> bool:
    return any(not schema.is_object or schema.declares_keys_of({key: 0}) for schema in strategy.schemas for key in data)


def _takes_calls(schema: AnswerSchema) -> bool:
    return schema.looks_like_call or schema.declares_keys_of({"name": "", "arguments": ""})


def _is_done(call: TextCall, history: Sequence[AnyMessage]) -> bool:
    """Return whether the run has the result of a call, or its error twice."""
    made, statuses = set[str | None](), list[str]()
    for message in of_run(history):
        if isinstance(message, AIMessage):
            made |= {each["id"] for each in message.tool_calls if (each["name"], each["args"]) == (call.name, call.args)}
        elif isinstance(message, ToolMessage) and message.tool_call_id in made:
            statuses.append(message.status)
    return len(statuses) >= _MAX_FAILURES or "success" in statuses


def _new_id() -> str:
    return f"call_{uuid4().hex}"
