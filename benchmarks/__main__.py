"""``python -m benchmarks``: measure, print, and write ``benchmarks/results``."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.checkpoints import postgres_server, savers
from benchmarks.http_server import served
from benchmarks.plots import draw
from benchmarks.report import Row, conditions, write_json
from benchmarks.rounds import Case, measure
from benchmarks.scenarios import SCENARIOS, Setup

RESULTS = Path(__file__).parent / "results"


def main(
    scenarios: Annotated[list[str] | None, typer.Argument(help=f"Which of {', '.join(SCENARIOS)}; all if none.")] = None,
    quick: Annotated[bool, typer.Option(help="Smaller sizes and three rounds: a look, not a figure to quote.")] = False,
    rounds: Annotated[int, typer.Option(help="Paired rounds per case.")] = 7,
    settings: Annotated[list[str] | None, typer.Option(help="Only settings that contain this, such as T=50.")] = None,
    systems: Annotated[list[str] | None, typer.Option(help="Only these systems, beside create_agent.")] = None,
    out: Annotated[Path, typer.Option(help="Where the JSON file and the plots go.")] = RESULTS,
) -> None:
    """Run answergraph and its peers on the same work."""
    os.environ["LANGSMITH_TRACING"] = os.environ["LANGSMITH_TRACING_V2"] = "false"
    rounds = min(rounds, 3) if quick else rounds
    load = os.getloadavg()[0]
    rows: list[Row] = []
    shuffler = random.Random(0)
    with ExitStack() as stack:
        chosen = scenarios or list(SCENARIOS)
        database = stack.enter_context(postgres_server()) if "checkpoints" in chosen and not quick else None
        setup = Setup(quick, stack.enter_context(served()), stack.enter_context(savers(database)))
        for name in chosen:
            for case in wanted(SCENARIOS[name](setup), settings, systems):
                rows.append(Row(case, measure(case, rounds, shuffler)))
                sys.stdout.write(f"{rows[-1].text()}\n")
                sys.stdout.flush()
    write_json(out / "results.json", rows, conditions(rounds, load))
    draw(rows, out)


def wanted(cases: Iterable[Case], settings: list[str] | None, systems: list[str] | None) -> Iterator[Case]:
    """Return the selected cases with the selected systems."""
    for case in cases:
        if not settings or any(part in case.setting for part in settings):
            kept = systems and {*systems, case.reference}
            yield replace(case, systems={name: run for name, run in case.systems.items() if not kept or name in kept})


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(main)
    app()
