"""``answergraph verify``: re-check a saved answer."""

import json
from pathlib import Path
from typing import Annotated

import typer

from answergraph import evidence
from answergraph.cli.terminal.command_runner import BAD_USAGE, NO_ANSWER, KeyOption, ended, errors_as_bad_usage, key_in, say


def verify(bundle: Annotated[Path, typer.Argument(help="A file written by --bundle.")], *, key: KeyOption = None) -> None:
    """Re-check a saved answer against its evidence. Exit code 0: every claim holds; 1: one does not; 2: bad usage."""
    from answergraph.errors import BundleError

    with errors_as_bad_usage():
        text, secret = bundle.read_bytes(), key_in(key)
        try:
            verdicts = evidence.verify_bundle(text, key=secret)
        except BundleError as error:
            raise ended(BAD_USAGE, f"Error: {bundle} was not written by --bundle. {error}") from error
    for path in unchecked_in(text):
        say(f"unchecked  {path}: no evidence was asked for")
    for verdict in verdicts:
        say(f"{'holds' if verdict.holds else 'DOES NOT HOLD'}  {verdict.path}: {verdict.reason}")
    if not verdicts:
        say("The answer has no claims to check.")
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(NO_ANSWER)


def unchecked_in(text: bytes) -> list[str]:
    """Return the paths of the fields of a valid bundle, or of several, that no mark asked to check."""
    saved = json.loads(text)
    bundles = [(f"{one['case']} ", one) for one in saved.get("bundles", ())] or [("", saved)]
    return [
        f"{case}{path}"
        for case, bundle in bundles
        for path, record in (bundle.get("fields") or {}).items()
        if record["status"] == "unchecked"
    ]
