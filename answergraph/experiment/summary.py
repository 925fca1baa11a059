"""The report of an experiment: figures per setting, computed from its runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from answergraph.experiment.journal import Record, RunKey
from answergraph.experiment.measurement import Measurement, WrongStrategyError
from answergraph.experiment.run_plan import RunPlan
from answergraph.experiment.seed_experiment import TOOLS, validate_calculation
from answergraph.experiment.settings import COMPARED, Setting
from answergraph.kit.intervals import PairedTest, wilson

TITLE = "Does an evidence field make a model check its work?"

OFFLINE_NOTE = (
    "These figures exercise the harness and say nothing about language models: the model 'offline' is a set of rules that "
    "validates if the schema has the field."
)

SMALL_SAMPLE_NOTE = (
    "Ten tasks can only show large effects: two settings differ at p < 0.05 if at least 6 tasks differ, all of them in one "
    "direction. All tasks are of one kind, and a repeated task is not a new one: intervals and tests count tasks."
)
"""The limits of the figures, printed under every table."""

Figure = Callable[[Sequence[Measurement]], float | None]
"""A figure over runs; ``None`` if there is nothing to count."""

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
    finished: int
    failed: int
    """The number of runs that raised an error."""
    error: str | None
    """Why there are no figures, else ``None``."""
    validate_calls: tuple[float | None, ...]
    """Mean number of validation calls per task, ``None`` without a run."""
    figures: Mapping[str, float | None]
    intervals: Mapping[str, tuple[float, float]]
    """The 95 % interval of each share; trials are tasks."""
    notes: tuple[str, ...]
    """Differences in how the answers were requested."""


@dataclass(frozen=True)
class Comparison:
    """A comparison of two settings, task by task."""

    setting: str
    other: str
    rates: tuple[float, float]  # the share of tasks validated in each
    test: PairedTest


@dataclass(frozen=True)
class Report:
    """The figures of an experiment."""

    model: str
    repeats: int
    rows: Sequence[Row]
    comparisons: Sequence[Comparison] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Dates, version, served models and their settings."""

    @property
    def note(self) -> str | None:
        return OFFLINE_NOTE if self.model == "offline" else None


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
    """Return a mean, or ``None`` if the provider reports no usage."""
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
"""The metrics of each setting, as explained in docs/experiment.md."""


def summarise(plan: RunPlan, records: Mapping[RunKey, Record], failed: Mapping[RunKey, Exception]) -> Report:
    chosen = {run.key: records[run.key] for run in plan.runs() if run.key in records}
    rows = [_row(plan, setting, records, failed) for setting in plan.settings]
    usable = {row.setting for row in rows if not row.error}
    by_setting = {name: {key: record for key, record in chosen.items() if key.setting == name} for name in usable}
    pairs = [(setting.name, COMPARED.get(setting.name, "")) for setting in plan.settings]
    compared = [compare(one, other, by_setting[one], by_setting[other]) for one, other in pairs if {one, other} <= usable]
    return Report(plan.model_name, plan.repeats, rows, compared, provenance(chosen.values()))


def provenance(records: Iterable[Record]) -> dict[str, str]:
    made = [record.made for record in records]
    dates = sorted(each.date for each in made if each.date)
    facts = {
        "date": " to ".join(dict.fromkeys((dates[0][:10], dates[-1][:10]))) if dates else "",
        "answergraph": ", ".join(sorted({each.version for each in made} - {""})),
        "served": ", ".join(sorted({name for each in made for name in each.served})),
        "parameters": ", ".join(sorted({f"{name}={value}" for each in made for name, value in each.parameters.items()})),
    }
    return {name: value for name, value in facts.items() if value}


def compare(one: str, other: str, runs: Mapping[RunKey, Record], others: Mapping[RunKey, Record]) -> Comparison:
    """Compare two settings by the share of tasks validated, on their common tasks."""
    metric = "validate_rate"
    tasks = [task for task in dict.fromkeys(key.task for key in runs) if task in {key.task for key in others}]
    pairs = [(_of_task(runs, task, metric), _of_task(others, task, metric)) for task in tasks]
    known = [(first, second) for first, second in pairs if first is not None and second is not None]
    means = (fmean(pair[0] for pair in known), fmean(pair[1] for pair in known)) if known else (0.0, 0.0)
    return Comparison(one, other, means, PairedTest.of(known))


def _row(plan: RunPlan, setting: Setting, records: Mapping[RunKey, Record], failed: Mapping[RunKey, Exception]) -> Row:
    keys = [run.key for run in plan.runs() if run.key.setting == setting.name]
    finished = {key: records[key] for key in keys if key in records}
    failures = [error for key, error in failed.items() if key.setting == setting.name]
    runs, error = [record.measurement for record in finished.values()], _error(failures, len(finished), len(keys))
    figures = {} if error else {name: metric.figure(runs) for name, metric in METRICS.items()}
    shares = {name: [_of_task(finished, task.id, name) for task in plan.tasks] for name, each in METRICS.items() if each.is_share}
    tasks = {name: len(plan.tasks) - values.count(None) for name, values in shares.items()}
    return Row(
        setting=setting.name,
        about=setting.about,
        planned=len(keys),
        finished=len(finished),
        failed=len(failures),
        error=error,
        validate_calls=() if error else tuple(_of_task(finished, task.id, "validate_calls") for task in plan.tasks),
        figures=figures,
        intervals={name: wilson(rate, tasks[name]) for name in tasks if (rate := figures.get(name)) is not None},
        notes=tuple(sorted({note for run in runs for note in run.notes})),
    )


def _error(failures: Sequence[Exception], finished: int, planned: int) -> str | None:
    others = [error for error in failures if isinstance(error, WrongStrategyError)]
    if others:
        return f"{len(others)} of {planned} runs do not belong to this setting: {others[0]}"
    return None if finished else "no run finished"


def _of_task(finished: Mapping[RunKey, Record], task: str, metric: str) -> float | None:
    runs = [record.measurement for key, record in finished.items() if key.task == task]
    return METRICS[metric].figure(runs) if runs else None
