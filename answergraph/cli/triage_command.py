"""What ``answergraph triage`` does: runs the graph with a progress bar, and puts the reports where they are wanted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from langgraph.graph.state import CompiledStateGraph
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from answergraph.cli.command_runner import BAD_USAGE, NO_ANSWER, chosen_model, ended, told_in_one_line
from answergraph.cli.live_view import one_line
from answergraph.cli.triage_html import triage_page
from answergraph.cli.triage_view import print_reports
from answergraph.evidence.verifier import ClaimVerdict, verify_bundle
from answergraph.graphs.triage import CaseReport, create_triage_agent
from answergraph.graphs.triage.triage_graph import FIND_CASES, TRIAGE_CASE, TRIAGE_KEYS
from answergraph.models.resolve import OFFLINE
from answergraph.state.errors import AgentSpecError

TRIAGE_HELP = (
    "Judge the failed cases of a test run by what it left in FOLDER (JUnit XML, logs): is each failure real? Also passed "
    "cases whose logs show a failure. Exit code 0 means something was triaged, 1 nothing could be, 2 bad usage."
)

CASES_AT_ONCE = 4
"""How many cases are looked into side by side."""

BUNDLES_FORMAT = "answergraph-bundles/1"
"""Stands in a file of several bundles."""
FILE_COLUMNS = 120
"""How wide the table is where no terminal says how wide it is."""

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True)
class Wanted:
    """What to write of a triage."""

    as_json: bool = False
    html: Path | None = None
    bundle: Path | None = None


def triage(  # waiver: the options of a command
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="What a test run left.")],
    *,
    model: Annotated[str, typer.Option(help="'offline', 'openai:NAME', or 'provider:NAME'.")] = OFFLINE,
    base_url: Annotated[str | None, typer.Option(help="An OpenAI-compatible server, for --model openai:NAME.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the reports, as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the reports as one page, quotes highlighted in their logs.")] = None,
    bundle: Annotated[Path | None, typer.Option(help="Write what 'answergraph verify' re-checks the verdicts with.")] = None,
) -> None:
    """Triage what a test run left.

    Raises:
        typer.Exit: With the exit code, if nothing could be triaged.
    """
    try:
        agent = create_triage_agent(chosen_model(model, base_url))
        has_triaged = triage_folder(agent, str(folder), Wanted(as_json, html, bundle))
    except (AgentSpecError, OSError) as error:
        raise ended(BAD_USAGE, f"Error: {error}") from error
    if not has_triaged:
        raise typer.Exit(NO_ANSWER)


def triage_folder(graph: Graph, folder: str, wanted: Wanted) -> bool:
    """Triage a folder, and write what is wanted.

    Args:
        graph: From ``create_triage_agent``.
        folder: What a test run left.
        wanted: Where the reports go.

    Returns:
        Whether anything could be triaged.

    Raises:
        OSError: If a report cannot be written.
    """
    result = _run(graph, folder)
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


def verified(saved: Any) -> list[ClaimVerdict]:
    """Re-check a saved bundle, or each of a triage's bundles.

    Args:
        saved: What ``--bundle`` has written.

    Returns:
        One verdict per claim; those of a triage name their case.

    Raises:
        BundleError: If it is no bundle.
    """
    if not isinstance(saved, dict) or saved.get("format") != BUNDLES_FORMAT:
        return verify_bundle(saved)
    return [
        replace(verdict, path=f"{bundle.get('case')} {verdict.path}")
        for bundle in saved.get("bundles", ())
        for verdict in verify_bundle(bundle)
    ]


def _run(graph: Graph, folder: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    stream = graph.stream(
        {"folder": folder},
        {"max_concurrency": CASES_AT_ONCE},
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
