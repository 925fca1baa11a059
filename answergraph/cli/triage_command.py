"""``answergraph triage``: is each failure of a test run real?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answergraph.cli.command_runner import NO_ANSWER, BaseUrlOption, ModelOption, chosen_model, told_as_bad_usage
from answergraph.models.resolve import OFFLINE

TRIAGE_HELP = (
    "Judge the failed cases of a test run by what it left in FOLDER (JUnit XML, logs): is each failure real? Also passed "
    "cases whose logs show a failure. Exit code 0 means something was triaged, 1 nothing could be, 2 bad usage."
)


def triage(  # waiver: the options of a command
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="What a test run left.")],
    *,
    model: ModelOption = OFFLINE,
    base_url: BaseUrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the reports, as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the reports as one page, quotes highlighted in their logs.")] = None,
    bundle: Annotated[Path | None, typer.Option(help="Write what 'answergraph verify' re-checks the verdicts with.")] = None,
) -> None:
    with told_as_bad_usage():
        from answergraph.cli.triage_run import triage_folder  # noqa: PLC0415 - it needs an extra

        has_triaged = triage_folder(chosen_model(model, base_url), str(folder), as_json=as_json, html=html, bundle=bundle)
    if not has_triaged:
        raise typer.Exit(NO_ANSWER)
