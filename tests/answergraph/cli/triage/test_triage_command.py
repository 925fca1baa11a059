"""``answergraph triage`` as a shell and a person see it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from answergraph.graphs.add_ons.triage import FalseNegativeCheck
from tests.answergraph.cli.test_command_line import answergraph
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results
from tests.openai_server import OpenAIServer, says

REFUSED = "E       ConnectionRefusedError: [Errno 111] Connection refused\n\nrates.py:7: ConnectionRefusedError"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_results(tmp_path, failed("test_rates", REFUSED), passed("test_total"))
    return tmp_path


def test_a_table_and_the_details_are_printed(place: Path) -> None:
    code, out, err = answergraph("triage", str(place))
    assert (code, err) == (0, "")
    assert out.startswith("1 case of 1 cause: 1 should have passed. Judged by rules.\n")
    assert "shop::test_rates" in out
    assert "temporary_error" in out
    assert "│ ConnectionRefusedError: [Errno 111] Connection refused" in out


def test_json_prints_the_reports_and_nothing_else(place: Path) -> None:
    code, out, err = answergraph("triage", str(place), "--json")
    assert (code, err) == (0, "")
    (report,) = json.loads(out)["reports"]
    assert FalseNegativeCheck.model_validate(report["answer"]).is_false_negative


def test_the_bundle_holds_when_it_is_verified_and_not_when_it_was_changed(place: Path) -> None:
    bundle, key = place.parent / "bundle.json", place.parent / "key"
    key.write_text("secret")
    assert answergraph("triage", str(place), "--bundle", str(bundle), "--key", str(key))[0] == 0
    code, out, _ = answergraph("verify", str(bundle), "--key", str(key))
    assert code == 0
    assert any(line.startswith("holds  results.xml#1 evidence[0]: ") for line in out.splitlines())
    saved = json.loads(bundle.read_text())
    bundle.write_text(json.dumps({**saved, "bundles": saved["bundles"][1:]}))
    assert answergraph("verify", str(bundle))[0] == 1
    saved["bundles"][0]["answer"]["evidence"][0] = "ConnectionRefusedError: [Errno 112] Connection refused"
    bundle.write_text(json.dumps(saved))
    code, out, _ = answergraph("verify", str(bundle))
    assert code == 1
    assert any(line.startswith("DOES NOT HOLD  results.xml#1 evidence[0]: ") for line in out.splitlines())


def test_one_bad_file_is_reported_and_the_others_are_triaged(place: Path) -> None:
    (place / "core.log").write_bytes(b"\0\1\2" * 999)
    (place / "bomb.xml").write_text('<!DOCTYPE t [<!ENTITY a "b">]><testsuite/>')
    code, out, err = answergraph("triage", str(place))
    assert code == 0
    assert "shop::test_rates" in out
    assert err.splitlines() == [
        "'bomb.xml' declares XML entities, which are not resolved; not read.",
        "'core.log' is a binary file of 2997 bytes, not text.",
    ]


@pytest.mark.parametrize(("name", "why"), [(None, "The folder has no files."), ("app.log", "The folder has no JUnit XML")])
def test_exit_code_1_means_that_nothing_could_be_triaged(tmp_path: Path, name: str | None, why: str) -> None:
    if name:
        (tmp_path / name).write_text("ERROR")
    code, out, err = answergraph("triage", str(tmp_path))
    assert (code, out) == (1, "")
    assert err.startswith(why)
    assert err.count("\n") == 1


def test_a_run_without_a_failure_is_reported_and_is_not_an_error(tmp_path: Path) -> None:
    write_results(tmp_path, passed("test_total"))
    code, out, err = answergraph("triage", str(tmp_path))
    assert (code, out, err) == (0, "None of the 1 results is a failure, and no log shows one.\n", "")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (
            '<testsuite failures="5"><testcase name="t"/></testsuite>',
            "counts 5 failures and errors, and has no case that failed.",
        ),
        ('<testsuite><testcase name="t"/><testcase name="u"><fail', "is no complete XML (unclosed token: line 1, column 50)"),
    ],
)
def test_where_results_are_missing_it_is_not_said_that_none_failed(tmp_path: Path, written: str, why: str) -> None:
    (tmp_path / "r.xml").write_text(written)
    code, out, err = answergraph("triage", str(tmp_path))
    assert (code, out) == (1, "None of the 1 results that were read is a failure, and no log shows one.\n")
    assert err.startswith(f"'r.xml' {why}")


@pytest.mark.parametrize(
    "missing",
    [
        '<testsuite><testcase name="lost"><fail',
        '<testsuite failures="2"><testcase name="t"><failure message="KeyError: 7"/></testcase></testsuite>',
    ],
    ids=["cut", "counted"],
)
def test_fail_on_does_not_pass_where_results_are_missing(place: Path, missing: str) -> None:
    (place / "cut.xml").write_text(missing)
    assert answergraph("triage", str(place))[0] == 0
    assert answergraph("triage", str(place), "--fail-on", "real")[0] == 1
    assert answergraph("triage", str(place), "--fail-on", "not-real")[0] == 3
    assert json.loads(answergraph("triage", str(place), "--json")[1])["unread"] == ["cut.xml"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["triage"], "Missing argument"),
        (["triage", "there-is-none"], "does not exist"),
        (["triage", "README.md"], "is a file"),
        (["triage", "tests", "--model", "nope"], "'nope' cannot be used"),
        (["triage", "tests/graphs", "--html", "no-such-folder/x.html"], "no-such-folder"),
    ],
)
def test_bad_usage_is_reported_with_exit_code_2(arguments: list[str], why: str) -> None:
    code, out, err = answergraph(*arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert "Traceback" not in err


def test_text_of_the_files_is_not_a_terminal_command(tmp_path: Path) -> None:
    write_results(
        tmp_path, failed("test_[red]x[/red]", "E   OSError: \u009b31m[bold]No space left on device[/bold]\n\nx.py:1: OSError")
    )
    _, out, _ = answergraph("triage", str(tmp_path))
    assert "\u009b" not in out
    assert "test_[red]x[/red]" in out
    assert "[bold]No space left on device[/bold]" in out


def test_a_model_that_cannot_be_reached_ends_in_one_line(place: Path) -> None:
    with OpenAIServer(lambda body: says("I do not know.")) as server:
        url = server.base_url
    code, out, err = answergraph("triage", str(place), "--model", "openai:x", "--base-url", url, env={"OPENAI_MAX_RETRIES": "0"})
    estimate, reason = err.splitlines()
    assert (code, out) == (1, "")
    assert estimate.startswith("1 case of 1 cause to judge: about 5 calls of the model and ")
    assert "Connection" in reason


@pytest.mark.torture
def test_a_person_sees_a_progress_bar_over_the_cases(place: Path) -> None:
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "answergraph", "triage", str(place)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=follower, env={**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    )
    os.close(follower)
    seen = b""
    try:
        while chunk := os.read(leader, 4096):
            seen += chunk
    except OSError:  # Linux says so when the other side is closed
        pass
    finally:
        os.close(leader)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"causes" in seen
    assert b"1/1" in seen
    assert b"shop::test_rates" in out
