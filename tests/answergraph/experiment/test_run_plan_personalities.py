"""The harness measures a model with known behaviour correctly, in every setting."""

import sys
from pathlib import Path

import pytest

from answergraph.experiment.settings import SETTINGS
from tests.answergraph.experiment.command import Rows, evidence_effect
from tests.answergraph.experiment.personalities import (
    CARELESS,
    DILIGENT,
    FORGETFUL,
    HASTY,
    LAZY,
    OF_THE_SEED,
    WITHOUT_A_FORMAT,
    Personality,
)
from tests.openai_server import OpenAIServer

ALL = tuple(setting.name for setting in SETTINGS)
OF_THE_SEEDS_TABLE = ("no_format", "tool_strategy", "provider_strategy")
WITH_FIELD = ("tool_strategy", "provider_strategy", "prompted", "no_format_named", "tool_required", "provider_required")
WITHOUT_FIELD = ("no_format", "tool_no_field", "provider_no_field")

# validate_rate, answered, correct, answers_validated, answers_grounded, evidence_given, evidence_grounded, model_calls, rounds
Figures = tuple[float | None, ...]
COLUMNS = (
    *("validate_rate", "answered", "correct", "answers_validated", "answers_grounded", "evidence_given", "evidence_grounded"),
    *("model_calls", "rounds"),
)


def expected(with_field: Figures, without_field: Figures, deferred: Figures, require_tools: Figures) -> dict[str, Figures]:
    kinds = [(WITH_FIELD, with_field), (WITHOUT_FIELD, without_field), (("deferred",), deferred)]
    return {name: figures for names, figures in kinds for name in names} | {"require_tools": require_tools}


KNOWN: dict[str, tuple[Personality, dict[str, Figures]]] = {
    "diligent": (
        DILIGENT,
        expected(
            with_field=(1, 1, 1, 1, 1, 1, 1, 6, 5),
            without_field=(1, 1, 1, 1, 1, 0, None, 6, 5),
            deferred=(1, 1, 1, 1, 1, 1, 1, 7, 5),
            require_tools=(1, 1, 1, 1, 1, 1, 1, 6, 5),
        ),
    ),
    "lazy": (
        LAZY,
        expected(
            with_field=(0, 1, 1, 0, 1, 0, None, 5, 4),
            without_field=(0, 1, 1, 0, 1, 0, None, 5, 4),
            deferred=(0, 1, 1, 0, 1, 0, None, 6, 4),
            require_tools=(1, 1, 1, 1, 1, 1, 1, 7, 5),
        ),
    ),
    "hasty": (
        HASTY,
        expected(
            with_field=(0, 1, 0, 0, 0, 0, None, 1, 0),
            without_field=(0, 1, 0, 0, 0, 0, None, 1, 0),
            deferred=(0, 1, 0, 0, 0, 0, None, 2, 0),
            require_tools=(0, 0, 0, None, None, None, None, 2, 0),
        ),
    ),
    "forgetful": (
        FORGETFUL,
        expected(
            with_field=(0, 1, 1, 0, 1, 1, 0, 5, 4),
            without_field=(0, 1, 1, 0, 1, 0, None, 5, 4),
            deferred=(0, 1, 1, 0, 1, 1, 0, 6, 4),
            require_tools=(1, 1, 1, 1, 1, 1, 1, 7, 5),
        ),
    ),
    "careless": (
        CARELESS,
        expected(
            with_field=(1, 1, 1, 0, 1, 1, 1, 6, 5),
            without_field=(1, 1, 1, 0, 1, 0, None, 6, 5),
            deferred=(1, 1, 1, 0, 1, 1, 1, 7, 5),
            require_tools=(1, 0, 0, None, None, None, None, 7, 5),
        ),
    ),
}


@pytest.fixture(autouse=True)
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the package away that draws: it takes longer than the runs do, and figures are all that is asked for here."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def measured(folder: Path, personality: Personality, tasks: int, settings: tuple[str, ...] = ()) -> Rows:
    with OpenAIServer(personality) as server:
        ended = evidence_effect(folder, "--tasks", str(tasks), base_url=server.base_url, settings=settings)
    assert (ended.code, [line for line in ended.err.splitlines() if "Failed" in line]) == (0, [])
    return ended.rows


def figures(row: dict[str, str]) -> Figures:
    return tuple(float(row[column]) if row[column] else None for column in COLUMNS)


def test_the_seeds_own_table_comes_out(tmp_path: Path) -> None:
    rows = measured(tmp_path, OF_THE_SEED, tasks=10, settings=OF_THE_SEEDS_TABLE)
    per_task = {name: row["validate_calls_by_task"].split() for name, row in rows.items()}
    assert per_task["no_format"] == [str(calls) for calls in WITHOUT_A_FORMAT] == list("0010100101")
    assert per_task["tool_strategy"] == per_task["provider_strategy"] == ["1"] * 10
    assert [row["validate_calls"] for row in rows.values()] == ["0.4", "1.0", "1.0"]
    assert [row["validate_rate"] for row in rows.values()] == ["0.4", "1.0", "1.0"]
    assert [row["correct"] for row in rows.values()] == ["1.0", "1.0", "1.0"]
    assert [(row["planned"], row["finished"], row["failed"]) for row in rows.values()] == [("10", "10", "0")] * 3


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_behaviour_is_what_is_measured_in_every_setting(tmp_path: Path, name: str) -> None:
    personality, known = KNOWN[name]
    rows = measured(tmp_path, personality, tasks=1)
    assert {name: figures(row) for name, row in rows.items()} == known
    assert tuple(rows) == ALL
    for row in rows.values():
        calls = float(row["model_calls"])
        assert (float(row["input_tokens"]), float(row["output_tokens"])) == (10 * calls, 5 * calls)
        each = [float(row[f"calls_{tool}"]) for tool in ("add", "subtract", "multiply", "divide")]
        assert each == [1.0 if personality.calculates else 0.0] * 4
        assert row["calls_validate_calculation"] == row["validate_calls"]


def test_naming_the_field_is_told_apart_from_offering_a_schema(tmp_path: Path) -> None:
    settings = ("no_format_named", "deferred", "tool_no_field", "provider_no_field", "tool_required", "provider_required")
    rows = measured(tmp_path, OF_THE_SEED, tasks=3, settings=settings)
    assert {name: row["validate_calls_by_task"] for name, row in rows.items()} == {
        "no_format_named": "1 1 1",
        "deferred": "0 0 1",  # the model sees the field only when its tools are gone
        "tool_no_field": "0 0 1",
        "provider_no_field": "0 0 1",
        "tool_required": "1 1 1",
        "provider_required": "1 1 1",
    }


@pytest.mark.parametrize("personality", [DILIGENT, LAZY, HASTY, FORGETFUL, CARELESS, OF_THE_SEED])
def test_require_tools_lets_no_answer_through_that_was_not_validated(tmp_path: Path, personality: Personality) -> None:
    row = measured(tmp_path, personality, tasks=2, settings=("require_tools",))["require_tools"]
    assert (row["answered"], row["answers_validated"]) in {("1.0", "1.0"), ("0.0", "")}
    assert row["answered"] == ("0.0" if personality in {HASTY, CARELESS} else "1.0")
