"""``answergraph verify``: re-check a saved answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import answergraph
from answergraph.cli.command_runner import BAD_USAGE, NO_ANSWER, ended, told_as_bad_usage

if TYPE_CHECKING:
    from answergraph import ClaimVerdict

BUNDLES_FORMAT = "answergraph-bundles/1"
"""The ``format`` of a file with several bundles, as written by a triage."""


KeyOption = Annotated[Path | None, typer.Option(help="A file with the secret that signs the bundle.")]


def key_in(file: Path | None) -> bytes | None:
    """Return the secret in a file, without the white space around it."""
    return None if file is None else file.read_bytes().strip()


def verify(bundle: Annotated[Path, typer.Argument(help="A file written by --bundle.")], *, key: KeyOption = None) -> None:
    """Re-check a saved answer against its evidence. Exit code 0 if every claim holds, 1 if not."""
    with told_as_bad_usage():
        text, secret = bundle.read_bytes(), key_in(key)
    try:
        verdicts = _verdicts(json.loads(text), secret)
    except (ValueError, RecursionError) as error:
        why = error if isinstance(error, answergraph.BundleError) else "It is not JSON."
        raise ended(BAD_USAGE, f"Error: {bundle} was not written by --bundle. {why}") from error
    for verdict in verdicts:
        typer.echo(f"{'holds' if verdict.holds else 'DOES NOT HOLD'}  {verdict.path}: {verdict.reason}")
    if not verdicts:
        typer.echo("There is no claim to check.")
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(NO_ANSWER)


def _verdicts(saved: Any, key: bytes | None) -> list[ClaimVerdict]:
    """Return one verdict per claim; verdicts of a triage also name the case."""
    if not isinstance(saved, dict) or saved.get("format") != BUNDLES_FORMAT:
        return answergraph.verify_bundle(saved, key=key)
    return [
        replace(verdict, path=f"{bundle.get('case')} {verdict.path}")
        for bundle in saved.get("bundles", ())
        for verdict in answergraph.verify_bundle(bundle, key=key)
    ]
