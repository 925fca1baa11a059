"""Runs a triage with a progress bar, prints the reports, and writes the wanted files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from rich.console import Console
from rich.progress import TextColumn

from answergraph.cli.command_runner import Graph, run_graph, write_json
from answergraph.cli.live_view import one_line, progress_bar
from answergraph.cli.triage_html import triage_page
from answergraph.cli.triage_view import print_reports
from answergraph.cli.verify_command import BUNDLES_FORMAT
from answergraph.graphs.triage import CaseReport, create_triage_agent
from answergraph.graphs.triage.triage_graph import FIND_CASES, TRIAGE_CASE, TRIAGE_KEYS

MAX_CASES_AT_ONCE = 4
"""How many cases are looked into side by side."""
FILE_COLUMNS = 120
"""The width of the table where no terminal tells its own, in columns."""


def triage_folder(model: BaseChatModel | str, folder: str, *, as_json: bool, html: Path | None, bundle: Path | None) -> bool:
    """Triage what a test run left in a folder, write what is wanted, and say whether anything could be triaged.

    Raises:
        AgentSpecError: If the model cannot be used.
        OSError: If a report cannot be written.
    """
    result = _run(create_triage_agent(model), folder)
    reports: list[CaseReport] = result["reports"]
    problems: list[str] = result["problems"]
    for problem in problems:
        typer.echo(one_line(problem), err=True)
    if html is not None:
        html.write_text(triage_page(folder, reports, problems), encoding="utf-8")
    if bundle is not None:
        write_json(bundle, {"format": BUNDLES_FORMAT, "bundles": result["bundles"]})
    if as_json:
        typer.echo(json.dumps({"folder": folder, "reports": reports, "problems": problems}, ensure_ascii=False, indent=1))
    elif reports:
        screen = Console(highlight=False, emoji=False)
        print_reports(screen if screen.is_terminal else Console(highlight=False, emoji=False, width=FILE_COLUMNS), reports)
    elif result["results"]:
        typer.echo(f"None of the {result['results']} results is a failure, and no log shows one.")
    judged = [report for report in reports if report["status"] in {"answered", "abstained"}]
    return bool(judged) or (bool(result["results"]) and not reports)


def _run(graph: Graph, folder: str) -> dict[str, Any]:
    config: RunnableConfig = {"max_concurrency": MAX_CASES_AT_ONCE}
    with progress_bar(TextColumn("{task.percentage:.0f} %")) as progress:
        task = progress.add_task("cases", total=None)

        def show(update: Mapping[str, Any], within: Sequence[str]) -> None:
            total = len(update[FIND_CASES]["cases"]) if FIND_CASES in update else None
            progress.update(task, total=total, advance=float(TRIAGE_CASE in update))

        return run_graph(graph, {"folder": folder}, config, output_keys=(*TRIAGE_KEYS, "cases"), show=show)
