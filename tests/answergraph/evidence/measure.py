"""Measures how many corrupted claims are accepted and how many true claims are refused; ``make evidence`` runs it.

Prints the table of ``docs/evidence-figures.md``; the exit code is 1 if a single case went wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from answergraph import Quote
from answergraph.evidence import FromTools, ToolRun
from answergraph.evidence.claim_checking import check_fields
from answergraph.evidence.claims import Claim
from answergraph.evidence.texts.folding import fold
from answergraph.state.field_path import FieldPath
from tests.answergraph.evidence.number_cases import CORRUPTED_NUMBERS, TRUE_NUMBERS
from tests.answergraph.evidence.quote_cases import CORRUPTED, TRUE, Change, stands_there
from tests.answergraph.evidence.quoted_texts import content_of, results, run_of, true_quote, written
from tests.suite.fields import places

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
        evidence = places(check_fields([self.claim], self.runs).fields)
        if self.claim.path not in evidence:
            return False
        call_id, start, end = evidence[self.claim.path]
        cut = next(run for run in self.runs if run.tool_call_id == call_id).text[start:end]
        assert cut, "an empty span supports nothing"
        if isinstance(self.claim.value, str) and "\\" not in cut:
            assert fold(cut) in fold(self.claim.value), (cut, self.claim.value)
        return True


def quote_case(random: Random, changes: dict[str, Change], *, true: bool) -> Case | None:
    """Return one generated case, or ``None`` if the random choice gives none."""
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
    return Case(kind, Claim(FieldPath("quote"), Quote(), changed), runs)


def number_case(random: Random, changes: dict[str, Any]) -> Case | None:
    """Return one generated case with a number."""
    kind = random.choice(list(changes))
    made = changes[kind](random)
    if made is None:
        return None
    value, mark, text = made
    filler = written(results(random)[0])
    return Case(
        kind, Claim(FieldPath("number"), mark, value), [run_of(f"{text}\n{'' if mark == FromTools() else filler}", "call_0")]
    )


def cases(make: Callable[[Random], Case | None]) -> Iterator[Case]:
    """Yield cases endlessly, the same in every run."""
    random = Random(SEED)
    while True:
        case = make(random)
        if case is not None:
            yield case


def measured(given: Iterator[Case], count: int, *, wanted: bool) -> tuple[Counter[str], list[Case]]:
    """Return how many cases of each kind there were, and those that went wrong."""
    kinds: Counter[str] = Counter()
    wrong: list[Case] = []
    for _, case in zip(range(count), given, strict=False):
        kinds[case.kind] += 1
        wrong += [case] if case.is_accepted != wanted else []
    return kinds, wrong


TABLES: tuple[tuple[str, bool, Callable[[Random], Case | None]], ...] = (
    ("corrupted quotes", False, partial(quote_case, changes=CORRUPTED, true=False)),
    ("true quotes, written in another way", True, partial(quote_case, changes=TRUE, true=True)),
    ("corrupted numbers", False, partial(number_case, changes=CORRUPTED_NUMBERS)),
    ("true numbers, written in another way", True, partial(number_case, changes=TRUE_NUMBERS)),
)


def main(count: int = CASES) -> int:
    """Measure and print the figures; returns 1 if anything went wrong."""
    failures = 0
    for title, wanted, make in TABLES:
        kinds, wrong = measured(cases(make), count, wanted=wanted)
        failures += len(wrong)
        print(f"| {title} | cases | {'refused' if wanted else 'accepted'} |\n|---|---|---|")
        for kind, number in sorted(kinds.items()):
            print(f"| {kind.replace('_', ' ')} | {number:,} | {sum(case.kind == kind for case in wrong)} |")
        print(f"| all | {count:,} | {len(wrong)} |\n")
        for case in wrong[:5]:
            print(case, file=sys.stderr)
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
