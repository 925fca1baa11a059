"""Compare the verdicts of the offline rules with the labels: ``python -m examples.failures.measure``.

Each run is copied under names that say nothing before it is triaged, one at a time: neither labels nor the names of folders and
files can be seen.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answergraph.graphs import create_triage_agent

HERE = Path(__file__).parent
CORPORA = ("seen", "unseen")


@dataclass(frozen=True)
class Judged:
    """One labelled case and what the triage made of it."""

    run: str
    label: Mapping[str, Any]
    report: Mapping[str, Any] | None

    @property
    def answer(self) -> Mapping[str, Any]:
        """The verdict; empty if there is none."""
        return (self.report["answer"] or {}) if self.report and self.report["status"] == "answered" else {}

    @property
    def verdict(self) -> str:
        """The verdict in words, for the table's columns."""
        if "is_disagreement" in self.answer:
            return "disagree"
        for key, (yes, no) in {"is_false_negative": ("not real", "real"), "is_false_positive": ("not passed", "passed")}.items():
            if key in self.answer:
                return yes if self.answer[key] else no
        return "abstained"

    @property
    def cause(self) -> str | None:
        """The cause that was named."""
        named = self.answer.get("misclassification_cause")
        return str(named) if named else None

    @property
    def is_wrong(self) -> bool:
        """Whether a verdict was given that is not the label's, or a cause was named that is not the label's."""
        key = "is_false_positive" if "is_false_positive" in self.label else "is_false_negative"
        if not self.answer:
            return False
        wrong_cause = key == "is_false_negative" and self.cause not in {None, self.label["cause"]}
        if "is_disagreement" in self.answer:  # neither the test nor the application made it fail
            return self.label.get("cause") == "temporary_error"
        return self.answer[key] != self.label[key] or wrong_cause

    @property
    def leaves_cause_open(self) -> bool:
        """Whether the verdict is right and its cause is not named."""
        return self.verdict == "not real" and self.label.get("cause") is not None and self.cause is None and not self.is_wrong


def judged(corpus: str) -> list[Judged]:
    """Triage every run of a corpus."""
    labels = json.loads((HERE / "labels" / f"{corpus}.json").read_text(encoding="utf-8"))
    triage = create_triage_agent()
    found = []
    for run, label in sorted(labels.items()):
        with tempfile.TemporaryDirectory() as place:
            _copy_unnamed(HERE / corpus / run, Path(place))
            reports = triage.invoke({"folder": place})["reports"]
        mine = [report for report in reports if report["test"].split("::")[-1] == label["test"]]
        found.append(Judged(run, label, mine[0] if mine else None))
    return found


def table(cases: Iterable[Judged]) -> str:
    """Return the table of verdict against label, as Markdown."""
    columns = ("real", "not real", "disagree", "passed", "not passed", "abstained")
    rows: dict[str, Counter[str]] = {}
    for case in cases:
        row = rows.setdefault(case.label["kind"], Counter())
        row.update([case.verdict, *(["cause open"] if case.leaves_cause_open else []), *(["wrong"] if case.is_wrong else [])])
    shown = (*columns, "cause open", "wrong")
    lines = ["| made as | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    lines += [f"| {kind} | " + " | ".join(str(row[name] or "") for name in shown) + " |" for kind, row in sorted(rows.items())]
    return "\n".join(lines)


def summary(cases: list[Judged]) -> str:
    """Return the two figures that count, in a sentence."""
    told = [case for case in cases if case.answer]
    concluded = [case for case in told if case.verdict != "disagree"]
    wrong = [case for case in told if case.is_wrong]
    share = 100 * len(concluded) / len(cases)
    error = 100 * len(wrong) / max(1, len(told))
    open_causes = sum(case.leaves_cause_open for case in cases)
    return (
        f"{len(cases)} cases: {len(concluded)} concluded ({share:.0f} %), {len(told) - len(concluded)} told as a disagreement, "
        f"{len(wrong)} of both wrong ({error:.1f} %), {open_causes} right with the cause left open."
    )


def _copy_unnamed(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file():
            parts = [_unnamed(part) for part in path.relative_to(source).parent.parts]
            folder = target.joinpath(*parts)
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / (_unnamed(path.stem) + path.suffix))


def _unnamed(name: str) -> str:
    if name.startswith("attempt-"):
        return name  # that a run was tried again is what a CI job's folders say, and no label
    return hashlib.sha256(name.encode()).hexdigest()[:8]


if __name__ == "__main__":
    for chosen in sys.argv[1:] or CORPORA:
        results = judged(chosen)
        print(f"## {chosen}\n\n{summary(results)}\n\n{table(results)}\n")
        for case in results:
            if case.is_wrong or case.report is None:
                print(f"wrong: {case.run} {case.label} got {case.verdict}, {case.cause}")
