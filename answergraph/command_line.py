"""The command line: a question in, a typed answer out, and an exit code that tells which of both it was.

The answer goes to stdout and everything else to stderr, so that a program can read the one and a person the other.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from langgraph.graph.state import CompiledStateGraph
from rich.console import Console

from answergraph.endings import BAD_USAGE, INTERRUPTED, NO_ANSWER, ended, error_line
from answergraph.experiment_command import experiments
from answergraph.graphs.calculator import Calculation, create_calculator
from answergraph.graphs.general_agent import general_agent
from answergraph.live_view import LiveView
from answergraph.model_option import OFFLINE_NOTE, model_of
from answergraph.nodes.chat_models.resolve import OFFLINE
from answergraph.nodes.errors import AgentSpecError
from answergraph.nodes.evidence.bundle import BUNDLE_KEYS, answer_bundle
from answergraph.nodes.evidence.verifier import verify_bundle

GRAPHS: Mapping[str, Callable[[], CompiledStateGraph[Any, Any, Any, Any]]] = {
    "agent": general_agent,
    "calculator": create_calculator,
}
"""The graphs that can be drawn."""

_OPTION = re.compile(r"--?[a-zA-Z]")

app = typer.Typer(
    help=f"Agent graphs that always end: in a typed, checked answer, or in a typed reason why there is none.\n\n{OFFLINE_NOTE}",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(experiments)


def main() -> None:
    """Run the command line."""
    app(prog_name="answergraph")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"answergraph {version('answergraph')}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Exist for the options that stand before a command."""


# An expression may begin with a minus sign, which is no option then.
@app.command(
    context_settings={"ignore_unknown_options": True},
    help=f"Answer QUESTION with the calculator agent; exit code 0 means answered, 1 no answer, 2 bad usage.\n\n{OFFLINE_NOTE}",
)
def ask(
    question: Annotated[str, typer.Argument(help="An arithmetic expression, or a sentence around it; '-' reads stdin.")],
    model: Annotated[str, typer.Option(help="'offline', 'openai:NAME', or 'provider:NAME'.")] = OFFLINE,
    base_url: Annotated[str | None, typer.Option(help="An OpenAI-compatible server, for --model openai:NAME.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the answer, as JSON.")] = False,
    bundle: Annotated[Path | None, typer.Option(help="Also write the answer with its evidence to this file.")] = None,
) -> None:
    """Answer a question with the calculator agent.

    Raises:
        typer.BadParameter: If the question is empty, or an option in disguise.
        typer.Exit: With the exit code, if there is no answer.
    """
    if _OPTION.match(question):
        raise typer.BadParameter(f"There is no option {question!r}.")
    text = sys.stdin.read() if question == "-" else question
    if not text.strip():
        raise typer.BadParameter("The question is empty.")
    try:
        agent = create_calculator(model_of(model, base_url))
    except AgentSpecError as error:
        raise ended(BAD_USAGE, f"Error: {error}") from error
    result = _run(agent, text.strip())
    if bundle is not None:
        _write_bundle(result, bundle)
    answer, outcome = result.get("structured_response"), result["outcome"]
    if answer is None:
        raise ended(NO_ANSWER, f"{outcome['status']}: {outcome['reason']}")
    typer.echo(answer.model_dump_json() if as_json else _as_text(answer))


@app.command()
def verify(bundle: Annotated[Path, typer.Argument(help="A file that --bundle has written.")]) -> None:
    """Re-check a saved answer: does the evidence it names support it? Exit code 0 if all of it holds, 1 if not.

    Raises:
        typer.Exit: With the exit code, if a claim does not hold or the file is no bundle.
    """
    try:
        verdicts = verify_bundle(json.loads(bundle.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ended(BAD_USAGE, f"Error: {bundle}: {error}") from error
    for verdict in verdicts:
        typer.echo(f"{'holds' if verdict.holds else 'DOES NOT HOLD'}  {verdict.path}: {verdict.reason}")
    if not verdicts:
        typer.echo("Nothing is claimed that could be checked.")
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(NO_ANSWER)


@app.command()
def graph(name: Annotated[str, typer.Argument(help=f"One of: {', '.join(GRAPHS)}.")]) -> None:
    """Print a graph as a Mermaid drawing.

    Raises:
        typer.BadParameter: If there is no graph of that name.
    """
    if name not in GRAPHS:
        raise typer.BadParameter(f"There is no graph {name!r}; there are: {', '.join(GRAPHS)}.")
    typer.echo(GRAPHS[name]().get_graph().draw_mermaid(), nl=False)


def _run(agent: CompiledStateGraph[Any, Any, Any, Any], question: str) -> dict[str, Any]:
    """Run the agent, showing its steps if a person looks on; returns the final state."""
    view = LiveView(Console(stderr=True)) if sys.stderr.isatty() else None
    result: dict[str, Any] = {}
    try:
        chunk: Any
        for chunk in agent.stream({"messages": [question]}, stream_mode=["updates", "values"], output_keys=BUNDLE_KEYS):
            mode, data = chunk
            if mode == "values":
                result = data
            elif view is not None:
                view.show(data)
    except KeyboardInterrupt as interrupt:
        raise ended(INTERRUPTED, "Interrupted.") from interrupt
    except Exception as error:
        # Every provider has error classes of its own; of each a user is owed one line and not our stack.
        raise ended(NO_ANSWER, error_line(error)) from error
    return result


def _write_bundle(result: Mapping[str, Any], path: Path) -> None:
    text = json.dumps(answer_bundle(result), ensure_ascii=False, indent=1, default=str)
    try:
        path.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise ended(BAD_USAGE, f"Error: {error}") from error


def _as_text(answer: Calculation) -> str:
    fields = {name: json.dumps(value, ensure_ascii=False) for name, value in answer.model_dump(mode="json").items()}
    fields["reasoning"] = answer.reasoning
    return "\n".join([type(answer).__name__, *(f"  {name}: {value}" for name, value in fields.items())])
