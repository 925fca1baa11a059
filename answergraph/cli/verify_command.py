"""``answergraph verify``: re-check a saved answer."""

from pathlib import Path
from typing import Annotated

import typer

import answergraph
from answergraph.cli.command_runner import BAD_USAGE, NO_ANSWER, ended, errors_as_bad_usage

KeyOption = Annotated[Path | None, typer.Option(help="A file with the secret that signs the bundle.")]


def key_in(file: Path | None) -> bytes | None:
    """Return the secret in a file, without the white space around it; raise ``AgentSpecError`` if there is none in it."""
    secret = None if file is None else file.read_bytes().strip()
    if secret == b"":
        raise answergraph.AgentSpecError(f"--key {file} is empty, so anybody could sign with it; put a secret into it.")
    return secret


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
