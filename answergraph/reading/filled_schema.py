"""Reads what a small model gives back of what it was shown: values inside the schema, and copies in place of values."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any
from unicodedata import normalize

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage

from answergraph.answers.schemas.schema_example import CUT, Example
from answergraph.asking.strategies.strategy import ERROR_TEMPLATE, Strategy
from answergraph.json_text.json_depth import members
from answergraph.json_text.strict_json import load_json
from answergraph.state.messages import CORRECTION_ID_PREFIX, of_run
from answergraph.state.outcome import Attempt

COPIES = "copies"
"""Key of a message's ``response_metadata``: its texts that were copied from the example or a correction."""
_COPIED = "this is copied from what you were shown; write the value in its place"
_ERROR, _PLEASE = ERROR_TEMPLATE.casefold().split("{error}")
_KEYS = re.compile(r'"(\w++)": ')
_MARKS = " \n\t\"'`*_“”„‘’«»"  # quotes and emphasis around a copy
_BRACKETS = "<>[]{}() "
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)

_TYPES = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))
_VALUE_KEYS = ("value", "const", "default")
_SCHEMA_KEYS = frozenset(
    (
        *_VALUE_KEYS,
        *("$defs", "$ref", "$schema", "additionalProperties", "allOf", "anyOf", "description", "enum", "examples", "format"),
        *("items", "maximum", "maxItems", "maxLength", "minimum", "minItems", "minLength", "oneOf", "pattern", "properties"),
        *("required", "title", "type"),
    )
)


def values_in_schema(data: object) -> dict[str, object] | None:
    """Return the values put inside a schema, ``None`` if a property has none.

    A schema with a default for each property looks like a filled-in one; the caller knows which schema it showed.
    """
    if not isinstance(data, dict) or not data.keys() <= _SCHEMA_KEYS or data.get("type", "object") != "object":
        return None
    properties = data.get("properties")
    if not isinstance(properties, dict) or not properties:
        return None
    try:
        return {name: _value_in_schema(value) for name, value in properties.items()}
    except (LookupError, RecursionError):
        return None


def _value_in_schema(value: Any) -> object:
    """Return the value of a property; raise ``LookupError`` if there is only its schema."""
    if isinstance(value, str) and value in _TYPES:
        raise LookupError
    is_schema = isinstance(value, dict) and (value.keys() <= _SCHEMA_KEYS or str(value.get("type")) in _TYPES)
    if not is_schema:
        return value
    for key in _VALUE_KEYS:
        if key in value:
            return value[key]
    if isinstance(items := value.get("items"), list) and not any(isinstance(item, dict) for item in items):
        return items
    if (inner := values_in_schema(value)) is None:
        raise LookupError
    return inner


class NotMeantError(ValueError):
    """An answer holds what the model cannot mean, such as a copy; ``located`` has the paths."""

    def __init__(self, paths: Sequence[tuple[str | int, ...]], problem: str = _COPIED) -> None:
        self.located = [(path, problem) for path in paths]
        super().__init__("; ".join(f"{'.'.join(map(str, path))}: {problem}".removeprefix(": ") for path in paths))


def with_copies(
    reply: AIMessage, strategy: Strategy, sent: Sequence[AnyMessage], prompt: str, attempts: Sequence[Attempt]
) -> AIMessage:
    """Return a reply with a note of the texts in it that are copied from what we showed, and stand in nobody else's message.

    Args:
        reply: The reply.
        strategy: What asked; its example may be in the prompt or in a correction.
        sent: The conversation that was sent.
        prompt: What was sent at its end.
        attempts: The answers that were sent back.
    """
    reply_text = "".join([reply.text, *(json.dumps(call["args"], ensure_ascii=False) for call in reply.tool_calls)])
    sent = [each for each in sent if isinstance(each, BaseMessage)]  # a middleware may give other forms
    ours = [each for each in of_run(sent) if (each.id or "").startswith(CORRECTION_ID_PREFIX)]
    prompts, example = "\n".join([prompt, *(each.text for each in ours)]).casefold(), strategy.whole_example()
    example = example if example.text.casefold() in prompts else Example("", is_whole=False, placeholders=frozenset())
    words = [*example.placeholders, *_KEYS.findall(example.text)]
    parts = [f", {each.strip('<>').casefold()}, " for each in words]
    whole = [each.casefold() for each in example.placeholders if each != CUT and each in example.text]
    kinds = _kinds_of(example)
    problems = _problems_in(prompts, attempts)

    def is_copy(text: str) -> bool:
        # ``…`` is ``...`` in one character.
        plain = normalize("NFKC", text).casefold().strip(_MARKS)
        inner = plain.strip(_BRACKETS)
        if any(each in plain for each in whole) or (plain in prompts and any(each in plain for each in problems)):
            return True
        return inner.rstrip(".") in kinds or ((inner != plain or inner == CUT) and any(f", {inner}, " in part for part in parts))

    others = [each.text for each in sent if not isinstance(each, AIMessage) and each not in ours]
    texts = {load_json(each) for each in _STRINGS.findall(reply_text)} - {None}
    copies = [text for text in sorted(texts) if is_copy(text) and not any(text in other for other in others)]
    return reply.model_copy(update={"response_metadata": {**reply.response_metadata, COPIES: copies}}) if copies else reply


def _kinds_of(example: Example) -> set[str]:
    """Return the words for kinds of values, such as ``string``, unless they are a key or a value, and long descriptions."""
    words = [each.strip("<>") for each in example.placeholders]
    listed = "\n".join(f"{each}, " for each in words)
    kinds = {each.partition(", ")[0] for each in words}
    after = (each.casefold().partition(", ")[2].removeprefix("or leave this out, ") for each in words if ": " not in each)
    kinds = {kind for kind in kinds if f'"{kind}"' not in example.text and f" {kind}, " not in listed}
    return kinds | {each.rstrip(".") for each in after if each.count(" ") > 1}


def _problems_in(prompts: str, attempts: Sequence[Attempt]) -> set[str]:
    """Return what was said to be wrong: with each field, by a check, and in the corrections of replies that are no attempts."""
    texts = [each for attempt in attempts for each in (*attempt["fields"].values(), attempt.get("check") and attempt["error"])]
    errors = (each.partition(_PLEASE)[0] for each in prompts.split(_ERROR)[1:] if _PLEASE in each)
    texts += [part.partition(": ")[2] for error in errors for part in error.split("; ")]
    plain = (each.partition(" (given: ")[0].casefold().strip(" .\n") for each in (*texts, _PLEASE) if each)
    return {each for each in plain if " " in each}


def refuse_copies(data: object, copies: Collection[str]) -> None:
    """Raise ``NotMeantError`` if a text of an answer, or a key, is a copy."""
    if paths := [path for path, text in _texts(data, ()) if text in copies]:
        raise NotMeantError(paths)


def _texts(data: object, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(data, str):
        yield path, data
    for step, value in members(data):
        if isinstance(step, str):
            yield (*path, step), step
        yield from _texts(value, (*path, step))
