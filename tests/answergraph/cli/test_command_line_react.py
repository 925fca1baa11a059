"""The text protocol on the command line: `--protocol react` and `--show-prompts`."""

import json

import pytest
from typer.testing import CliRunner

from answergraph.cli.command_line import app
from tests.openai_server import OpenAIServer, says

ACTION = "I must calculate.\nAction: Calculator\nAction Input: 2 + 1"


def answergraph(*arguments: str) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_the_offline_model_answers_in_the_text_protocol() -> None:
    assert answergraph("ask", "--protocol", "react", "(17 × 23) + (89 ÷ 4) - 156") == (0, "257.25\n", "")


def test_json_prints_the_text_as_json() -> None:
    assert answergraph("ask", "--protocol", "react", "--json", "3 + 4") == (0, '"7"\n', "")


@pytest.mark.parametrize(("question", "why"), [("Hello", "not a language model"), ("1 / 0", "division by zero")])
def test_without_an_answer_the_reason_is_on_stderr(question: str, why: str) -> None:
    code, out, err = answergraph("ask", "--protocol", "react", question)
    assert (code, out) == (1, "")
    assert err.startswith("refused: ")
    assert why in err


def test_an_unknown_protocol_is_bad_usage() -> None:
    code, _, err = answergraph("ask", "--protocol", "morse", "3 + 4")
    assert code == 2
    assert "morse" in err


def test_show_prompts_prints_what_is_sent_and_received_in_text() -> None:
    replies = [says(ACTION), says("```text\n2 + 1\n```"), says("Final Answer: three")]
    with OpenAIServer(replies) as server:
        options = ["--protocol", "react", "--model", "openai:small", "--base-url", server.base_url]
        code, out, err = answergraph("ask", *options, "--show-prompts", "How much is 2 + 1?")
    assert (code, out) == (0, "three\n")
    heads = [line for line in err.splitlines() if line.startswith("──")]
    stops = json.dumps(["\nObservation:", "\n\tObservation:"])
    assert heads == [
        f"── request 1, stop {stops} ──",
        "── reply 1 ──",
        '── request 2, stop ["```output"] ──',
        "── reply 2 ──",
        f"── request 3, stop {stops} ──",
        "── reply 3 ──",
    ]
    for request in server.requests:
        assert request.body["messages"][0]["content"] in err
    assert f"── reply 1 ──\n{ACTION}\n" in err


def test_show_prompts_shows_tool_calls_as_well() -> None:
    code, _, err = answergraph("ask", "--show-prompts", "3 + 4")
    assert code == 0
    assert '── request 1, tools ["add", "subtract",' in err
    assert '→ add({"a": 3, "b": 4})' in err
