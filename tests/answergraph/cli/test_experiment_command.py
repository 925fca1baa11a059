"""The experiment's command: output, files, endings, and resuming."""

import json
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from threading import Event, Lock

import pytest
from langchain_core.messages import messages_from_dict
from typer.testing import CliRunner

from answergraph.cli.command_line import app
from answergraph.experiment.settings import SETTINGS
from answergraph.experiment.summary import OFFLINE_NOTE
from tests.answergraph.experiment.command import evidence_effect
from tests.answergraph.experiment.personalities import DILIGENT
from tests.openai_server import Failure, OpenAIServer, Reply, rejects_response_format, rejects_tool_choice_required
from tests.openai_server.reply import JSONObject

RUN = ("--tasks", "3", "--concurrency", "1")
WRITTEN = ("runs.jsonl", "summary.csv", "plot.png", "plot.svg")
REQUESTS_OF_A_RUN = 6
"""Of a diligent model with a tool strategy: four operations, a validation, the answer."""


def test_offline_it_runs_end_to_end_and_every_output_says_what_the_figures_are(tmp_path: Path) -> None:
    ended = evidence_effect(tmp_path, "--tasks", "1", "--repeats", "2")
    assert ended.code == 0
    assert OFFLINE_NOTE in " ".join(ended.out.split())
    assert list(ended.rows) == [setting.name for setting in SETTINGS]
    for row in ended.rows.values():
        assert (row["warning"], row["finished"], row["failed"], row["error"]) == (OFFLINE_NOTE, "2", "0", "")
    assert ended.rows["tool_strategy"]["validate_calls_by_task"] == "1"
    assert 0.2 < float(ended.rows["tool_strategy"]["validate_rate_low"]) < 0.21
    assert "say nothing about language models" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert b"say nothing about language models" in (tmp_path / "plot.png").read_bytes()
    lines = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["key"]["model"] for line in lines} == {"offline"}
    assert f"Written: {', '.join(str(tmp_path / name) for name in WRITTEN)}\n" in ended.err
    assert "Failed" not in ended.err


def test_progress_is_printed_where_there_is_no_terminal(tmp_path: Path) -> None:
    ended = evidence_effect(tmp_path, "--tasks", "10", "--repeats", "3", settings=("no_format",))
    told = [line for line in ended.err.splitlines() if line.endswith(" of 30 runs")]
    assert 5 < len(told) <= 20
    assert told[0] == "2 of 30 runs"


def test_the_figures_of_a_language_model_carry_no_warning(tmp_path: Path) -> None:
    with OpenAIServer(DILIGENT) as server:
        ended = evidence_effect(tmp_path, "--tasks", "1", base_url=server.base_url, settings=("no_format", "require_tools"))
    assert ended.code == 0
    assert [(name, row["warning"]) for name, row in ended.rows.items()] == [("no_format", ""), ("require_tools", "")]
    assert "offline" not in ended.out


def test_two_results_are_compared_and_each_run_can_be_shown_later(tmp_path: Path) -> None:
    for name in ("one", "other"):
        evidence_effect(tmp_path / name, "--tasks", "2", settings=("no_format", "tool_strategy"))
    record = json.loads((tmp_path / "one" / "runs.jsonl").read_text(encoding="utf-8").splitlines()[0])
    transcript = messages_from_dict(record["made"]["transcript"])
    assert (transcript[0].type, transcript[-1].type) == ("human", "ai")
    assert record["made"]["version"]
    assert datetime.fromisoformat(record["made"]["date"])
    ended = CliRunner().invoke(app, ["experiment", "compare", str(tmp_path / "one"), str(tmp_path / "other")])
    assert ended.exit_code == 0
    (line,) = [line.split() for line in ended.stdout.splitlines() if line.startswith("tool_strategy ")]
    assert line[-5:] == ["2", "0", ":", "0", "1"]
    assert "model offline, date 20" in ended.stdout
    assert CliRunner().invoke(app, ["experiment", "compare", str(tmp_path / "one"), str(tmp_path)]).exit_code == 2


def test_a_refused_setting_is_reported_and_the_others_continue(tmp_path: Path) -> None:
    with OpenAIServer(DILIGENT, behave=rejects_response_format) as server:
        settings = ("tool_strategy", "provider_strategy", "prompted")
        ended = evidence_effect(tmp_path, "--tasks", "2", base_url=server.base_url, settings=settings)
    assert ended.code == 1
    (told,) = [line for line in ended.err.splitlines() if line.startswith("Failed")]
    assert told.startswith("Failed, 2 runs: provider_strategy: ")
    assert "400" in told
    assert "Unsupported parameter" in told
    assert "provider_strategy: error: no run finished" in ended.out
    rows = ended.rows
    assert [rows[name]["finished"] for name in settings] == ["2", "0", "2"]
    assert (rows["provider_strategy"]["error"], rows["provider_strategy"]["validate_rate"]) == ("no run finished", "")
    assert [rows[name]["validate_rate"] for name in ("tool_strategy", "prompted")] == ["1.0", "1.0"]


def test_a_strategy_that_a_server_refuses_is_not_replaced_by_another(tmp_path: Path) -> None:
    with OpenAIServer(DILIGENT, behave=rejects_tool_choice_required) as server:
        ended = evidence_effect(tmp_path, "--tasks", "1", base_url=server.base_url, settings=("tool_strategy", "no_format"))
    assert ended.code == 1
    assert "tool_choice" in ended.err
    assert (ended.rows["tool_strategy"]["error"], ended.rows["no_format"]["finished"]) == ("no run finished", "1")


def test_a_server_that_refuses_everything_leaves_no_figure(tmp_path: Path) -> None:
    with OpenAIServer(lambda _: Failure(401, "Incorrect API key\nprovided.", code="invalid_api_key")) as server:
        settings = ("no_format", "tool_strategy", "prompted")
        ended = evidence_effect(tmp_path, "--tasks", "2", base_url=server.base_url, settings=settings)
    assert ended.code == 1
    assert [row["error"] for row in ended.rows.values()] == ["no run finished"] * 3
    assert ended.err.count("Failed, 2 runs: ") == ended.err.count("Incorrect API key provided.") == 3
    assert (tmp_path / "runs.jsonl").read_bytes() == b""


def test_one_failed_request_loses_no_other_run_and_is_made_again(tmp_path: Path) -> None:
    refuses = [Failure(500, "Overloaded."), None]

    def behave(body: JSONObject) -> Failure | None:
        return refuses[0] if "999 - 123" in str(body["messages"]) else None

    with OpenAIServer(DILIGENT, behave=behave) as server:
        ended = evidence_effect(tmp_path, *RUN, base_url=server.base_url, settings=("tool_strategy",))
        row = ended.rows["tool_strategy"]
        assert (ended.code, row["finished"], row["failed"], row["validate_calls_by_task"]) == (1, "2", "1", "1 1 ")
        assert "1 of 3 runs failed and are not counted" in ended.out
        refuses.pop(0)
        before = len(server.requests)
        ended = evidence_effect(tmp_path, *RUN, base_url=server.base_url, settings=("tool_strategy",))
        assert (ended.code, ended.rows["tool_strategy"]["validate_calls_by_task"]) == (0, "1 1 1")
        assert len(server.requests) - before == REQUESTS_OF_A_RUN


@pytest.mark.torture
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_run_that_was_ended_goes_on_where_it_was(tmp_path: Path, how: signal.Signals) -> None:
    hangs, goes_on, lock, served = Event(), Event(), Lock(), [0]

    def reply(body: JSONObject) -> Reply:
        with lock:
            served[0] += 1
            number = served[0]
        if number == REQUESTS_OF_A_RUN + 2:
            hangs.set()
            goes_on.wait(60)
        return DILIGENT(body)

    with OpenAIServer(reply) as server:
        command = [sys.executable, "-m", "answergraph", "experiment", "evidence-effect", *RUN, "--out", str(tmp_path)]
        options = ["--setting", "tool_strategy", "--model", "openai:small", "--base-url", server.base_url]
        process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert hangs.wait(60)
            process.send_signal(how)
            _, err = process.communicate(timeout=60)
        finally:
            goes_on.set()
            process.kill()
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
        interrupted = (
            f"Interrupted.\nRepeat the command to go on from {tmp_path / 'runs.jsonl'}.\n" if how == signal.SIGINT else ""
        )
        assert err == f"1 of 3 runs\n{interrupted}"
        assert [path.name for path in tmp_path.iterdir()] == ["runs.jsonl"]
        before = len(server.requests)
        ended = evidence_effect(tmp_path, *RUN, base_url=server.base_url, settings=("tool_strategy",))
    assert (ended.code, ended.rows["tool_strategy"]["validate_calls_by_task"]) == (0, "1 1 1")
    assert (before, len(server.requests) - before) == (REQUESTS_OF_A_RUN + 2, 2 * REQUESTS_OF_A_RUN)


def test_without_matplotlib_there_is_all_but_the_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ended = evidence_effect(tmp_path, "--tasks", "1", settings=("no_format",))
    assert ended.code == 0
    assert "No plot: experiment needs matplotlib: pip install 'answergraph[experiment]'" in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs.jsonl", "summary.csv"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--model", "nope"], "'nope' cannot be used"),
        (["--model", "openai:"], "name is missing"),
        (["--model", "openai:gpt-4.1"], "OPENAI_API_KEY"),
        (["--base-url", "http://127.0.0.1:1/v1"], "--model openai:NAME"),
        (["--setting", "nope"], "choose from: no_format, tool_strategy"),
        (["--tasks", "0"], "'--tasks'"),
        (["--tasks", "11"], "'--tasks'"),
        (["--repeats", "0"], "'--repeats'"),
        (["--concurrency", "0"], "'--concurrency'"),
    ],
)
def test_bad_usage_is_reported_before_anything_is_written(tmp_path: Path, options: list[str], why: str) -> None:
    ended = evidence_effect(tmp_path / "new", *options)
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("in_the_way", ["new", "new/runs.jsonl/x", "new/summary.csv/x"])
def test_a_folder_that_cannot_be_written_is_reported_in_one_line(tmp_path: Path, in_the_way: str) -> None:
    path = tmp_path / in_the_way
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("in the way")
    ended = evidence_effect(tmp_path / "new", "--tasks", "1", settings=("no_format",))
    assert ended.code == 2
    assert ended.err.startswith("Error: ")
    assert ended.err.count("\n") == 1


def test_an_experiment_without_a_name_shows_which_there_are() -> None:
    result = CliRunner().invoke(app, ["experiment"])
    assert "evidence-effect" in result.output
