"""Replies of a model and results of tools, made in one line."""

from typing import Any

from langchain_core.messages import AIMessage, ToolMessage


def calling(name: str, args: dict[str, Any], call_id: str = "1") -> AIMessage:
    """Return a reply that calls one tool, or the tool of an answer."""
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call_id, "type": "tool_call"}])


def call(name: str, call_id: str = "1") -> dict[str, Any]:
    """Return a call without arguments."""
    return {"name": name, "args": {}, "id": call_id, "type": "tool_call"}


def malformed(name: str, call_id: str = "1") -> dict[str, Any]:
    """Return a call whose arguments are no JSON."""
    return {"name": name, "args": "{", "id": call_id, "error": None, "type": "invalid_tool_call"}


def said(*calls: dict[str, Any], bad: tuple[dict[str, Any], ...] = (), text: str = "") -> AIMessage:
    """Return a reply with a text, calls and malformed calls."""
    return AIMessage(text, tool_calls=list(calls), invalid_tool_calls=list(bad))


def result(call_id: str = "1", name: str = "search") -> ToolMessage:
    return ToolMessage("ok", tool_call_id=call_id, name=name)
