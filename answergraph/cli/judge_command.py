"""``answergraph judge``: choose the rule that holds for a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answergraph import graphs
from answergraph.cli.terminal.command_runner import (
    NO_ANSWER,
    BaseUrlOption,
    FactOption,
    ModelOption,
    by_whom,
    chosen_model,
    ended,
    errors_as_bad_usage,
    facts_of,
    said,
    say,
    text_in,
)
from answergraph.cli.terminal.run_limits import LimitsOption, limits_in, within
from answergraph.models.model_names import OFFLINE

if TYPE_CHECKING:
    from answergraph.types import Judgment


def judge(  # noqa: PLR0913, PLR0917 - each is an option of the command
    report: Annotated[str, typer.Argument(help="The file to judge; '-' reads stdin.")],
    rule: Annotated[list[str], typer.Option(help="A condition; may be repeated, and the first that holds counts.")],
    fact: FactOption = None,
    tags: Annotated[bool, typer.Option("--tags", help="Ask for a tag first instead of an object.")] = False,
    tag_word: Annotated[str, typer.Option(help="The word of the tags, as in [STEP:1].")] = "STEP",
    grounded: Annotated[bool, typer.Option("--grounded", help="Accept a reason only if it quotes the report.")] = False,
    model: ModelOption = OFFLINE,
    base_url: BaseUrlOption = None,
    limits: LimitsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole judgment, as JSON.")] = False,
) -> None:
    """Say which RULE holds for REPORT. Exit code 0: one holds; 1: none holds; 2: bad usage."""
    from answergraph.cli.terminal.live_view import run_graph

    with errors_as_bad_usage():
        facts, limited = facts_of(fact), limits_in(limits)
        options: dict[str, Any] = {"structured_output": not tags, "tag_word": tag_word, "grounded": grounded}
        graph = graphs.create_judge(chosen_model(model, base_url), rule, **options)
        text = said(report) if report == "-" else text_in(Path(report))
    with within(limited):
        judgment: Judgment = run_graph(graph, {"report": text, "facts": facts})["judgment"]
    if as_json:
        typer.echo(json.dumps(judgment, ensure_ascii=False))
    elif judgment["index"] is not None:
        method = by_whom(str(judgment["method"]), model)
        say(f"{judgment['label']}\n  tag: {judgment['tag']}\n  method: {method}\n  reason: {judgment['reason']}")
    if judgment["index"] is None:
        raise ended(NO_ANSWER, judgment["reason"])
