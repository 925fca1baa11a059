"""Normalises replies for the conversation, so that any provider accepts them and any checkpointer can store them."""

from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import invalid_tool_call
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from answergraph.json_text.json_depth import MAX_JSON_DEPTH, inner_values, is_deeper

CANNOT_BE_KEPT = "Its arguments are nested too deeply, or no valid JSON object."
LEFT_OUT = "…"
"""Replaces values that cannot be stored."""

_FIELDS = ("content", "additional_kwargs", "response_metadata", "id")
_fields_of, _args_of = attrgetter(*_FIELDS), itemgetter("args")
_HARMLESS = {float, bool, type(None)}
_SERIALIZER = JsonPlusSerializer()


def as_received(message: BaseMessage, agent_name: str | None) -> AIMessage:
    """Return a reply as a message of this agent with ids that are texts; calls that cannot be stored become malformed ones."""
    if not isinstance(message, AIMessage):
        message = AIMessage(**{name: getattr(message, name) for name in _FIELDS})
    parts = [message.tool_calls, message.invalid_tool_calls, message.usage_metadata, *_fields_of(message)]
    if not can_be_kept(parts) or {*map(type, map(_args_of, message.tool_calls))} - {dict}:
        message = message.model_copy(update=_kept(message))
    changes: dict[str, object] = {"id": message.id or str(uuid4()), "name": agent_name or message.name}
    if isinstance(message.content, list):
        changes["content"] = [_with_text_id(block) for block in message.content]
    ids = [call.get("id") for call in (*message.tool_calls, *message.invalid_tool_calls)]
    if not all(ids) or len(set(ids)) < len(ids):
        used: set[str] = set()
        for name in ("tool_calls", "invalid_tool_calls"):
            changes[name] = [_with_own_id(call, used) for call in getattr(message, name)]
    return message.model_copy(update=changes)


def _with_text_id(block: Any) -> Any:
    """Return a content block whose id, if it has one, is a text: clients search ids for prefixes when they send them."""
    has_other = isinstance(block, dict) and not isinstance(block.get("id"), str | None)
    return {**block, "id": str(block["id"])} if has_other else block


def _with_own_id(call: Mapping[str, Any], used: set[str]) -> dict[str, Any]:
    """Return a call with an id that is unique in its reply, because results refer to it."""
    call_id = call.get("id")
    own = str(call_id) if call_id and call_id not in used else f"call_{uuid4().hex}"
    used.add(own)
    return {**call, "id": own}


def can_be_kept(value: Any) -> bool:
    """Return whether a value, of a reply or made from one, can be stored and sent; does not serialise it, for speed."""
    level, depth = [value], 0
    while level and depth <= MAX_JSON_DEPTH:
        inner: list[object] = []
        for each in level:
            kind = type(each)
            if kind is dict:
                inner += each
                inner += each.values()
            elif kind is list:
                inner += each
            elif kind in _HARMLESS or (kind is str and each.isascii()) or (kind is int and 0 <= each < 2**64):
                continue
            elif not _is_kept(each):
                return False
        level, depth = inner, depth + 1
    return not level


def _is_kept(value: Any) -> bool:
    """Return whether a value that contains no other values can be kept."""
    if isinstance(value, str):
        return value.isascii() or value == _text(value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**64  # what msgpack writes
    try:
        return _SERIALIZER.dumps_typed(value)[0] == "msgpack"
    except (TypeError, ValueError, RecursionError, OverflowError):
        return False


def _text(value: str) -> str:
    return value.encode(errors="replace").decode()


def _kept(message: AIMessage) -> dict[str, Any]:
    changes: dict[str, Any] = {name: _cleaned(getattr(message, name)) for name in _FIELDS}
    changes["usage_metadata"] = message.usage_metadata if can_be_kept(message.usage_metadata) else None
    kept, refused = [], _cleaned(message.invalid_tool_calls)
    for call in message.tool_calls:
        name, call_id, args = (_cleaned(call[key]) for key in ("name", "id", "args"))
        if isinstance(args, dict) and can_be_kept(args) and _says_the_same(args, call["args"]):
            kept.append({**call, "name": name, "id": call_id, "args": args})
        else:
            refused.append(invalid_tool_call(name=name, args=LEFT_OUT, id=call_id, error=CANNOT_BE_KEPT))
    return {**changes, "tool_calls": kept, "invalid_tool_calls": refused}


def _says_the_same(cleaned: object, original: object) -> bool:
    return not is_deeper(original) and LEFT_OUT not in _texts(cleaned) - _texts(original)


def _texts(value: object) -> set[str]:
    return {value} if isinstance(value, str) else set().union(*map(_texts, inner_values(value)))


def _cleaned(value: object, depth: int = MAX_JSON_DEPTH) -> Any:
    """Return a value without parts that cannot be stored."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict | list) and depth > 0:
        if isinstance(value, list):
            return [_cleaned(item, depth - 1) for item in value]
        return {_cleaned(key): _cleaned(item, depth - 1) for key, item in value.items()}
    return value if not isinstance(value, dict | list) and can_be_kept(value) else LEFT_OUT
