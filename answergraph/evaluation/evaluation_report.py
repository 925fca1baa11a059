"""What an evaluation measured: counts per field, their intervals, and the comparison with an earlier one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from answergraph.evaluation.field_results import FieldResult
from answergraph.kit import FieldPath
from answergraph.kit.intervals import PairedTest, wilson
from answergraph.runtime.errors import AgentSpecError
from answergraph.tapes.differences import Difference

VERSION = 1
_HEAD = "answergraph_evaluation"
MAX_P = 0.05

Results = Mapping[str, Sequence[FieldResult]]
"""Results by the name of their case, of all its runs."""


class CaseRun(TypedDict):
    """One run of a case, as plain JSON."""

    case: str
    status: str
    """How the run ended; ``unanswered`` if it raised."""
    reason: str
    fields: list[FieldResult]
    usage: dict[str, float | None]
    """Calls, tokens, seconds and cost."""


@dataclass(frozen=True)
class FieldScore:
    """Counts of one field over all cases and their runs."""

    right: int
    wrong: int
    missing: int
    extra: int
    supported: int
    """How many of the values a check of the agent found in a source."""
    interval: tuple[float, float]
    """The 95 % interval of ``accuracy``; trials are cases, since a repeated case is not a new one."""

    @property
    def accuracy(self) -> float:
        """The share that is right, 0 to 1."""
        return self.right / (self.right + self.wrong + self.missing + self.extra)


@dataclass(frozen=True)
class EvalReport:
    """The scores of an agent by field; ``print`` shows them as Markdown."""

    runs: Sequence[CaseRun]
    notes: Sequence[str] = ()
    """What to know about the runs, in sentences: that the agent changed since the ledger was begun."""

    @cached_property
    def fields(self) -> Mapping[str, FieldScore]:
        """By path, the items of a list together: ``items[].price``; of an answer without fields, ``""``."""
        return {field: _score(results) for field, results in self._by_field.items() if field is not None}

    @property
    def accuracy(self) -> float:
        """The share of all fields that are right, 0 to 1."""
        return self._total.accuracy

    @property
    def cost(self) -> float | None:
        """What all runs cost; ``None`` if a price is not known."""
        return self.usage.get("cost")

    @cached_property
    def usage(self) -> Mapping[str, float | None]:
        """Calls, tokens, seconds and cost of all runs; ``None`` for what one of them does not know."""
        names = dict.fromkeys(name for run in self.runs for name in run["usage"])
        counts = {name: [run["usage"].get(name) for run in self.runs] for name in names}
        return {
            name: sum(known) if len(known := [n for n in each if n is not None]) == len(each) else None
            for name, each in counts.items()
        }

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many runs ended how."""
        return Counter(run["status"] for run in self.runs)

    def compare(self, earlier: EvalReport, *, max_p: float = MAX_P) -> list[Difference]:
        """Return the fields that became worse than in an earlier report, in accuracy or support.

        Each field is compared case by case, over the cases that both reports have, by the exact sign test.

        Args:
            earlier: The report to compare with.
            max_p: The largest p-value that counts; at least six cases must have changed for 0.05. With 1, each field that is
                worse in more cases than it is better counts.

        Raises:
            AgentSpecError: If the reports have no case in common.
        """
        before = set(earlier._cases)
        cases = [case for case in self._cases if case in before]
        if not cases:
            raise AgentSpecError("The two reports have no case in common; cases are compared by their names.")
        return [
            difference
            for field in dict.fromkeys([*earlier._by_field, *self._by_field])
            for figure in ("right", "supported")
            if (difference := self._drop(earlier, field, figure, cases, max_p)) is not None
        ]

    def _drop(self, earlier: EvalReport, field: str | None, figure: str, cases: Sequence[str], max_p: float) -> Difference | None:
        now, before = self._by_field.get(field, {}), earlier._by_field.get(field, {})
        pairs = [(_share(now.get(case, ()), figure), _share(before.get(case, ()), figure)) for case in cases]
        test = PairedTest.of(pairs)
        if test.lower <= test.higher or test.p > max_p:
            return None
        first = next(case for case, (one, other) in zip(cases, pairs, strict=True) if one < other)
        shares = [fmean(each) for each in zip(*pairs, strict=True)]
        text = (
            f"{_name(field)}: {figure} {shares[1]:.0%} before, {shares[0]:.0%} now; worse in {test.lower} of {test.pairs} cases, "
            f"the first is {first!r}, better in {test.higher}, p = {test.p:.2g}"
        )
        return Difference(self._cases.index(first) + 1, "field", field, text)

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        text = json.dumps({_HEAD: VERSION, "runs": self.runs}, ensure_ascii=False, indent=1)
        Path(path).write_text(f"{text}\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> EvalReport:
        """Read a report.

        Raises:
            AgentSpecError: If the file is none, or one of a later version.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
            version, runs = data[_HEAD], TypeAdapter(list[CaseRun]).validate_python(data["runs"])
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise AgentSpecError(f"{path} is no report of an evaluation; EvalReport.save writes one.") from error
        if version > VERSION:
            raise AgentSpecError(f"{path} is a report of version {version}; this version of answergraph reads up to {VERSION}.")
        return cls(runs)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        ends = ", ".join(f"{count} {status}" for status, count in self.statuses.items())
        yield from self.notes
        yield f"Cases: {len(self._cases)}; runs: {len(self.runs)} ({ends})"
        for name in ("model_calls", "tool_calls", "total_tokens", "cost"):
            if (number := self.usage.get(name)) is not None:
                yield f"{name.replace('_', ' ').capitalize()}: {number:,.6g}"
        yield ""
        yield "| field | right | wrong | missing | extra | supported | accuracy | 95 % interval |"
        yield "|---|---|---|---|---|---|---|---|"
        for name, score in [("all fields", self._total), *self.fields.items()]:
            counts = " | ".join(map(str, (score.right, score.wrong, score.missing, score.extra, score.supported)))
            low, high = score.interval
            yield f"| {name or 'the answer'} | {counts} | {score.accuracy:.0%} | {low:.0%} to {high:.0%} |"

    @cached_property
    def _cases(self) -> list[str]:
        return list(dict.fromkeys(run["case"] for run in self.runs))

    @cached_property
    def _by_field(self) -> Mapping[str | None, Results]:
        """The results by field; ``None`` for all fields together."""
        by_field: dict[str | None, dict[str, list[FieldResult]]] = {None: {}}
        for run in self.runs:
            for result in run["fields"]:
                for field in (None, FieldPath(result["field"]).pattern):
                    by_field.setdefault(field, {}).setdefault(run["case"], []).append(result)
        return by_field

    @property
    def _total(self) -> FieldScore:
        return _score(self._by_field[None])


def _score(by_case: Results) -> FieldScore:
    results = [result for each in by_case.values() for result in each]
    marks = Counter(result["mark"] for result in results)
    interval = wilson(marks["right"] / len(results), len(by_case))
    supported = sum(result["supported"] for result in results)
    return FieldScore(marks["right"], marks["wrong"], marks["missing"], marks["extra"], supported, interval)


def _share(results: Sequence[FieldResult], figure: str) -> float:
    """Return the share of results that are right, or supported; 1 if there are none: an extra row is one more to be wrong."""
    if figure == "right":
        shares = [result["mark"] == "right" for result in results]
    else:
        shares = [result["supported"] for result in results if result["mark"] != "extra"]
    return fmean(shares) if shares else 1.0


def _name(field: str | None) -> str:
    return "all fields" if field is None else field or "the answer"
