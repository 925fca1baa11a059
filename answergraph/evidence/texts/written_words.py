"""The model's own words in a run; a result that repeats them supports nothing.

They are its prose and the arguments of all calls up to the one with the result, in any encoding that a tool may return.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cached_property

from answergraph.evidence.texts.folding import fold
from answergraph.state.tool_results import ToolRun

_MIN_ECHO_CHARACTERS = 4
"""A shorter argument may occur in a result by coincidence."""
_MIN_WORDS_OF_PROSE = 3
_WORDS_IN_A_ROW, _SIGNS_IN_A_ROW = 3, 6
"""Minimum number of consecutive words, or of characters in scripts without spaces, that count as an echo."""
_NUMBER = r"[0-9](?:[0-9.,_]*[0-9])?"
_TOKEN = re.compile(rf"{_NUMBER}|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+|\w")
_SENTENCE_END = re.compile(r"[.!?。！？]\s|\n")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")


class WrittenWords:
    """The model's words, call by call; ``upto`` is the index of the last call that counts."""

    def __init__(self, runs: Sequence[ToolRun]) -> None:
        self._runs = runs

    @cached_property
    def arguments(self) -> list[tuple[int, str]]:
        """The string arguments, folded and in lower case."""
        return [
            (upto, fold(text).lower())
            for upto, run in enumerate(self._runs)
            for value in run.args.values()
            for text in _texts_in(value)
            if len(text) >= _MIN_ECHO_CHARACTERS
        ]

    @cached_property
    def prose(self) -> list[tuple[int, str]]:
        """The model's prose beside its calls."""
        sentences = [
            (upto, fold(sentence).lower().rstrip(".!? "))
            for upto, run in enumerate(self._runs)
            for text in run.written
            for sentence in _SENTENCE_END.split(text)
        ]
        return [(upto, sentence) for upto, sentence in sentences if len(sentence.split()) >= _MIN_WORDS_OF_PROSE]

    @cached_property
    def numbers(self) -> dict[Decimal, int]:
        """The numbers among the arguments, each with the first call that contains it."""
        found: dict[Decimal, int] = {}
        for upto, tokens in enumerate(self._tokens):
            for number in filter(None, map(as_number, tokens)):
                found.setdefault(abs(Decimal(number)), upto)
        return found

    @cached_property
    def _tokens(self) -> list[list[str]]:
        return [list(_tokens_in(run.args)) for run in self._runs]

    @cached_property
    def _rows(self) -> dict[tuple[str, ...], int]:
        """The sequences of words, each with the first call that contains it."""
        rows: dict[tuple[str, ...], int] = {}
        for upto, tokens in enumerate(self._tokens):
            for length in (1, 2, _WORDS_IN_A_ROW, _SIGNS_IN_A_ROW):
                for row in zip(*(tokens[start:] for start in range(length)), strict=False):
                    rows.setdefault(row, upto)
        return rows

    def without(self, text: str, start: int, end: int, upto: int) -> str:
        """Return the words in a span that the model had not written before."""
        words = text[start:end].lower()
        if any(words in argument for written, argument in self.arguments if written <= upto):
            return ""
        kept = [True] * (end - start)
        for written, echo in [*self.arguments, *self.prose]:
            if written <= upto:
                _strike(kept, echo, text, start)
        self._strike_rows(kept, words, upto)
        left = "".join(character if keep else " " for character, keep in zip(text[start:end], kept, strict=True))
        return " ".join(left.split())

    def _strike_rows(self, kept: list[bool], words: str, upto: int) -> None:
        found = list(_TOKEN.finditer(words))
        tokens = [as_number(match.group()) or match.group() for match in found]
        for index, token in enumerate(tokens):
            is_sign = unicodedata.east_asian_width(token[0]) == "W"
            length = min(_SIGNS_IN_A_ROW if is_sign else _WORDS_IN_A_ROW, len(tokens))
            row = tuple(tokens[index : index + length])
            if len(row) == length and self._rows.get(row, upto + 1) <= upto:
                first, last = found[index].start(), found[index + length - 1].end()
                kept[first:last] = [False] * (last - first)

    def names(self, before: str, number: Decimal, after: str, upto: int) -> bool:
        """Return whether the model wrote a number beside the same word."""
        value = str(abs(number).normalize())
        words_before, words_after = _TOKEN.findall(before.lower()), _TOKEN.findall(after.lower())
        pairs = [(words_before[-1], value)] if words_before else []
        pairs += [(value, words_after[0])] if words_after else []
        return any(self._rows.get(pair, upto + 1) <= upto for pair in pairs)

    def repeats(self, text: str, upto: int) -> bool:
        """Return whether a whole text is an argument of an earlier call."""
        return any(fold(_plain(value)) == text for run in self._runs[:upto] for value in run.args.values())


def _strike(kept: list[bool], echo: str, text: str, start: int) -> None:
    """Mark the characters of a span that belong to an echo."""
    end = start + len(kept)
    low = max(start - len(echo) + 1, 0)
    around = text[low : end + len(echo) - 1].lower()
    at = around.find(echo)
    while at >= 0:
        first, last = max(low + at, start), min(low + at + len(echo), end)
        kept[first - start : last - start] = [False] * (last - first)
        at = around.find(echo, at + len(echo))


def _items_of(value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in value.items()]
    return [("", item) for item in value] if isinstance(value, list | tuple) else ()


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield from _decoded(value)
    for name, item in _items_of(value):
        yield name
        yield from _texts_in(item)
    if isinstance(value, list | tuple):
        yield "".join(item for item in value if isinstance(item, str))


def _decoded(text: str) -> Iterator[str]:
    """Yield decoded base64 and hexadecimal in a text."""
    for match in _ENCODED.findall(text):
        for decode in (base64.b64decode, bytes.fromhex):
            try:
                decoded = decode(match).decode()
            except (ValueError, binascii.Error):
                continue
            if decoded.isprintable():
                yield decoded


def _tokens_in(value: object, name: str = "") -> Iterator[str]:
    """Yield the words and numbers of a value, each after its name."""
    texts = () if isinstance(value, Mapping | list | tuple) else (_plain(value), *_decoded(str(value)))
    for text in (name, *texts):
        yield from (as_number(token) or token for token in _TOKEN.findall(fold(text).lower()))
    for key, item in _items_of(value):
        yield from _tokens_in(item, key)


def _plain(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def as_number(token: str) -> str | None:
    if not token[0].isdigit():
        return None
    try:
        return str(abs(Decimal(token.replace(",", "").replace("_", ""))).normalize())
    except InvalidOperation:
        return None
