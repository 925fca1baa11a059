"""Generated cases for quotes: true quotes in another form must count, and corrupted quotes must not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random
from typing import Literal

from tests.answergraph.evidence.quoted_texts import MARKS, NEGATIONS, WORDS, TrueQuote

Texts = list[list[list[str]]]
Change = Callable[[TrueQuote, Texts, Random], str | None]
"""Makes a case from a true quote; ``None`` if the quote has nothing to change in that way."""

SPACES = (" ", "  ", "\n", "\n    ", "\t", "\r\n", "\u00a0", "\u3000", " \n\n ")


def rewrapped(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    return "".join(f"{token}{random.choice(SPACES)}" for token in quote.tokens)


def requoted(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    marks = "".join(MARKS)
    # An apostrophe stays a mark: all kinds of them are alike.
    changed = "".join(random.choice(marks) if character in marks else character for character in quote.text)
    return changed if changed != quote.text else None


def wrapped_in_marks(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    mark = random.choice(MARKS)
    has_marks = any(character in "".join(MARKS) for character in quote.text)
    return None if has_marks else f"{mark[0]}{quote.text}{mark[-1]}"


def renormalized(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    forms: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
    # A superscript after a letter stays: its compatibility form has another meaning.
    return unicodedata.normalize(random.choice(forms[:2] if "²" in quote.text else forms), quote.text)


def widened(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    return "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() and random.random() < 0.3 else c for c in quote.text)


TRUE: dict[str, Change] = {change.__name__: change for change in (rewrapped, requoted, wrapped_in_marks, renormalized, widened)}


def _at(quote: TrueQuote, random: Random, wanted: Callable[[str], bool]) -> int | None:
    places = [index for index, character in enumerate(quote.text) if wanted(character)]
    return random.choice(places) if places else None


def one_character_replaced(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = _at(quote, random, str.isalnum)
    if at is None:
        return None
    letters = "0123456789" if quote.text[at].isdigit() else "abcdefghijklmnopqrstuvwxyz"
    return quote.text[:at] + random.choice(letters) + quote.text[at + 1 :]


def one_character_left_out(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = _at(quote, random, str.isalnum)
    return None if at is None else quote.text[:at] + quote.text[at + 1 :]


def one_character_put_in(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = random.randrange(1, len(quote.text))
    return quote.text[:at] + random.choice("abcxyz0189-.,") + quote.text[at:]


def invisible_character_put_in(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = random.randrange(1, len(quote.text))
    return quote.text[:at] + random.choice("\u200b\u200d\u2060\ufeff\u00ad\u0338") + quote.text[at:]


def case_changed(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = _at(quote, random, str.isalpha)
    # The case of a first letter does not matter.
    return None if not at else quote.text[:at] + quote.text[at].swapcase() + quote.text[at + 1 :]


def digits_swapped(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    pairs = [match.start() for match in re.finditer(r"(?=(\d)(?!\1)\d)", quote.text)]
    if not pairs:
        return None
    at = random.choice(pairs)
    return quote.text[:at] + quote.text[at + 1] + quote.text[at] + quote.text[at + 2 :]


def digits_grouped_otherwise(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    if "," in quote.text and re.search(r"\d,\d", quote.text):
        return re.sub(r"(\d),(\d)", random.choice((r"\1\2", r"\1.\2", r"\1 \2")), quote.text, count=1)
    return re.sub(r"(\d{2})(\d{3})(?!\d)", r"\1,\2", quote.text, count=1)


def sign_changed(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    if re.search(r"-\d", quote.text):
        return re.sub(r"-(\d)", r"\1", quote.text, count=1)
    return re.sub(r"(?<![\w.,])(\d)", r"-\1", quote.text, count=1)


def negation_left_out(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    places = [index for index, token in enumerate(quote.tokens) if token in NEGATIONS]
    if not places:
        return None
    at = random.choice(places)
    return " ".join(quote.tokens[:at] + quote.tokens[at + 1 :])


def negation_put_in(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = random.randrange(1, len(quote.tokens))
    return " ".join((*quote.tokens[:at], random.choice(NEGATIONS), *quote.tokens[at:]))


def negation_before_it_dropped(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    places = [index for index, token in enumerate(quote.tokens[:-2]) if token in NEGATIONS]
    return " ".join(quote.tokens[random.choice(places) + 1 :]) if places else None


def word_cut(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    first, last = quote.tokens[0], quote.tokens[-1]
    if random.random() < 0.5 and first.isalnum() and len(first) > 1:
        return quote.text[random.randrange(1, len(first)) :]
    return quote.text[: -random.randrange(1, len(last))] if last.isalnum() and len(last) > 1 else None


def word_left_out(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = random.randrange(1, len(quote.tokens))
    return " ".join(quote.tokens[:at] + quote.tokens[at + 1 :])


def word_replaced(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = random.randrange(len(quote.tokens))
    return " ".join((*quote.tokens[:at], random.choice(WORDS), *quote.tokens[at + 1 :]))


def words_swapped(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    at = random.randrange(len(quote.tokens) - 1)
    return " ".join((*quote.tokens[:at], quote.tokens[at + 1], quote.tokens[at], *quote.tokens[at + 2 :]))


def two_results_spliced(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    others = [line for index, result in enumerate(texts) if index != quote.result for line in result]
    return f"{quote.text} {' '.join(random.choice(others)[:4])}" if others else None


def two_lines_spliced(quote: TrueQuote, texts: Texts, random: Random) -> str | None:
    result = texts[quote.result]
    if len(result) < 3:
        return None
    at = random.randrange(len(result) - 2)
    return f"{' '.join(result[at][-4:])} {' '.join(result[at + 2][:4])}"


CORRUPTED: dict[str, Change] = {
    change.__name__: change
    for change in (
        one_character_replaced,
        one_character_left_out,
        one_character_put_in,
        invisible_character_put_in,
        case_changed,
        digits_swapped,
        digits_grouped_otherwise,
        sign_changed,
        negation_left_out,
        negation_put_in,
        negation_before_it_dropped,
        word_cut,
        word_left_out,
        word_replaced,
        words_swapped,
        two_results_spliced,
        two_lines_spliced,
    )
}


def stands_there(quote: str, texts: list[str]) -> bool:
    """Return whether a corrupted quote happens to be a true one; the plain way to tell, with no code of the package.

    What follows a negation in one place and not in another is true in the other. A final full stop or comma may be put in, and
    the case of the first letter may change, also behind the name of a logger.
    """
    wanted = re.sub(r"(?<=[^\s,])[.,]\Z", "", _plain(quote))
    negated = "".join(f"(?<!{word} )" for word in NEGATIONS)
    said = f"(?i:{re.escape(wanted[:1])}){re.escape(wanted[1:])}"
    pattern = rf"(?<![\w'.,-])(?<!\d:){negated}{said}(?![\w'%]|[.,:-]\w)"
    return any(re.search(pattern, _plain(text)) for text in texts)


def _plain(text: str) -> str:
    text = " ".join(unicodedata.normalize("NFKC", text).split())
    return re.sub("[\"'“”‘’«»„「」]", "'", text)
