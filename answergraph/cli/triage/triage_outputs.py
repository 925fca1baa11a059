"""Writes a triage for other programs: Markdown, GitHub annotations, JUnit XML with verdicts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from answergraph.cli.triage import triage_words as words
from answergraph.cli.triage.triage_view import quotes_of
from answergraph.graphs.add_ons.triage import CaseReport
from answergraph.graphs.add_ons.triage.history import Changes

MAX_CASES_SHOWN = 20
"""Cases named per cause in Markdown."""
MAX_ANNOTATIONS = 50
"""GitHub shows no more annotations per run."""
MAX_MARKDOWN_BYTES = 900_000
"""GitHub takes a summary of 1 MiB at most."""

_LEVELS = {"real": "error", "false-pass": "error", "disagreement": "error", "flaky": "warning", "unknown": "warning"}
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")


def markdown(
    folder: str, reports: Sequence[CaseReport], problems: Sequence[str], changes: Changes | None, base: str | None
) -> str:
    """Return a summary for a CI job's page."""
    lines = [f"## Triage of {_text(folder)}", "", words.total(reports) if reports else "No failure to judge.", ""]
    for heading, tests in words.changes_by_heading(changes).items():
        lines += [f"**{heading}**: {words.several([*map(_text, tests)], MAX_CASES_SHOWN)}", ""]
    if reports:
        lines += ["| verdict | cases | cause | why |", "|---|---|---|---|"]
    for report in words.by_urgency(reports):
        lines.append(
            f"| {words.verdict_of(report)} | {len(report['cases'])} | {_text(report['cause'])} | {_text(words.why(report))} |"
        )
    for report in words.by_urgency(reports):
        lines += ["", f"<details><summary>{words.verdict_of(report)}: {_text(report['test'])}</summary>", ""]
        lines += [f"- {_linked(case['test'], case['source'], base)}" for case in report["cases"][:MAX_CASES_SHOWN]]
        left = len(report["cases"]) - MAX_CASES_SHOWN
        lines += [f"- and {left} more"] if left > 0 else []
        lines += [f"- {_text(line)}" for line in words.further(report)]
        for quote, source in quotes_of(report):
            lines += ["", f"{_text(source)}", "", *(f"    {line}" for line in words.printable(quote).splitlines())]
        lines += ["", "</details>"]
    lines += ["", *(f"- not read: {_text(problem)}" for problem in problems)]
    return "\n".join(lines).encode()[:MAX_MARKDOWN_BYTES].decode(errors="ignore") + "\n"


def workflow_commands(reports: Iterable[CaseReport]) -> Iterator[str]:
    """Yield a workflow command of GitHub for each cause, the most urgent first."""
    for report in words.by_urgency(reports)[:MAX_ANNOTATIONS]:
        path, line = words.location_of(report["cases"][0]["source"])
        title = f"{words.verdict_of(report)}: {report['test']}"
        others = f" ({len(report['cases'])} cases)" if len(report["cases"]) > 1 else ""
        properties = [("file", path), ("line", line), ("title", title)] if path else [("title", title)]
        about = ",".join(f"{name}={_command(value, in_property=True)}" for name, value in properties if value)
        level = _LEVELS.get(report["verdict"], "notice")
        message = f"{report['cause']}{others}: {words.why(report)}"
        yield f"::{level} {about}::{_command(message)}"


def junit(reports: Sequence[CaseReport]) -> str:
    """Return the judged cases as JUnit XML, each with its verdict as properties."""
    cases = [case for report in reports for case in _junit_cases(report)]
    failures = sum("<failure" in case for case in cases)
    head = f'<testsuite name="answergraph triage" tests="{len(cases)}" failures="{failures}">'
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', head, *cases, "</testsuite>", ""])


def _junit_cases(report: CaseReport) -> Iterator[str]:
    answer = report["answer"] or {}
    properties = {
        "verdict": report["verdict"],
        "cluster": report["cluster"],
        "cause": report["cause"],
        "misclassification_cause": str(answer.get("misclassification_cause") or ""),
        "confidence": str(answer.get("confidence", "")),
        "why": words.why(report),
    }
    quotes = "\n".join(quote for quote, _ in quotes_of(report))
    for case in report["cases"]:
        class_name, _, name = case["test"].rpartition("::")
        path, line = words.location_of(case["source"])
        where = f"{f' file={_attribute(path)}' if path else ''}{f' line={_attribute(line)}' if line else ''}"
        pairs = {**properties, "case": case["case"]}
        listed = "".join(f"<property name={_attribute(key)} value={_attribute(value)}/>" for key, value in pairs.items() if value)
        # A failure stays one unless shown otherwise.
        failed = report["kind"] == "failed" or report["verdict"] == "false-pass"
        failure = (
            f"<failure message={_attribute(words.VERDICTS[report['verdict']])}>{escape(_xml(quotes))}</failure>" if failed else ""
        )
        yield (
            f"<testcase classname={_attribute(class_name)} name={_attribute(name)}{where}>"
            f"<properties>{listed}</properties>{failure}</testcase>"
        )


def _linked(test: str, source: str, base: str | None) -> str:
    if link := words.link_to(source, base):
        return f"{_text(test)} ([{_text(':'.join(filter(None, words.location_of(source))))}]({link}))"
    return f"{_text(test)} ({_text(source)})" if source else _text(test)


def _text(value: str) -> str:
    """Escape a text for Markdown."""
    return _MARKDOWN.sub(r"\\\1", " ".join(words.printable(value).split())).replace("\\<", "&lt;").replace("\\>", "&gt;")


def _command(value: str, *, in_property: bool = False) -> str:
    value = words.printable(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return value.replace(":", "%3A").replace(",", "%2C") if in_property else value


def _attribute(value: str) -> str:
    return quoteattr(_xml(value))


def _xml(value: str) -> str:
    return _NOT_XML.sub("\ufffd", value)
