"""``answergraph triage``: judge the failures of a test run."""

from pathlib import Path
from typing import Annotated

import typer

from answergraph.cli.terminal.command_runner import (
    BaseUrlOption,
    KeyOption,
    ModelOption,
    chosen_model,
    errors_as_bad_usage,
    key_in,
)
from answergraph.cli.terminal.run_limits import LimitsOption, limits_in, within
from answergraph.models.model_names import OFFLINE

MAX_CASES_AT_ONCE = 4
"""Default number of causes judged concurrently."""

TRIAGE_HELP = (
    "Judge each failure of a test run by the files in FOLDER (JUnit XML, logs): is it real, or is the test flaky? Passed "
    "cases whose logs show a failure are judged too. Exit code 0: cases were judged, or none failed; 1: no case could be "
    "judged, or results are missing, with no verdict or with --fail-on; 2: bad usage; 3: there is a verdict that --fail-on names."
)


def triage(  # noqa: PLR0913  # waiver: the options of a command
    folder: Annotated[str, typer.Argument(help="The files of a test run.")],
    *,
    model: ModelOption = OFFLINE,
    base_url: BaseUrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the reports, as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the reports as an HTML page with highlighted quotes.")] = None,
    bundle: Annotated[Path | None, typer.Option(help="Write the bundle that 'answergraph verify' re-checks.")] = None,
    key: KeyOption = None,
    markdown: Annotated[Path | None, typer.Option(help="Append a summary to this file.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the judged cases as JUnit XML, verdicts as properties.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Annotate on GitHub, with a summary on the job's page.")] = False,
    source_url: Annotated[str | None, typer.Option(help="Base URL of the code, for links to file and line.")] = None,
    fail_on: Annotated[
        str, typer.Option(help="Verdicts that end with exit code 3: real,disagreement,unknown,flaky,not-real.")
    ] = "",
    history: Annotated[Path | None, typer.Option(help="An SQLite file with the history of failures.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of causes judged concurrently.")] = MAX_CASES_AT_ONCE,
    limit: Annotated[int | None, typer.Option(min=0, help="Maximum number of causes to judge.")] = None,
    limits: LimitsOption = None,
    details: Annotated[bool, typer.Option("--details", help="Print the quotes of every cause, not only of a few.")] = False,
    act: Annotated[bool, typer.Option("--act", help="Run failed cases again, in git work trees of their own.")] = False,
    last_green: Annotated[str | None, typer.Option(help="With --act: the commit at which the tests passed last.")] = None,
    rerun: Annotated[
        str | None, typer.Option(help="With --act: the command that runs a test, with {case}, {name} or {file}.")
    ] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only estimate the number of calls and tokens.")] = False,
) -> None:
    with errors_as_bad_usage():
        from answergraph.cli.triage.triage_run import TriageOptions, triage_folder, verdicts_named, witnesses_for

        options = TriageOptions(
            as_json=as_json,
            html=html,
            bundle=bundle,
            key=key_in(key),
            markdown=markdown,
            junit=junit,
            github=github,
            source_url=source_url,
            fail_on=verdicts_named(fail_on),
            history=history,
            concurrency=concurrency,
            limit=limit,
            estimate=estimate,
            act=witnesses_for(act, last_green, rerun),
            details=details,
        )
        with within(limits_in(limits)):
            code = triage_folder(chosen_model(model, base_url), folder, options)
    if code:
        raise typer.Exit(code)
