"""The figures of a setting: over its finished runs, with intervals, or an error."""

from dataclasses import replace

import pytest

from answergraph.experiment.journal import HowMade, Record, RunKey
from answergraph.experiment.measurement import Measurement, WrongStrategyError
from answergraph.experiment.run_plan import RunPlan
from answergraph.experiment.seed_experiment import TASKS
from answergraph.experiment.settings import SETTINGS
from answergraph.experiment.summary import METRICS, Row, summarise
from answergraph.kit.intervals import wilson

PLAN = RunPlan("m", SETTINGS[:2], TASKS[:4], repeats=2)
KEYS = [run.key for run in PLAN.runs() if run.key.setting == "no_format"]
RUN = Measurement(
    status="answered",
    answer=1.0,
    correct=True,
    calls={"validate_calculation": 1},
    rounds=1,
    validated=True,
    grounded=True,
    evidence="grounded",
    model_calls=2,
    input_tokens=0,
    output_tokens=0,
    notes=[],
)


def records(*runs: Measurement) -> dict[RunKey, Record]:
    return {key: Record(key, run) for key, run in zip(KEYS, runs, strict=False)}


def row(finished: dict[RunKey, Record], failed: dict[RunKey, Exception] | None = None) -> Row:
    return next(each for each in summarise(PLAN, finished, failed or {}).rows if each.setting == "no_format")


def validating(*calls: int) -> list[Measurement]:
    return [replace(RUN, calls={"validate_calculation": count} if count else {}) for count in calls]


def test_a_share_has_the_interval_of_its_tasks_and_a_mean_has_none() -> None:
    of = row(records(*validating(0, 1, 0, 0), *validating(1, 1, 1, 3)))
    assert of.figures["validate_calls"] == 7 / 8
    assert of.figures["validate_rate"] == 5 / 8
    assert of.intervals["validate_rate"] == wilson(5 / 8, 4)
    assert "validate_calls" not in of.intervals
    assert of.validate_calls == (0.5, 1, 0.5, 1.5)


def test_what_is_compared_is_compared_task_by_task() -> None:
    runs = {"no_format": validating(0, 1, 0, 0), "tool_strategy": validating(1, 1, 1, 0)}
    keys = [run.key for run in PLAN.runs() if run.key.repeat == 1]
    finished = {key: Record(key, runs[key.setting].pop(0)) for key in keys}
    (compared,) = summarise(PLAN, finished, {}).comparisons
    assert (compared.setting, compared.other, compared.rates) == ("tool_strategy", "no_format", (0.75, 0.25))
    assert (compared.test.pairs, compared.test.higher, compared.test.lower, compared.test.p) == (4, 2, 0, 0.5)


def test_the_report_says_how_the_runs_were_made() -> None:
    made = HowMade("2026-11-22T10:00:00+00:00", "1.0", ["small-7b"], {"temperature": 0.0})
    report = summarise(PLAN, {KEYS[0]: Record(KEYS[0], RUN, made), KEYS[1]: Record(KEYS[1], RUN)}, {})
    assert report.provenance == {
        "date": "2026-11-22",
        "answergraph": "1.0",
        "served": "small-7b",
        "parameters": "temperature=0.0",
    }


def test_an_unfinished_plan_counts_what_is_there() -> None:
    of = row(records(*validating(0, 1, 0, 0)))
    assert (of.finished, of.planned) == (4, 8)
    assert of.figures["validate_rate"] == 0.25


def test_a_failed_run_is_reported_and_not_counted() -> None:
    of = row(records(*validating(1, 1)), {KEYS[2]: RuntimeError("503")})
    assert (of.finished, of.failed, of.error) == (2, 1, None)
    assert of.figures["validate_rate"] == 1
    assert of.validate_calls == (1, 1, None, None)


def test_without_any_finished_run_there_is_an_error_and_no_figure() -> None:
    of = row({}, {key: RuntimeError("503") for key in KEYS})
    assert (of.error, of.failed, of.figures, of.intervals, of.validate_calls) == ("no run finished", 8, {}, {}, ())


def test_one_run_asked_otherwise_makes_the_row_an_error() -> None:
    of = row(records(*validating(1, 1, 1)), {KEYS[3]: WrongStrategyError("asked for by prompted, not by tool")})
    assert of.error == "1 of 8 runs do not belong to this setting: asked for by prompted, not by tool"
    assert (of.figures, of.intervals, of.validate_calls) == ({}, {}, ())


def test_runs_of_other_plans_are_left_out() -> None:
    others = [replace(KEYS[0], configuration="other"), replace(KEYS[0], repeat=3), replace(KEYS[0], task="calc_10")]
    assert row({key: Record(key, RUN) for key in others}).finished == 0


def test_a_share_of_the_answers_is_none_without_answers() -> None:
    silent = replace(RUN, answer=None, correct=False, validated=False, grounded=False, evidence="none")
    of = row(records(silent, silent)).figures
    assert (of["answered"], of["correct"], of["validate_rate"]) == (0, 0, 1)
    assert [of[name] for name in ("answers_validated", "answers_grounded", "evidence_given", "evidence_grounded")] == [None] * 4
    assert row(records(silent, RUN)).figures["answers_validated"] == 1


def test_grounded_evidence_is_a_share_of_the_evidence_given() -> None:
    runs = [replace(RUN, evidence=kind) for kind in ("none", "grounded", "invented", "invented")]
    of = row(records(*runs)).figures
    assert of["evidence_given"] == 0.75
    assert of["evidence_grounded"] == pytest.approx(1 / 3)


def test_tokens_are_none_where_the_provider_reports_none() -> None:
    assert row(records(RUN)).figures["input_tokens"] is None
    assert row(records(RUN, replace(RUN, input_tokens=10))).figures["input_tokens"] == 5


def test_every_setting_has_every_figure() -> None:
    (first, second) = summarise(PLAN, records(RUN), {}).rows
    assert (first.setting, second.setting) == ("no_format", "tool_strategy")
    assert set(first.figures) == set(METRICS)
