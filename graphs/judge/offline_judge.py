"""The offline model's rule for judging: a condition is met where the work says it in its own words.

It reads the table of conditions and the fenced work of a judge's prompt, and chooses the one condition that stands in the
work and is not negated there. It understands nothing: where none stands, or several, it says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from answergraph.models.offline.offline_policy import OfferedSchema, OfflineRequest, decline

_WORK = re.compile(r"<work (?P<mark>[0-9a-f]+)>\n(?P<text>.*)\n</work (?P=mark)>", re.DOTALL)
_ROW = re.compile(r"^\| (?P<number>[0-9]+) \| (?P<condition>.+?) \|(?: `(?P<tag>\[\w+:[0-9]+\])` \|)?$", re.MULTILINE)
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s|\n")
_NEGATIONS = frozenset({"no", "not", "never", "none", "cannot", "without"})
_REACH = 3
"""How many words after a negation are negated."""


@dataclass(frozen=True)
class Condition:
    """One row of a judge's table."""

    number: int
    words: tuple[str, ...]
    tag: str | None


class JudgingPolicy:
    """Chooses the condition that the work states."""

    ability = "say which of several conditions a report states word for word"

    def reply(self, request: OfflineRequest) -> AIMessage | None:
        """Answer a judge in the form it asks for.

        Args:
            request: The conversation and what is bound.

        Returns:
            The number of the condition with the sentence that states it; ``None`` if no judge is asking.
        """
        prompt = request.messages[-1].text if request.messages else ""
        work = _WORK.search(prompt)
        if work is None:
            return None
        table = prompt[: work.start()] + prompt[work.end() :]
        conditions = [_condition(row) for row in _ROW.finditer(table)]
        stated = list(_stated(work["text"], conditions))
        numbers = {condition.number for condition, _ in stated}
        if len(numbers) != 1:
            which = "several of the conditions are" if numbers else "none of the conditions is"
            return decline(f"I am a set of rules and no language model; {which} stated word for word in the work.")
        condition, sentence = stated[-1]
        return _answer(request, condition, f'The work says: "{sentence}"')


def _answer(request: OfflineRequest, condition: Condition, reason: str) -> AIMessage:
    tool = next((tool for tool in request.tools.values() if _number_field(tool)), None)
    if tool is not None and request.tool_choice.allows(tool.name):
        call = {"name": tool.name, "args": _arguments(tool, condition, reason), "id": "call_judgment"}
        return AIMessage("", tool_calls=[call])
    if request.answer_format is not None and _number_field(request.answer_format):
        return AIMessage(json.dumps(_arguments(request.answer_format, condition, reason), ensure_ascii=False))
    return AIMessage(f"{reason}\n{condition.tag}" if condition.tag else reason)


def _number_field(schema: OfferedSchema) -> str | None:
    numbers = [field.name for field in schema.fields if "integer" in field.types]
    return numbers[0] if len(numbers) == 1 and {field.name for field in schema.fields} == {*numbers, "reason"} else None


def _arguments(schema: OfferedSchema, condition: Condition, reason: str) -> Mapping[str, Any]:
    return {str(_number_field(schema)): condition.number, "reason": reason}


def _condition(row: re.Match[str]) -> Condition:
    return Condition(int(row["number"]), _words(row["condition"]), row["tag"])


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in _WORD.findall(text))


def _stated(work: str, conditions: Sequence[Condition]) -> Iterator[tuple[Condition, str]]:
    """Yield each condition with each sentence that states it; words of a longer condition do not state a shorter one."""
    for sentence in filter(None, map(str.strip, _SENTENCE_END.split(work))):
        words = _words(sentence)
        taken: set[int] = set()
        for condition in sorted(conditions, key=lambda condition: -len(condition.words)):
            places = [place for place in _places(words, condition.words) if not taken.intersection(place)]
            taken.update(index for place in places for index in place)
            if any(not _negated(words, place.start) for place in places):
                yield condition, sentence


def _places(words: Sequence[str], wanted: Sequence[str]) -> Iterator[range]:
    for start in range(len(words) - len(wanted) + 1) if wanted else ():
        if tuple(words[start : start + len(wanted)]) == tuple(wanted):
            yield range(start, start + len(wanted))


def _negated(words: Sequence[str], start: int) -> bool:
    before = words[max(0, start - _REACH) : start]
    return any(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in before)
