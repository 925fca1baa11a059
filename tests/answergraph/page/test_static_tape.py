"""Files on the page: a recorded run, what was sent and came back at each step; and a very long document."""

import base64
import json
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import Status, TracesData
from playwright.sync_api import Browser, Page, expect

from answergraph.testing import use_tape
from tests.answergraph.page.conftest import faults, watched_page
from tests.answergraph.page.document_graphs import INVOICE, refused_invoice
from tests.answergraph.page.test_static_views import run, steps
from tests.suite.page_of_file import page_of_file

pytestmark = pytest.mark.browser


def test_a_tape_shows_the_record_and_what_each_model_call_sent_and_got(browser: Browser, tmp_path: Path) -> None:
    tape = tmp_path / "run.jsonl"
    with use_tape(tape):
        refused_invoice().invoke({"document": INVOICE})
    with page_of_file(tape) as url:
        for page in watched_page(browser, url, path="/"):
            expect(page.get_by_role("heading", level=1)).to_contain_text("2 fields stand nowhere in its sources")
            expect(page.locator(".mark").first).to_have_text("Brenner & Sohn GmbH2")
            steps = page.locator("#tape details")
            expect(steps).to_have_count(5)
            expect(steps.nth(1)).to_contain_text("calls Invoice")
            steps.nth(2).locator("summary").press("Enter")
            expect(steps.nth(2)).to_contain_text("messages as in the request before")
            expect(steps.nth(2)).to_contain_text("it stands in no source")
            assert faults(page) == []


def test_a_run_that_the_page_saved_opens_again_with_its_steps_without_a_server(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    run(page, "grounded")
    before = [row.split(" | ")[:3] for row in steps(page)]
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the run").click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    assert file.name == "grounded-run.json"
    with page_of_file(file) as url:
        for opened in watched_page(browser, url, path="/"):
            expect(opened.get_by_role("heading", level=1)).to_have_text("Answered on the second attempt")
            assert [row.split(" | ")[:3] for row in steps(opened)] == before
            opened.locator(".step").nth(1).click()
            expect(opened.get_by_role("region", name="Step 2, read_log")).to_contain_text("a.log")
            expect(opened.get_by_role("button", name="Fork here")).to_have_count(0)
            assert faults(opened) == []


def test_a_run_is_saved_as_a_trace_that_opentelemetry_reads(page: Page, tmp_path: Path) -> None:
    run(page, "grounded")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save its trace").click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    assert file.name == "grounded-trace.jsonl"
    (line,) = file.read_text().splitlines()
    told = json.loads(line, object_hook=with_ids_as_bytes)
    (spans,) = [scope.spans for resource in ParseDict(told, TracesData()).resource_spans for scope in resource.scope_spans]
    whole, *parts = spans
    assert (whole.name, whole.parent_span_id, whole.status.code) == ("invoke_agent grounded", b"", Status.STATUS_CODE_UNSET)
    assert {(len(span.trace_id), len(span.span_id)) for span in spans} == {(16, 8)}
    assert len({span.span_id for span in spans}) == len(spans)
    assert {span.parent_span_id for span in parts} == {whole.span_id}
    assert len(parts) == len(steps(page))
    assert parts[1].name == "execute_tool read_log"
    assert all(0 < span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)
    operations = [{known.key: known.value.string_value for known in span.attributes} for span in spans]
    assert operations[0]["answergraph.status"] == "answered"
    assert [each.get("gen_ai.operation.name") for each in operations[1:3]] == ["chat", "execute_tool"]
    assert [each["langgraph.node"] for each in operations[1:3]] == ["model", "tools"]


def with_ids_as_bytes(told: dict[str, object]) -> dict[str, object]:
    """OTLP writes ids in hexadecimal digits where JSON of protocol buffers has base64."""
    return {
        key: base64.b64encode(bytes.fromhex(str(value))).decode() if key.endswith(("raceId", "panId")) else value
        for key, value in told.items()
    }


def test_of_a_very_long_text_the_lines_near_a_place_are_shown_and_the_others_when_asked_for(
    browser: Browser, tmp_path: Path
) -> None:
    lines = [f"line {number}" for number in range(1, 3001)]
    start = "\n".join(lines).index("line 1500\n")
    source = {"kind": "input", "id": "m", "name": "input"}
    evidence = {"source": source, "unit": "line 1500", "marks": [[0, 9]], "place": [start, start + 9]}
    record = {"status": "supported", "evidence": [evidence], "problem": None}
    outcome = {"status": "answered", "reason": "", "attempts": [], "fields": {"where": record}}
    document = {"id": "m", "name": "document", "text": "\n".join(lines)}
    file = tmp_path / "proofs.json"
    saved = {"format": "answergraph-proofs/1", "answer": {"where": "line 1500"}, "outcome": outcome, "documents": [document]}
    file.write_text(json.dumps(saved))
    with page_of_file(file) as url:
        for page in watched_page(browser, url, path="/"):
            expect(page.locator(".mark")).to_have_text("line 15001")
            expect(page.locator(".lines > li")).to_have_count(20 + 1 + 7 + 1)
            page.get_by_role("button", name="1 476 lines without a place").click()
            expect(page.locator(".lines > li")).to_have_count(20 + 1476 + 7 + 1)
