"""Every kind of tool call, for tests that compare how they end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.types import Command

from tests.nodes.direct_calls import tool_kinds as kinds


@dataclass
class Call:
    """A tool, and what it is called with."""

    tool: BaseTool
    args: dict[str, Any]
    is_direct: bool = False


def returning(value: Any) -> BaseTool:
    def answer() -> Any:
        """Return a value."""
        return value() if callable(value) else value

    return tool(answer)


def commanding(messages: list[ToolMessage] | None = None, **update: Any) -> Callable[[], Command[Any]]:
    written = [ToolMessage("by command", tool_call_id="c1")] if messages is None else messages
    return lambda: Command(update={"messages": written, **update})


VALUES: dict[str, Any] = {
    "text": "text",
    "empty text": "",
    "number": 4.5,
    "large number": 10**30,
    "truth": True,
    "not a number": float("nan"),
    "text of a class": kinds.Word.YES,
    "number of a class": kinds.Level.HIGH,
    "nothing": None,
    "bytes": b"raw",
    "object": {"ä": [1]},
    "object without JSON": {1, 2},
    "model": kinds.Point(x=1),
    "dataclass": kinds.Pair(1, 2),
    "list": [1, "two"],
    "empty list": [],
    "tuple": ("a", 1),
    "texts": ["a", "b"],
    "blocks": [{"type": "text", "text": "block"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}],
    "message": lambda: ToolMessage("own", tool_call_id="c1", status="error", artifact={"a": 1}),
    "message for another call": lambda: ToolMessage("own", tool_call_id="other"),
    "messages": lambda: [ToolMessage("one", tool_call_id="c1"), ToolMessage("two", tool_call_id="c1")],
    "command": commanding(),
    "command with a note": commanding(note="kept"),
    "command for another call": commanding([ToolMessage("x", tool_call_id="other")]),
    "command without a message": commanding([]),
    "command without an update": Command,
    "command and message": lambda: [Command(update={}), ToolMessage("m", tool_call_id="c1")],
    "commands without a message": lambda: [Command(update={})],
}

CALLS = {f"returns {name}": Call(returning(value), {}, True) for name, value in VALUES.items()} | {
    "arguments": Call(kinds.add, {"a": 2, "b": 3, "kind": "both"}, True),
    "coerced": Call(kinds.add, {"a": "2"}, True),
    "missing": Call(kinds.add, {}, True),
    "out of bounds": Call(kinds.add, {"a": 1, "b": -1}, True),
    "unknown argument": Call(kinds.add, {"a": 1, "c": 1}, True),
    "models": Call(kinds.measure, {"points": [{"x": 1}, {"x": "2", "y": 3}]}, True),
    "wrong models": Call(kinds.measure, {"points": [{}, {"x": "two"}]}, True),
    "converted": Call(
        kinds.convert, {"day": "2026-01-31", "color": "red", "share": "0.1", "raw": "ä", "table": {"a": ["1"]}}, True
    ),
    "not converted": Call(kinds.convert, {"day": "soon", "color": "blue", "share": "x"}, True),
    "a dict": Call(kinds.take, {"options": {"a": {"b": [1]}}}, True),
    "strict": Call(kinds.strict, {"a": 1}, True),
    "too loose": Call(kinds.strict, {"a": "1", "b": 2}, True),
    "by alias": Call(kinds.checked, {"aha": 3}, True),
    "past alias": Call(kinds.checked, {"a": 3}, True),
    "validator": Call(kinds.checked, {"aha": 7}, True),
    "error": Call(kinds.fail, {"kind": "value"}, True),
    "tool error": Call(kinds.fail, {"kind": "tool"}, True),
    "other error": Call(kinds.fail, {"kind": "stop"}, True),
    "error of a key": Call(kinds.fail, {"kind": "none"}, True),
    "awaited error": Call(kinds.afail, {"kind": "value"}, True),
    "awaited tool error": Call(kinds.afail, {"kind": "tool"}, True),
    "validation of its own": Call(kinds.fail_inside, {"city": "Oslo"}, True),
    "own schema": Call(kinds.by_schema, {"x": "3"}, True),
    "context": Call(kinds.see_context, {}, True),
    "awaited": Call(kinds.look, {"a": 1}, True),
    "awaited command": Call(kinds.alook, {"a": 1}, True),
    "in both colours": Call(kinds.both, {"a": 1}, True),
    "ends the run": Call(kinds.direct, {"a": 1}, True),
    "odd name": Call(kinds.odd, {"a": 1}, True),
    "JSON schema": Call(kinds.by_json, {"x": 1}),
    "config": Call(kinds.see_config, {"a": 1}),
    "state": Call(kinds.see_state, {"a": 1}),
    "state's key": Call(kinds.see_messages, {"a": 1}),
    "state said by the model": Call(kinds.see_state, {"a": 1, "state": {"messages": []}}),
    "store": Call(kinds.see_store, {"a": 1}),
    "runtime": Call(kinds.see_runtime, {"a": 1}),
    "call id": Call(kinds.see_id, {"a": 1}),
    "missing beside injected": Call(kinds.see_id, {}),
    "artifact": Call(kinds.make, {"a": 1}),
    "no artifact": Call(kinds.make, {"a": 0}),
    "any arguments": Call(kinds.anything, {"kwargs": {"a": 1}}),
    "several arguments": Call(kinds.several, {"args": [1, 2]}),
    "own class": Call(kinds.Own(), {"a": 1}),
    "own class, awaited": Call(kinds.OwnAwaited(), {"a": 1}),
    "derived class": Call(kinds.OwnStructured.from_function(kinds.add.func), {"a": 1}),  # type: ignore[attr-defined]  # made by @tool
    "single input": Call(kinds.single, {"__arg1": "x"}),
    "runnable": Call(kinds.runnable, {"x": 1}),
}
for name, handle in {"yes": True, "a text": "handled", "a function": kinds.text}.items():
    CALLS[f"handles tool errors by {name}"] = Call(kinds.handling(handle_tool_error=handle), {"kind": "tool"})
    CALLS[f"handles tool errors by {name}, another error"] = Call(kinds.handling(handle_tool_error=handle), {"kind": "value"})
    CALLS[f"handles validation by {name}"] = Call(kinds.handling(handle_validation_error=handle), {})
