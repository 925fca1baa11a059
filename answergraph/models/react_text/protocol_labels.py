"""The labels of the text protocol in a reply: where they stand, in time linear in the reply's length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["input", "action", "answer", "thought", "question"]

_NUMBER = r"[ \t]*+(?:\d++[ \t]*+)?"
_NAMES = "|".join(
    [
        rf"(?P<input>Action{_NUMBER}Input)",
        "(?P<action>Action)",
        "(?P<answer>Final Answer)",
        "(?P<thought>Thought)",
        "(?P<question>Question)",
    ]
)
# Possessive throughout: what was taken is never given back, so that no text is looked at twice.
_END = rf"{_NUMBER}(?:\*\*)?+[ \t]*+:(?:\*\*)?+"
_AT_LINE_START = re.compile(rf"^[ \t]*+(?:[*#>]{{1,3}}+[ \t]*+)?+(?:{_NAMES}){_END}", re.MULTILINE)
_ANYWHERE = re.compile(rf"\b(?:{_NAMES}){_END}")
_INVENTED = re.compile(rf"(?:\A|\n)[ \t]*+(?:\*\*)?+Observation{_END}")
_FENCE = re.compile(r"\s*+```[^\n`]*+\n")
_FENCED = re.compile(r"\s*+(```|~~~)[^\n`]*+\n(?P<inside>.*?)\n?[ \t]*\1\s*+\Z", re.DOTALL)
_THINKING = "</think>"


@dataclass(frozen=True)
class Label:
    """One label of a reply."""

    kind: Kind
    start: int
    """Where it begins."""
    end: int
    """Where its value begins."""


def without_inventions(text: str) -> str:
    """Return what the model wrote before it began to make an observation up, and after it thought in a block of its own."""
    if text.lstrip().startswith("<think>"):
        text = text.rpartition(_THINKING)[2]
    invented = _INVENTED.search(text)
    return text if invented is None else text[: invented.start()]


def labels_in(text: str) -> list[Label]:
    """Return the labels of a reply in order: those at the beginning of a line, and where these are no reply all there are."""
    at_line_start = list(_labels(text, _AT_LINE_START))
    if _is_reply(at_line_start):
        return at_line_start
    anywhere = list(_labels(text, _ANYWHERE))
    return anywhere if _is_reply(anywhere) else at_line_start


def closed_value(text: str, start: int) -> int | None:
    """Return where an input ends that closes itself: a fence or a JSON object; ``None`` if it does not."""
    if fence := _FENCE.match(text, start):
        end = text.find("\n```", fence.end() - 1)
        return None if end < 0 else end + len("\n```")
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    if text[begin : begin + 1] != "{":
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None


def unfenced(text: str) -> str:
    """Return what stands in the fence around a text, or the text if there is none."""
    fenced = _FENCED.fullmatch(text)
    return text if fenced is None else fenced["inside"]


def is_action(labels: Sequence[Label], index: int) -> bool:
    """Return whether a label is that of an action with its input."""
    return labels[index].kind == "action" and index + 1 < len(labels) and labels[index + 1].kind == "input"


def _is_reply(labels: Sequence[Label]) -> bool:
    return any(label.kind == "answer" or is_action(labels, index) for index, label in enumerate(labels))


def _labels(text: str, pattern: re.Pattern[str]) -> Iterator[Label]:
    inside_until: int | None = None
    for match in pattern.finditer(text):
        if inside_until is not None and match.start() < inside_until:
            continue
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # the pattern's groups are named after the kinds
        yield Label(kind, match.start(), match.end())
        if kind == "input" and inside_until is None:
            # Of the first input only: what follows the first action is not read.
            inside_until = closed_value(text, match.end()) or 0
