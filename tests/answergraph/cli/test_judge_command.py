"""``answergraph judge`` as a shell sees it."""

import json
from pathlib import Path

import pytest

from tests.answergraph.cli.test_command_line import answergraph
from tests.openai_server import OpenAIServer, ToolCall, calls, says

RULES = ("--rule", "tests pass", "--rule", "needs fix")


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "REPORT.md"
    path.write_text("# Report\n\nAll the tests pass.\n")
    return str(path)


def test_the_rule_that_holds_is_printed(report: str) -> None:
    code, out, err = answergraph("judge", *RULES, report)
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == ["tests pass", "  tag: [STEP:1]", "  method: structured_output (by rules)"]


def test_json_prints_the_whole_judgment(report: str) -> None:
    code, out, _ = answergraph("judge", *RULES, report, "--json", "--tags", "--tag-word", "MOVEMENT")
    assert code == 0
    assert (json.loads(out)["tag"], json.loads(out)["method"]) == ("[MOVEMENT:1]", "phase3_tag")


def test_a_dash_reads_stdin_and_facts_decide() -> None:
    code, out, _ = answergraph("judge", "--rule", "when(failed > 1)", *RULES, "-", "--fact", "failed=2", stdin="Who knows.")
    assert code == 0
    assert out.splitlines()[0] == "when(failed > 1)"


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_no_match_is_exit_code_1_and_one_line(options: tuple[str, ...]) -> None:
    code, out, err = answergraph("judge", *RULES, "-", *options, stdin="Who knows.")
    assert (code, err.count("\n")) == (1, 1)
    assert "none of the conditions" in err
    assert (json.loads(out)["index"] is None) if options else (out == "")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["judge", "-"], "Missing option"),
        (["judge", "--rule", "when(a", "-"], "position 6"),
        (["judge", *RULES, "--rule", "needs  fix", "-"], "'needs fix' is given twice"),
        (["judge", *RULES, "nowhere.md"], "nowhere.md"),
        (["judge", *RULES, "-", "--fact", "n"], "NAME=VALUE"),
        (["judge", *RULES, "-", "--model", "nope"], "nope"),
        (["judge", *RULES, "-", "--tag-word", "JUDGE"], "JUDGE"),
    ],
)
def test_bad_usage_is_exit_code_2(arguments: list[str], why: str) -> None:
    code, out, err = answergraph(*arguments, stdin="x")
    assert (code, out) == (2, "")
    assert why in err


def test_a_model_behind_a_server_judges(report: str) -> None:
    def reply(body: dict[str, object]) -> object:
        return (
            calls(ToolCall("judgment", {"step": 2, "reason": "It says so."}))
            if "tools" in body
            else says(json.dumps({"step": 2, "reason": "It says so."}))
        )

    with OpenAIServer(reply) as server:  # type: ignore[arg-type]  # replies by the body it gets
        options = ["--model", "openai:small", "--base-url", server.base_url]
        code, out, err = answergraph("judge", *RULES, report, *options)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "needs fix"
    assert len(server.requests) == 1
