"""An answer is saved with its evidence, and re-checked from the file alone."""

import json
from pathlib import Path

import pytest

from tests.answergraph.cli.test_command_line import TASK, answergraph


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "answer.json"
    code, out, err = answergraph("ask", TASK, "--bundle", str(path))
    assert (code, out.splitlines()[0], err) == (0, "Calculation (by rules)", "")
    return path


def test_a_saved_answer_holds(saved: Path) -> None:
    code, out, err = answergraph("verify", str(saved))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    # What no mark asked to check is named before what holds.
    assert lines.index("unchecked  reasoning: no evidence was asked for") < len(lines) - 1
    assert any(line.startswith("holds  final_answer: ") for line in lines)


def test_a_changed_answer_does_not(saved: Path) -> None:
    saved.write_text(saved.read_text().replace('"final_answer": 257.25', '"final_answer": 257.52'))
    code, out, _ = answergraph("verify", str(saved))
    assert code == 1
    assert any(line.startswith("DOES NOT HOLD  final_answer: 257.52") for line in out.splitlines())


def test_a_run_without_an_answer_is_saved_too_and_claims_nothing(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    code, _, _ = answergraph("ask", "1 / 0", "--bundle", str(path))
    assert (code, json.loads(path.read_text())["status"]) == (1, "refused")
    code, out, _ = answergraph("verify", str(path))
    assert (code, out) == (1, "DOES NOT HOLD  bundle: nothing is claimed in it: no field was checked\n")


def test_a_duplicate_name_is_refused(saved: Path) -> None:
    saved.write_text(saved.read_text().replace('"status": ', '"status": "refused",\n "status": ', 1))
    code, out, err = answergraph("verify", str(saved))
    assert (code, out) == (2, "")
    assert "a name is repeated" in err


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_key_is_refused_before_anything_is_run_or_signed(tmp_path: Path, saved: Path, content: str) -> None:
    key, unwritten = tmp_path / "key", tmp_path / "none.json"
    key.write_text(content)
    for command in (["ask", TASK, "--bundle", str(unwritten)], ["triage", str(tmp_path)], ["verify", str(saved)]):
        code, out, err = answergraph(*command, "--key", str(key))
        assert (code, out) == (2, "")
        assert "is empty, so anybody could sign with it" in err
    assert not unwritten.exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[{}]", "it is a list; check each of its bundles by itself"),
        ('"text"', "it has neither 'answer' nor 'bundles'; a bundle is the object that answer_bundle returns"),
        ('{"answers": 1}', "it has neither 'answer' nor 'bundles'; a bundle is the object that answer_bundle returns"),
        ('{"format": "other", "answer": 1}', "its format is 'other'"),
    ],
)
def test_what_is_no_bundle_is_said_in_words(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "answer.json"
    path.write_text(content)
    _, _, err = answergraph("verify", str(path))
    assert err == f"Error: {path} was not written by --bundle. This is not an answer bundle: {why}\n"


NO_BUNDLES = ["", "[]", "{}", '"text"', '{"answer": 1, "evidence": [], "messages": {}}', "[" * 100_000]


@pytest.mark.parametrize("content", NO_BUNDLES, ids=range(len(NO_BUNDLES)))
def test_a_file_that_is_not_a_bundle_is_bad_usage(tmp_path: Path, content: str) -> None:
    path = tmp_path / "answer.json"
    path.write_text(content)
    code, out, err = answergraph("verify", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_a_file_that_is_not_there_is_bad_usage_for_reading_and_writing(tmp_path: Path) -> None:
    missing = str(tmp_path / "no" / "answer.json")
    assert answergraph("verify", missing)[0] == 2
    assert answergraph("ask", TASK, "--bundle", missing)[0] == 2
