"""Replies that no honest server sends: hostile texts and arguments, floods of calls, and fields with values of a wrong kind."""

from itertools import cycle
from typing import Any

from tests.openai_server import Reply, ToolCall, Usage, calls, is_cut_off, refuses, says


def deep(levels: int, inside: str = "1") -> str:
    return "[" * levels + inside + "]" * levels


ANSWER = '{"passed": true, "why": "It runs."}'
ARGUMENTS = {
    **{f"{levels} deep": f'{{"q": {deep(levels)}, "passed": {deep(levels)}}}' for levels in (127, 200, 500, 900, 10_000)},
    "open brackets": "[" * 10_000,
    "brackets in a string": '{"q": "' + '{"k":[1,' * 400 + '"}',
    "a number over 64 bits": '{"q": 1180591620717411303424, "passed": 1180591620717411303424}',
    "a number of 5,000 digits": '{"q": ' + "9" * 5_000 + "}",
    "an infinite number": '{"q": 1e999, "passed": true, "why": 1e999}',
    "no number": '{"q": NaN, "passed": NaN}',
    "a lone surrogate": '{"q": "\\ud800", "passed": true, "why": "\\ud800"}',
    "a surrogate as a key": '{"\\ud800": 1}',
    "a zero character": '{"q": "\\u0000", "passed": true, "why": "\\u0000"}',
    "4,000 characters": '{"q": "' + "a" * 4_000 + '"}',
    "a list": '[{"passed": true}]',
    "a text": '"passed"',
    "nothing": "",
    "null": "null",
    "other types": '{"q": {"a": [1]}, "passed": "maybe", "why": 7}',
    "a key twice": '{"passed": true, "passed": false, "q": "a", "q": "b"}',
}
TEXTS = {
    **{name: text for name, text in ARGUMENTS.items() if name != "4,000 characters"},
    "an open fence": "```json\n" + " " * 20_000 + "x",
    "thoughts without end": "<think>" * 2_000,
    "a call without end": '{"name": "look", "arguments": ' * 1_000,
    "tags": '<invoke name="look">' * 1_000,
    "spaces": " " * 50_000,
    "quotes": "'\"" * 5_000,
}


def _called(name: str, arguments: dict[str, Any], count: int) -> Reply:
    return calls(*(ToolCall(name, arguments, id=str(at)) for at in range(count)))


READABLE: dict[str, Reply] = {
    **{f"a text: {name}": says(text) for name, text in TEXTS.items()},
    **{f"cut: {name}": is_cut_off(text) for name, text in TEXTS.items()},
    **{f"arguments: {name}": calls(ToolCall("look", text)) for name, text in ARGUMENTS.items()},
    **{f"an answer call: {name}": calls(ToolCall("Verdict", text)) for name, text in ARGUMENTS.items()},
    **{f"{count} calls": _called("look", {"q": "a"}, count) for count in (100, 1_000)},
    **{f"{count} unknown calls": _called("nobody", {"q": "a"}, count) for count in (100, 1_000)},
    **{f"{count} answers": _called("Verdict", {"passed": True}, count) for count in (100, 1_000)},
    "arguments of 5 MB": calls(ToolCall("look", {"q": "a" * 5_000_000})),
    "arguments of 5 MB that nobody takes": calls(ToolCall("nobody", {"q": "a" * 5_000_000})),
    "an id of 1 MB": calls(ToolCall("look", {"q": "a"}, id="i" * 1_000_000)),
    "calls of one id": calls(*(ToolCall("look", {"q": "a"}, id="one") for _ in range(5))),
    "a call without a name": calls(ToolCall("", {"q": "a"})),
    "a name of 10,000 characters": calls(ToolCall("l" * 10_000, {"q": "a"})),
    "an unknown finish reason": Reply("x", finish_reason="stop" * 5_000 + "!"),
}
"""Replies that the client can read: a run ends with an outcome."""
COSTLY = {
    name
    for name in READABLE
    if name.startswith("1000 ") or name.endswith((" MB", "nobody takes", "s: open brackets", ": 10000 deep"))
}
COSTLY -= {"a text: 10000 deep"}
"""Replies that take the client and the stub ten seconds or more: langchain-core parses growing arguments again at each chunk."""
NOT_STREAMED = {name for name in READABLE if name.startswith("arguments of 5 MB")}
"""langchain-core parses each piece of streamed arguments once per character, which takes an hour for 5 MB in four pieces."""

_NESTED: Any = 1
for _ in range(300):
    _NESTED = [_NESTED]
FIELDS: dict[str, tuple[Any, ...]] = {
    "role": ("user", "wizard", None, 7),
    "content": (None, 7, [], [None], {"a": 1}, _NESTED),
    "text": (None, 7, "\ud800"),
    "refusal": (7, [], "\ud800"),
    "tool_calls": (None, {}, [None], [{}], "look"),
    "output": (None, {}, [None], [{}]),
    "choices": (None, [], [None], {}),
    "type": ("wizard", None),
    "function": (None, {}),
    "name": (None, 7, [], "\ud800"),
    "arguments": (None, {}, {"q": "a"}, 7, []),
    "id": (None, 7, "", "\ud800"),
    "call_id": (None, 7, "", "the same"),
    "finish_reason": (None, 7, [], "\ud800"),
    "status": (None, "wizard", 7),
    "usage": (None, {}, "seven", []),
    "total_tokens": ("7", None, 1.5, 2**70, float("nan"), -1),
    "prompt_tokens": ("7", None, float("inf")),
    "input_tokens": ("7", None, 2**70),
    "output_tokens_details": (None, "x", []),
    "annotations": (None, [None], _NESTED),
    "logprobs": ([], "x", {"a": 1}),
    "model": (None, 7, "\ud800"),
    "created": ("now", None),
    "error": ("x", {"message": "x"}),
    "incomplete_details": ("x", []),
    "delta": (None, 7, ""),
    "index": (None, "0", 7),
    "output_index": (None, "0", 7),
}
_TEXTS = cycle((None, "I look."))
OVERWRITTEN = {
    f"{name}: {str(value)[:20]!r}": Reply(next(_TEXTS), (ToolCall("look", {"q": "a"}),), usage=Usage(), overwritten={name: value})
    for name, values in FIELDS.items()
    for value in values
}
OVERWRITTEN["a refusal of brackets"] = refuses("[" * 10_000)  # LangChain's client cannot stream it with a schema
"""Replies that a client may refuse to read, with its own exception."""
REPLIES: dict[str, Reply] = {**READABLE, **OVERWRITTEN}
