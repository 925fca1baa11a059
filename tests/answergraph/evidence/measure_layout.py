"""Measures quotes of real texts in another layout, in the half of the texts that the rules were made with and in the other.

Run by ``make evidence``; the exit code is 1 if an altered quote was accepted.
"""

from __future__ import annotations

import sys

from tests.answergraph.evidence.layout_cases import ALTERED_LAYOUT, LAYOUT
from tests.answergraph.evidence.measure_real import LANGUAGES, TEXTS_OF_A_KIND, accepted, counted
from tests.answergraph.evidence.real_texts import real_texts

CASES_OF_A_KIND = 300


def main() -> int:
    """Measure and print the tables; returns 1 if an altered quote was accepted."""
    texts = list(real_texts(TEXTS_OF_A_KIND, languages=LANGUAGES))
    wrong = 0
    for title, makers, wanted in (("faithful", LAYOUT, True), ("altered", ALTERED_LAYOUT, False)):
        halves = [
            counted({m.__name__: m for m in makers}, half, CASES_OF_A_KIND, accepted, wanted=wanted)
            for half in (texts[::2], texts[1::2])
        ]
        print(f"| {title} quotes in another layout | cases | accepted | of unseen texts | accepted |\n|---|---|---|---|---|")
        for one, other in zip(*halves, strict=True):
            print(f"| {one.kind.replace('_', ' ')} | {one.cases} | {one.accepted} | {other.cases} | {other.accepted} |")
            wrong += 0 if wanted else one.accepted + other.accepted
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
