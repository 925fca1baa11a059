"""The page of a triage: complete, self-contained, and safe with hostile logs."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.cli.triage.triage_html import MAX_CHARACTERS_AROUND, triage_page
from answergraph.graphs.add_ons.triage import CaseReport
from answergraph.graphs.add_ons.triage.triage_schema import CaseRef
from answergraph.state.older_records import fields_of_today
from tests.answergraph.cli.test_command_line import answergraph
from tests.graphs.add_ons.triage.junit_files import failed, write_results


class Page(HTMLParser):
    """The page as a browser parses it: its elements, and the text of the marked ones."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.marked: list[str] = []
        self.text = ""
        self._marks = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag == "mark":
            self._marks = True
            self.marked.append("")

    def handle_endtag(self, tag: str) -> None:
        self._marks = self._marks and tag != "mark"

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._marks:
            self.marked[-1] += data


def report(text: str, *spans: tuple[int, int], test: str = "shop::test_rates", why: str = "It was down.") -> CaseReport:
    return CaseReport(
        case="results.xml#1",
        test=test,
        kind="failed",
        verdict="not-real",
        cause=test,
        cluster="1a2b",
        cases=[CaseRef(case="results.xml#1", test=test, source="", environment={}, elsewhere=[], tries=[why])],
        judge="rules",
        remembered="",
        status="answered",
        reason="The answer was accepted.",
        schema="FalseNegativeCheck",
        answer={"is_false_negative": True, "confidence": 0.9, "cause_details": why, "recommendations": ["Run it again."]},
        fields=fields_of_today({f"evidence[{index}]": ["call_1", *span] for index, span in enumerate(spans)}),
        sources={"call_1": {"tool": "read_case", "args": {"case": "results.xml#1"}, "text": text}},
    )


def test_quotes_are_marked_where_they_stand() -> None:
    page = Page(triage_page("run", [report("one two three two", (4, 7), (14, 17))], []))
    assert page.marked == ["two", "two"]
    assert "one two three two" in page.text


def test_quotes_that_overlap_are_marked_once() -> None:
    page = Page(triage_page("run", [report("one two three", (0, 7), (4, 13))], []))
    assert "".join(page.marked) == "one two three"


@given(hostile=st.text(st.characters(), max_size=60), start=st.integers(0, 60), end=st.integers(0, 60))
def test_no_text_becomes_markup(hostile: str, start: int, end: int) -> None:
    plain = Page(triage_page("run", [report("x", (0, 1), test="x", why="x")], ["x"]))
    text = f"<script>{hostile}</pre><img src=x onerror=y>"
    page = triage_page(text, [report(text, (min(start, end), max(start, end)), test=text, why=text)], [text])
    page.encode()  # raises where something cannot be written
    read = Page(page)
    assert [tag for tag in read.tags if tag != "mark"] == [tag for tag in plain.tags if tag != "mark"]
    assert set(read.attributes) == set(plain.attributes)


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    page = triage_page("run", [report("x", (0, 1))], [])
    assert "default-src 'none'" in page
    assert not {"script", "link", "img", "iframe"} & set(Page(page).tags)
    assert "http://" not in page
    assert "https://" not in page


def test_of_a_long_source_the_parts_around_the_quotes_are_shown() -> None:
    text = "a" * 50_000 + "QUOTE" + "b" * 50_000
    page = Page(triage_page("run", [report(text, (50_000, 50_005))], []))
    assert page.marked == ["QUOTE"]
    assert len(page.text) < 3 * MAX_CHARACTERS_AROUND
    assert page.text.count("[…]") == 2


def test_a_case_without_a_verdict_says_why() -> None:
    failed_report = report("x")
    failed_report["answer"], failed_report["status"], failed_report["verdict"] = None, "invalid", "unknown"
    failed_report["reason"] = "It invented <quotes>."
    assert "It invented <quotes>." in Page(triage_page("run", [failed_report], [])).text


@pytest.mark.parametrize("said", ["<b>No space left on device</b>", "No space left on device & more"])
def test_the_command_writes_the_page(tmp_path: Path, said: str) -> None:
    write_results(tmp_path, failed("test_save", f"E   OSError: {said}\n\nsave.py:1: OSError"))
    page = tmp_path / "report.html"
    assert answergraph("triage", str(tmp_path), "--html", str(page))[0] == 0
    assert Page(page.read_text(encoding="utf-8")).marked == [f"OSError: {said}"]
