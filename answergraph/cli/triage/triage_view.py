"""Prints the reports of a triage: two lines per cause, then the quotes for each verdict."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from answergraph.cli.terminal.command_runner import one_line
from answergraph.cli.triage import triage_words as words
from answergraph.graphs.add_ons.triage import CaseReport
from answergraph.graphs.add_ons.triage.history import Changes
from answergraph.state.field_record import evidence_in, spans_of

_STYLES: Mapping[str, str] = {
    "real": "bold red",
    "false-pass": "bold red",
    "disagreement": "red",
    "flaky": "magenta",
    "unknown": "yellow",
}
_MAX_QUOTE_LINES = 12
MAX_CASES_SHOWN = 10  # cases named per cause
_LONGEST = max(map(len, words.VERDICTS.values()))
MAX_CAUSES_SHOWN = 15  # a screen of them
MAX_CAUSES_EXPLAINED = 3  # causes whose quotes still fit on the screen


def print_reports(console: Console, reports: Sequence[CaseReport], changes: Changes | None = None, *, details: bool) -> None:
    """Print one screen: the causes, most urgent first, and what to do next; with details, or for a few causes, the quotes too."""
    ordered = words.by_urgency(reports)
    console.print(words.total(reports))
    print_changes(console, changes)
    console.print()
    for report in ordered[:MAX_CAUSES_SHOWN]:
        facts, named = _facts(report, changes), Text(one_line(report["test"]), overflow="fold")
        is_narrow = console.is_terminal and facts.cell_len + len("  ") + named.cell_len > console.width
        console.print(facts, named, sep="\n" if is_narrow else "  ", soft_wrap=not console.is_terminal)
        console.print(Text(f"    {one_line(words.next_step(report))}"), soft_wrap=not console.is_terminal)
    console.print()
    left = ordered[MAX_CAUSES_SHOWN:]
    if left:
        console.print(f"and {len(left)} more causes, with {sum(len(report['cases']) for report in left)} cases")
    if not details and len(ordered) > MAX_CAUSES_EXPLAINED:
        console.print("--details shows the quotes of each cause, --html writes them into a page.")
        return
    for report in ordered:
        console.print(Text.assemble("\n", *_details(report)), soft_wrap=not console.is_terminal)


def _facts(report: CaseReport, changes: Changes | None) -> Text:
    """Return verdict, confidence, number of cases and cause, in columns."""
    answer, count, new = report["answer"] or {}, len(report["cases"]), words.new_cases(report, changes)
    sure = f"{answer['confidence']:.0%} sure" if "confidence" in answer else ""
    cases = f"{count} case{'s' * (count != 1)}{f', {new} new' if new else ''}"
    verdict = Text(words.verdict_of(report).ljust(_LONGEST), style=_STYLES.get(report["verdict"], ""))
    return Text("  ").join(
        [verdict, Text(f"{sure:9}"), Text(f"{cases:8}"), Text(f"{answer.get('misclassification_cause') or '':15}")]
    )


def print_changes(console: Console, changes: Changes | None) -> None:
    if changes is None:
        return
    console.print(f"\nCompared with the run of {changes['since']}:" if changes["since"] else "\nThe first run of this history.")
    for heading, tests in words.changes_by_heading(changes).items():
        named = words.several([one_line(test) for test in tests], MAX_CASES_SHOWN)
        console.print(Text(f"  {heading}: {named}"), soft_wrap=not console.is_terminal)


def quotes_of(report: CaseReport) -> list[tuple[str, str]]:
    quotes = []
    for evidence in evidence_in(report["fields"]):
        source = report["sources"].get(evidence["source"]["id"])
        if source is not None:
            passages = [source["text"][start:end] for start, end in spans_of(evidence)]
            quotes.append((" … ".join(passages), source_name(source["tool"], source["args"])))
    return quotes


def source_name(tool: str, args: Mapping[str, object]) -> str:
    """Describe a tool call in a few words."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in args.items() if value not in ("", False))
    return f"{tool}({arguments})"


def _details(report: CaseReport) -> Iterable[tuple[str, str]]:
    answer = report["answer"] or {}
    yield (f"{one_line(report['test'])}", "bold")
    yield (f"  {one_line(report['case'])}\n", "dim")
    yield (f"  {words.verdict_of(report)}", _STYLES.get(report["verdict"], ""))
    yield (f": {one_line(words.why(report))}\n", "")
    for line in words.further(report):
        yield (f"  {one_line(line)}\n", "")
    if len(report["cases"]) > 1:
        yield (f"  the same: {words.several([one_line(case['test']) for case in report['cases'][1:]], MAX_CASES_SHOWN)}\n", "")
    last = ""
    for quote, source in quotes_of(report):
        yield (f"  {one_line(source)}\n" if source != last else "", "dim")
        last = source
        for line in quote.splitlines()[:_MAX_QUOTE_LINES]:
            yield (f"    │ {words.printable(line.expandtabs())}\n", "cyan")
    for item in answer.get("recommendations") or ():
        yield (f"  do: {one_line(str(item))}\n", "")
