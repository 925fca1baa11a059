"""The figures per setting, computed from the measurements of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from answergraph.experiment.journal import Record, RunKey
from answergraph.experiment.measurement import Measurement
from answergraph.experiment.run_plan import Failed, RunPlan
from answergraph.experiment.seed_experiment import TOOLS, validate_calculation

Metric = Callable[[Sequence[Measurement]], float | None]
"""A figure over some runs; ``None`` where there is nothing to count."""

VALIDATE = validate_calculation.name


@dataclass(frozen=True)
class Row:
    """One setting's figures."""

    setting: str
    about: str
    planned: int
    """The number of runs in the plan."""
    finished: int
    """The number of runs that the figures are over."""
    failed: int
    """The number of runs that raised an error, most often the provider's."""
    error: str | None
    """Why there are no figures, ``None`` if there are any."""
    validate_calls: tuple[float | None, ...]
    """Per task, how often it called for a validation: a mean over the repeats, ``None`` without a run."""
    figures: Mapping[str, float | None]
    """Per metric its value over all finished runs."""
    spread: Mapping[str, float | None]
    """Per metric the standard deviation of its values per repeat; only with two repeats or more."""
    notes: tuple[str, ...]
    """What was different in how answers were asked for."""


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


def summarise(plan: RunPlan, records: Mapping[RunKey, Record], failed: Iterable[Failed]) -> list[Row]:
    """Return a row for each setting of a plan."""
    failures = list(failed)
    return [_row(plan, name, records, [each for each in failures if each.key.setting == name]) for name in _names(plan)]


def _names(plan: RunPlan) -> list[str]:
    return [setting.name for setting in plan.settings]


def _row(plan: RunPlan, name: str, records: Mapping[RunKey, Record], failures: Sequence[Failed]) -> Row:
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
    others = [each for each in failures if each.asked_otherwise]
    if others:
        return f"{len(others)} of {planned} runs are no runs of this setting: {others[0].error}"
    return None if finished else "no run finished"


def _of_task(finished: Mapping[RunKey, Measurement], task: str) -> float | None:
    return METRICS["validate_calls"]([run for key, run in finished.items() if key.task == task])


def _spread(metric: Metric, finished: Mapping[RunKey, Measurement], repeats: int) -> float | None:
    by_repeat = [metric([run for key, run in finished.items() if key.repeat == each]) for each in range(1, repeats + 1)]
    values = [value for value in by_repeat if value is not None]
    return stdev(values) if len(values) > 1 else None
