"""``answergraph run``: a workflow from a YAML file, step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import answergraph
from answergraph import graphs
from answergraph.cli.terminal.command_runner import (
    NO_ANSWER,
    BaseUrlOption,
    FactOption,
    chosen_model,
    ended,
    errors_as_bad_usage,
    facts_of,
    import_also_from,
    imported,
    say,
)
from answergraph.cli.terminal.run_limits import LimitsOption, limits_in, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.language_models import BaseChatModel

    from answergraph.cli.terminal.command_runner import Graph


def run(  # noqa: PLR0913, PLR0917 - one parameter per option
    workflow: Annotated[str, typer.Argument(help="The workflow, a YAML file. It may import code: run only what you trust.")],
    task: Annotated[str | None, typer.Option(help="The task, instead of the file's.")] = None,
    fact: FactOption = None,
    model: Annotated[
        str | None, typer.Option(help="'offline', 'openai:NAME', 'local:NAME', or 'provider:NAME', instead of the file's.")
    ] = None,
    base_url: BaseUrlOption = None,
    tool: Annotated[
        list[str] | None, typer.Option(help="NAME=package.module:attribute, a tool for steps whose allowed_tools name it.")
    ] = None,
    limits: LimitsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole result, as JSON.")] = False,
) -> None:
    """Run a WORKFLOW. Exit code 0: it ended in COMPLETE; 1: in ABORT or an error; 2: bad usage."""
    from answergraph.cli.terminal.live_view import run_graph
    from answergraph.graphs.add_ons.workflow.workflow_steps import COMPLETE

    with errors_as_bad_usage():
        chosen = None if model is None and base_url is None else chosen_model(model or "", base_url)
        graph = workflow_of(workflow, chosen, tool or ())
        inputs: dict[str, object] = {"facts": facts_of(fact), **({"task": task} if task else {})}
        limited = limits_in(limits)
    with within(limited):
        result = run_graph(graph, inputs, shows_subgraphs=True)
    if as_json:
        typer.echo(json.dumps({name: result[name] for name in ("status", "reason", "transitions", "results", "facts")}))
    else:
        for transition in result["transitions"]:
            say(f"{transition['step']} → {transition['next']}  ({transition['rule']}, {transition['method']})")
        typer.echo(result["status"])
    if result["status"] != COMPLETE:
        raise ended(NO_ANSWER, f"{result['status']}: {result['reason']}")


def workflow_of(file: str, model: str | BaseChatModel | None = None, tools: Sequence[str] = ()) -> Graph:
    """Load a workflow; its agents are also looked up in the current folder and beside the file.

    Raise ``AgentSpecError`` if the file is missing or invalid, or a tool cannot be imported.
    """
    if not Path(file).is_file():
        raise answergraph.AgentSpecError(f"There is no file {file!r}.")
    import_also_from(Path.cwd(), Path(file).resolve().parent)
    granted = {name: imported(reference) for name, _, reference in (each.partition("=") for each in tools)}
    return graphs.load_workflow(file, model=model, tools=granted)
