"""The pages of a PDF as sources: each supported field with its page and its box on it."""

import base64
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel

from answergraph import Grounded, Quote, check_evidence, create_agent
from answergraph.evidence.texts.documents import pages_of_block
from answergraph.graphs import create_extractor
from answergraph.middleware import GroundedAnswer, Input
from answergraph.page.pdf_pages import page_texts
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

pytest.importorskip("pypdfium2", reason="the extra [documents]")

WIDTH, HEIGHT, SIZE = 600, 800, 12
Line = tuple[int, int, str]
"""Where a line begins, from the left and from the top, and its text."""


def pdf_of(pages: Sequence[Sequence[Line]], rotation: int = 0) -> bytes:
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{4 + 2 * at} 0 R' for at in range(len(pages)))}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for at, lines in enumerate(pages):
        content = "\n".join(f"BT /F1 {SIZE} Tf {left} {HEIGHT - down} Td ({text}) Tj ET" for left, down, text in lines)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {rotation} /Contents {5 + 2 * at} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    body, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("ascii")


LETTER = pdf_of(
    [
        [(50, 100, "Invoice A-17"), (300, 400, "Total 1,250.00")],
        [],
        [(50, 700, "We regret to say that the goods were"), (50, 715, "delivered too late.")],
    ]
)


def evidence_in(tmp_path: Path, data: bytes, answer: dict[str, Any], **marks: Any) -> dict[str, Any]:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    fields = check_evidence(answer, path, marks={name: marks.get(name, Grounded()) for name in answer}).fields
    assert {field["status"] for field in fields.values()} == {"supported"}
    return {name: field["evidence"][0] for name, field in fields.items()}


def test_each_of_many_fields_has_its_page_and_a_box_around_its_word(tmp_path: Path) -> None:
    places = {f"ID{page:02}{row}X": (page, 40 + 20 * row) for page in range(12) for row in range(10, 30)}
    pages = [[(90, down, f"{name} is sold") for name, (on, down) in places.items() if on == page] for page in range(12)]
    evidence = evidence_in(tmp_path, pdf_of(pages), {name: name for name in places})
    for name, (page, down) in places.items():
        left, top, right, bottom = evidence[name]["box"]
        assert evidence[name]["page"] == page + 1
        assert left == pytest.approx(90 / WIDTH, abs=0.01)
        assert left < right < 0.3
        # The baseline of the line lies in the box, and no other line does.
        assert top < down / HEIGHT <= bottom
        assert bottom - top < 20 / HEIGHT


def test_a_place_counts_characters_as_the_page_in_the_browser_does(tmp_path: Path) -> None:
    place = evidence_in(tmp_path, LETTER, {"text": "delivered too late"}, text=Quote())["text"]
    block = {"type": "file", "mime_type": "application/pdf", "base64": base64.b64encode(LETTER).decode()}
    assert "".join(page_texts([block]))[slice(*place["place"])] == place["unit"]


READERS = """
import base64, pathlib, sys, threading
from answergraph import check_evidence
from answergraph.page.pdf_pages import page_picture

path = pathlib.Path(sys.argv[1])
block = {"type": "file", "mime_type": "application/pdf", "base64": base64.b64encode(path.read_bytes()).decode()}
found = []


def read():
    for _ in range(10):
        page_picture([block], 2, [(0, 4)])
        found.append(check_evidence({"text": "delivered too late"}, path).support)


threads = [threading.Thread(target=read) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found), set(found))
"""


@pytest.mark.program
def test_many_threads_read_pdfs_at_once(tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(LETTER)
    # A process of its own: without a lock, PDFium ends it.
    command = [sys.executable, "-c", READERS, str(tmp_path / "letter.pdf")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "60 {1.0}\n"), done.stderr


def test_a_place_over_two_lines_has_a_box_for_each(tmp_path: Path) -> None:
    place = evidence_in(tmp_path, LETTER, {"text": "the goods were delivered too late"}, text=Quote())["text"]
    first, second = place["boxes"]
    assert place["page"] == 3
    assert first[3] <= second[3]
    assert first[1] < second[1]
    assert place["box"] == [min(first[0], second[0]), first[1], max(first[2], second[2]), second[3]]


def test_a_turned_page_has_boxes_as_it_is_seen(tmp_path: Path) -> None:
    left, top, right, bottom = evidence_in(tmp_path, pdf_of([[(50, 100, "Invoice")]], rotation=90), {"word": "Invoice"})["word"][
        "box"
    ]
    # What stands at the upper left of the page is at the upper right after a quarter turn.
    assert left > 0.8
    assert bottom < 0.2
    assert bottom - top > right - left


def test_the_boxes_of_the_callers_document_are_in_the_outcome(run: Run) -> None:
    class Invoice(BaseModel):
        number: str
        total: Annotated[float, Grounded(label="total")]

    reply = AIMessage("", tool_calls=[{"name": "Invoice", "args": {"number": "A-17", "total": 1250}, "id": "1"}])
    fields = run(create_extractor(ScriptedChatModel(replies=[reply]), Invoice), {"document": LETTER})["outcome"]["fields"]
    pages = {path: field["evidence"][0]["page"] for path, field in fields.items()}
    assert pages == {"number": 1, "total": 1}
    left, top, _, _ = fields["total"]["evidence"][0]["box"]
    assert left > 300 / WIDTH
    assert top == pytest.approx(390 / HEIGHT, abs=0.02)


def test_a_page_without_text_is_named(run: Run) -> None:
    class Letter(BaseModel):
        sender: Annotated[str, Grounded()]

    def replies(name: str) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": "Letter", "args": {"sender": name}, "id": name}])

    block = {"type": "file", "mime_type": "application/pdf", "base64": base64.b64encode(LETTER).decode()}
    model = ScriptedChatModel(replies=[replies("Ada"), replies("Invoice")])
    agent = create_agent(model, response_format=Letter, middleware=[GroundedAnswer(sources=Input())])
    outcome = run(agent, {"messages": [HumanMessage([{"type": "text", "text": "From whom?"}, block])]})["outcome"]
    assert "There is no text to quote in: page 2 of a PDF." in outcome["attempts"][0]["error"]
    assert outcome["fields"]["sender"]["evidence"][0]["page"] == 1


def test_a_pdf_that_cannot_be_read_is_no_source_and_ends_no_run(tmp_path: Path, run: Run) -> None:
    class Invoice(BaseModel):
        number: str

    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 broken")
    with pytest.raises(ValueError, match="cannot be read"):
        check_evidence({"number": "A-17"}, tmp_path / "a.pdf")
    reply = AIMessage("", tool_calls=[{"name": "Invoice", "args": {"number": "A-17"}, "id": "1"}])
    block = {"type": "file", "base64": base64.b64encode(b"%PDF-1.4 broken").decode(), "mime_type": "application/pdf"}
    agent = create_extractor(ScriptedChatModel(replies=[reply] * 6), Invoice)
    outcome = run(agent, {"messages": [HumanMessage([block])]})["outcome"]
    assert outcome["status"] == "invalid"
    assert "no text to quote" in str(outcome["fields"])


ENCODED = base64.b64encode(LETTER).decode()
DATA_URL = f"data:application/pdf;base64,{ENCODED}"
BLOCKS: dict[str, dict[str, Any]] = {
    "openai chat": {"type": "file", "file": {"filename": "a.pdf", "file_data": DATA_URL}},
    "openai responses": {"type": "input_file", "filename": "a.pdf", "file_data": DATA_URL},
    "anthropic": {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": ENCODED}},
    "google": {"type": "media", "mime_type": "application/pdf", "data": ENCODED},
    "langchain 0": {"type": "file", "source_type": "base64", "mime_type": "application/pdf", "data": ENCODED},
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_a_pdf_in_the_form_of_a_provider_is_read(block: dict[str, Any]) -> None:
    assert [page.about.get("page") for page in pages_of_block(block)] == [0, 1, 2]


@pytest.mark.parametrize("kind", ["image", "audio", "video"])
def test_what_is_seen_or_heard_is_no_text_even_if_its_bytes_are(kind: str) -> None:
    assert pages_of_block({"type": kind, "base64": base64.b64encode(b"total 5").decode()}) == []
