"""Quotes of real texts as models write them; they must count. Written without code of the package."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable
from random import Random

from tests.answergraph.evidence.dressed_cases import DRESSED
from tests.answergraph.evidence.layout_cases import LAYOUT
from tests.answergraph.evidence.passages import (
    NEGATIONS,
    PROSE,
    RealCase,
    case_of,
    counting,
    is_open,
    lines_of,
    passage,
    sentence,
)
from tests.answergraph.evidence.real_texts import RealText


def exact(text: RealText, random: Random) -> RealCase | None:
    return case_of(text, passage(text.text, random))


def whole_line(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random, 1, 1)
    return case_of(text, counting(taken[0].strip())) if taken else None


def lines_with_their_breaks(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random)
    return case_of(text, counting("\n".join(taken).strip())) if taken else None


def dedented_lines(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random)
    return case_of(text, counting("\n".join(line.strip() for line in taken))) if taken else None


def unwrapped_prose(text: RealText, random: Random) -> RealCase | None:
    is_catalogue = text.kind.startswith("catalogue")
    said = (
        passage(text.text, random, low=12, high=40)
        if is_catalogue
        else sentence(text.text, random)
        if text.kind in PROSE
        else None
    )
    if said is None or len(said) < 60:
        return None
    width = random.randint(48, 78)
    source = textwrap.fill(said, width, break_on_hyphens=False, break_long_words=False)
    return RealCase((f"Before it.\n\n{source}\n\nBehind it.",), " ".join(said.split())) if "\n" in source else None


def unwrapped_paragraph(text: RealText, random: Random) -> RealCase | None:
    """Quote the end of one line and the beginning of the next as they stand in a wrapped paragraph of the file."""
    if text.kind not in PROSE:
        return None
    lines = text.text.splitlines()
    at = random.randrange(len(lines))
    one, other = lines[at].split(), (lines[at + 1] if at + 1 < len(lines) else "").split()
    is_prose = len(lines[at]) > 60 and len(one) > 7 and len(other) > 4 and re.match(r"[a-z]{2,} ", " ".join(other))
    if not is_prose or re.search(r"[|<>{}=:]", lines[at] + lines[at + 1]) or re.match(r"\W*\d", lines[at]):
        return None
    if not is_open([word.lower() for word in one[-9:-6]], one[-6]):
        return None
    return case_of(text, counting(" ".join([*one[-6:], *other[:4]])))


def wrapped_by_the_model(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random, low=6)
    return case_of(text, re.sub(r" ", lambda _: random.choice((" ", "\n", "\n  ")), said)) if said else None


def decomposed(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    changed = said and unicodedata.normalize("NFD", said)
    return case_of(text, changed) if changed != said else None


def other_quotation_marks(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    if not said or "$" in said or not re.search("[\"'’‘“”]", said) or re.search("\\d[\"'’‘“”]", said):
        return None
    changed = re.sub("[“”]", '"', re.sub("[‘’]", "'", said))
    changed = changed if changed != said else re.sub(r"(?<=\w)'(?=\w)", "’", re.sub(r'"([^"]*)"', r"“\1”", said))
    return case_of(text, changed) if changed != said else None


def in_quotation_marks(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    if not said or re.search("[\"'’‘“”«»]", said):
        return None
    mark = random.choice(('""', "''", "“”", "«»", "「」"))
    return case_of(text, f"{mark[0]}{said}{mark[1]}")


def in_quotation_marks_with_an_apostrophe_inside(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    if not said or "$" in said or not re.search(r"\w['’]\w|\"\w[^\"]*\"", said):
        return None
    return case_of(text, f'"{said}"')


def full_stop_added(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return case_of(text, f"{said}.") if said and said[-1].isalnum() and not _goes_on_as_question(text.text, said) else None


def comma_added(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return case_of(text, f"{said},") if said and said[-1].isalnum() else None


def _plainly_begun(said: str | None) -> str | None:
    return said if said and said[0].isalnum() else None


def _goes_on_as_question(text: str, said: str) -> bool:
    return f"{said}?" in text


def first_letter_raised(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return (
        case_of(text, said[0].upper() + said[1:])
        if said and re.match(r"[a-zа-яà-ÿ]+ ", said) and len(said[0].upper()) == 1
        else None
    )


def first_letter_lowered(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return case_of(text, said[0].lower() + said[1:]) if said and re.match(r"[A-ZА-ЯÀ-Þ][a-zа-яà-ÿ]+ ", said) else None


def ellipsis_at_the_end(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return case_of(text, said + random.choice(("...", "…", " …", " [...]"))) if said else None


def ellipsis_at_the_beginning(text: RealText, random: Random) -> RealCase | None:
    said = _plainly_begun(passage(text.text, random))
    return case_of(text, random.choice(("...", "…", "… ", "[...] ")) + said) if said else None


def ellipsis_in_the_middle(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random, low=9, high=16)
    if not said or re.search(r"[.!?:;。]|\.\.\.|…", said):
        return None
    words = said.split()
    low, high = len(words) // 2 - 1, len(words) // 2 + 1
    left_out = [word.lower().strip("*_`'\"()") for word in words[max(low - 3, 0) : high]]
    if any(word in NEGATIONS or "n't" in word for word in left_out) or _number_cut(words, low, high):
        return None
    first, second = " ".join(words[:low]), " ".join(words[high:])
    return (
        case_of(text, first + random.choice((" ... ", " … ", "… ", " [...] ")) + second)
        if counting(first) and counting(second)
        else None
    )


def _number_cut(words: list[str], low: int, high: int) -> bool:
    return any(word[:1].isdigit() or word[-1:].isdigit() for word in words[low - 1 : high + 1])


def other_dash(text: RealText, random: Random) -> RealCase | None:
    line = random.choice([line for line in text.text.splitlines() if re.search(r"[^\W\d] (?:-|–|—|--) [^\W\d]", line)] or [""])
    said = counting(line.strip())
    return case_of(text, re.sub(r"(?<=\w )(?:-|–|—|--)(?= [^\W\d])", random.choice("-–—"), said)) if said else None


def row_of_a_table(text: RealText, random: Random) -> RealCase | None:
    return case_of(text, counting(random.choice(text.text.splitlines()).strip())) if text.kind == "csv" else None


Maker = Callable[[RealText, Random], RealCase | None]
_MAKERS: tuple[Maker, ...] = (
    exact, whole_line, lines_with_their_breaks, dedented_lines, unwrapped_prose, unwrapped_paragraph,
    wrapped_by_the_model, decomposed, other_quotation_marks, in_quotation_marks,
    in_quotation_marks_with_an_apostrophe_inside, full_stop_added, comma_added, first_letter_raised,
    first_letter_lowered, ellipsis_at_the_end, ellipsis_at_the_beginning, ellipsis_in_the_middle, other_dash,
    row_of_a_table, *DRESSED, *LAYOUT,
)  # fmt: skip
FAITHFUL: dict[str, Maker] = {make.__name__: make for make in _MAKERS}
