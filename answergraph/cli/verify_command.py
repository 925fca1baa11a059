"""``answergraph verify``: re-check a saved answer."""

from pathlib import Path
from typing import Annotated

import typer

import answergraph
from answergraph.cli.terminal.command_runner import BAD_USAGE, NO_ANSWER, KeyOption, ended, errors_as_bad_usage, key_in


def verify(bundle: Annotated[Path, typer.Argument(help="A file written by --bundle.")], *, key: KeyOption = None) -> None:
    """Re-check a saved answer against its evidence. Exit code 0: every claim holds; 1: one does not; 2: bad usage."""
    with errors_as_bad_usage():
        text, secret = bundle.read_bytes(), key_in(key)
        try:
            verdicts = answergraph.verify_bundle(text, key=secret)
        except answergraph.BundleError as error:
            raise ended(BAD_USAGE, f"Error: {bundle} was not written by --bundle. {error}") from error
    for verdict in verdicts:
        typer.echo(f"{'holds' if verdict.holds else 'DOES NOT HOLD'}  {verdict.path}: {verdict.reason}")
    if not verdicts:
        typer.echo("The answer has no claims to check.")
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(NO_ANSWER)
