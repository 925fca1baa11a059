"""``answergraph map`` writes one typed row for each row of a file, and goes on with the same command."""

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.answergraph.cli.test_command_line import answergraph

AGENT = """
from answergraph import UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel

def reply(messages):
    assert "poison" not in messages[0].text
    return '{"value": %s}' % messages[0].text

agent = create_agent(ScriptedChatModel(replies=reply), response_format=int, limits=UsageLimits(answer_attempts=1))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mapped_agent.py").write_text(AGENT)
    lines = [json.dumps({"id": number, "body": str(number)}) for number in range(30)]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_mapped_in_two_steps_with_one_ledger(folder: Path) -> None:
    command = ("map", "mapped_agent:agent", "rows.jsonl", "--out", "rows.parquet")
    code, out, _ = answergraph(*command, "--trial", "10")
    assert (code, out.splitlines()) == (0, ["rows.parquet: 10 rows · 10 answered · 30 tokens"])
    code, out, _ = answergraph(*command)
    assert (code, out.splitlines()[0].partition(" · ")[0]) == (0, "rows.parquet: 30 rows")
    assert sorted(parquet.read_table("rows.parquet")["answer"].to_pylist()) == list(range(30))


def test_a_terminal_shows_how_many_rows_there_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    _, _, err = answergraph("map", "mapped_agent:agent", "rows.jsonl", "--out", "rows.parquet")
    assert "/30" in err


def test_rows_without_an_answer_are_grouped_and_asked_again_on_request(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"id": 1, "body": "x"}\n{"id": 2, "body": "poison"}\n{"id": 3, "body": "3"}\n')
    command = ("map", "mapped_agent:agent", "rows.jsonl", "--out", "rows.parquet")
    code, out, err = answergraph(*command)
    assert (code, "1 answered" in out) == (1, True)
    assert {line.split(",")[0].strip() for line in err.splitlines()} == {"1 unanswered", "1 unanswered AssertionError"}
    assert "as 2: The run raised AssertionError" in err
    assert answergraph(*command, "--again", "unanswered")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mapped_agent:agent", "rows.txt"), ".parquet"),
        (("mapped_agent:missing", "rows.jsonl"), "cannot be imported"),
        (("mapped_agent.py:agent", "rows.jsonl"), "write 'mapped_agent:agent'"),
        (("mapped_agent:reply", "rows.jsonl"), "makes no agent"),
        (("mapped_agent:agent", "rows.jsonl", "--key", "name"), "no key"),
        (("mapped_agent:agent", "rows.jsonl", "--input", "text"), "no column 'text'"),
        (("mapped_agent:agent", "rows.jsonl", "--out", "rows.csv"), "Parquet"),
        (("mapped_agent:agent", "rows.jsonl", "--batch"), "needs models of OpenAI"),
    ],
)
def test_what_cannot_be_mapped_is_bad_usage(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    code, _, err = answergraph("map", "--out", "rows.parquet", *arguments)
    assert (code, words in err) == (2, True)


def test_a_limit_stops_the_map_with_its_reason(folder: Path) -> None:
    code, _, err = answergraph("map", "mapped_agent:agent", "rows.jsonl", "--out", "rows.parquet", "--limits", "model_calls=5")
    assert (code, "Stopped: The limit model_calls=5" in err) == (1, True)
