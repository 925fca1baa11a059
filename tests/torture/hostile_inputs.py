"""Hostile rules, schemas and files of about a given number of characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.torture.hostile_texts import Hostile, repeated


def _nested_exists(depth: int) -> Callable[[int], Any]:
    condition = "item == -1"
    for _ in range(depth):
        condition = f"exists(items, {condition})"
    return lambda size: (f"when({condition})", size)


RULES_ON_FACTS: dict[str, Callable[[int], Any]] = {
    **{f"exists, {depth} deep": _nested_exists(depth) for depth in (1, 2, 3, 6, 30)},
    "contains in exists": lambda size: ("when(exists(items, contains(items, -1)))", size),
    "a long text in exists": lambda size: (f"when(exists(items, contains(long, '{'a' * 900}b')))", size),
    "comparison in exists": lambda size: ("when(exists(items, items != items))", size),
    "or of exists": lambda size: (f"when({' || '.join(['exists(items, item == -1)'] * 60)})", size),
}


def _object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"title": "Answer", "type": "object", "properties": properties, **more}


def _ladder(count: int) -> dict[str, Any]:
    steps = {f"s{at}": {"anyOf": [{"$ref": f"#/$defs/s{at + 1}"}] * 2} for at in range(count)}
    return _object({"a": {"$ref": "#/$defs/s0"}}, **{"$defs": {**steps, f"s{count}": {"type": "string"}}})


SCHEMAS: dict[str, Callable[[int], Any]] = {
    "properties": lambda size: _object({f"p{at}": {"type": "string"} for at in range(size // 25)}),
    "one union": lambda size: _object({"a": {"anyOf": [{"const": at} for at in range(size // 15)]}}),
    "an enumeration": lambda size: _object({"a": {"enum": [f"v{at}" for at in range(size // 9)]}}),
    "a chain of references": lambda size: _object(
        {"a": {"$ref": "#/$defs/d0"}},
        **{"$defs": {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(size // 40)} | {f"d{size // 40}": {}}},
    ),
    "references that multiply": lambda size: _ladder(size // 70),
    "a description": lambda size: _object({"a": {"type": "string", "description": "a" * size}}),
    "patterns": lambda size: _object({f"p{at}": {"type": "string", "pattern": "(a+)+$" * 40} for at in range(size // 300)}),
}

JUNIT: dict[str, Callable[[int], Any]] = {
    "properties, then cases": lambda size: _suite("<p/>" * (size // 16) + "<testcase/>" * (size // 16)),
    "cases": lambda size: _suite('<testcase name="t"/>' * (size // 20)),
    "cases with unclosed quotes in text": lambda size: _suite("<testcase>'</testcase>" * (size // 22)),
    "suites in each other": lambda size: "<testsuite>" * (size // 23) + "</testsuite>" * (size // 23),
    "suites in each other with cases": lambda size: "<testsuite>" * (size // 43) + "<testcase/>" + "</testsuite>" * (size // 43),
    "suites in each other, a case in each": lambda size: "<testsuite><testcase/>" * (size // 34) + "</testsuite>" * (size // 34),
    "elements in a case in each other": lambda size: _suite(
        "<testcase>" + "<a>x" * (size // 8) + "</a>" * (size // 8) + "</testcase>"
    ),
    "many failures": lambda size: _suite("<testcase>" + "<failure>x</failure>" * (size // 20) + "</testcase>"),
    "many properties and cases": lambda size: _suite(
        "".join(f'<property name="p{at}" value="1"/>' for at in range(size // 70)) + "<testcase/>" * (size // 22)
    ),
    "attributes": lambda size: _suite("<testcase " + " ".join(f'a{at}="1"' for at in range(size // 10)) + "/>"),
    "a tag that never ends": lambda size: _suite("<testcase a='" + "x" * size),
    "retries in a text": lambda size: _suite("<testcase><failure>" + "\n Retry #1 ─\n" * (size // 14) + "</failure></testcase>"),
    "blank lines in a text": lambda size: _suite("<testcase><failure>" + "\n " * (size // 2) + "</failure></testcase>"),
    "an entity in itself": lambda size: '<!DOCTYPE a [<!ENTITY b "' + "x" * size + '">]><a>&b;</a>',
    **{
        f"encoding {name}": repeated("a-9", f'<?xml version="1.0" encoding="{name}"?><a>')
        for name in (
            "punycode",
            "idna",
            "undefined",
            "utf-7",
            "utf-16",
            "utf-32",
            "unicode_escape",
            "raw_unicode_escape",
            "rot13",
        )
    },
}


def _suite(inside: str) -> str:
    return f"<testsuite>{inside}</testsuite>"


YAML: dict[str, Hostile] = {
    **{
        f"{unit!r} again and again": repeated(unit)
        for unit in ("[", "{", "- ", "? ", "? - ", "a: ", "a:\n ", "&a ", "!a ", "!!", "'")
    },
    **{f"{unit!r} in a list": repeated(unit, "a: [", "1]") for unit in ("1,", "1:1,", "'a',", "{a: 1},", "[1],", "!!int 1,")},
    **{
        f"lines of {unit!r}": repeated(unit)
        for unit in ("- 1\n", "- a: 1\n", "a\n", "# a\n", "\n", "---\n", "- |\n a\n", "- '1'\n")
    },
    "keys": lambda size: "".join(f"k{at}: 1\n" for at in range(size // 8)),
    "sexagesimals": lambda size: "a: 1" + ":59" * (size // 3),
    "one long number": repeated("1", "a: "),
    "one long float": repeated("1", "a: 1.", "e1"),
    "deeper by one space": lambda size: "".join(" " * at + "a:\n" for at in range(int((2 * size) ** 0.5))),
    "a folded text": repeated("a\n  ", "a: >\n  "),
    "a plain text of words": repeated("a ", "a: "),
}
