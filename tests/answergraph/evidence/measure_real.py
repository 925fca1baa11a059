"""Measures quotes of real texts: how many faithful and altered ones are accepted, here and by two other libraries.

Run by ``make evidence`` with the packages of the group ``evidence`` installed, whose files are the texts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from answergraph import Quote
from answergraph.evidence import ToolRun
from answergraph.evidence.claim_checking import check_fields
from answergraph.evidence.claims import Claim
from answergraph.state.field_path import FieldPath
from tests.answergraph.evidence.altered_cases import ALTERED
from tests.answergraph.evidence.passages import RealCase
from tests.answergraph.evidence.peers import PEERS
from tests.answergraph.evidence.real_cases import FAITHFUL, Maker
from tests.answergraph.evidence.real_texts import RealText, real_texts
from tests.suite.fields import places as places_of

FAITHFUL_OF_A_KIND = 600
ALTERED_OF_A_KIND = 1450
MAX_TRIES = 60
"""The number of passages tried per case of a kind, before the kind counts as exhausted."""
MIN_KEPT = 0.95
TEXTS_OF_A_KIND = 60
LANGUAGES = 90

Check = Callable[[Sequence[RealCase]], list[bool]]


@dataclass(frozen=True)
class Counted:
    """The cases of one kind, and how many of them were accepted."""

    kind: str
    cases: int
    accepted: int
    wrong: tuple[RealCase, ...]


def accepted(given: Sequence[RealCase]) -> list[bool]:
    """Return for each quote whether the package accepts it; those of one text are checked together, which saves reading it."""
    by_texts: dict[tuple[str, ...], list[int]] = {}
    for place, case in enumerate(given):
        by_texts.setdefault(case.texts, []).append(place)
    found: set[str] = set()
    for texts, places in by_texts.items():
        runs = [ToolRun(f"call_{number}", "read", {}, (text,)) for number, text in enumerate(texts)]
        claims = [Claim(FieldPath(f"[{place}]"), Quote(), given[place].quote) for place in places]
        found |= places_of(check_fields(claims, runs).fields).keys()
    return [f"[{place}]" in found for place in range(len(given))]


def cases(kind: str, make: Maker, texts: list[RealText], count: int) -> Iterator[RealCase]:
    """Yield cases of a kind, the same in every run."""
    random = Random(kind)
    made = (make(random.choice(texts), random) for _ in range(count * MAX_TRIES))
    return islice((case for case in made if case is not None), count)


def counted(makers: Mapping[str, Maker], texts: list[RealText], count: int, check: Check, *, wanted: bool) -> list[Counted]:
    made = {kind: list(cases(kind, make, texts, count)) for kind, make in makers.items()}
    verdicts = iter(check([case for found in made.values() for case in found]))
    return [_of_kind(kind, found, list(islice(verdicts, len(found))), wanted=wanted) for kind, found in made.items()]


def _of_kind(kind: str, found: list[RealCase], verdicts: list[bool], *, wanted: bool) -> Counted:
    wrong = tuple(case for case, verdict in zip(found, verdicts, strict=True) if verdict != wanted)
    return Counted(kind, len(found), sum(verdicts), wrong)


def one_by_one(check: Callable[[RealCase], bool]) -> Check:
    return lambda given: [check(case) for case in given]


def main() -> int:
    """Measure and print the tables; returns 1 if an altered quote was accepted, or too few faithful ones were kept."""
    texts = list(real_texts(TEXTS_OF_A_KIND, languages=LANGUAGES))
    print(f"{len(texts)} texts, {sum(len(text.text) for text in texts):,} characters\n")
    faithful = counted(FAITHFUL, texts, FAITHFUL_OF_A_KIND, accepted, wanted=True)
    _print("faithful quotes | cases | kept |  |", faithful)
    altered = counted(ALTERED, texts, ALTERED_OF_A_KIND, accepted, wanted=False)
    _print("altered quotes | cases | accepted |  |", altered)
    for one in altered:
        for case in one.wrong[:3]:
            print(one.kind, repr(case.quote), file=sys.stderr)
    for name, (check, cases_of_a_kind) in PEERS.items():
        kept = _sum(counted(FAITHFUL, texts, cases_of_a_kind, one_by_one(check), wanted=True))
        false = _sum(counted(ALTERED, texts, cases_of_a_kind, one_by_one(check), wanted=False))
        print(f"| {name} | {kept} | {false} |", flush=True)
    is_good = sum(one.accepted for one in faithful) >= MIN_KEPT * sum(one.cases for one in faithful)
    return 0 if is_good and not any(one.accepted for one in altered) else 1


def _print(title: str, kinds: list[Counted]) -> None:
    print(f"| {title}\n|---|---|---|---|")
    for one in kinds:
        print(f"| {one.kind.replace('_', ' ')} | {one.cases:,} | {one.accepted:,} | {one.accepted / max(one.cases, 1):.1%} |")
    print(f"| all | {_sum(kinds)} |\n", flush=True)


def _sum(kinds: Sequence[Counted]) -> str:
    cases_of_all, accepted_of_all = sum(one.cases for one in kinds), sum(one.accepted for one in kinds)
    return f"{cases_of_all:,} | {accepted_of_all:,} | {accepted_of_all / cases_of_all:.1%}"


if __name__ == "__main__":
    sys.exit(main())
