"""What the measurements come to: one row per setting, the same figures for every output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from answergraph.experiment.journal import Record, RunKey
from answergraph.experiment.measurement import Measurement
from answergraph.experiment.run_plan import Failed, Plan
from answergraph.experiment.seed_experiment import TOOLS, validate_calculation

Metric = Callable[[Sequence[Measurement]], float | None]
"""A figure over some runs; ``None`` where there is nothing to count."""

VALIDATE = validate_calculation.name


@dataclass(frozen=True)
class Row:
    """One setting's figures.

    Attributes:
        setting: Its name.
        about: What it is there for.
        planned: How many runs there were to be.
        finished: How many there are; the figures are over these.
        failed: How many brought nothing because something was raised, most often by the provider.
        error: Why there are no figures, ``None`` if there are any.
        validate_calls: Per task, how often it called for a validation: a mean over the repeats, ``None`` without a run.
        figures: Per metric its value over all finished runs.
        spread: Per metric the standard deviation of its values per repeat; only with two repeats or more.
        notes: What was different in how answers were asked for.
    """

    setting: str
    about: str
    planned: int
    finished: int
    failed: int
    error: str | None
    validate_calls: tuple[float | None, ...]
    figures: Mapping[str, float | None]
    spread: Mapping[str, float | None]
    notes: tuple[str, ...]


def _share(counts: Callable[[Measurement], bool], among: Callable[[Measurement], bool] = lambda run: True) -> Metric:
    def share(runs: Sequence[Measurement]) -> float | None:
        chosen = [counts(run) for run in runs if among(run)]
        return fmean(chosen) if chosen else None

    return share


def _average(value: Callable[[Measurement], int]) -> Metric:
    return lambda runs: fmean(map(value, runs)) if runs else None


def _tokens(value: Callable[[Measurement], int]) -> Metric:
    """Return a mean that is none where the provider reports no usage."""
    return lambda runs: fmean(map(value, runs)) if any(map(value, runs)) else None


def _calls_of(tool: str) -> Metric:
    return _average(lambda run: run.calls.get(tool, 0))


def _answered(run: Measurement) -> bool:
    return run.answer is not None


METRICS: Mapping[str, Metric] = {
    "validate_calls": _calls_of(VALIDATE),
    "validate_rate": _share(lambda run: run.calls.get(VALIDATE, 0) > 0),
    "answered": _share(_answered),
    "correct": _share(lambda run: run.correct),
    "answers_validated": _share(lambda run: run.validated, _answered),
    "answers_grounded": _share(lambda run: run.grounded, _answered),
    "evidence_given": _share(lambda run: run.evidence != "none", _answered),
    "evidence_grounded": _share(lambda run: run.evidence == "grounded", lambda run: _answered(run) and run.evidence != "none"),
    "model_calls": _average(lambda run: run.model_calls),
    "rounds": _average(lambda run: run.rounds),
    "input_tokens": _tokens(lambda run: run.input_tokens),
    "output_tokens": _tokens(lambda run: run.output_tokens),
    **{f"calls_{tool.name}": _calls_of(tool.name) for tool in TOOLS},
}
"""What is computed of each setting; docs/experiment.md says what each is."""


def summarise(plan: Plan, records: Mapping[RunKey, Record], failed: Iterable[Failed]) -> list[Row]:
    """Return a row for each setting of a plan.

    Args:
        plan: What was to be run.
        records: The finished runs; those of other plans are left out.
        failed: The runs that failed.
    """
    failures = list(failed)
    return [_row(plan, name, records, [each for each in failures if each.key.setting == name]) for name in _names(plan)]


def _names(plan: Plan) -> list[str]:
    return [setting.name for setting in plan.settings]


def _row(plan: Plan, name: str, records: Mapping[RunKey, Record], failures: Sequence[Failed]) -> Row:
    keys = [run.key for run in plan.runs() if run.key.setting == name]
    finished = {key: records[key].measurement for key in keys if key in records}
    runs, error = list(finished.values()), _error(failures, len(finished), len(keys))
    return Row(
        setting=name,
        about=next(setting.about for setting in plan.settings if setting.name == name),
        planned=len(keys),
        finished=len(finished),
        failed=len(failures),
        error=error,
        validate_calls=() if error else tuple(_of_task(finished, task.id) for task in plan.tasks),
        figures={} if error else {metric: value(runs) for metric, value in METRICS.items()},
        spread={} if error else {metric: _spread(value, finished, plan.repeats) for metric, value in METRICS.items()},
        notes=tuple(sorted({note for run in runs for note in run.notes})),
    )


def _error(failures: Sequence[Failed], finished: int, planned: int) -> str | None:
    others = [each for each in failures if each.on_another_rung]
    if others:
        return f"{len(others)} of {planned} runs are no runs of this setting: {others[0].error}"
    return None if finished else "no run finished"


def _of_task(finished: Mapping[RunKey, Measurement], task: str) -> float | None:
    return METRICS["validate_calls"]([run for key, run in finished.items() if key.task == task])


def _spread(metric: Metric, finished: Mapping[RunKey, Measurement], repeats: int) -> float | None:
    by_repeat = [metric([run for key, run in finished.items() if key.repeat == each]) for each in range(1, repeats + 1)]
    values = [value for value in by_repeat if value is not None]
    return stdev(values) if len(values) > 1 else None
