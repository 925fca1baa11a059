"""Texts that are costly to read, of about a given number of characters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

Hostile = Callable[[int], str]


def repeated(unit: str, before: str = "", after: str = "") -> Hostile:
    return partial(_repeated, unit, before, after)


def _repeated(unit: str, before: str, after: str, size: int) -> str:
    return before + unit * (size // len(unit)) + after


def nested(opening: str, inside: str, closing: str, before: str = "", after: str = "") -> Hostile:
    def text(size: int) -> str:
        depth = size // (len(opening) + len(closing))
        return before + opening * depth + inside + closing * depth + after

    return text


_UNITS = (
    *(
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "<",
        "`",
        "```\n",
        "~~~\n",
        '"',
        "'",
        "\\",
        '\\"',
        " ",
        "\n",
        "\t",
        "\n ",
        "|",
        ":",
        ",",
        "=",
    ),
    *("a", "0", "1,", "9", ".", "-", "_", "é", "\ud800", "a ", "0 ", "*", "#", "> ", "$", "@", "/", "!"),
    *(
        '{"',
        "{'",
        '{"k":',
        '{"k":[1,',
        '{"k":1},',
        '{"k":"',
        '{"k":\'',
        "{k:",
        '{"a":1}',
        "{a:1}",
        "[[",
        "[{",
        '["',
        "{'a': 1,}\n",
    ),
    *("<think>", "</think>\n", "<tool_call>", "</tool_call>", "<function=add>", '<invoke name="add">', '<parameter name="a">'),
    *(
        "[TOOL_CALLS]add{",
        "[CALL_ID]add",
        "[CALL_ID]sub",
        "\nsub(1)",
        "; sub(1",
        "add(",
        "add(a=1,",
        "\nadd('",
        '{"name": "add"',
        '{"name": "add", "arguments": ',
        '{"name":"Verdict",',
    ),
    *("Thought:", "Action:", "Action Input:", "\nAction: add\n", "\nAction Input: {", "\nObservation:", "Final Answer:", "**"),
    *(
        "[STEP:1]",
        "[STEP:",
        "[JUDGE:1] ",
        '{"step":1,"reason":"x"}',
        '{"step":',
        "1.",
        "1e",
        "1,000",
        "12:",
        "1/",
        "1 s",
        "1 ms ",
    ),
    *("“", "”", "„", "«", "`a` ", '"a" ', " 'a", "…", "...", "ﬁ", "e\u0301", "\u200b", "\u0301", "İ"),
)
_PAIRS = (("[", "]"), ("{", "}"), ("(", ")"), ('{"a":', "}"), ('{"a":[', "]}"), ("{'a':", "}"), ('{"passed":', "}"), ("-(", ")"))

SHAPES: dict[str, Hostile] = {
    **{f"{unit!r} again and again": repeated(unit) for unit in _UNITS},
    **{f"{unit!r} in a string": repeated(unit, '{"a": "', '"}') for unit in ('{"k":[1,', "[", "{", "\\", '"', "'", "',", '",')},
    **{f"{unit!r} in an open fence": repeated(unit, "```json\n", "x") for unit in (" ", "\n", "{", "\n ", '{"a":1}\n')},
    **{f"{unit!r} after a number": repeated(unit, "1", "x") for unit in (" ", "0", ",000", ".", "/", "-")},
    **{f"{left!r} in each other": nested(left, "1", right) for left, right in _PAIRS},
    **{f"{left!r} in each other, prose around": nested(left, "1", right, "So: ", " That is it.") for left, right in _PAIRS},
    **{f"{left!r} in each other, fault inside": nested(left, "1,", right) for left, right in _PAIRS},
    "a label, then an open fence of spaces": repeated(" ", "Action: add\nAction Input: ```\n", "x"),
    "a label, then an open object": repeated('{"k":[1,', 'Action: add\nAction Input: {"a": "', '"}'),
    "a label, then lines": repeated("a: b\n", "Action: add\nAction Input: "),
    "a call, then spaces": repeated(" ", "Action: add(", "x"),
    "a broken call, then lists": repeated("[", '{"name": "add", "arguments": {"a": ', "}}"),
    "a broken call, then quotes": repeated("'", '{"name": "add", "arguments": {"a": ', "}}"),
    "calls with an open string": repeated('{"name":"add","arguments":{"a":"', "", '"}}'),
    "prose of almost numbers": repeated("1.000.000,00 EUR and 12e+", "", " x"),
    "one word": repeated("a", "", "!"),
    "keys that repeat": repeated('"a":1,', "{", '"a":1}'),
    "many keys": lambda size: "{" + ",".join(f'"{at}":1' for at in range(size // 9)) + "}",
    "many objects": lambda size: " ".join(f'{{"passed": {at}}}' for at in range(size // 15)),
    "many broken objects": lambda size: " ".join(f"{{'passed': {at},}}" for at in range(size // 15)),
    "quotes of every kind": repeated("\"a' “b” «c» „d“ `e` 'f' "),
}
"""The kinds of hostile text by name; each reader reads all of them."""
