"""Compare the offline rules with labels of public files: ``python -m examples.failures.measure_public FOLDER``.

FOLDER holds the repositories of ``labels/public.json``, as ``git clone`` leaves them, under OWNER+NAME. Nothing of theirs is kept
here: only where their files are, and what was said of each failure by its text. The author of the rules gave the ``labels``; the
``second_labels`` are of a reader who had not seen the rules. The text of a failure without a label does not tell what it is: to
conclude on it counts as wrong.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answergraph.graphs import create_triage_agent
from examples.failures.intervals import share

LABELS = Path(__file__).parent / "labels" / "public.json"
OPEN = "open"


@dataclass(frozen=True)
class PublicCase:
    """One failed or flaky case of a public file."""

    place: str
    label: str
    verdict: str

    @property
    def is_concluded(self) -> bool:
        return self.verdict != "unknown"

    @property
    def is_wrong(self) -> bool:
        return self.is_concluded and self.verdict != self.label


def judged(folder: Path, corpus: str, labels: str) -> Iterator[PublicCase]:
    """Triage every XML file of a corpus, each alone, and put the labels of a reader beside it."""
    triage = create_triage_agent()
    for source in json.loads(LABELS.read_text(encoding="utf-8")):
        place = folder / source["repository"].replace("/", "+")
        for path in sorted(place.rglob("*.xml")) if source["corpus"] == corpus else ():
            name = path.relative_to(place).as_posix()
            with tempfile.TemporaryDirectory() as alone:
                shutil.copyfile(path, Path(alone, "results.xml"))
                reports = triage.invoke({"folder": alone})["reports"]
            yield from _labelled(f"{source['repository']} {name}", reports, source[labels].get(name, {}))


def _labelled(place: str, reports: list[Any], labels: Mapping[str, str]) -> Iterator[PublicCase]:
    for report in reports:
        for case in report["cases"] if report["kind"] != "passed" else ():
            number = case["case"].rpartition("#")[2]
            yield PublicCase(f"{place}#{number}", labels.get(number, OPEN), report["verdict"])


def summary(cases: list[PublicCase]) -> str:
    """Return the figures in sentences."""
    told = [case for case in cases if case.label != OPEN]
    concluded = [case for case in cases if case.is_concluded]
    wrong = sum(case.is_wrong for case in concluded)
    return "\n".join(
        [
            f"{len(cases)} cases, {len(told)} of which tell what they are.",
            f"Of those concluded: {share(sum(case.is_concluded for case in told), len(told))}.",
            f"Of all concluded: {share(len(concluded), len(cases))}.",
            f"Of the conclusions wrong: {share(wrong, len(concluded))}.",
        ]
    )


if __name__ == "__main__":
    for reader in ("labels", "second_labels"):
        found = {corpus: list(judged(Path(sys.argv[1]), corpus, reader)) for corpus in ("tuned", "held out")}
        for chosen, results in {**found, "both": [case for cases in found.values() for case in cases]}.items():
            print(f"## {reader}, {chosen}\n\n{summary(results)}\n")
            for case in results if chosen in found else ():
                if case.is_wrong or (case.label != OPEN and not case.is_concluded):
                    print(f"{'wrong' if case.is_wrong else 'left open'}: {case.place}: {case.label}, got {case.verdict}")
