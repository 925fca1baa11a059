"""Finds tool calls that a model wrote as text because its server does not parse them.

Only offered tools count. JSON that is not a call is skipped as a whole, so that no part of an answer becomes a call. Arguments
are never guessed: if they are unreadable, only the name of the tool is returned.
"""

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from answergraph.answers.schemas.answer_schema import CALL_ARGUMENTS, CALL_NAMES
from answergraph.json_text.json_in_text import (
    BRACKET_COST_CHARACTERS,
    MAX_MENDED,
    MAX_OBJECTS,
    MAX_PASSED_OVER_CHARACTERS,
    MAX_TEXT_LENGTH,
    ValueAt,
    begins_json,
    closings_in,
    end_of_thoughts,
    value_at,
)
from answergraph.json_text.json_syntax_repair import MAX_MENDED_LENGTH, mend_json
from answergraph.json_text.strict_json import load_json
from answergraph.reading.call_forms import (
    BROKEN_CALL,
    CALL_STARTS,
    GEMMA_TEXT,
    NEXT_PYTHON_CALL,
    PARAMETER,
    PARAMETERS_END,
    WRAPPERS,
    compiled,
    with_plain_names,
)
from answergraph.reading.filled_schema import values_in_schema
from answergraph.runtime.python_expression import parse_expression

MAX_PYTHON_CHARACTERS = 100_000
"""Longer arguments in Python's syntax are not read."""

_PYTHON_END = re.compile(r"[ \t]*+(\)?\]?[`,;]?)[ \t]*+(?:$|\r|</|<\||```)", re.MULTILINE)
_PYTHON_PIECES = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\\.|[()]""", re.DOTALL)
_ESCAPES = re.compile(r"""\\(?:(?P<known>[\\\n'"abfnrtvxuUN0-7])|.)""")
_OBJECT = re.compile(r"\s*+(?:```(?:json)?\s*+)?[{\"]")
_ARGUMENTS_END = re.compile(r"[)\]]?+>?+(?:\s*+```)?+")
_STRINGS = json.JSONDecoder()
_CALL_KEYS, _MESSAGE_KEYS = {"id", "index", "type", "function"}, {"role", "content", "tool_calls"}


class TextCall(NamedTuple):
    """A call that was written as text."""

    name: str  # one of the offered names
    args: Any
    """A dictionary, or ``None`` if they are cut or are not a JSON object."""


class TextCalls(NamedTuple):
    """The calls of a text, in its order."""

    calls: tuple[TextCall, ...]
    rest: str
    """The text around the calls; the unchanged text if there are none."""


class _Span(NamedTuple):
    start: int
    end: int
    calls: list[TextCall]


def find_text_calls(text: str, names: Collection[str]) -> TextCalls:
    """Find the calls of offered tools in a text, in time linear in its length."""
    given, text = text, with_plain_names(text)
    if len(text) > MAX_TEXT_LENGTH or not any(name in text for name in names):
        return TextCalls((), given)
    spans = list(_Reader(text, frozenset(names), names if isinstance(names, Mapping) else {}).spans())
    if not spans:
        return TextCalls((), given)
    every_call = (each for span in spans for each in span.calls)
    calls = tuple(each if isinstance(each.args, dict) else TextCall(each.name, None) for each in every_call)
    ends, starts = [0, *(span.end for span in spans)], [*(span.start for span in spans), len(text)]
    return TextCalls(calls, _rest([text[end:start] for end, start in zip(ends, starts, strict=True)]))


@dataclass
class _Reader:
    text: str
    names: frozenset[str]
    orders: Mapping[str, Sequence[str]]
    passed_over: int = 0
    """Characters read without finding a call."""
    mended: int = 0  # characters repaired

    @cached_property
    def closings(self) -> dict[int, int]:
        return closings_in(self.text)

    def spans(self) -> Iterator[_Span]:
        starts = compiled(CALL_STARTS, self.names)
        position, count = end_of_thoughts(self.text), 0
        while self.passed_over < MAX_PASSED_OVER_CHARACTERS and count < MAX_OBJECTS:
            if (match := starts.search(self.text, position)) is None:
                return
            self.passed_over += BRACKET_COST_CHARACTERS
            calls, position = {None: self._json, 1: self._python}.get(match.lastindex, self._tagged)(match)
            count += len(calls)
            if calls:
                yield _Span(match.start(), position, calls)

    def _json(self, match: re.Match[str]) -> tuple[list[TextCall], int]:
        start = match.end() - 1
        data, closed = self._value(start)
        end = closed or len(self.text)
        if data is not None:
            return self._calls_in(data), end
        is_object = self.text[start] == "{"
        if is_object and (broken := compiled(BROKEN_CALL, self.names).match(self.text, start, end)):
            return self._mended(self.text[start:end]) or [TextCall(_name(broken), None)], end
        if is_object and begins_json(self.text, start):
            # Broken or cut JSON: its content is not a call.
            return [], end
        self.passed_over += end - start
        return [], start + 1

    def _value(self, start: int) -> ValueAt:
        """Read the JSON value at a bracket, or at the quote that begins a string with JSON."""
        if self.text[start] != '"':
            return value_at(self.text, start, self.closings)
        try:
            text, end = _STRINGS.raw_decode(self.text, start)
        except ValueError:
            return ValueAt(None, None)
        return ValueAt(load_json(text), end)

    def _mended(self, text: str) -> list[TextCall]:
        self.mended += max(len(text), MAX_MENDED_LENGTH // MAX_MENDED)
        return self._calls_in(mend_json(text)) if self.mended <= MAX_MENDED_LENGTH else []

    def _calls_in(self, data: object) -> list[TextCall]:
        """Return the calls in a JSON value; none if anything in it is not a call."""
        if isinstance(data, dict) and isinstance(data.get("tool_calls"), list) and data.keys() <= _MESSAGE_KEYS:
            data = data["tool_calls"]
        calls = [self._call(item) for item in (data if isinstance(data, list) else [data])]
        return [call for call in calls if call and call.name in self.names] if all(calls) else []

    def _call(self, item: Any) -> TextCall | None:
        if not isinstance(item, dict):
            return None
        if isinstance(item.get("function"), dict) and item.keys() <= _CALL_KEYS:
            item = item["function"]
        name = next((item[key] for key in CALL_NAMES if key in item), None)
        keys = [key for key in CALL_ARGUMENTS if key in item]
        if isinstance(name, str) and keys:
            return TextCall(self._bare(name), _arguments(keys[0], item[keys[0]]) if len(keys) == 1 else None)
        for key, value in item.items() if len(item) == 1 else ():
            if self._bare(key) in self.names and isinstance(value, dict):
                return TextCall(self._bare(key), value)
        return None

    def _bare(self, name: str) -> str:
        return name if name in self.names else name.removeprefix("functions.")

    def _python(self, match: re.Match[str]) -> tuple[list[TextCall], int]:
        calls: list[TextCall] = []
        call: re.Match[str] | None = match
        while call and len(calls) < MAX_OBJECTS:
            end = _closing_parenthesis(self.text, call.end() - 1)
            source, name = self.text[call.end() - 1 : end], _name(call)
            calls.append(TextCall(name, python_arguments(source, self.orders.get(name, ()))))
            call = compiled(rf"\s*+{NEXT_PYTHON_CALL}", self.names).match(self.text, end)
        if line_end := _PYTHON_END.match(self.text, end):
            return calls, line_end.end(1)
        # More follows on the line: prose or a program mentions the call.
        self.passed_over += end - match.start()
        return [], match.end()

    def _tagged_object(self, match: re.Match[str], start: int) -> tuple[list[TextCall], int]:
        data, closed = self._value(start)
        if data is None and closed and "call:" in match[0]:
            data = mend_json(GEMMA_TEXT.sub(lambda each: json.dumps(each["text"]), self.text[match.end() : closed]))
        closing = _ARGUMENTS_END.match(self.text, closed or len(self.text))
        return [TextCall(_name(match), data)], closing.end() if closing else len(self.text)

    def _tagged(self, match: re.Match[str]) -> tuple[list[TextCall], int]:
        if bracket := _OBJECT.match(self.text, match.end()):
            return self._tagged_object(match, bracket.end() - 1)
        pairs: list[tuple[str, object]] = []
        end = match.end()
        while parameter := PARAMETER.match(self.text, end):
            pairs.append((parameter["name"], _parameter_value(parameter["value"], parameter["attributes"] or "")))
            end = parameter.end()
        following = PARAMETERS_END.match(self.text, end)
        is_whole = following is not None and following["closed"] and len(dict(pairs)) == len(pairs)
        # An unclosed parameter extends to the end.
        return [TextCall(_name(match), dict(pairs) if is_whole else None)], end if not following or is_whole else len(self.text)


def _parameter_value(text: str, attributes: str) -> object:
    """Return a parameter's value: JSON if its tag says so, or, where it says nothing, if it is a list or an object."""
    says_json, says_text = 'string="false"' in attributes, 'string="true"' in attributes
    value = load_json(text) if says_json or (not says_text and text.lstrip().startswith(("{", "["))) else None
    return text if value is None and not (says_json and text.strip() == "null") else value


def _arguments(key: str, value: Any) -> object:
    if isinstance(value, str):
        # Some models encode them twice.
        return load_json(inner) if isinstance(inner := load_json(value), str) else inner
    # The model returned the definition of the tool.
    is_definition = key == "parameters" and isinstance(value, dict) and isinstance(value.get("properties"), dict)
    return None if is_definition and values_in_schema(value) is None else value


def python_arguments(source: str, order: Sequence[str] = ()) -> dict[str, object] | None:
    """Return JSON arguments in parentheses: one object, or literals by keyword or in order."""
    if isinstance(data := load_json(source[1:-1]) if source.endswith(")") else None, dict):
        return data
    # Unknown escapes cause a warning in Python.
    if len(source) > MAX_PYTHON_CHARACTERS or not all(escape["known"] for escape in _ESCAPES.finditer(source)):
        return None
    try:
        if not isinstance(call := parse_expression(f"f{source}"), ast.Call):
            return None
        values = [ast.literal_eval(arg) for arg in call.args]
        named = [(keyword.arg, ast.literal_eval(keyword.value)) for keyword in call.keywords]
        is_object = len(values) == 1 and isinstance(values[0], dict) and not named
        args: Any = values[0] if is_object else dict([*zip(order, values, strict=False), *named])
        # Repeated keywords and ``**`` are not JSON either.
        is_json = json.loads(json.dumps(args, allow_nan=False)) == args
        return args if is_json and (is_object or len(args) == len(values) + len(named)) else None
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None


def _closing_parenthesis(text: str, start: int) -> int:
    depth = 0
    for piece in _PYTHON_PIECES.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if depth == 0:
            return piece.end()
    return len(text)


def _rest(pieces: Sequence[str]) -> str:
    """Return the text around calls without tags, fences and separators."""
    kept: list[str] = []
    is_fenced = False
    for index, piece in enumerate(WRAPPERS.sub("", piece) for piece in pieces):
        text = piece.lstrip(" \t\r\n,;.]}") if index else piece
        if is_fenced and text:
            text, is_fenced = text.removeprefix("```"), False
        before, _, tag = text.rpartition("```")
        if index < len(pieces) - 1 and text.count("```") % 2 and re.fullmatch(r"\w*+\s*+", tag):
            text, is_fenced = before, True
        kept.append(text.strip())
    return "\n".join(filter(None, kept))


def _name(match: re.Match[str]) -> str:
    return match[match.lastindex or 0]
