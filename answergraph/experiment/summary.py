"""The report of an experiment: the figures per setting, computed from the measurements of its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from answergraph.experiment.journal import Record, RunKey
from answergraph.experiment.measurement import Measurement, WrongStrategyError
from answergraph.experiment.run_plan import Failed, RunPlan
from answergraph.experiment.seed_experiment import TOOLS, validate_calculation
from answergraph.experiment.settings import Setting
from answergraph.models.model_names import OFFLINE

TITLE = "Does an evidence field make a model check its work?"

OFFLINE_NOTE = (
    "These figures exercise the harness and say nothing about language models: the model 'offline' is a set of rules that was "
    "written to validate where the schema has the field."
)

Figure = Callable[[Sequence[Measurement]], float | None]
"""A figure over some runs; ``None`` where there is nothing to count."""

VALIDATE = validate_calculation.name


@dataclass(frozen=True)
class Metric:
    """A figure with its heading in the tables."""

    heading: str
    figure: Figure
    is_share: bool = False


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


@dataclass(frozen=True)
class Report:
    """The figures of an experiment."""

    model: str
    repeats: int
    """How often everything was done."""
    rows: Sequence[Row]

    @property
    def note(self) -> str | None:
        """What has to stand on every output, ``None`` for nothing."""
        return OFFLINE_NOTE if self.model == OFFLINE else None


def _share(
    heading: str, counts: Callable[[Measurement], bool], among: Callable[[Measurement], bool] = lambda run: True
) -> Metric:
    def share(runs: Sequence[Measurement]) -> float | None:
        chosen = [counts(run) for run in runs if among(run)]
        return fmean(chosen) if chosen else None

    return Metric(heading, share, is_share=True)


def _mean(heading: str, value: Callable[[Measurement], int]) -> Metric:
    return Metric(heading, lambda runs: fmean(map(value, runs)) if runs else None)


def _tokens(heading: str, value: Callable[[Measurement], int]) -> Metric:
    """Return a mean that is none where the provider reports no usage."""
    return Metric(heading, lambda runs: fmean(map(value, runs)) if any(map(value, runs)) else None)


def _calls_of(heading: str, tool: str) -> Metric:
    return _mean(heading, lambda run: run.calls.get(tool, 0))


def _answered(run: Measurement) -> bool:
    return run.answer is not None


def _with_evidence(run: Measurement) -> bool:
    return _answered(run) and run.evidence != "none"


CHECKING: Mapping[str, Metric] = {
    "validate_calls": _calls_of("per task", VALIDATE),
    "validate_rate": _share("tasks validated", lambda run: run.calls.get(VALIDATE, 0) > 0),
    "answered": _share("answered", _answered),
    "correct": _share("correct", lambda run: run.correct),
}
WORTH: Mapping[str, Metric] = {
    "answers_validated": _share("answers validated", lambda run: run.validated, _answered),
    "answers_grounded": _share("answers grounded", lambda run: run.grounded, _answered),
    "evidence_given": _share("evidence given", _with_evidence, _answered),
    "evidence_grounded": _share("evidence grounded", lambda run: run.evidence == "grounded", _with_evidence),
}
COST: Mapping[str, Metric] = {
    "model_calls": _mean("model calls", lambda run: run.model_calls),
    "rounds": _mean("rounds", lambda run: run.rounds),
    "input_tokens": _tokens("tokens in", lambda run: run.input_tokens),
    "output_tokens": _tokens("tokens out", lambda run: run.output_tokens),
    **{f"calls_{tool.name}": _calls_of(tool.name[:3], tool.name) for tool in TOOLS},
}
METRICS: Mapping[str, Metric] = {**CHECKING, **WORTH, **COST}
"""What is computed of each setting; docs/experiment.md says what each is."""


def summarise(plan: RunPlan, records: Mapping[RunKey, Record], failed: Sequence[Failed]) -> Report:
    """Return the report with a row for each setting of a plan."""
    return Report(plan.model_name, plan.repeats, [_row(plan, setting, records, failed) for setting in plan.settings])


def _row(plan: RunPlan, setting: Setting, records: Mapping[RunKey, Record], failed: Sequence[Failed]) -> Row:
    keys = [run.key for run in plan.runs() if run.key.setting == setting.name]
    finished = {key: records[key].measurement for key in keys if key in records}
    failures = [each for each in failed if each.key.setting == setting.name]
    runs, error = list(finished.values()), _error(failures, len(finished), len(keys))
    return Row(
        setting=setting.name,
        about=setting.about,
        planned=len(keys),
        finished=len(finished),
        failed=len(failures),
        error=error,
        validate_calls=() if error else tuple(_of_task(finished, task.id) for task in plan.tasks),
        figures={} if error else {name: metric.figure(runs) for name, metric in METRICS.items()},
        spread={} if error else {name: _spread(metric.figure, finished, plan.repeats) for name, metric in METRICS.items()},
        notes=tuple(sorted({note for run in runs for note in run.notes})),
    )


def _error(failures: Sequence[Failed], finished: int, planned: int) -> str | None:
    others = [each for each in failures if isinstance(each.error, WrongStrategyError)]
    if others:
        return f"{len(others)} of {planned} runs are no runs of this setting: {others[0].error}"
    return None if finished else "no run finished"


def _of_task(finished: Mapping[RunKey, Measurement], task: str) -> float | None:
    return METRICS["validate_calls"].figure([run for key, run in finished.items() if key.task == task])


def _spread(figure: Figure, finished: Mapping[RunKey, Measurement], repeats: int) -> float | None:
    by_repeat = [figure([run for key, run in finished.items() if key.repeat == each]) for each in range(1, repeats + 1)]
    values = [value for value in by_repeat if value is not None]
    return stdev(values) if len(values) > 1 else None
