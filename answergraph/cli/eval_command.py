"""``answergraph eval``: score an agent by field on cases with expected answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import answergraph
from answergraph.cli.terminal.command_runner import NO_ANSWER, errors_as_bad_usage, imported, one_line, say


def evaluate_file(  # noqa: PLR0913 - one parameter per option
    cases: Annotated[Path, typer.Argument(help='A file with a case a line: {"inputs": …, "expected_output": …, "name": …}.')],
    *,
    agent: Annotated[str, typer.Option(help="The agent, as package.module:attribute.")],
    against: Annotated[Path | None, typer.Option(help="An earlier report; exit code 1 if a field is worse than in it.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the report as JSON; not over --against if a field is worse.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the cases as JUnit XML.")] = None,
    repeats: Annotated[int, typer.Option(help="How often each case is run.")] = 1,
    key: Annotated[
        list[str] | None, typer.Option(help="LIST=FIELD: match the items of this list by this field, items=sku.")
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Runs at a time, at most.")] = 8,
    ledger: Annotated[
        str | None, typer.Option(help="A SQLite file or a postgresql:// URL: the same command goes on where a killed one was.")
    ] = None,
    max_p: Annotated[
        float, typer.Option(min=0, max=1, help="The largest p-value of a drop; 1: each drop counts, with few cases too.")
    ] = 0.05,
) -> None:
    """Score an agent field by field on cases. Exit code 0: no field is worse; 1: one is; 2: bad usage."""
    from rich.progress import TextColumn

    from answergraph.cli.terminal.live_view import progress_bar
    from answergraph.evaluation.junit_file import write_junit
    from answergraph.testing import EvalReport, evaluate

    with errors_as_bad_usage(ledger):
        _check_folders(save, junit)  # before the agent is paid for
        earlier = None if against is None else EvalReport.load(against)
        keys = dict(_list_and_field(option) for option in key or ())
        options: dict[str, Any] = {"repeats": repeats, "keys": keys, "concurrency": concurrency, "ledger": ledger}
        with progress_bar(TextColumn("runs")) as display:
            task = display.add_task("eval", total=None)

            def show(done: int, runs: int) -> None:
                display.update(task, completed=done, total=runs)

            report = evaluate(imported(agent), cases, **options, progress=show)
        worse = [] if earlier is None else report.compare(earlier, max_p=max_p)
        if save is not None and not (worse and against is not None and save.resolve() == against.resolve()):
            report.save(save)
        if junit is not None:
            write_junit(report, junit)
    say(str(report))
    for line in dict.fromkeys(f"{run['case']}: {run['reason']}" for run in report.runs if run["status"] == "unanswered"):
        say(one_line(line), err=True)
    for difference in worse:
        say(one_line(f"Worse: {difference.text}"), err=True)
    if worse:
        raise typer.Exit(NO_ANSWER)


def _check_folders(*files: Path | None) -> None:
    for file in filter(None, files):
        if not file.parent.is_dir():
            raise answergraph.AgentSpecError(f"There is no folder {str(file.parent)!r} for {file.name}.")


def _list_and_field(option: str) -> tuple[str, str]:
    name, equals, field = option.partition("=")
    if not equals or not field:
        raise answergraph.AgentSpecError(f"--key takes LIST=FIELD, such as items=sku, not {option!r}.")
    return name, field
