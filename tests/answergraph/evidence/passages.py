"""Meaningful passages of real texts, for faithful and altered quotes; written without code of the package."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from random import Random

from tests.answergraph.evidence.real_texts import RealText

MIN_COLUMNS = 16
PROSE = frozenset({"licence", "metadata", "markdown", "rst", "topics"})
_NEGATIONS = """
δεν μην χωρίς ليس ليست غير بدون دون लेकिन nincs nélkül nem hiçbir değil yok kein keinen keiner nothing barely hardly
nobody nowhere neither aucun aucune jamais mai né nessun nessuna nenhum nenhuma nunca jamás ningún tampoco nigdy żaden
žádný не нет ни нельзя немає ні geen nooit inte inga aldrig ikke ingen ej uden uten نه هیچ نا bukan tidak belum tanpa
chưa 未 无 無 非 weder prevents prevented preventing ohne ninguna inget utan 不 ni ei eivät 没 unable niciun fără gan not no
never without nor none cannot can't don't doesn't isn't aren't won't wasn't didn't n't nicht keine ne pas sans non sin
sem não nie bez niet без nu नहीं لا لم לא אין ไม่ không fail failed fails prevent unless
"""
NEGATIONS = frozenset(_NEGATIONS.split())


@dataclass(frozen=True)
class RealCase:
    """A quote and the texts it is checked against."""

    texts: tuple[str, ...]
    quote: str


def passage(text: str, random: Random, *, low: int = 4, high: int = 14) -> str | None:
    """Return some meaningful words of one line; no word before them changes their meaning."""
    lines = list(re.finditer(r"[^\n]+", text))
    at = random.choice(lines)
    line = at.group()
    words = list(re.finditer(r"\S+", line))
    count = random.randint(low, high)
    if not words:
        return None
    start = random.randrange(len(words))
    taken = words[start : start + count]
    # The text before it must not negate it, and it must not be a part of a number.
    before = words_before(text, at.start() + taken[0].start())
    return counting(line[taken[0].start() : taken[-1].end()]) if is_open(before, taken[0].group()) else None


def words_before(text: str, at: int) -> list[str]:
    return [word.strip("*_`'\"([{“‘«").lower() for word in text[max(at - 60, 0) : at].split()[-3:]]


def is_open(before: list[str], first: str) -> bool:
    if any(word in NEGATIONS or "n't" in word or "n’t" in word or word.startswith(("n'", "n’")) for word in before):
        return False
    return not (before and before[-1][-1:].isdigit() and first[:1].isdigit()) and not re.match(
        r"[^\w\s(\[\"'“‘«<{@/$.`*-]", first
    )


def counting(quote: str) -> str | None:
    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in quote)
    letters = [word for word in re.findall(r"[^\W\d_]{4,}|[\u3040-\u9fff]{2,}", quote)]
    says = len(set(map(str.lower, letters))) >= 2 or (letters and not quote.isascii())
    return quote if columns >= MIN_COLUMNS and says and "\ufffd" not in quote else None


def lines_of(text: str, random: Random, low: int = 2, high: int = 4) -> list[str] | None:
    """Return some consecutive lines; none is blank."""
    lines = text.splitlines()
    count = random.randint(low, high)
    start = random.randrange(max(len(lines) - count, 1))
    taken = lines[start : start + count]
    before = " ".join(lines[max(start - 1, 0) : start]).lower().split()[-3:]
    says = len(taken) >= low and all(len(line.split()) > 1 for line in taken)
    return taken if says and is_open(before, taken[0].split()[0]) else None


def sentence(text: str, random: Random) -> str | None:
    """Return the words of a paragraph of prose, on one line."""
    start = random.randrange(len(text))
    paragraph = random.choice(re.split(r"\n\s*\n", text[start : start + 3000]))
    words = " ".join(paragraph.split())
    found = re.findall(r"[A-Z][^.!?|<>{}]{40,200}[.!?](?= |$)", words)
    return counting(random.choice(found)) if found else None


def case_of(text: RealText, quote: str | None) -> RealCase | None:
    return RealCase((text.text,), quote) if quote else None
