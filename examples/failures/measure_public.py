"""Compare the offline rules with labels of public files: ``python -m examples.failures.measure_public FOLDER``.

FOLDER holds the repositories of ``labels/public.json``, as ``git clone`` leaves them, under OWNER+NAME. Nothing of theirs is kept
here: only where their files are, and what was said of each failure by its text. Two corpora are the results that projects left in
their repositories: of each file the first failures with different words, five of a repository at most, are ``sampled``. The two
others are files made to test readers of JUnit XML, and all their failures count. ``labels`` and ``second_labels`` come from two
readers; the repositories added last have been read once. The text of a failure without a label, or with the label ``open``, does
not tell what it is: to conclude on it counts as wrong.
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
CORPORA = ("developed with", "held out", "made up, tuned", "made up, held out")


@dataclass(frozen=True)
class PublicCase:
    """One failed or flaky case of a public file."""

    place: str
    label: str
    verdict: str

    @property
    def is_concluded(self) -> bool:
        return self.verdict not in {"unknown", "disagreement"}

    @property
    def is_wrong(self) -> bool:
        return self.is_concluded and self.verdict != self.label


def judged(folder: Path, corpus: str, labels: str) -> Iterator[PublicCase]:
    """Triage every XML file of a corpus, each alone, and put the labels of a reader beside it."""
    triage = create_triage_agent()
    for source in json.loads(LABELS.read_text(encoding="utf-8")):
        place = folder / source["repository"].replace("/", "+")
        for name in _files(place, source) if source["corpus"] == corpus and labels in source else ():
            path = place / name
            with tempfile.TemporaryDirectory() as alone:
                shutil.copyfile(path, Path(alone, "results.xml"))
                reports = triage.invoke({"folder": alone})["reports"]
            yield from _labelled(
                f"{source['repository']} {name}", reports, source[labels].get(name, {}), source.get("sampled", False)
            )


def _files(place: Path, source: Mapping[str, Any]) -> list[str]:
    """Return which files of a repository are triaged: those with labels, or all XML files."""
    if source.get("sampled"):
        return sorted(source["labels"])
    return sorted(path.relative_to(place).as_posix() for path in place.rglob("*.xml"))


def _labelled(place: str, reports: list[Any], labels: Mapping[str, str], sampled: bool) -> Iterator[PublicCase]:
    for report in reports:
        for case in report["cases"] if report["kind"] != "passed" else ():
            number = case["case"].rpartition("#")[2]
            if sampled and number not in labels:
                continue
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
        of_projects: list[PublicCase] = []
        for corpus in CORPORA:
            results = list(judged(Path(sys.argv[1]), corpus, reader))
            of_projects += [] if corpus.startswith("made up") else results
            print(f"## {corpus}, {reader}\n\n{summary(results)}\n")
            for case in results:
                if case.is_wrong or (case.label != OPEN and not case.is_concluded):
                    print(f"{'wrong' if case.is_wrong else 'left open'}: {case.place}: {case.label}, got {case.verdict}")
        print(f"\n## all that projects left, {reader}\n\n{summary(of_projects)}\n")
