"""Altered quotes of real texts: each contradicts the text, or occurs in it only across a border."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from random import Random

from tests.answergraph.evidence.altered_words import OF_ONE_PASSAGE, Change
from tests.answergraph.evidence.layout_cases import ALTERED_LAYOUT
from tests.answergraph.evidence.passages import RealCase, counting, passage
from tests.answergraph.evidence.real_texts import RealText


def altered(change: Change) -> Callable[[RealText, Random], RealCase | None]:
    def make(text: RealText, random: Random) -> RealCase | None:
        said = passage(text.text, random)
        changed = change(said, random) if said and len(said.split()) > 1 else None
        return _unless_it_stands((text.text,), changed)

    return make


def two_passages_joined(text: RealText, random: Random) -> RealCase | None:
    one, other = passage(text.text, random), passage(text.text, random)
    return _unless_it_stands((text.text,), f"{one} {other}" if one and other else None)


def two_results_joined(text: RealText, random: Random) -> RealCase | None:
    half = text.text.find("\n", len(text.text) // 2)
    texts = (text.text[:half], text.text[half:])
    one, other = (passage(half, random) if half.strip() else None for half in texts)
    return _unless_it_stands(texts, f"{one} {other}" if one and other else None)


def ellipsis_from_row_to_row(text: RealText, random: Random) -> RealCase | None:
    rows = _rows(text, random)
    if rows is None:
        return None
    first, second = counting(" ".join(rows[0].split()[:5])), counting(" ".join(rows[1].split()[-5:]))
    if not first or not second or second in rows[0]:
        return None
    return _unless_it_stands(("\n".join(rows),), f"{first} … {second}")


def ellipsis_over_a_sentence_end(text: RealText, random: Random) -> RealCase | None:
    found = re.findall(r"([A-Z][\w ]{20,90}\w)\. ([A-Z][\w ]{20,90}\w)\.", " ".join(text.text.split()))
    if not found:
        return None
    one, other = random.choice(found)
    source = f"{one}. {other}."
    first, second = counting(" ".join(one.split()[:4])), counting(" ".join(other.split()[2:]))
    if not first or not second or second in one:
        return None
    return _unless_it_stands((source,), f"{first} … {second}")


def ellipsis_over_a_negation(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random, low=9, high=16)
    if not said or re.search(r"[.!?…]", said):
        return None
    words = said.split()
    half = len(words) // 2
    negation = random.choice(("not", "never", "nicht", "не", "no longer", "failed to"))
    source = " ".join([*words[:half], negation, *words[half:]])
    first, second = " ".join(words[: half - 1]), " ".join(words[half:])
    return _unless_it_stands((source,), f"{first} … {second}" if counting(first) and counting(second) else None)


_BEFORE = """
not never without cannot nicht kein ne sans nunca sin não sem non senza niet geen nie bez не без ikke inte nem لا لم غير לא नहीं
ไม่ không unable_to failed_to no_longer not_yet not_always none_of
"""


def behind_a_negation(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    if not said or not said[0].isalpha():
        return None
    negation = random.choice(_BEFORE.split()).replace("_", " ")
    return _unless_it_stands((f"At that time it was {negation} {said} in the end",), said, alone=True)


_ROWS = (
    "- {}",
    "{n}. {}",
    "* {}",
    "2026-11-20 12:00:0{n} INFO {}",
    "| {n} | {} |",
    "{n},{},ok",
    "test_case_{n}: {}",
    "# {}",
    "{}\n",
)


def _rows(text: RealText, random: Random) -> list[str] | None:
    """Return some passages as rows: of a table, a log, a list, or as headings and paragraphs."""
    said = [row for row in (passage(text.text, random, low=4, high=8) for _ in range(8)) if row][:4]
    form = random.choice(_ROWS)
    return [form.format(row, n=index + 1) for index, row in enumerate(said)] if len(said) > 1 else None


def rows_joined(text: RealText, random: Random) -> RealCase | None:
    """Join the end of one row to the beginning of the next."""
    rows = _rows(text, random)
    if rows is None:
        return None
    at = random.randrange(len(rows) - 1)
    quote = " ".join([*rows[at].split()[-2:], *rows[at + 1].split()[:3]])
    return RealCase(("\n".join(rows),), quote) if counting(quote) else None


def documents_joined(text: RealText, random: Random) -> RealCase | None:
    one, other = passage(text.text, random), passage(text.text, random)
    if not one or not other:
        return None
    return RealCase((f"{one}\n\n{other}",), " ".join([*one.split()[-3:], *other.split()[:3]])) if counting(one) else None


def pairs_of_two_objects(text: RealText, random: Random) -> RealCase | None:
    one, other = passage(text.text, random, high=6), passage(text.text, random, high=6)
    if not one or not other or one == other:
        return None
    return _unless_it_stands((json.dumps([{"a": one, "ok": True}, {"a": other, "ok": False}]),), f'"{one}", "ok": false')


def feet_and_inches(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random, high=6)
    if not said or re.search("[\"'’”″′$]", said):
        return None
    one, other = random.sample(('"', "'", "′", "″"), 2)
    value = random.randint(2, 40)
    return RealCase((f"a {value}{one} {said}",), f"{value}{other} {said}")


def raised_digits_lowered(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random, high=6)
    raised = random.choice(("x²", "x⁻¹", "n³", "10⁵", "f(x)²"))
    return RealCase((f"{raised} {said}",), f"{unicodedata.normalize('NFKC', raised)} {said}") if said else None


def marks_of_the_shell(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random, high=6)
    return RealCase((f'echo "$HOME" {said}',), f"echo '$HOME' {said}") if said and not re.search("[\"'’$]", said) else None


def stated_question(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return RealCase((f"Then: {said}? Nobody knows.",), f"{said}.") if said and said[-1].isalnum() else None


ALTERED = {change.__name__: altered(change) for change in OF_ONE_PASSAGE} | {
    make.__name__: make
    for make in (
        two_passages_joined, two_results_joined, ellipsis_from_row_to_row, ellipsis_over_a_sentence_end, ellipsis_over_a_negation,
        behind_a_negation, rows_joined, documents_joined, pairs_of_two_objects, feet_and_inches, raised_digits_lowered,
        marks_of_the_shell, stated_question, *ALTERED_LAYOUT,
    )
}  # fmt: skip


def _unless_it_stands(texts: tuple[str, ...], quote: str | None, *, alone: bool = False) -> RealCase | None:
    """Return a case, unless the altered quote happens to be true."""
    if quote is None or len(quote) < 8:
        return None
    # A final stop, marks around it and the case of the first letter change nothing.
    within = quote[1:-1].replace("\\n", " ").strip() if quote[0] == quote[-1] and quote[0] in "\"'" else quote
    forms = {_plain(form.rstrip(".,")) for form in (quote, within, quote[0].swapcase() + quote[1:])}
    patterns = [re.compile(rf"(?<!\w){re.escape(form)}(?!\w)") for form in forms]
    stands = any(pattern.search(_plain(text)) for pattern in patterns for text in texts)
    return RealCase(texts, quote) if alone or not stands else None


def _plain(text: str) -> str:
    """Return a text in a simple form for comparison."""
    return " ".join(re.sub("[\"'“”‘’«»„]", "'", unicodedata.normalize("NFKC", text)).split())
