"""What people read wraps at words, however wide their terminal is; ids of tests, and quotes, stay whole where they fit."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.answergraph.cli.test_command_line import answergraph
from tests.openai_server import OpenAIServer, says

FAILED_RUN = Path(__file__).parents[4] / "answergraph" / "cli" / "first_steps" / "failed_run"
ID = "test_import_of_orders::test_import_of_orders"
NUMBER = "INV-2026-0417-0001"
NOTE = "Paid late, by three weeks, and the reminder crossed with the payment, so that nobody has to do anything more about it."


class Invoice(BaseModel):
    number: str
    note: str


def agent_of_invoices() -> Any:
    call = {"name": "Invoice", "args": {"number": NUMBER, "note": NOTE}, "id": "1"}
    return create_agent(ScriptedChatModel(replies=lambda _: AIMessage("", tool_calls=[call])), response_format=Invoice)


def shown(width: int, *command: str) -> list[str]:
    """Return the lines that a command prints for people in a terminal, without its colors."""
    env = {"COLUMNS": str(width), "FORCE_COLOR": "1", "TERM": "xterm"}
    _, out, err = answergraph(*command, env=env)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", f"{out}\n{err}")
    return [line.rstrip() for each in plain.splitlines() for line in each.split("\r")]


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, list[str]]:
    own = f"{__name__}:agent_of_invoices"
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"inputs": "Which?", "expected_output": {"number": "INV-1", "note": NOTE}}))
    return {
        "demo": ["demo"],
        "ask": ["ask", "(17 × 23) + (89 ÷ 4) - 156"],
        "no answer": ["ask", "How many of the pens that were ordered in April were paid, and by whom?"],
        "own agent": ["ask", "Which invoice?", "--agent", own],
        "triage": ["triage", str(FAILED_RUN)],
        "eval": ["eval", str(cases), "--agent", own],
        "wrong": ["verify", str(cases)],
        "missing": ["eval", "there_is_no_such_file_of_cases_here.jsonl", "--agent", own],
    }


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("command", ["demo", "ask", "no answer", "own agent", "triage", "eval", "wrong", "missing"])
def test_no_line_is_wider_than_the_terminal(commands: dict[str, list[str]], command: str, width: int) -> None:
    lines = shown(width, *commands[command])
    assert lines
    # What has no space is never broken; a table of Markdown is for a file.
    assert not [line for line in lines if len(line) > width and " " in line.strip() and not line.startswith("|")]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_every_field_of_an_extracted_record_is_read_at_every_width(tmp_path: Path, width: int) -> None:
    document = tmp_path / "invoice.txt"
    document.write_text(f"Invoice {NUMBER}\n{NOTE}")
    with OpenAIServer([says(json.dumps({"number": NUMBER, "note": NOTE}))]) as server:
        model = ["--model", "openai:gpt-4.1", "--base-url", server.base_url]
        lines = shown(width, "extract", str(document), "--schema", f"{__name__}:Invoice", *model)
    assert not [line for line in lines if len(line) > width]
    assert any(NUMBER in line for line in lines)
    assert NOTE in " ".join(" ".join(lines).split())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_id_of_a_test_stays_whole_where_it_fits(width: int) -> None:
    lines = shown(width, "triage", str(FAILED_RUN))
    assert sum(ID in line for line in lines) == 2  # among the causes, and above its quotes
    assert any("AssertionError: assert 2 == 3" in line for line in lines)


@pytest.mark.parametrize(
    "command", [["judge", "{file}", "--rule", "It failed."], ["eval", "{file}", "--agent", f"{__name__}:agent_of_invoices"]]
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, command: list[str]) -> None:
    file = tmp_path / "report.bin"
    file.write_bytes(b"\xff\xfe\x00")
    code, out, err = answergraph(*(part.format(file=file) for part in command))
    assert (code, out) == (2, "")
    assert f"{file} is not a text in UTF-8: convert with 'iconv -f latin1 -t utf-8'." in err


def test_a_line_stays_one_line_in_a_file(commands: dict[str, list[str]]) -> None:
    code, out, _ = answergraph(*commands["own agent"])
    assert code == 0
    assert f"  note: {NOTE}" in out.splitlines()
