"""A triage as one self-contained HTML page: causes, verdicts, and each quote highlighted in its source.

Filters work by style sheet alone. No verdict is green: a failure that is not real still needs a look.

Text from files and models is escaped; the page's policy forbids scripts and remote content.
"""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template

from answergraph.cli.triage import triage_words as words
from answergraph.cli.triage.triage_view import source_name
from answergraph.graphs.add_ons.triage import CaseReport
from answergraph.graphs.add_ons.triage.history import Changes
from answergraph.graphs.add_ons.triage.triage_schema import Source
from answergraph.state.field_record import evidence_in, spans_of

MAX_CHARACTERS_AROUND = 3_000  # characters of the source shown around each quote

_PAGE = Template((Path(__file__).parent / "triage_page.html").read_text(encoding="utf-8"))
_HIDING = "".join(
    f"body:has(#show-{verdict}:checked) [data-verdict]:not([data-verdict={verdict}]) {{ display: none; }}\n"
    for verdict in words.VERDICTS
)
_FIELDS = (
    ("Cause", "misclassification_cause"),
    ("Expected result", "expected_result_analysis"),
    ("Expected", "expected"),
    ("Actual", "actual"),
    ("Check", "test_place"),
    ("Application", "application_place"),
    ("Steps", "step_execution_analysis"),
    ("Screenshots", "screenshot_analysis"),
    ("What to do", "recommendations"),
    ("Missing", "missing"),
    ("Tried", "tried"),
)


def triage_page(
    folder: str, reports: Sequence[CaseReport], problems: Sequence[str], changes: Changes | None = None, base: str | None = None
) -> str:
    ordered = list(enumerate(words.by_urgency(reports), start=1))
    lists = {"Not read": problems, **words.changes_by_heading(changes)}
    return _PAGE.substitute(
        folder=_text(folder),
        hiding=_HIDING,
        total=_text(words.total(reports)) if reports else "No failure to judge.",
        lists="".join(_listed(heading, items) for heading, items in lists.items()),
        choice=_choice(reports),
        rows="\n".join(_row(number, report) for number, report in ordered),
        totals=_totals(reports),
        articles="\n".join(_article(number, report, base) for number, report in ordered),
    )


def _choice(reports: Sequence[CaseReport]) -> str:
    counts = words.cases_by(words.verdict_of, reports)
    chosen = [("all", "all", counts.total()), *((verdict, label, counts[label]) for verdict, label in words.VERDICTS.items())]
    inputs = "".join(
        f'<label><input type="radio" name="verdict" id="show-{name}"{" checked" if name == "all" else ""}>'
        f" {label} ({count})</label>"
        for name, label, count in chosen
        if count or name == "all"
    )
    return f"<fieldset><legend>Show</legend>{inputs}</fieldset>"


def _totals(reports: Sequence[CaseReport]) -> str:
    """Count the cases per kind of cause."""
    counts = words.cases_by(
        lambda report: (report["answer"] or {}).get("misclassification_cause") or words.verdict_of(report), reports
    )
    rows = "".join(f'<tr><td>{_text(cause)}</td><td class="few">{count}</td></tr>' for cause, count in counts.most_common())
    return f'<table><thead><tr><th>Kind of cause</th><th class="few">Cases</th></tr></thead><tbody>{rows}</tbody></table>'


def _listed(heading: str, items: Sequence[str]) -> str:
    inner = "".join(f"<li>{_text(item)}</li>" for item in items)
    return f"<p>{heading}:</p><ul>{inner}</ul>" if items else ""


def _row(number: int, report: CaseReport) -> str:
    answer = report["answer"] or {}
    sure = f"{answer['confidence']:.0%}" if "confidence" in answer else ""
    name = f'<span class="quiet">{_text(report["test"])}</span>'
    link = f'<a href="#cause-{number}">{_text(report["cause"] or report["test"])}</a><br>{name}'
    return (
        f'<tr data-verdict="{report["verdict"]}"><td>{_verdict(report)}</td><td class="few">{sure}</td>'
        f'<td class="few">{len(report["cases"])}</td><td>{link}</td></tr>'
    )


def _article(number: int, report: CaseReport, base: str | None) -> str:
    answer = report["answer"] or {}
    fields = [
        ("Why", words.why(report)),
        ("Also", words.further(report)),
        *((heading, answer.get(name)) for heading, name in _FIELDS),
    ]
    described = "".join(f"<dt>{heading}</dt><dd>{_text(value)}</dd>" for heading, value in fields if value)
    sources = "".join(
        _source(
            source, [span for one in evidence_in(report["fields"]) if one["source"]["id"] == call_id for span in spans_of(one)]
        )
        for call_id, source in report["sources"].items()
    )
    cases = "".join(f"<li>{_case(case['test'], case['case'], case['source'], base)}</li>" for case in report["cases"])
    several = len(report["cases"]) != 1
    return f"""<article id="cause-{number}" data-verdict="{report["verdict"]}">
<h2>{_text(report["cause"] or report["test"])}</h2>
<p>{_verdict(report)} <span class="quiet">judged by {_text(report["test"])}</span></p>
<dl>{described}</dl>
<details{"" if several else " open"}><summary>{len(report["cases"])} case{"s" if several else ""}</summary>
<ul>{cases}</ul></details>
{sources}
</article>"""


def _case(test: str, case: str, source: str, base: str | None) -> str:
    link, location = words.link_to(source, base), _text(":".join(filter(None, words.location_of(source))))
    shown = f'<a href="{_text(link)}">{location}</a>' if link else location
    return f'{" ".join(filter(None, [_text(test), shown]))} <span class="quiet">{_text(case)}</span>'


def _source(source: Source, spans: Iterable[tuple[int, int]]) -> str:
    name = _text(source_name(source["tool"], source["args"]))
    return f'<p class="quiet">{name}</p>\n<pre>{_highlighted(source["text"], sorted(spans))}</pre>'


def _highlighted(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a source with its quotes marked and distant text omitted."""
    pieces = []
    position = 0
    for start, end in spans:
        begin = max(start, position)
        pieces.append(_shortened(text[position:begin], before=MAX_CHARACTERS_AROUND * bool(position)))
        pieces.append(f"<mark>{_text(text[begin:end])}</mark>" if end > begin else "")
        position = max(position, end)
    return "".join([*pieces, _shortened(text[position:], after=0)])


def _shortened(text: str, *, before: int = MAX_CHARACTERS_AROUND, after: int = MAX_CHARACTERS_AROUND) -> str:
    if len(text) <= before + after:
        return _text(text)
    return f"{_text(text[:before])}\n[…]\n{_text(text[len(text) - after :])}"


def _verdict(report: CaseReport) -> str:
    return f'<span class="verdict {report["verdict"]}">{words.verdict_of(report)}</span>'


def _text(value: object) -> str:
    """Escape anything for the page."""
    return "<br>".join(map(_text, value)) if isinstance(value, list) else escape(words.printable(str(value)), quote=True)
