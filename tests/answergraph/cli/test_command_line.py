"""The command line as shells and people see it: output, streams, and exit codes."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from answergraph.cli.command_line import GRAPHS, app
from answergraph.cli.terminal.command_runner import imported
from answergraph.graphs import create_calculator
from examples.mending.mending_workflow import FILE, create_mending_workflow
from tests.openai_server import Failure, OpenAIServer, Reply, ToolCall, calls, says

CALCULATOR = create_calculator()
COMMAND = [sys.executable, "-m", "answergraph"]
PATIENCE = 120  # seconds: a process starts slowly on a machine with other work to do
TASK = "(17 × 23) + (89 ÷ 4) - 156"
ANSWER = {"final_answer": 3.0, "validation_result": None, "reasoning": "1 + 2 = 3"}


def answergraph(*arguments: str, stdin: str | None = None, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr."""
    result = CliRunner().invoke(app, arguments, input=stdin, env=env)
    return result.exit_code, result.stdout, result.stderr


def adds_then_answers() -> list[Reply]:
    validation = ToolCall("validate_calculation", {"expected": 3, "actual": 3, "operation": "1 + 2"})
    answer = [calls(ToolCall("Calculation", ANSWER)), says(json.dumps(ANSWER))]
    return [calls(ToolCall("add", {"a": 1, "b": 2})), calls(validation), *answer]


def test_the_typed_answer_is_printed_and_nothing_else() -> None:
    code, out, err = answergraph("ask", TASK)
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == ["Calculation (by rules)", "  final_answer: 257.25"]
    assert out.splitlines()[-1].startswith("  reasoning: 17 × 23 = 391; 89 ÷ 4 = 22.25")


def test_json_prints_only_the_answer() -> None:
    code, out, err = answergraph("ask", "--json", TASK)
    assert (code, err) == (0, "")
    assert json.loads(out)["final_answer"] == 257.25
    assert json.loads(out)["validation_result"]["is_correct"] is True


@pytest.mark.parametrize(
    ("expression", "value"),
    [("-5 + 3", -2), ("-5", -5), ("-(2 + 3) × 2", -10), ("--5 + 3", 8), ("-.5 * 4", -2), ("-5 + 3 = ?", -2), ("-５ + 3", -2)],
)
@pytest.mark.parametrize("option_first", [True, False], ids=["--json first", "--json last"])
def test_an_expression_may_begin_with_a_minus_sign(expression: str, value: float, option_first: bool) -> None:
    code, out, err = answergraph("ask", *(["--json", expression] if option_first else [expression, "--json"]))
    assert (code, err) == (0, "")
    assert json.loads(out)["final_answer"] == value


@pytest.mark.torture
@given(a=st.integers(-999, 999), b=st.integers(-999, 999), operator=st.sampled_from("+-*"))
def test_any_expression_of_two_numbers_is_answered(a: int, b: int, operator: str) -> None:
    code, out, _ = answergraph("ask", "--json", f"{a} {operator} {b}")
    assert code == 0
    assert json.loads(out)["final_answer"] == {"+": a + b, "-": a - b, "*": a * b}[operator]


@pytest.mark.parametrize("stdin", ["3 + 4", "\n  3 + 4\n\n"])
def test_a_dash_reads_stdin(stdin: str) -> None:
    code, out, _ = answergraph("ask", "-", "--json", stdin=stdin)
    assert code == 0
    assert json.loads(out)["final_answer"] == 7


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("1 / 0", "Division by zero"),
        ("(3 + 4", "parenthesis is not closed"),
        ("What is the capital of France?", "not a language model"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_without_an_answer_the_reason_is_one_line_on_stderr(question: str, why: str, options: tuple[str, ...]) -> None:
    code, out, err = answergraph("ask", question, *options)
    assert (code, out) == (1, "")
    assert err.startswith("refused: ")
    assert why in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["ask"], "Missing argument"),
        (["ask", ""], "question is empty"),
        (["ask", " \n"], "question is empty"),
        (["ask", "--nope"], "no option '--nope'"),
        (["ask", "--modell", "offline", "1 + 1"], "no option '--modell'"),
        (["ask", "1", "--modle", "offline"], "unexpected extra argument"),
        (["ask", "1", "2"], "unexpected extra argument"),
        (["ask", "1", "--model"], "requires an argument"),
        (["ask", "1", "--model", ""], "is not a model"),
        (["ask", "1", "--model", "nope"], "'nope' cannot be used"),
        (["ask", "1", "--model", "openai:"], "name is missing"),
        (["ask", "1", "--model", "openai:gpt-4.1"], "OPENAI_API_KEY"),
        (["ask", "1", "--model", "anthropic:claude"], "langchain-anthropic"),
        (["ask", "1", "--base-url", "http://127.0.0.1:1/v1"], "--model openai:NAME"),
        (["graph"], "Missing argument"),
        (["graph", "nope"], "agent, calculator"),
        (["graph", "answergraph.evidence:BUNDLE_KEYS"], "is of the type tuple; name a compiled graph, or a function"),
        (["nope"], "No such command"),
        (["ask", "1", "--agent", "nope"], "'package.module:attribute'"),
        (["ask", "1", "--agent", "nope:agent"], "No module named 'nope'"),
        (["ask", "1", "--agent", "answergraph:create_agents"], "has no create_agents; write"),
        (["ask", "1", "--agent", "answergraph.evidence:BUNDLE_KEYS"], "is of the type tuple; name a compiled graph"),
        (["ask", "1", "--agent", f"{__name__}:CALCULATOR", "--model", "openai:gpt-4.1"], "leave out --format, --model"),
        (["ask", "1", "--format", "nowhere.json"], "nowhere.json: No such file"),
        (["ask", "1", "--format", __file__], "is not a JSON Schema"),
        (["ask", "1", "--format", "answergraph:Nothing"], "no attribute 'Nothing'"),
    ],
)
def test_bad_usage_is_reported_on_stderr_with_exit_code_2(arguments: list[str], why: str) -> None:
    code, out, err = answergraph(*arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [["ask", "caf\udce9"], ["ask", "-"], ["judge", "-", "--rule", "It opens."]])
def test_a_text_in_another_encoding_is_bad_usage(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments, input=b"caf\xe9")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "utf-8" in result.stderr.lower()


def test_empty_stdin_is_bad_usage() -> None:
    assert answergraph("ask", "-", stdin="")[0] == 2


def test_a_model_of_an_openai_compatible_server_answers_without_a_key() -> None:
    with OpenAIServer(adds_then_answers()) as server:
        code, out, err = answergraph("ask", "1 + 2", "--json", "--model", "openai:small", "--base-url", server.base_url)
    assert (code, err) == (0, "")
    assert json.loads(out) == ANSWER
    assert {request.body["model"] for request in server.requests} == {"small"}


def test_a_key_of_the_environment_is_sent_to_the_server() -> None:
    with OpenAIServer(adds_then_answers()) as server:
        options = ("--model", "openai:small", "--base-url", server.base_url)
        code, _, _ = answergraph("ask", "1 + 2", *options, env={"OPENAI_API_KEY": "sk-mine"})
    assert code == 0
    assert server.requests[0].headers["authorization"] == "Bearer sk-mine"


def test_a_refused_key_is_the_providers_error_in_one_line() -> None:
    refusal = Failure(401, "Incorrect API key\nprovided.", code="invalid_api_key")
    with OpenAIServer(lambda _: refusal) as server:
        code, out, err = answergraph("ask", "1", "--model", "openai:small", "--base-url", server.base_url)
    assert (code, out) == (1, "")
    assert "401" in err
    assert "Incorrect API key" in err
    assert err.count("\n") == 1


def test_an_unreachable_server_is_the_providers_error_in_one_line() -> None:
    with OpenAIServer([]) as server:
        base_url = server.base_url
    code, out, err = answergraph("ask", "1", "--model", "openai:small", "--base-url", base_url)
    assert (code, out) == (1, "")
    assert "Connection refused" in err
    assert base_url in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_printed_as_a_mermaid_drawing(name: str) -> None:
    code, out, err = answergraph("graph", name)
    assert (code, err) == (0, "")
    assert out == imported(GRAPHS[name])().get_graph(xray=True).draw_mermaid()
    assert {"judge": "no_match", "extract": "ask_again"}.get(name, "call_tools") in out


def test_a_workflow_file_is_printed_as_a_drawing_too() -> None:
    code, out, err = answergraph("graph", str(FILE))
    assert (code, err) == (0, "")
    assert out == create_mending_workflow().get_graph(xray=True).draw_mermaid()
    assert "needs fix" in out


def test_an_unknown_graph_is_bad_usage(tmp_path: Path) -> None:
    (tmp_path / "no.yaml").write_text("steps: 1")
    for name in ("nowhere.yaml", str(tmp_path / "no.yaml")):
        code, out, err = answergraph("graph", name)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert name in err


@pytest.mark.program
def test_a_real_process_writes_nothing_to_stderr_without_a_terminal() -> None:
    environment = {**os.environ, "FORCE_COLOR": "1", "TTY_COMPATIBLE": "1"}
    done = subprocess.run([*COMMAND, "ask", "-5 + 3"], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "final_answer: -2.0" in done.stdout


@pytest.mark.program
def test_a_terminal_shows_the_path_through_the_graph_and_what_is_used_of_its_limits_on_stderr() -> None:
    terminal, inside = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}
    command = [*COMMAND, "ask", "--json", "--limits", "model_calls=20", TASK]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=inside, env=environment, check=False)
    os.close(inside)
    lines = os.read(terminal, 100_000).decode().split("\r\n")
    os.close(terminal)
    assert json.loads(done.stdout)["final_answer"] == 257.25
    shown = [" ".join(line.replace("\x1b[0m", "").replace("\x1b[1m", "").replace("\x1b[2m", "").split()) for line in lines]
    assert shown[:3] == ["model → multiply(a=17, b=23)", "1 of 20 model calls", "tools ← multiply: 391.0"]
    ending = "structured_response ■ answered: The model answered with 'Calculation'. (6 of 20 model calls)"
    assert shown[-3:-1] == [ending, "6 of 20 model calls"]


@pytest.mark.program
@pytest.mark.parametrize("printed", ["", "What was printed before."])
def test_ctrl_c_ends_with_130_and_without_a_stack_trace(printed: str) -> None:
    asked, ended = Event(), Event()

    def reply(_: object) -> Reply:
        asked.set()
        ended.wait(PATIENCE)
        return says("too late")

    with OpenAIServer(reply) as server:
        # Python's own end, which frees every object, would print.
        begin = f"print({printed!r}, end=''); import atexit; from answergraph.__main__ import main"
        program = f"{begin}; atexit.register(print, 'Python has ended.'); main()"
        command = [sys.executable, "-c", program, "ask", "1 + 2", "--model", "openai:small", "--base-url", server.base_url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                assert asked.wait(PATIENCE)
                process.send_signal(signal.SIGINT)
                # The model's reply is awaited in a thread for as long as this test likes; the process does not wait for it.
                out, err = process.communicate(timeout=PATIENCE)
            finally:
                ended.set()
                process.kill()
    assert (process.returncode, out, err) == (130, printed.encode(), b"Interrupted.\n")
