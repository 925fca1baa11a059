"""``answergraph replay``: run stored threads, or a tape, again without the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import answergraph
from answergraph.cli.terminal.command_runner import BAD_USAGE, NO_ANSWER, ended, errors_as_bad_usage, imported, one_line, say
from answergraph.runtime.extras import extra_needed

if TYPE_CHECKING:
    from answergraph.testing import Tape


def replay(
    file: Annotated[Path, typer.Argument(help="An SQLite file with stored threads, or a tape.")],
    *,
    agent: Annotated[str, typer.Option(help="The agent, as package.module:attribute.")],
    thread: Annotated[list[str] | None, typer.Option(help="Only this thread; may be given several times.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the tape of the one thread here.")] = None,
    redact: Annotated[list[str] | None, typer.Option(help="The name of a field whose values are not written.")] = None,
    match: Annotated[str, typer.Option(help="'exact' or 'order'; threads store no requests, so for them 'order'.")] = "order",
) -> None:
    """Run stored threads again, without the network. Exit code 0: all end as before; 1: one does not; 2: bad usage."""
    from answergraph.testing import replay as run_again

    with errors_as_bad_usage():
        runs, graph = _tapes(file, thread or [], redact or []), imported(agent)
        if save is not None:
            if len(runs) != 1:
                raise answergraph.AgentSpecError(
                    f"--save writes one tape, and {file} has {len(runs)} threads; name one with --thread."
                )
            next(iter(runs.values())).save(save)
        again = {name: run_again(tape, graph, match=match) for name, tape in runs.items()}  # type: ignore[arg-type]  # checked there
    for name, run in again.items():
        status = run.end["status"] if run.end else "not ended"
        say(f"{name}  {status}  {'as before' if run.difference is None else one_line(run.difference.text)}")
    if any(run.difference is not None for run in again.values()):
        raise typer.Exit(NO_ANSWER)


def _tapes(file: Path, threads: list[str], redact: list[str]) -> dict[str, Tape]:
    """Return the tapes by the name of their thread or file."""
    from answergraph.testing import Tape

    if not file.exists():
        raise ended(BAD_USAGE, f"Error: There is no file {file}.")
    if not file.read_bytes()[:16].startswith(b"SQLite format 3"):
        return {file.name: Tape.load(file)}
    with extra_needed("replay", "reading threads from SQLite"):
        from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(str(file)) as saver:
        stored: Any = (each.config["configurable"]["thread_id"] for each in saver.list(None))
        names = threads or list(dict.fromkeys(stored))
        if not names:
            raise answergraph.AgentSpecError(f"{file} has no stored threads.")
        return {name: Tape.from_thread(saver, name, redact=redact) for name in names}
