"""The command ``answergraph experiment``: runs an experiment, shows its table and writes its files."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answergraph.cli.terminal.command_runner import (
    NO_ANSWER,
    BaseUrlOption,
    ModelOption,
    chosen_model,
    error_line,
    errors_as_bad_usage,
    one_line,
    say,
)
from answergraph.models.model_names import OFFLINE
from answergraph.runtime.extras import MissingExtraError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from answergraph.experiment.journal import Journal, RunKey
    from answergraph.experiment.run_plan import RunPlan
    from answergraph.experiment.settings import Setting
    from answergraph.experiment.summary import Report

JOURNAL, CSV, PLOTS = "runs.jsonl", "summary.csv", ("plot.png", "plot.svg")
"""The files in the folder of an experiment."""

OFFLINE_NOTE = (
    "The figures of the default model, 'offline', say nothing about language models: it is a set of rules that "
    "validates if the schema has the field."
)
MAX_TASKS = 10

_WIDTH = 132
"""Width of tables if stdout is not a terminal."""
_LINES = 20
"""Lines of progress at most if stderr is not a terminal."""

experiments = typer.Typer(name="experiment", help="Repeat an experiment with a model of your own.", no_args_is_help=True)


@experiments.callback()
def _experiments() -> None:
    """Keeps the name of the experiment as a subcommand."""


@experiments.command(
    name="evidence-effect",
    help="Does an evidence field in the answer's schema make a model check its work? Ten calculations, asked for in several "
    "settings. Finished runs are kept in the folder: repeat the command to resume. "
    f"Exit code 0: every run finished; 1: some did not; 2: bad usage.\n\n{OFFLINE_NOTE}",
    short_help="Does an evidence field make a model check its work?",
)
def evidence_effect(  # noqa: PLR0913, PLR0917 - one parameter per option
    model: ModelOption = OFFLINE,
    base_url: BaseUrlOption = None,
    tasks: Annotated[int, typer.Option(min=1, max=MAX_TASKS, help="Number of tasks to run.")] = MAX_TASKS,
    repeats: Annotated[int, typer.Option(min=1, help="Number of repeats.")] = 1,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of concurrent runs.")] = 4,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("evidence-effect"),
    setting: Annotated[list[str] | None, typer.Option(help="Run only this setting; may be repeated.")] = None,
) -> None:
    from answergraph.experiment.journal import Journal
    from answergraph.experiment.run_plan import RunPlan
    from answergraph.experiment.seed_experiment import TASKS
    from answergraph.experiment.summary import summarise
    from answergraph.kit import resolve_model

    plan = RunPlan(model, _chosen(setting or []), TASKS[:tasks], repeats, base_url)
    with errors_as_bad_usage(ledger=out / JOURNAL):
        chat_model = resolve_model(chosen_model(model, base_url))
        with Journal(out / JOURNAL) as journal:
            failed = _run(plan, chat_model, journal, concurrency)
            report = summarise(plan, journal.records, failed)
        _show(report, out)
    _print_failures(failed)
    if failed:
        raise typer.Exit(NO_ANSWER)


@experiments.command(
    name="compare",
    short_help="Compare two results of evidence-effect.",
    help="Compare two results of evidence-effect, setting by setting and task by task: the share of tasks validated, on how many "
    "tasks it is higher or lower, and the exact probability of that by chance.",
)
def compare_results(
    first: Annotated[Path, typer.Argument(help="The folder of a result.")],
    second: Annotated[Path, typer.Argument(help="The folder of the other result.")],
) -> None:
    from rich.console import Console

    from answergraph.experiment.result_comparison import compared_results

    with errors_as_bad_usage():
        table = compared_results(first / JOURNAL, second / JOURNAL)
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)


def _chosen(names: Sequence[str]) -> tuple[Setting, ...]:
    from answergraph.experiment.settings import SETTINGS

    known = [setting.name for setting in SETTINGS]
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is not a setting; choose from: {', '.join(known)}.")
    return tuple(setting for setting in SETTINGS if not names or setting.name in names)


def _run(plan: RunPlan, model: BaseChatModel, journal: Journal, concurrency: int) -> dict[RunKey, Exception]:
    from rich.progress import TimeRemainingColumn

    from answergraph.cli.terminal.live_view import progress_bar
    from answergraph.experiment.run_plan import run_all

    total = len(list(plan.runs()))
    with progress_bar(TimeRemainingColumn()) as progress:
        bar = progress.add_task("runs", total=total)

        def advance() -> None:
            progress.advance(bar)
            ended = int(progress.tasks[bar].completed)
            # A log shows no bar; the table is its last line.
            if progress.disable and ended < total and ended * _LINES // total > (ended - 1) * _LINES // total:
                say(f"{ended} of {total} runs", err=True)

        return asyncio.run(run_all(plan, model, journal, concurrency=concurrency, done=advance))


def _show(report: Report, out: Path) -> None:
    from rich.console import Console

    from answergraph.experiment.report_files import write_csv, write_plots
    from answergraph.experiment.report_table import as_tables

    Console(width=None if sys.stdout.isatty() else _WIDTH).print(as_tables(report))
    write_csv(report, out / CSV)
    files = [out / JOURNAL, out / CSV]
    try:
        write_plots(report, *(out / name for name in PLOTS))
        files += [out / name for name in PLOTS]
    except MissingExtraError as error:
        say(f"No plot: {error}", err=True)
    say(f"Written: {', '.join(map(str, files))}", err=True)


def _print_failures(failed: Mapping[RunKey, Exception]) -> None:
    """Print each distinct failure once on stderr."""
    counted = Counter(f"{key.setting}: {one_line(error_line(error))}" for key, error in failed.items())
    for line, times in counted.items():
        say(f"Failed, {times} run{'s' if times > 1 else ''}: {line}", err=True)
