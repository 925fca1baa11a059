"""The offline judge: chooses the only condition that the work contains without a negation, or declines."""

import re
from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage

from answergraph.graphs.add_ons.judge.judging.questions import JUDGED, JudgedWork
from answergraph.offline.offline_policy import OfflineRequest, decline, decline_all_but

_ABILITY = "say which of several conditions a report states word for word"
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s|\n")
_NEGATIONS = frozenset({"no", "not", "never", "none", "cannot", "without"})
_MAX_NEGATED_WORDS = 3
"""Number of words that a negation negates."""


def stated_condition(request: OfflineRequest) -> AIMessage:
    """Answer a judge's question with the condition that the work states."""
    judged: JudgedWork | None = request.attached(JUDGED)
    if judged is None:
        return decline_all_but(_ABILITY)
    stated = list(_stated(judged["work"], [_words(condition) for condition in judged["conditions"]]))
    indexes = {index for index, _ in stated}
    if len(indexes) != 1:
        which = "several of the conditions are" if indexes else "none of the conditions is"
        return decline(f"I am a set of rules, not a language model; {which} stated word for word in the work.")
    index, sentence = stated[-1]
    reason = f'The work says: "{sentence}"'
    for schema in request.formats:
        if schema.field_names == {"reason", *(named := schema.field_names - {"reason"})} and len(named) == 1:
            return request.answer(schema, {named.pop(): judged["conditions"][index], "reason": reason})
    return AIMessage(f"{reason}\n{judged['tags'][index]}" if judged["tags"] else reason)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in _WORD.findall(text))


def _stated(work: str, conditions: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, str]]:
    """Yield the index of each condition with each sentence that states it; the longest match counts."""
    longest_first = sorted(enumerate(conditions), key=lambda numbered: -len(numbered[1]))
    for sentence in filter(None, map(str.strip, _SENTENCE_END.split(work))):
        words = _words(sentence)
        positions: set[int] = set()
        for index, condition in longest_first:
            spans = [span for span in _spans(words, condition) if not positions.intersection(span)]
            positions.update(position for span in spans for position in span)
            if any(not _negated(words, span.start) for span in spans):
                yield index, sentence


def _spans(words: Sequence[str], wanted: Sequence[str]) -> Iterator[range]:
    for start in range(len(words) - len(wanted) + 1) if wanted else ():
        if tuple(words[start : start + len(wanted)]) == tuple(wanted):
            yield range(start, start + len(wanted))


def _negated(words: Sequence[str], start: int) -> bool:
    before = words[max(0, start - _MAX_NEGATED_WORDS) : start]
    return any(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in before)
