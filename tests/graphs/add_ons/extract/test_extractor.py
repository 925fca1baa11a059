"""A document in, a record out, every field with its place."""

import json
import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import AgentSpecError
from answergraph.evidence import answer_bundle, verify_bundle
from answergraph.graphs import create_extractor
from answergraph.graphs.add_ons.extract.extractor import extract_by_context
from answergraph.testing import ScriptedChatModel
from examples.extraction import extract
from tests.suite.colors import Run

DOCUMENT = "Invoice A-17, 3 May 2026.\nAmount due: 1,250.00"


class Invoice(BaseModel):
    """An invoice."""

    number: str
    total: Decimal
    buyer: str | None = None


def record(**fields: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Invoice", "args": fields, "id": f"id_{len(str(fields))}", "type": "tool_call"}])


GOOD = record(number="A-17", total="1250")


def test_a_record_comes_with_the_place_of_every_field(run: Run) -> None:
    result = run(create_extractor(ScriptedChatModel(replies=[GOOD]), Invoice), {"document": DOCUMENT})
    assert result["structured_response"] == Invoice(number="A-17", total=Decimal(1250))
    fields = result["outcome"]["fields"]
    assert {path: field["evidence"][0]["unit"] for path, field in fields.items()} == {
        "number": "Invoice A-17, 3 May 2026.",
        "total": "Amount due: 1,250.00",
    }


@pytest.mark.parametrize(
    "document",
    [DOCUMENT.encode(), {"type": "text", "text": DOCUMENT}, {"type": "text-plain", "text": DOCUMENT, "mime_type": "text/plain"}],
)
def test_a_document_may_be_a_file_or_a_content_block(run: Run, document: Any) -> None:
    result = run(create_extractor(ScriptedChatModel(replies=[GOOD]), Invoice), {"document": document})
    assert result["outcome"]["support"] == 1.0


def test_a_made_up_field_has_its_default_where_the_caller_wants_that(run: Run) -> None:
    replies = [record(number="A-17", total="1250", buyer="Ada")] * 2
    result = run(create_extractor(ScriptedChatModel(replies=replies), Invoice, on_doubt="omit"), {"document": DOCUMENT})
    assert result["structured_response"].buyer is None


def test_a_date_that_is_made_up_is_told_as_the_model_wrote_it(run: Run) -> None:
    result = run(create_extractor(ScriptedChatModel(replies=['"2026-05-04"'] * 9), date), {"document": DOCUMENT})
    assert result["outcome"]["fields"][""]["problem"] == "2026-05-04: it stands in no source."


def test_a_made_up_field_leaves_no_record(run: Run) -> None:
    replies = [record(number="A-17", total="1250", buyer="Ada")] * 4
    result = run(create_extractor(ScriptedChatModel(replies=replies), Invoice), {"document": DOCUMENT})
    assert (result["outcome"]["status"], result["outcome"]["fields"]["buyer"]["status"]) == ("invalid", "not_found")


NO_DOCUMENTS = {
    "": "empty",
    b"": "empty",
    "käse".encode("latin-1"): "not in UTF-8, and no PDF: write document.decode('latin-1')",
    7: "of type int",
    Path("a.txt"): "a path, which is not read: write path.read_bytes()",
    None: "None; give a text",
}


@pytest.mark.parametrize(("document", "message"), NO_DOCUMENTS.items(), ids=repr)
def test_what_is_no_document_is_refused(run: Run, document: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=re.escape(f"document is {message}")):
        run(create_extractor(ScriptedChatModel(replies=[GOOD]), Invoice), {"document": document})


def test_the_served_graph_takes_its_schema_from_the_context(run: Run) -> None:
    graph = extract_by_context({"response_format": Invoice.model_json_schema()})
    assert graph is extract_by_context({"response_format": Invoice.model_json_schema()})
    # The rules of the offline model cannot extract, and the run says so.
    assert run(graph, {"document": DOCUMENT})["outcome"]["status"] not in {"answered", "abstained"}


def test_a_context_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="context cannot be used"):
        extract_by_context({"on_doubt": "guess"})


def test_a_bundle_of_an_extraction_holds_by_itself(run: Run) -> None:
    result = run(create_extractor(ScriptedChatModel(replies=[GOOD]), Invoice), {"document": DOCUMENT})
    bundle = json.loads(json.dumps(answer_bundle(result)))
    assert {verdict.path: verdict.holds for verdict in verify_bundle(bundle)} == {"number": True, "total": True}
    bundle["messages"][0]["data"]["content"] = "Invoice B-9."
    assert not any(verdict.holds for verdict in verify_bundle(bundle))


def test_the_example_finds_labelled_and_spelled_values() -> None:
    fields = {
        "number": "A-17",
        "day": "2026-05-03",
        "total": "1250.00",
        "items": [{"name": "Chair", "price": "1250"}],
        "paid": True,
    }
    text = "Invoice A-17, 2026-05-03\nChair  1250\nAmount due: 1,250.00\nPAID"
    result = extract(text, ScriptedChatModel(replies=[record(**fields)]))
    assert (result["structured_response"].day, result["structured_response"].paid) == (date(2026, 5, 3), True)
    assert result["outcome"]["support"] == 1.0
