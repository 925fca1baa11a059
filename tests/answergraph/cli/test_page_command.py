"""A file on the page: what can be opened, what it becomes, and who is answered."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel
from starlette.testclient import TestClient
from typer.testing import CliRunner

from answergraph.cli.command_line import app
from answergraph.cli.opened.file_app import file_app
from answergraph.cli.opened.saved_answer import saved_answer
from answergraph.evidence import answer_bundle
from answergraph.graphs import create_extractor
from answergraph.page.app import HEADERS
from answergraph.testing import ScriptedChatModel


class Invoice(BaseModel):
    """An invoice."""

    number: str
    total: float


def saved(folder: Path, content: object) -> Path:
    file = folder / "saved.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_a_bundle_is_shown_with_the_document_that_its_places_are_in(tmp_path: Path) -> None:
    call = {"name": "Invoice", "args": {"number": "A-17", "total": 1250}, "id": "1"}
    extractor = create_extractor(ScriptedChatModel(replies=[AIMessage("", tool_calls=[call])]), Invoice)
    bundle = answer_bundle(extractor.invoke({"document": "Invoice A-17. Amount due: 1,250.00"}))
    shown: dict[str, Any] = saved_answer(saved(tmp_path, bundle))
    [document] = shown["documents"]
    for record in shown["outcome"]["fields"].values():
        [evidence] = record["evidence"]
        assert evidence["source"]["id"] == document["id"]
        assert document["text"].startswith(evidence["unit"], evidence["place"][0])


@pytest.mark.parametrize("content", ["", "[1]", "{}", '{"format": "other/1"}', '{"format": 7}'])
def test_a_file_that_cannot_be_shown_is_refused_with_what_can_be(tmp_path: Path, content: str) -> None:
    result = CliRunner().invoke(app, ["page", str(saved(tmp_path, content)), "--no-browser"])
    assert result.exit_code == 2
    assert "cannot show" in result.output or "cannot be shown" in result.output


def test_a_missing_file_is_named() -> None:
    result = CliRunner().invoke(app, ["page", "nowhere.json", "--no-browser"])
    assert (result.exit_code, "There is no file nowhere.json" in result.output) == (2, True)


def test_the_page_of_a_file_answers_only_this_machine_and_keeps_to_itself() -> None:
    application = file_app("answer.json", {"": lambda _: {"kind": "proofs"}})
    local = TestClient(application, base_url="http://127.0.0.1")
    answer = local.get("/opened")
    assert answer.json() == {"name": "answer.json", "kind": "proofs"}
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert local.get("/").headers["content-type"].startswith("text/html")
    assert TestClient(application, base_url="http://elsewhere.example").get("/opened").status_code == 400


def test_control_is_for_a_ledger_alone(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["page", str(saved(tmp_path, {"format": "answergraph-run/1"})), "--no-browser", "--control"])
    assert (result.exit_code, "--control is for the ledger of a map" in result.output) == (2, True)


def test_another_site_cannot_ask_anything_of_a_map(tmp_path: Path) -> None:
    asked: list[object] = []
    local = TestClient(file_app("run.db", {}, {"/pause": asked.append}), base_url="http://127.0.0.1")
    foreign = {"sec-fetch-site": "cross-site", "origin": "http://elsewhere.example"}
    assert local.post("/opened/pause", data={}, headers=foreign).status_code == 403
    preflight = {**foreign, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    answer = local.options("/opened/pause", headers=preflight)
    assert (answer.status_code, "access-control-allow-origin" in answer.headers, asked) == (405, False, [])
    local.post("/opened/pause", json={"from": "the page"})
    assert asked == [{"from": "the page"}]
