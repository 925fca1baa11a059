"""One change to a passage that changes its meaning or cuts it; written without code of the package."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random

from tests.answergraph.evidence.passages import NEGATIONS

_WORD_LIST = "server disk value never always error module user red twelve failed passed open closed null parser"
WORDS = _WORD_LIST.split()
_OPPOSITES = """
true false all no always never must may may must before after first last more less with without and or is isn't can cannot should
must any no
"""
_PAIRS = _OPPOSITES.split()
OPPOSITES = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
Change = Callable[[str, Random], str | None]
_HOMOGLYPHS = str.maketrans("aeopcxyABEHKMOPT", "аеорсхуАВЕНКМОРТ")


def _words(said: str, keep: Callable[[str], bool]) -> list[int]:
    return [index for index, word in enumerate(said.split()) if keep(word)]


def _replaced(said: str, at: int, *new: str) -> str:
    words = said.split()
    return " ".join([*words[:at], *new, *words[at + 1 :]])


def _is_word(word: str) -> bool:
    return re.fullmatch(r"[^\W\d_]{2,}[.,;:]?", word) is not None


def negation_left_out(said: str, random: Random) -> str | None:
    places = _words(said, lambda word: word.lower() in NEGATIONS)
    return _replaced(said, random.choice(places)) if places else None


def negation_put_in(said: str, random: Random) -> str | None:
    at = random.randrange(1, len(said.split()))
    return _replaced(said, at, random.choice(("not", "never", "no", "nicht", "не")), said.split()[at])


def digit_changed(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"[0-9]", said)]
    if not places:
        return None
    at = random.choice(places)
    return said[:at] + random.choice("0123456789".replace(said[at], "")) + said[at + 1 :]


def digit_left_out(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=[0-9])[0-9]", said)]
    at = random.choice(places) if places else -1
    return said[:at] + said[at + 1 :] if places else None


def opposite_word(said: str, random: Random) -> str | None:
    places = _words(said, lambda word: word.lower() in OPPOSITES)
    at = random.choice(places) if places else -1
    return _replaced(said, at, OPPOSITES[said.split()[at].lower()]) if places else None


def word_replaced(said: str, random: Random) -> str | None:
    places = _words(said, _is_word)
    return _replaced(said, random.choice(places), random.choice(WORDS)) if places else None


def word_left_out(said: str, random: Random) -> str | None:
    places = [at for at in _words(said, _is_word) if 0 < at < len(said.split()) - 1]
    return _replaced(said, random.choice(places)) if places else None


def words_swapped(said: str, random: Random) -> str | None:
    words = said.split()
    places = [at for at in range(len(words) - 1) if _is_word(words[at]) and _is_word(words[at + 1])]
    if not places:
        return None
    at = random.choice(places)
    return " ".join([*words[:at], words[at + 1], words[at], *words[at + 2 :]])


def words_shuffled(said: str, random: Random) -> str | None:
    words = said.split()
    return " ".join(random.sample(words, len(words)))


def letter_changed(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=[a-z])[a-z]", said)]
    at = random.choice(places) if places else -1
    return said[:at] + random.choice("abcdefghijklmnopqrstuvwxyz".replace(said[at], "")) + said[at + 1 :] if places else None


def letter_left_out(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=[^\W\d_])[^\W\d_](?=[^\W\d_])", said)]
    at = random.choice(places) if places else -1
    return said[:at] + said[at + 1 :] if places and not unicodedata.combining(said[at]) else None


def all_in_capitals(said: str, random: Random) -> str | None:
    return said.upper()


def inner_case_changed(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=\w)[a-z]", said)]
    at = random.choice(places) if places else -1
    return said[:at] + said[at].upper() + said[at + 1 :] if places else None


def homoglyph(said: str, random: Random) -> str | None:
    places = [index for index, character in enumerate(said) if character in "aeopcxyABEHKMOPT"]
    at = random.choice(places) if places else -1
    return said[:at] + said[at].translate(_HOMOGLYPHS) + said[at + 1 :] if places else None


def invisible_character_put_in(said: str, random: Random) -> str | None:
    at = random.randrange(1, len(said))
    return said[:at] + random.choice("\u200b\u200d\u2060\ufeff\u00ad\u0338") + said[at:]


def begins_in_a_word(said: str, random: Random) -> str | None:
    first = said.split(maxsplit=1)[0]
    return said[random.randrange(1, len(first)) :] if re.fullmatch(r"[^\W\d_]{3,}", first) and first.isascii() else None


def ends_in_a_word(said: str, random: Random) -> str | None:
    last = said.rsplit(maxsplit=1)[-1]
    return said[: -random.randrange(1, len(last))] if re.fullmatch(r"[^\W\d_]{3,}", last) and last.isascii() else None


def begins_in_a_number(said: str, random: Random) -> str | None:
    match = re.search(r"(?<![\w.,])\d{2,} \S+ \S+ \S+", said)
    return said[match.start() + 1 :] if match else None


def ends_in_a_number(said: str, random: Random) -> str | None:
    match = re.search(r"\S+ \S+ \S+ \d{2,}(?![\w.,])", said)
    return said[match.start() : match.end() - 1] if match else None


def inner_punctuation_left_out(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=\w)[,;:](?= \w)", said)]
    at = random.choice(places) if places else -1
    return said[:at] + said[at + 1 :] if places else None


def inner_full_stop_put_in(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=[^\W\d_]) (?=[^\W\d_])", said)]
    at = random.choice(places) if places else -1
    return said[:at] + "." + said[at:] if places else None


def spaces_closed(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=[a-z]) (?=[a-z])", said)]
    at = random.choice(places) if places else -1
    return said[:at] + said[at + 1 :] if places else None


def space_put_in(said: str, random: Random) -> str | None:
    places = [match.start() for match in re.finditer(r"(?<=[a-z])(?=[a-z])", said)]
    at = random.choice(places) if places else -1
    return f"{said[:at]} {said[at:]}" if places else None


def sign_put_in(said: str, random: Random) -> str | None:
    changed = re.sub(r"(?<![\w.,:/#+-])(\d)", r"-\1", said, count=1)
    return changed if changed != said else None


def digits_grouped(said: str, random: Random) -> str | None:
    changed = re.sub(r"(?<![\w.,])(\d{1,3})(\d{3})(?![\w.,])", r"\1,\2", said, count=1)
    return changed if changed != said else None


def operator_changed(said: str, random: Random) -> str | None:
    changed = re.sub(r"==|!=|<=|>=|&&|\|\|", lambda match: random.choice(("<", ">", "!==", "=")), said, count=1)
    return changed if changed != said else None


OF_ONE_PASSAGE: tuple[Change, ...] = (
    negation_left_out, negation_put_in, digit_changed, digit_left_out, opposite_word, word_replaced, word_left_out, words_swapped,
    words_shuffled, letter_changed, letter_left_out, all_in_capitals, inner_case_changed, homoglyph, invisible_character_put_in,
    begins_in_a_word, ends_in_a_word, begins_in_a_number, ends_in_a_number, inner_punctuation_left_out, inner_full_stop_put_in,
    spaces_closed, space_put_in, sign_put_in, digits_grouped, operator_changed,
)  # fmt: skip
