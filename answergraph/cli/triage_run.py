"""Runs a triage with a progress bar, prints the reports, and writes the wanted files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from langchain_core.language_models import BaseChatModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from answergraph.cli.command_runner import Graph, told_in_one_line
from answergraph.cli.live_view import one_line
from answergraph.cli.triage_html import triage_page
from answergraph.cli.triage_view import print_reports
from answergraph.cli.verify_command import BUNDLES_FORMAT
from answergraph.graphs.triage import CaseReport, create_triage_agent
from answergraph.graphs.triage.triage_graph import FIND_CASES, TRIAGE_CASE, TRIAGE_KEYS

MAX_CASES_AT_ONCE = 4
"""How many cases are looked into side by side."""
FILE_COLUMNS = 120
"""The width of the table where no terminal tells its own, in columns."""


@dataclass(frozen=True)
class TriageFiles:
    """What to write of a triage."""

    as_json: bool = False
    html: Path | None = None
    bundle: Path | None = None


def triage_folder(model: BaseChatModel | str, folder: str, wanted: TriageFiles) -> bool:
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
    if wanted.html is not None:
        wanted.html.write_text(triage_page(folder, reports, problems), encoding="utf-8")
    if wanted.bundle is not None:
        text = json.dumps({"format": BUNDLES_FORMAT, "bundles": result["bundles"]}, ensure_ascii=False, indent=1, default=str)
        wanted.bundle.write_text(f"{text}\n", encoding="utf-8")
    if wanted.as_json:
        typer.echo(json.dumps({"folder": folder, "reports": reports, "problems": problems}, ensure_ascii=False, indent=1))
    elif reports:
        screen = Console(highlight=False, emoji=False)
        print_reports(screen if screen.is_terminal else Console(highlight=False, emoji=False, width=FILE_COLUMNS), reports)
    elif result["results"]:
        typer.echo(f"None of the {result['results']} results is a failure, and no log shows one.")
    judged = [report for report in reports if report["status"] in {"answered", "abstained"}]
    return bool(judged) or (bool(result["results"]) and not reports)


def _run(graph: Graph, folder: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    stream = graph.stream(
        {"folder": folder},
        {"max_concurrency": MAX_CASES_AT_ONCE},
        stream_mode=["updates", "values"],
        output_keys=(*TRIAGE_KEYS, "cases"),
    )
    with told_in_one_line(), _progress() as progress:
        task = progress.add_task("cases", total=None)
        chunk: Any
        for chunk in stream:
            mode, data = chunk
            if mode == "values":
                result = data
                continue
            progress.update(task, total=_found(data), advance=float(TRIAGE_CASE in data))
    return result


def _found(update: Mapping[str, Any]) -> float | None:
    """Return how many cases there are, from the update of the node that finds them."""
    found = update.get(FIND_CASES)
    return len(found["cases"]) if found else None


@contextmanager
def _progress() -> Iterator[Progress]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.percentage:.0f} %"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress
