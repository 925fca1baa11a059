"""``answergraph map``: an agent over the rows of a file."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

import answergraph
from answergraph.cli.terminal.command_runner import NO_ANSWER, ended, errors_as_bad_usage, imported, one_line, say
from answergraph.cli.terminal.run_limits import limits_in, spent

if TYPE_CHECKING:
    from answergraph.many import MapRun
    from answergraph.types import Status

_MOST_GROUPS = 12


def map_file(  # noqa: PLR0913 - one parameter per option
    agent: Annotated[
        str, typer.Argument(help="'module:attribute', an agent with a response format, or a function that returns one.")
    ],
    rows: Annotated[Path, typer.Argument(help="A file .jsonl, .csv or .parquet.")],
    *,
    out: Annotated[Path, typer.Option(help="The Parquet file with one typed row each.")],
    key: Annotated[str, typer.Option(help="The column that names a row.")] = "id",
    text: Annotated[str, typer.Option("--input", help="The column with the text.")] = "body",
    ledger: Annotated[
        str | None, typer.Option(help="A SQLite file or a postgresql:// URL; by default OUT with the ending .db.")
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Rows at a time, at most.")] = 16,
    limits: Annotated[
        str | None,
        typer.Option(help="Of all rows together: 'total_tokens=90000,seconds=600'; model_calls, tool_calls, cost."),
    ] = None,
    stop_after: Annotated[int, typer.Option(help="Rows in a row without an answer, after which the map stops.")] = 50,
    trial: Annotated[int | None, typer.Option(min=1, help="The first rows only; the same command without it goes on.")] = None,
    batch: Annotated[bool, typer.Option(help="Through the provider's batch endpoint: half the price, within a day.")] = False,
    again: Annotated[list[str] | None, typer.Option(help="Ask again for the rows that ended with this status.")] = None,
) -> None:
    """Run AGENT over the ROWS of a file; the same command goes on where a killed one was.

    Exit code 0: each row has an answer; 1: not each; 2: bad usage.
    """
    with errors_as_bad_usage(ledger := ledger or str(out.with_suffix(".db"))):
        from answergraph.many import BatchAPI, map_answers
        from answergraph.many.ledger.agent_door import agent_at
        from answergraph.many.sources import read_rows

        if out.suffix != ".parquet":
            raise answergraph.AgentSpecError(f"--out {out}: the rows are written as Parquet, into a file that ends in .parquet.")
        limited = limits_in(limits)
        documents = rows if trial is None else list(islice(read_rows(rows), trial))
        run = map_answers(
            agent_at(imported(agent)),
            documents,
            key=key,
            input=text,
            ledger=ledger,
            concurrency=concurrency,
            limits=limited,
            stop_after=stop_after,
            via=BatchAPI() if batch else "calls",
        )
        run = run.again(status=cast("list[Status]", again)) if again else run  # it refuses other words
        with _progress(run, documents, limited):
            run.to_parquet(out)
    _report(run, out)


def _progress(run: MapRun, documents: Path | list[Any], limits: answergraph.UsageLimits | None) -> Any:
    """Return a progress display that asks the ledger; on a terminal the rows of a file are counted before."""
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    from answergraph.cli.terminal.live_view import progress_bar
    from answergraph.many.sources import read_rows

    class Statuses(ProgressColumn):
        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            task.completed = run.done
            within = "" if limits is None else spent(run.usage(), limits.in_force())
            return Text(" · ".join(filter(None, [_in_words(run), within])))

    display, total = progress_bar(Statuses()), None
    if not display.disable:
        with suppress(answergraph.AgentSpecError):  # a line that cannot be read is said when the map comes to it
            total = sum(1 for _ in read_rows(documents)) if isinstance(documents, Path) else len(documents)
    display.add_task("rows", total=total)
    return display


def _in_words(run: MapRun) -> str:
    counts, used = run.counts(), run.usage()
    cost = f" · cost {used['cost']:.4g}" if used.get("cost") else ""
    statuses = " · ".join(f"{count:,} {status}" for status, count in counts.items())
    return f"{sum(counts.values()):,} rows · {statuses or 'none yet'} · {used.get('total_tokens', 0):,.0f} tokens{cost}"


def _report(run: MapRun, out: Path) -> None:
    """Print what ended how, and exit with 1 if a row has no answer."""
    say(f"{out}: {_in_words(run)}")
    for note in run.notes:
        say(one_line(note), err=True)
    failed = [(group, count) for group, count in run.groups().items() if group.status not in {"answered", "abstained"}]
    for group, count in failed[:_MOST_GROUPS]:
        row = run.examples.get(group)  # the ledger may have other rows than the file
        example = "" if row is None else f", as {row.key}: {row.reason}"
        say("  " + one_line(f"{count:,} {' '.join(filter(None, group))}{example}"), err=True)
    if run.stopped is not None:
        raise ended(NO_ANSWER, f"Stopped: {run.stopped}")
    if failed:
        raise typer.Exit(NO_ANSWER)
