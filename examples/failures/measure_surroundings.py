"""Break what is around the tests of packages, and make tests flaky, and count what the triage says.

``python -m examples.failures.measure_surroundings [PACKAGE …]``. Statements that need something are put at a place of the package
chosen by chance, and the tests pass. Then that thing is broken. Neither code nor tests have changed, so "really failed" is wrong.
Each run is triaged by the text, every sixth with witnesses, too.
"""

from __future__ import annotations

import os
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from answergraph.graphs.add_ons.triage import CaseReport, Witnesses
from examples.failures.broken_ways import FLAKY, WAYS
from examples.failures.checkouts import PACKAGES, Checkout, unpacked
from examples.failures.intervals import share
from examples.failures.places import put
from examples.failures.surroundings import Around, Way

TRIES = 6
"""Places that are tried until the tests pass while all is sound, and fail once it is broken."""
WITNESSED = 6
"""Witnesses are asked for every sixth run."""
REPEATS = 3
WORST_FIRST = ("accused", "wrong", "disagreement", "open", "right")
"""A run of several causes counts as the worst that is said of one."""


@dataclass(frozen=True)
class Broken:
    """One broken run, and what was said of it."""

    way: Way
    said: str
    """One of ``WORST_FIRST``; of a run without results whether its reason is ``told`` or ``untold``."""
    by_witnesses: bool
    words: str
    seconds: float = 0
    reruns: int = 0


def said_of(report: CaseReport, way: Way) -> str:
    """Return what a report is worth, if neither the code nor the tests changed."""
    verdict, cause = report["verdict"], (report["answer"] or {}).get("misclassification_cause")
    if verdict == "unknown":
        return "open"
    if verdict == "disagreement":  # a test that is flaky may well be wrong itself
        return "open" if way.is_flaky else "disagreement"
    if verdict == "false-pass":
        return "accused"
    is_right = verdict == "not-real" or (way.is_flaky and verdict == "flaky")
    return "right" if is_right and cause in {None, "tool_bug", "temporary_error"} else "wrong"


def broken_in(checkout: Checkout, way: Way, around: Around, chance: random.Random) -> bool:
    """Put what needs something at a place, and return whether the tests passed with it and fail once it is broken."""
    if way.sites:
        use = chance.choice(way.uses or ("",)).replace("SOON", around.soon.isoformat())
        put(checkout, chance.choice(way.sites), use, chance)
        checkout.commit("Read the rows of the store")
    if not way.fails_at_once and checkout.ended(around.env)[0] != 0:
        return False
    way.breaks(around)
    code, output = checkout.ended(around.env, around.prefix)
    (checkout.run / "console.log").write_text(output)
    around.env.pop("STORE_REVERSED", None)  # the order of that run only
    return code > 0


def judged(checkout: Checkout, way: Way, around: Around, *, witnessed: bool) -> Iterator[Broken]:
    """Yield what is said of each cause of the run by the text, and of its first one with witnesses."""
    reports, problems = checkout.triaged()
    if reports:
        worst = min(reports, key=lambda report: WORST_FIRST.index(said_of(report, way)))
        yield Broken(way, said_of(worst, way), by_witnesses=False, words=_words(worst))
    else:
        shown = (checkout.run / "console.log").read_text().splitlines()
        is_told = any(line.strip() and line.strip() in problem for problem in problems for line in shown)
        yield Broken(way, "told" if is_told else "untold", by_witnesses=False, words=" ".join(problems))
    if reports and witnessed:
        yield _witnessed(checkout, way, around)


def _witnessed(checkout: Checkout, way: Way, around: Around) -> Broken:
    runs = around.folder / "runs"
    again = f"echo >> {shlex.quote(str(runs))}; {around.prefix}{shlex.quote(sys.executable)} -m pytest"
    command = f"""sh -c {shlex.quote(again + ' "$0" "$@"')} {{case}}"""
    start, own = time.monotonic(), dict(os.environ)
    os.environ.update(around.env)
    try:
        (report,), _ = checkout.triaged(Witnesses(checkout.root, last_green="HEAD", repeats=REPEATS, rerun=command))
    finally:
        os.environ.clear()
        os.environ.update(own)
    seconds, reruns = time.monotonic() - start, len(runs.read_text().splitlines()) if runs.exists() else 0
    return Broken(way, said_of(report, way), by_witnesses=True, words=_words(report), seconds=seconds, reruns=reruns)


def _words(report: CaseReport) -> str:
    answer = report["answer"] or {}
    return f"{report['verdict']} {answer.get('cause_details') or answer.get('missing')} {answer.get('evidence')} {report['test']}"


def measured(checkout: Checkout, stores: Path, *, first: int, ways: Sequence[Way]) -> Iterator[Broken]:
    """Break what is around a package in each way, and yield what is said of each run."""
    checkout.git("branch", "published")
    for number, way in enumerate(ways, start=first):
        chance = random.Random(f"{checkout.package.name} {way.name}")
        for attempt in range(TRIES if way.sites else 1):
            checkout.git("checkout", "-q", "-B", "broken", "published")
            with closing(Around(stores / f"{number}-{attempt}", checkout.root)) as around:
                is_broken = broken_in(checkout, way, around, chance)
                yield from judged(checkout, way, around, witnessed=number % WITNESSED == 0) if is_broken else ()
            if is_broken:
                break


def table(cases: Sequence[Broken]) -> str:
    """Return what was said of each kind of run, by the text and with witnesses."""
    rows = ["| broken | by | runs | right | disagreement | left open | wrong |", "|---|---|---|---|---|---|---|"]
    for is_flaky, kind in ((False, "the surroundings"), (True, "nothing: the test is flaky")):
        for by_witnesses, judge in ((False, "the text"), (True, "witnesses")):
            counts = Counter(case.said for case in cases if (case.way.is_flaky, case.by_witnesses) == (is_flaky, by_witnesses))
            right, wrong = counts["right"] + counts["told"], counts["wrong"] + counts["accused"]
            shown = (share(right, counts.total()), counts["disagreement"], counts["open"] + counts["untold"], wrong)
            rows.append(f"| {kind} | {judge} | {counts.total()} | {' | '.join(map(str, shown))} |")
    return "\n".join(rows)


def summary(cases: Sequence[Broken]) -> str:
    """Return the figures that count, in sentences."""
    by_text = [case for case in cases if not case.by_witnesses]
    concluded = [case for case in by_text if case.said in {"right", "wrong", "accused", "disagreement"}]
    wrong = [case for case in concluded if case.said != "right"]
    asked = [case for case in cases if case.by_witnesses]
    seconds, reruns = sum(case.seconds for case in asked), sum(case.reruns for case in asked)
    accused = sum(case.said == "accused" for case in cases)
    return (
        f"By the text {share(len(wrong), len(concluded))} of what was concluded was wrong, a disagreement about what was around "
        f"the tests included; {accused} passing tests were accused. Witnesses took {seconds / max(1, len(asked)):.1f} seconds "
        f"and {reruns / max(1, len(asked)):.1f} runs per cause."
    )


def main(names: list[str]) -> None:
    """Print each run, and a table per half of the packages."""
    cases: dict[bool, list[Broken]] = {True: [], False: []}
    for first, package in enumerate(PACKAGES):
        if names and package.name.partition("==")[0] not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            checkout = Checkout(package, unpacked(package, place), place / "run")
            for case in measured(checkout, place / "stores", first=first, ways=(*WAYS, *FLAKY)) if checkout.passes() else ():
                by = f"witnesses, {case.reruns} runs, {case.seconds:.1f} s" if case.by_witnesses else "the text"
                print(f"{package.name}: {case.way.name}: {case.said} by {by}: {case.words}", flush=True)
                cases[package.seen].append(case)
    for seen, half in cases.items():
        print(f"\n{'Seen' if seen else 'Unseen'} packages: {summary(half)}\n\n{table(half)}")


if __name__ == "__main__":
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plugins are loaded for each of a thousand runs
    main(sys.argv[1:])
