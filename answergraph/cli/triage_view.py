"""The reports of a triage in the terminal: a table, then the quotes that each verdict rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from answergraph.cli.live_view import one_line
from answergraph.graphs.triage import CaseReport

VERDICTS: Mapping[str, tuple[str, str]] = {
    "is_false_negative": ("should have passed", "really failed"),
    "is_false_positive": ("should have failed", "really passed"),
}
"""Per field of an answer, the verdict if it is true and if it is false."""

TENDENCIES = {"really failed": "bad", "should have failed": "bad", "should have passed": "good", "really passed": "good"}
_STYLES = {"bad": "bold red", "good": "green", "open": "yellow"}
_MAX_QUOTE_LINES = 12


def verdict_of(report: CaseReport) -> str:
    """Return a report's verdict in words, or its status if it has none."""
    answer = report["answer"] or {}
    for key, (yes, no) in VERDICTS.items():
        if key in answer:
            return yes if answer[key] else no
    return report["status"]


def counts(reports: Iterable[CaseReport]) -> str:
    """Return how many cases have which verdict, in a line."""
    verdicts = [verdict_of(report) for report in reports]
    return ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))


def print_reports(console: Console, reports: Sequence[CaseReport]) -> None:
    table = Table("verdict", "sure", "cause", "case", box=SIMPLE_HEAD, pad_edge=False)
    for report in reports:
        answer, verdict = report["answer"] or {}, verdict_of(report)
        sure = f"{answer['confidence']:.0%}" if "confidence" in answer else ""
        cause = str(answer.get("misclassification_cause") or "")
        table.add_row(Text(verdict, style=_style(verdict)), sure, cause, Text(one_line(report["test"]), overflow="fold"))
    console.print(f"{len(reports)} cases: {counts(reports)}.")
    console.print(table)
    for report in reports:
        console.print(Text.assemble("\n", *_details(report)), soft_wrap=True)


def quotes_of(report: CaseReport) -> list[tuple[str, str]]:
    """Return each supported quote as it stands in its source, and the source in words."""
    quotes = []
    for call_id, start, end, *_ in report["evidence"].values():
        source = report["sources"].get(call_id)
        if source is not None:
            quotes.append((source["text"][start:end], source_name(source["tool"], source["args"])))
    return quotes


def source_name(tool: str, args: Mapping[str, object]) -> str:
    """Return a tool call in a few words."""
    said = ", ".join(f"{name}={value!r}" for name, value in args.items() if value not in ("", False))
    return f"{tool}({said})"


def _details(report: CaseReport) -> Iterable[tuple[str, str]]:
    answer, verdict = report["answer"] or {}, verdict_of(report)
    yield (f"{one_line(report['test'])}", "bold")
    yield (f"  {one_line(report['case'])}\n", "dim")
    yield (f"  {verdict}", _style(verdict))
    yield (f": {one_line(str(answer.get('cause_details') or report['reason']))}\n", "")
    last = ""
    for quote, source in quotes_of(report):
        yield (f"  {one_line(source)}\n" if source != last else "", "dim")
        last = source
        for line in quote.splitlines()[:_MAX_QUOTE_LINES]:
            yield (f"    │ {_shown(line)}\n", "cyan")
    for heading, items in (("do", answer.get("recommendations")), ("missing", answer.get("missing"))):
        for item in items or ():
            yield (f"  {heading}: {one_line(str(item))}\n", "")


def _style(verdict: str) -> str:
    return _STYLES[TENDENCIES.get(verdict, "open")]


def _shown(line: str) -> str:
    """Return a line with its spacing, and without what a terminal would act on."""
    return "".join(sign if sign.isprintable() else " " for sign in line.expandtabs())
