"""The report of a triage as one page that needs nothing else: verdicts, and each quote highlighted where it stands.

What comes from files or from a model is escaped, and the page's own policy forbids scripts and everything from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from answergraph.cli.triage_view import TENDENCIES, counts, source_name, verdict_of
from answergraph.graphs.triage import CaseReport
from answergraph.graphs.triage.triage_schema import Source

MAX_CHARACTERS_AROUND = 3_000
"""The length of a source that is shown before and after each quote."""

_STYLE = """
:root { color-scheme: light dark; --line: #8885; --mark: #ffd84d; --bad: #c62828; --good: #2e7d32; --open: #a36b00; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; }
article { border-top: 2px solid var(--line); margin-top: 2rem; }
h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
pre { font: 13px/1.45 ui-monospace, monospace; border: 1px solid var(--line); padding: .7rem; overflow: auto; }
pre { max-height: 30rem; }
mark { background: var(--mark); color: #000; }
.verdict { font-weight: 600; color: var(--open); }
.bad { color: var(--bad); } .good { color: var(--good); }
dt { font-weight: 600; } dd { margin: 0 0 .6rem 0; overflow-wrap: anywhere; }
.quiet { opacity: .75; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_FIELDS = (
    ("Cause", "misclassification_cause"),
    ("Why", "cause_details"),
    ("Expected result", "expected_result_analysis"),
    ("Steps", "step_execution_analysis"),
    ("Screenshots", "screenshot_analysis"),
    ("What to do", "recommendations"),
    ("Missing", "missing"),
    ("Tried", "tried"),
)


def triage_page(folder: str, reports: Sequence[CaseReport], problems: Sequence[str]) -> str:
    title = f"Triage of {_text(folder)}"
    rows = "\n".join(_row(number, report) for number, report in enumerate(reports, start=1))
    articles = "\n".join(_article(number, report) for number, report in enumerate(reports, start=1))
    unread = "".join(f"<li>{_text(problem)}</li>" for problem in problems)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>{len(reports)} cases: {_text(counts(reports)) or "none"}.</p>
{f"<p>Not read:</p><ul>{unread}</ul>" if unread else ""}
<table>
<thead><tr><th>Case</th><th>Verdict</th><th>Sure</th><th>Cause</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
{articles}
</body>
</html>
"""


def _row(number: int, report: CaseReport) -> str:
    answer = report["answer"] or {}
    sure = f"{answer['confidence']:.0%}" if "confidence" in answer else ""
    cause = _text(answer.get("misclassification_cause") or "")
    name = f'<a href="#case-{number}">{_text(report["test"])}</a>'
    return f"<tr><td>{name}</td><td>{_verdict(report)}</td><td>{sure}</td><td>{cause}</td></tr>"


def _article(number: int, report: CaseReport) -> str:
    answer = report["answer"] or {}
    fields = [(heading, answer.get(name)) for heading, name in _FIELDS]
    described = "".join(f"<dt>{heading}</dt><dd>{_text(value)}</dd>" for heading, value in fields if value)
    without_answer = "" if answer else f"<p>{_text(report['reason'])}</p>"
    sources = "".join(
        _source(source, [(start, end) for cited, start, end, *_ in report["evidence"].values() if cited == call_id])
        for call_id, source in report["sources"].items()
    )
    return f"""<article id="case-{number}">
<h2>{_text(report["test"])}</h2>
<p>{_verdict(report)} <span class="quiet">{_text(report["case"])}</span></p>
{without_answer}<dl>{described}</dl>
{sources}
</article>"""


def _source(source: Source, spans: Iterable[tuple[int, int]]) -> str:
    name = _text(source_name(source["tool"], source["args"]))
    return f'<p class="quiet">{name}</p>\n<pre>{_highlighted(source["text"], sorted(spans))}</pre>'


def _highlighted(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a source with its quotes marked, and what lies far from them left out."""
    pieces = []
    position = 0
    for start, end in spans:
        begin = max(start, position)
        pieces.append(_between(text[position:begin], is_first=position == 0))
        pieces.append(f"<mark>{_text(text[begin:end])}</mark>" if end > begin else "")
        position = max(position, end)
    rest = text[position:]
    shown = _text(rest[:MAX_CHARACTERS_AROUND])
    return "".join(pieces) + shown + ("\n[…]" if len(rest) > MAX_CHARACTERS_AROUND else "")


def _between(text: str, *, is_first: bool) -> str:
    most = MAX_CHARACTERS_AROUND if is_first else 2 * MAX_CHARACTERS_AROUND
    if len(text) <= most:
        return _text(text)
    before = "" if is_first else _text(text[:MAX_CHARACTERS_AROUND])
    return f"{before}\n[…]\n{_text(text[-MAX_CHARACTERS_AROUND:])}"


def _verdict(report: CaseReport) -> str:
    verdict = verdict_of(report)
    return f'<span class="verdict {TENDENCIES.get(verdict, "")}">{_text(verdict)}</span>'


def _text(value: object) -> str:
    """Return anything as text of the page; control characters have no place there, and half a surrogate pair cannot be sent."""
    if isinstance(value, list):
        return "<br>".join(map(_text, value))
    shown = "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in str(value))
    return escape(shown, quote=True)
