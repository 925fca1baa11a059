"""``answergraph extract``: a record out of a document, from a shell."""

import json
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.answergraph.cli.test_command_line import answergraph
from tests.openai_server import OpenAIServer, says

DOCUMENT = "Invoice 2026-0417\nDate: 3 May 2026\nTotal: 1,250.00 EUR\n"


class Invoice(BaseModel):
    number: str
    day: date


def extracted(document: Path, reply: object, *options: str) -> tuple[int, str, str]:
    with OpenAIServer([says(json.dumps(reply))] * 4) as server:
        model = ["--model", "openai:gpt-4.1", "--base-url", server.base_url]
        return answergraph("extract", str(document), "--schema", f"{__name__}:Invoice", *model, *options)


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "invoice.txt"
    path.write_text(DOCUMENT)
    return path


def test_every_field_is_shown_with_its_value_and_its_place(document: Path) -> None:
    code, out, err = extracted(document, {"number": "2026-0417", "day": "2026-05-03"})
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "number: 2026-0417  supported  input: Invoice 2026-0417",
        "day: 2026-05-03  supported  input: Date: 3 May 2026",
    ]


def test_record_and_fields_are_json_for_a_program(document: Path) -> None:
    code, out, _ = extracted(document, {"number": "2026-0417", "day": "2026-05-03"}, "--json")
    assert code == 0
    result = json.loads(out)
    assert result["record"] == {"number": "2026-0417", "day": "2026-05-03"}
    assert {path: field["status"] for path, field in result["fields"].items()} == {"number": "supported", "day": "supported"}


def test_a_value_that_stands_nowhere_is_no_record(document: Path) -> None:
    code, out, err = extracted(document, {"number": "2026-9999", "day": "2026-05-03"})
    assert code == 1
    assert "2026-9999" in out + err


@pytest.mark.parametrize("model", [[], ["--model", "offline"]])
def test_a_model_that_reads_must_be_named(document: Path, model: list[str]) -> None:
    code, out, err = answergraph("extract", str(document), "--schema", f"{__name__}:Invoice", *model)
    assert (code, out) == (2, "")
    assert "--model" in err or "openai:NAME" in err
