"""Measure how many corrupted claims are accepted and how many true ones refused; ``make evidence`` runs it.

Prints the table of ``docs/evidence.md``; the exit code is 1 if a single case went wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from answergraph import FromTools, Quote, ToolRun
from answergraph.nodes.evidence.checking import check_claims
from answergraph.nodes.evidence.claims import Claim
from answergraph.nodes.evidence.folding import fold
from tests.nodes.evidence.number_cases import CORRUPTED_NUMBERS, TRUE_NUMBERS
from tests.nodes.evidence.quote_cases import CORRUPTED, TRUE, Change, stands_there
from tests.nodes.evidence.quoted_texts import content_of, results, run_of, true_quote, written

CASES = 10_000
SEED = 20261121


@dataclass(frozen=True)
class Case:
    """One claim and the results it is checked against."""

    kind: str
    claim: Claim
    runs: list[ToolRun]

    @property
    def is_accepted(self) -> bool:
        """Whether the claim counts; if it does, the span must cut out the claim."""
        evidence = check_claims([self.claim], self.runs).evidence
        if self.claim.path not in evidence:
            return False
        call_id, start, end = evidence[self.claim.path]
        cut = next(run for run in self.runs if run.tool_call_id == call_id).text[start:end]
        assert cut, "an empty span supports nothing"
        if isinstance(self.claim.value, str) and "\\" not in cut:
            assert fold(cut) in fold(self.claim.value), (cut, self.claim.value)
        return True


def quote_case(random: Random, changes: dict[str, Change], *, true: bool) -> Case | None:
    """Return one generated case, ``None`` where the throw of the dice makes none."""
    texts = results(random)
    quote = true_quote(texts, random)
    kind = random.choice(list(changes))
    changed = quote and changes[kind](quote, texts, random)
    if quote is None or not changed:
        return None
    plain = [written(text) for text in texts]
    if not true and stands_there(changed, plain):
        return None
    runs = [run_of(content_of(text, random), f"call_{index}") for index, text in enumerate(plain)]
    return Case(kind, Claim("quote", Quote(), changed), runs)


def number_case(random: Random, changes: dict[str, Any]) -> Case | None:
    """Return one generated case of a number."""
    kind = random.choice(list(changes))
    made = changes[kind](random)
    if made is None:
        return None
    value, mark, text = made
    filler = written(results(random)[0])
    return Case(kind, Claim("number", mark, value), [run_of(f"{text}\n{'' if mark == FromTools() else filler}", "call_0")])


def true_cases(random: Random) -> Iterator[Case]:
    """Yield claims that must count."""
    while True:
        case = quote_case(random, TRUE, true=True) if random.random() < 0.8 else number_case(random, TRUE_NUMBERS)
        if case is not None:
            yield case


def corrupted_cases(random: Random) -> Iterator[Case]:
    """Yield claims that must not count."""
    while True:
        case = quote_case(random, CORRUPTED, true=False) if random.random() < 0.8 else number_case(random, CORRUPTED_NUMBERS)
        if case is not None:
            yield case


def measured(cases: Iterator[Case], count: int, *, wanted: bool) -> tuple[Counter[str], list[Case]]:
    """Return how many cases of each kind there were, and those that went wrong."""
    kinds: Counter[str] = Counter()
    wrong: list[Case] = []
    for _, case in zip(range(count), cases, strict=False):
        kinds[case.kind] += 1
        wrong += [case] if case.is_accepted != wanted else []
    return kinds, wrong


def main(count: int = CASES) -> int:
    """Measure both figures and print them."""
    failures = 0
    for title, cases, wanted, word in (
        ("corrupted claims", corrupted_cases(Random(SEED)), False, "accepted"),
        ("true claims, written in another way", true_cases(Random(SEED)), True, "refused"),
    ):
        kinds, wrong = measured(cases, count, wanted=wanted)
        failures += len(wrong)
        rows = [
            f"| {kind.replace('_', ' ')} | {number:,} | {sum(c.kind == kind for c in wrong)} |"
            for kind, number in sorted(kinds.items())
        ]
        print(f"| {title} | cases | {word} |", "|---|---|---|", *rows, f"| all | {count:,} | {len(wrong)} |", "", sep="\n")  # noqa: T201 - its output
        for case in wrong[:5]:
            print(case, file=sys.stderr)  # noqa: T201 - what to look at
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
