"""``answergraph page``: look at a file on the page, without a LangGraph server."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import answergraph
from answergraph.cli.terminal.command_runner import errors_as_bad_usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from answergraph.cli.opened.file_app import Action, Question


def page(
    file: Annotated[
        Path,
        typer.Argument(
            help="An answer or a run that the page saved, a bundle, a tape, a report of `eval`, or the ledger of a map."
        ),
    ],
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; by default a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Whether to open the address in the browser.")] = True,
    control: Annotated[
        bool,
        typer.Option("--control", help="Let the page pause the map of a ledger, and ask for rows again: it writes into FILE."),
    ] = False,
) -> None:
    """Show FILE on the page, on this machine only, until Ctrl+C. Without --control nothing is written. No model is called."""
    with errors_as_bad_usage():
        from answergraph.kit import require_extra

        require_extra("page", "uvicorn")
        from answergraph.cli.opened.file_app import LOCAL, file_app

        app = file_app(file.name, *_questions(file, control=control))
        try:
            listening = socket.create_server((LOCAL[0], port))
        except OSError as error:
            raise answergraph.AgentSpecError(f"--port {port} cannot be used: {error.strerror}.") from error
    import uvicorn

    address = f"http://{LOCAL[0]}:{listening.getsockname()[1]}/"
    typer.echo(address)
    if browser:
        typer.launch(address)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def _questions(file: Path, *, control: bool) -> tuple[Mapping[str, Question], Mapping[str, Action]]:
    """Return what the page may ask of a file, and what it may do to it."""
    from answergraph.cli.opened.ledger_reader import LedgerReader
    from answergraph.cli.opened.saved_answer import saved_answer

    if not file.is_file():
        raise answergraph.AgentSpecError(f"There is no file {file}.")
    with file.open("rb") as opened:
        is_ledger = opened.read(16).startswith(b"SQLite format 3")
    if is_ledger:
        ledger = LedgerReader(file, control=control)
        return {"": ledger.summary, "/rows": ledger.rows, "/row": ledger.row}, ledger.actions
    if control:
        raise answergraph.AgentSpecError(f"--control is for the ledger of a map, and {file} is none.")
    saved = saved_answer(file)
    return {"": lambda _: saved}, {}
