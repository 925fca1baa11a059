"""``answergraph extract``: a record out of a document, from a shell."""

import json
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.answergraph.cli.test_command_line import answergraph
from tests.openai_server import OpenAIServer, says
from tests.suite.pdf_files import pdf

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


FILES = {
    "invoice.html": b"<html><body><h1>Invoice <b>2026</b>-0417</h1><p>Date: 3&nbsp;May 2026</p></body></html>",
    "invoice.csv": b"number,day\n2026-0417,2026-05-03\n",
    "invoice.pdf": pdf([DOCUMENT.splitlines()]),
}


@pytest.mark.parametrize(("name", "content"), FILES.items(), ids=FILES)
def test_a_page_a_table_and_a_pdf_are_read_too(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    code, out, err = extracted(tmp_path / name, {"number": "2026-0417", "day": "2026-05-03"})
    assert (code, err) == (0, "")
    assert [line.split()[2] for line in out.splitlines()] == ["supported", "supported"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "holds no text"), (b" \n", "holds no text"), (bytes(range(256)), "in UTF-8"), (b"%PDF-1.4 broken", "cannot be read")],
)
def test_a_file_without_anything_to_read_is_named_before_a_model_is_asked(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "invoice.dat"
    path.write_bytes(content)
    code, out, err = extracted(path, {})
    assert (code, out) == (2, "")
    assert err.startswith("Error: invoice.dat")
    assert problem in err


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_text_in_another_encoding_is_refused_with_the_command_that_converts_it(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "facture.txt"
    path.write_text(f"{DOCUMENT}Café", encoding=encoding)
    code, out, err = extracted(path, {})
    assert (code, out) == (2, "")
    assert err.startswith(
        "Error: facture.txt: this file is neither a PDF nor text in UTF-8; convert a text first, as with 'iconv -f "
    )


def test_a_limit_that_cannot_be_kept_is_bad_usage(document: Path) -> None:
    with OpenAIServer([]) as server:
        model = ["--model", "openai:own-model", "--base-url", server.base_url]
        code, out, err = answergraph("extract", str(document), "--schema", f"{__name__}:Invoice", *model, "--limits", "cost=1")
    assert (code, out) == (2, "")
    assert err.startswith("Error: UsageLimits(cost=1.0): the price of 'own-model' is not known. Write prices=")


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


SCHEMAS = {
    "{bad": "schema.json is not a JSON Schema: Expecting property name enclosed in double quotes",
    "[1]": "Unsupported schema type: [1].",
    '{"title": "Invoice", "type": "objekt"}': 'not a valid JSON Schema: "objekt"',
}


@pytest.mark.parametrize(("text", "message"), SCHEMAS.items(), ids=SCHEMAS)
def test_a_file_that_holds_no_schema_is_refused_in_one_line(document: Path, text: str, message: str) -> None:
    schema = document.with_name("schema.json")
    schema.write_text(text)
    code, out, err = answergraph(
        "extract", str(document), "--schema", str(schema), "--model", "openai:x", "--base-url", "http://127.0.0.1:9"
    )
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert message in err


def test_a_module_that_cannot_be_run_is_refused_in_one_line(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "misspelt_app.py").write_text("class Invoice(BaseModl): ...")
    code, out, err = answergraph("extract", str(document), "--schema", "misspelt_app:Invoice", "--model", "openai:x")
    assert (code, out) == (2, "")
    assert "'misspelt_app:Invoice' cannot be imported: name 'BaseModl' is not defined" in err


PLACES = {
    "app.py:Invoice": "'app.py:Invoice' names a file; write 'app:Invoice', the module, in its folder.",
    "./code/app.py:Invoice": "'./code/app.py:Invoice' names a file; write 'app:Invoice', the module, in its folder.",
    "code\\app.py:Invoice": "names a file; write 'app:Invoice', the module, in its folder.",
    "code/app:Invoice": "'code/app:Invoice' names a file; write 'app:Invoice', the module, in its folder.",
    f"{__name__}:Invoce": "has no attribute 'Invoce'. Did you mean 'Invoice'?",
}


@pytest.mark.parametrize(("place", "message"), PLACES.items(), ids=PLACES)
def test_a_place_that_is_nearly_right_is_put_right(document: Path, place: str, message: str) -> None:
    code, out, err = answergraph("extract", str(document), "--schema", place, "--model", "openai:x")
    assert (code, out) == (2, "")
    assert message in err


def test_a_dash_reads_the_document_from_stdin() -> None:
    with OpenAIServer([says(json.dumps({"number": "2026-0417", "day": "2026-05-03"}))]) as server:
        options = ["--schema", f"{__name__}:Invoice", "--model", "openai:gpt-4.1", "--base-url", server.base_url]
        code, out, err = answergraph("extract", "-", *options, stdin=DOCUMENT)
    assert (code, out.splitlines()[0], err) == (0, "number: 2026-0417  supported  input: Invoice 2026-0417", "")
