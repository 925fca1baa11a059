"""Runs a triage with a progress bar, prints the reports and writes the output files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, get_args

import typer
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from rich.console import Console
from rich.progress import TextColumn

from answergraph import AgentSpecError
from answergraph.cli.terminal.command_runner import NO_ANSWER, one_line, write_json
from answergraph.cli.terminal.live_view import progress_bar, run_graph
from answergraph.cli.terminal.run_limits import spent_so_far
from answergraph.cli.triage import triage_outputs as outputs
from answergraph.cli.triage.triage_html import triage_page
from answergraph.cli.triage.triage_view import print_changes, print_reports
from answergraph.evidence.bundles import BUNDLES_FORMAT, sealed
from answergraph.graphs.add_ons.triage import CaseReport, Witnesses, create_triage_agent
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import shown_name
from answergraph.graphs.add_ons.triage.triage_graph import FIND_CASES, TRIAGE_CASE, TRIAGE_KEYS
from answergraph.graphs.add_ons.triage.triage_schema import Verdict
from answergraph.models.model_names import OFFLINE

if TYPE_CHECKING:
    from answergraph.cli.terminal.command_runner import Graph

NAMED_VERDICT = 3
"""Exit code: a verdict is one of ``--fail-on``."""
FILE_COLUMNS = 120
"""Width of the table if stdout is not a terminal, in columns."""


@dataclass(frozen=True)
class TriageOptions:
    """The options of the command."""

    as_json: bool = False
    html: Path | None = None
    bundle: Path | None = None
    key: bytes | None = None
    markdown: Path | None = None
    junit: Path | None = None
    github: bool = False
    source_url: str | None = None
    fail_on: frozenset[str] = frozenset()
    history: Path | None = None
    concurrency: int = 4
    limit: int | None = None
    estimate: bool = False
    act: Witnesses | None = None
    details: bool = False


def verdicts_named(names: str) -> frozenset[str]:
    """Return the verdicts of ``--fail-on``; raise ``AgentSpecError`` if one is unknown."""
    named = frozenset(name.strip() for name in names.split(",") if name.strip())
    unknown = sorted(named - set(get_args(Verdict)))
    if unknown:
        raise AgentSpecError(f"--fail-on takes {', '.join(get_args(Verdict))}, separated by commas, not {unknown[0]!r}.")
    return named


def witnesses_for(act: bool, last_green: str | None, rerun: str | None) -> Witnesses | None:
    """Return the witnesses of ``--act``; raise ``AgentSpecError`` if they cannot be heard."""
    if not act and (last_green or rerun):
        raise AgentSpecError(
            f"--{'last-green' if last_green else 'rerun'} says how failed cases are run again; write --act, too."
        )
    return Witnesses(last_green=last_green, rerun=rerun) if act else None


def triage_folder(model: BaseChatModel | str, folder: str, options: TriageOptions) -> int:
    """Triage a folder, write the output files, and return the exit code.

    Raise ``AgentSpecError`` if folder, model or history cannot be used, and ``OSError`` if a report cannot be written.
    """
    shown = shown_name(folder)
    if not Path(folder).is_dir():
        why = "is a file, not a folder" if Path(folder).exists() else "does not exist"
        raise AgentSpecError(f"The folder {shown!r} {why}; name the folder with the files of a test run.")
    graph = create_triage_agent(model, history=options.history, limit=options.limit, act=options.act)
    if options.estimate:
        typer.echo(next(graph.stream({"folder": folder}, stream_mode="updates"))[FIND_CASES]["estimate"])
        return 0
    result = _run(graph, folder, options, asks=model != OFFLINE)
    reports: list[CaseReport] = result["reports"]
    for problem in result["problems"]:
        typer.echo(one_line(problem), err=True)
    _write_files(shown, result, options)
    _print(shown, result, options)
    if {str(report["verdict"]) for report in reports} & options.fail_on:
        return NAMED_VERDICT
    if result["unread"] and (options.fail_on or not reports):
        return NO_ANSWER  # what is not known may be a failure
    judged = [report for report in reports if report["status"] in {"answered", "abstained", "not_judged"}]
    return 0 if judged or (result["results"] and not reports) else NO_ANSWER


def triage_and_print(model: BaseChatModel | str, folder: str, options: TriageOptions, output: TextIO) -> None:
    """Triage a folder, write the output files, and print the table to ``output``; raise as ``triage_folder`` does."""
    result = create_triage_agent(model).invoke({"folder": folder}, output_keys=list(TRIAGE_KEYS))
    _write_files("this run", result, options)
    _print("this run", result, options, output)


def _write_files(folder: str, result: Mapping[str, Any], options: TriageOptions) -> None:
    reports, problems, changes = result["reports"], result["problems"], result.get("changes")
    if options.html is not None:
        page = triage_page(folder, reports, problems, changes, options.source_url)
        options.html.write_text(page, encoding="utf-8")
    if options.bundle is not None:
        write_json(options.bundle, sealed({"format": BUNDLES_FORMAT, "bundles": result["bundles"]}, options.key))
    if options.junit is not None:
        options.junit.write_text(outputs.junit(reports), encoding="utf-8")
    of_job = os.environ.get("GITHUB_STEP_SUMMARY") if options.github else None
    for summary in (options.markdown, of_job and Path(of_job)):
        if summary:
            with summary.open("a", encoding="utf-8") as file:
                file.write(outputs.markdown(folder, reports, problems, changes, options.source_url))


def _print(folder: str, result: Mapping[str, Any], options: TriageOptions, file: TextIO | None = None) -> None:
    reports, changes = result["reports"], result.get("changes")
    screen = Console(file=file, highlight=False, emoji=False)
    screen = screen if screen.is_terminal else Console(file=file, highlight=False, emoji=False, width=FILE_COLUMNS)
    if options.as_json:
        shown = {"folder": folder} | {name: result[name] for name in TRIAGE_KEYS if name in result and name != "bundles"}
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=1))
    elif options.github:
        for line in outputs.workflow_commands(reports):
            typer.echo(line)
    elif reports:
        print_reports(screen, reports, changes, details=options.details)
    elif result["results"]:
        read = " that were read" if result["problems"] else ""
        screen.print(f"None of the {result['results']} results{read} is a failure, and no log shows one.")
        print_changes(screen, changes)


def _run(graph: Graph, folder: str, options: TriageOptions, *, asks: bool) -> dict[str, Any]:
    config: RunnableConfig = {"max_concurrency": options.concurrency}
    with progress_bar(TextColumn("{task.percentage:.0f} %")) as progress:
        task = progress.add_task("causes", total=None)

        def show(update: Mapping[str, Any], within: Sequence[str]) -> None:
            survey = update.get(FIND_CASES)
            if asks and survey and survey.get("cases"):
                typer.echo(survey["estimate"], err=True)  # before the first call: LangGraph continues when this has returned
            total = len(survey["cases"]) if survey else None
            description = " · ".join(filter(None, ["causes", spent_so_far()]))
            progress.update(task, description=description, total=total, advance=float(TRIAGE_CASE in update))

        return run_graph(graph, {"folder": folder}, config, output_keys=(*TRIAGE_KEYS, "cases", "estimate"), show=show)
