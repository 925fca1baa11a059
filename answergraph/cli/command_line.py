"""The command line: a question in, a typed answer out, and an exit code that tells which of both it was.

The answer goes to stdout and everything else to stderr, so that a program can read the one and a person the other.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from langchain_core.runnables import RunnableConfig

from answergraph import graphs
from answergraph.cli.command_runner import (
    NO_ANSWER,
    BaseUrlOption,
    Graph,
    ModelOption,
    chosen_model,
    ended,
    run_graph,
    told_as_bad_usage,
    write_json,
)
from answergraph.cli.experiment_command import experiments
from answergraph.cli.judge_command import judge
from answergraph.cli.prompt_view import PromptView
from answergraph.cli.run_command import run, workflow_of
from answergraph.cli.triage_command import TRIAGE_HELP, triage
from answergraph.cli.verify_command import verify
from answergraph.evidence.answer_bundle import BUNDLE_KEYS, answer_bundle
from answergraph.graphs.calculator import Calculation
from answergraph.graphs.general_agent import general_agent
from answergraph.graphs.judge.judge_graph import judge_by_context
from answergraph.models.resolve import OFFLINE
from answergraph.response_format.reading.diagnosis import diagnose

GRAPHS: Mapping[str, Callable[[], Graph]] = {
    "agent": general_agent,
    "calculator": graphs.create_calculator,
    "react": graphs.create_react,
    "judge": judge_by_context,
    "triage": lambda: graphs.create_triage_agent(),  # noqa: PLW0108 - imported at the call, for it needs an extra
}
"""The shipped graphs that can be drawn by name."""
_WORKFLOW_SUFFIXES = (".yaml", ".yml")

Protocol = Literal["tools", "react"]

OFFLINE_NOTE = (
    "The default model, 'offline', is no language model: it is a set of rules for arithmetic and for the triage of test runs, "
    "and it needs no key and no network."
)

_OPTION = re.compile(r"--?[a-zA-Z]")

app = typer.Typer(
    help=f"Agent graphs that always end: in a typed, checked answer, or in a typed reason why there is none.\n\n{OFFLINE_NOTE}",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.add_typer(experiments)
app.command()(judge)
app.command()(run)
app.command()(verify)
app.command(help=f"{TRIAGE_HELP}\n\n{OFFLINE_NOTE}")(triage)


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
def ask(  # noqa: PLR0913  # waiver: the options of a command
    question: Annotated[str, typer.Argument(help="An arithmetic expression, or a sentence around it; '-' reads stdin.")],
    *,
    model: ModelOption = OFFLINE,
    base_url: BaseUrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the answer, as JSON.")] = False,
    bundle: Annotated[Path | None, typer.Option(help="Also write the answer with its evidence to this file.")] = None,
    protocol: Annotated[
        Protocol, typer.Option(help="How the model calls its tools: by tool calls, or in text for models that have none.")
    ] = "tools",
    show_prompts: Annotated[
        bool, typer.Option("--show-prompts", help="Print what is really sent and received each turn on stderr.")
    ] = False,
) -> None:
    if _OPTION.match(question):
        raise typer.BadParameter(f"There is no option {question!r}.")
    text = sys.stdin.read() if question == "-" else question
    if not text.strip():
        raise typer.BadParameter("The question is empty.")
    with told_as_bad_usage():
        create = graphs.create_react if protocol == "react" else graphs.create_calculator
        agent = create(chosen_model(model, base_url))
    config: RunnableConfig = {"callbacks": [PromptView(partial(typer.echo, err=True))] if show_prompts else []}
    result = run_graph(agent, {"messages": [text.strip()]}, config, output_keys=BUNDLE_KEYS)
    if bundle is not None:
        with told_as_bad_usage():
            write_json(bundle, answer_bundle(result))
    answer = _answer(result)
    if as_json:
        typer.echo(answer.model_dump_json() if isinstance(answer, Calculation) else json.dumps(answer, ensure_ascii=False))
    else:
        typer.echo(_as_text(answer) if isinstance(answer, Calculation) else answer)


@app.command()
def graph(name: Annotated[str, typer.Argument(help=f"One of: {', '.join(GRAPHS)}; or a workflow, a YAML file.")]) -> None:
    """Print a graph, and the graphs in it, as a Mermaid drawing."""
    if name not in GRAPHS and not name.endswith(_WORKFLOW_SUFFIXES):
        raise typer.BadParameter(f"There is no graph {name!r}; there are: {', '.join(GRAPHS)}, and the YAML files of workflows.")
    with told_as_bad_usage():
        drawn = GRAPHS[name]() if name in GRAPHS else workflow_of(name)
    typer.echo(drawn.get_graph(xray=True).draw_mermaid(), nl=False)


def _answer(result: dict[str, Any]) -> Calculation | str:
    """Return the typed answer, or the text that a run without a response format ends with; exit if there is none."""
    outcome, message = result.get("outcome"), result["messages"][-1]
    answer: Calculation | None = result.get("structured_response")
    if outcome is not None and answer is None:
        raise ended(NO_ANSWER, f"{outcome['status']}: {outcome['reason']}")
    if answer is None and (status := diagnose(message)):
        raise ended(NO_ANSWER, f"{status}: {message.text}")
    return message.text if answer is None else answer


def _as_text(answer: Calculation) -> str:
    fields = {name: json.dumps(value, ensure_ascii=False) for name, value in answer.model_dump(mode="json").items()}
    fields["reasoning"] = answer.reasoning
    return "\n".join([type(answer).__name__, *(f"  {name}: {value}" for name, value in fields.items())])
