"""The command line. The answer goes to stdout, everything else to stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from textwrap import TextWrapper
from types import CoroutineType
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

import answergraph
from answergraph import evidence, graphs
from answergraph.cli.eval_command import evaluate_file
from answergraph.cli.experiment_command import experiments
from answergraph.cli.extract_command import extract
from answergraph.cli.judge_command import judge
from answergraph.cli.map_command import map_file
from answergraph.cli.mcp_command import mcp
from answergraph.cli.page_command import page
from answergraph.cli.replay_command import replay
from answergraph.cli.run_command import run, workflow_of
from answergraph.cli.terminal.command_runner import (
    NO_ANSWER,
    BaseUrlOption,
    KeyOption,
    ModelOption,
    by_whom,
    chosen_model,
    columns_of,
    ended,
    errors_as_bad_usage,
    imported,
    key_in,
    one_line,
    said,
    say,
    schema_at,
    write_json,
)
from answergraph.cli.terminal.run_limits import LimitsOption, limits_in, within
from answergraph.cli.triage.triage_command import TRIAGE_HELP, triage
from answergraph.cli.verify_command import verify
from answergraph.models.model_names import OFFLINE

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import RunnableConfig

    from answergraph.cli.terminal.command_runner import Graph

GRAPHS: Mapping[str, str] = {
    "agent": "answergraph.graphs.add_ons.calculator.general_agent:general_agent",
    "calculator": "answergraph.graphs:create_calculator",
    "react": "answergraph.graphs:create_react",
    "extract": "answergraph.graphs.add_ons.extract.extractor:extract_by_context",
    "judge": "answergraph.graphs.add_ons.judge.judge_graph:judge_by_context",
    "triage": "answergraph.graphs:create_triage_agent",
}
"""The built-in graphs that ``graph`` draws by name."""
DRAWN = (
    f"one of {', '.join(GRAPHS)}; a workflow's YAML file; or 'module:attribute', a compiled graph or a function that returns one"
)
MAX_LINE_CHARACTERS = 110
MAX_LABEL_CHARACTERS = 22
MAX_LINES = 3
"""Of what a scene of the demo shows, where a line has its maximum length."""

Protocol = Literal["tools", "react"]

OFFLINE_NOTE = (
    "The default model, 'offline', is not a language model: it is a set of rules for arithmetic and for the triage of test runs. "
    "It needs no key and no network."
)

app = typer.Typer(
    help=f"Agent graphs that always end: in a typed, checked answer, or in a typed reason why there is none.\n\n{OFFLINE_NOTE}",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"answergraph {answergraph.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Holds the options before a command."""


@app.command()
def demo(
    model: Annotated[
        str | None,
        typer.Option(help="Instead of scripted replies: 'local', a small model on this machine, or a name such as openai:NAME."),
    ] = None,
) -> None:
    """Show what happens to a model's mistakes."""
    from answergraph.cli.first_steps.demo_scenes import SCENES
    from answergraph.models.resolve import resolve_model

    with errors_as_bad_usage():
        chosen = model and resolve_model("local:smollm2" if model == "local" else model)
    whose = f"asked of {model}" if model else "with scripted models that make typical mistakes"
    say(f"Five agents {whose}, then two built-in agents that follow rules.", indent=0)
    columns = min(columns_of(sys.stdout) or MAX_LINE_CHARACTERS, MAX_LINE_CHARACTERS)
    indent, most = " " * min(MAX_LABEL_CHARACTERS, columns // 4), MAX_LINES * MAX_LINE_CHARACTERS // columns
    wrapper = TextWrapper(columns, subsequent_indent=indent, max_lines=most, placeholder=" …", break_long_words=False)
    for number, scene in enumerate(SCENES, start=1):
        say(typer.style(f"\n{number}. {scene.task if model else scene.title}", bold=True))
        for label, text in scene.lines(chosen or None):
            typer.echo(wrapper.fill(f"   {label}".ljust(MAX_LABEL_CHARACTERS) + one_line(text)))


@app.command(short_help="Write a project: an agent, its test, a CI file, and the files to serve it.")
def new(name: Annotated[str, typer.Argument(help="The folder and the module of the agent, such as my_agent.")]) -> None:
    """Write a project: an agent, its test, a CI file, and what 'make test' and 'make dev' need."""
    from answergraph.cli.first_steps.new_project import write_project

    with errors_as_bad_usage():
        for path in write_project(Path(name)):
            typer.echo(path)
    say(f"Next: cd {name} && make test", err=True)


def _no_option(question: str) -> str:
    """Refuse a misspelt option, which Typer would take for the question."""
    if re.match(r"--?[a-zA-Z]", question):
        raise typer.BadParameter(f"There is no option {question!r}.")
    return question


# An expression may begin with a minus sign, which is not an option.
@app.command(
    context_settings={"ignore_unknown_options": True},
    help="Answer QUESTION with the calculator, with your own agent (--agent), or in the shape of your own schema (--format). "
    f"Exit code 0: answered; 1: no answer; 2: bad usage.\n\n{OFFLINE_NOTE}",
    short_help="Answer a question: with the calculator, your own agent, or your own schema.",
)
def ask(  # noqa: PLR0913  # waiver: the options of a command
    question: Annotated[str, typer.Argument(callback=_no_option, help="A question, or a calculation. '-' reads stdin.")],
    *,
    agent: Annotated[
        str | None, typer.Option(help="Your agent: 'module:attribute', a compiled graph or a function that returns one.")
    ] = None,
    answer_format: Annotated[
        str | None, typer.Option("--format", help="The answer's schema: a JSON Schema file, or 'module:Type'.")
    ] = None,
    model: ModelOption = OFFLINE,
    base_url: BaseUrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the answer, as JSON.")] = False,
    bundle: Annotated[Path | None, typer.Option(help="Also write the answer with its evidence to this file.")] = None,
    key: KeyOption = None,
    limits: LimitsOption = None,
    protocol: Annotated[
        Protocol, typer.Option(help="How the model calls its tools: by tool calls, or in text for models that have none.")
    ] = "tools",
    show_prompts: Annotated[bool, typer.Option("--show-prompts", help="Print requests and replies unchanged on stderr.")] = False,
) -> None:
    from pydantic_core import to_json

    from answergraph.cli.terminal.live_view import run_graph
    from answergraph.cli.terminal.prompt_view import PromptView

    with errors_as_bad_usage():
        text = said(question)
        if not text.strip():
            raise typer.BadParameter("The question is empty.")
        secret, limited = key_in(key), limits_in(limits)
        if agent is None:
            graph = _built(answer_format, protocol, chosen_model(model, base_url))
        elif (answer_format, protocol, model, base_url) != (None, "tools", OFFLINE, None):
            raise typer.BadParameter("--agent has its own model and format: leave out --format, --model, --base-url, --protocol.")
        else:
            graph = _own(agent, "messages")
    config: RunnableConfig = {"callbacks": [PromptView(partial(typer.echo, err=True))] if show_prompts else []}
    with within(limited):
        result = run_graph(graph, {"messages": [text.strip()]}, config, output_keys=evidence.BUNDLE_KEYS)
    if bundle is not None:
        with errors_as_bad_usage():
            write_json(bundle, evidence.answer_bundle(result, key=secret))
    answer = _answer(result)
    if as_json:
        typer.echo(to_json(answer).decode())
    else:
        schema = str((result.get("outcome") or {}).get("schema"))
        say(_as_text(answer, schema if agent else by_whom(schema, model)))


@app.command(short_help="Print a graph as a Mermaid drawing.")
def graph(name: Annotated[str, typer.Argument(help=f"Write {DRAWN}.")]) -> None:
    """Print a graph, and the graphs in it, as a Mermaid drawing."""
    is_file = name.endswith((".yaml", ".yml"))
    if name not in GRAPHS and not is_file and ":" not in name:
        raise typer.BadParameter(f"{name!r} is not a graph; write {DRAWN}.")
    with errors_as_bad_usage():
        if is_file:
            drawn = workflow_of(name)
        else:
            drawn = imported(GRAPHS[name])() if name in GRAPHS else _own(name)
    typer.echo(drawn.get_graph(xray=True).draw_mermaid(), nl=False)


app.command(help=f"{TRIAGE_HELP}\n\n{OFFLINE_NOTE}", short_help="Judge the failures of a test run: real, or flaky?")(triage)
app.command(short_help="Take a record out of a document, every field with its place.")(extract)
app.command(short_help="Say which of several rules holds for a report.")(judge)
app.command(short_help="Run a workflow from a YAML file.")(run)
app.command("map", short_help="Run an agent over many rows: one typed row each, resumable.")(map_file)
app.command("eval", short_help="Score an agent field by field, on cases with expected answers.")(evaluate_file)
app.command(short_help="Serve agents as tools of an MCP server on stdin and stdout.")(mcp)
app.command(short_help="Show a saved answer, a tape or a ledger on the page.")(page)
app.command(short_help="Run stored threads, or a tape, again without the network.")(replay)
app.command(short_help="Re-check a saved answer by its evidence.")(verify)
app.add_typer(experiments)


def _built(answer_format: str | None, protocol: Protocol, model: str | BaseChatModel) -> Graph:
    """Return the calculator, or an agent that answers in the shape of a schema."""
    if answer_format is None:
        return graphs.create_react(model) if protocol == "react" else graphs.create_calculator(model)
    schema = schema_at(answer_format)
    if protocol == "react":
        return graphs.create_react(model, None if model == OFFLINE else (), response_format=schema)
    create = graphs.create_calculator if model == OFFLINE else answergraph.create_agent  # "offline" calculates with tools only
    return create(model, response_format=schema)


def _own(reference: str, key: str | None = None) -> Graph:
    """Return the user's graph; raise ``AgentSpecError`` if the reference names none with this state key."""
    from langgraph.pregel import Pregel

    graph = imported(reference)
    if not isinstance(graph, Pregel) and callable(graph) and not isinstance(graph, type):
        graph = graph()
    if not isinstance(graph, Pregel) or (key and key not in graph.channels):
        if isinstance(graph, CoroutineType):
            graph.close()  # nobody awaits it, of which Python would warn
        what = f"a compiled graph with the state key {key!r}" if key else "a compiled graph"
        raise answergraph.AgentSpecError(
            f"{reference!r} is of the type {type(graph).__name__}; name {what}, or a function without arguments that returns one."
        )
    return cast("Graph", graph)


def _answer(result: dict[str, Any]) -> object:
    """Return the typed answer, or the last text of a run without a response format; exit if there is none."""
    from answergraph.state.stop_reasons import diagnose

    outcome, message = result.get("outcome"), result["messages"][-1]
    if outcome is not None and outcome["status"] not in {"answered", "abstained"}:
        raise ended(NO_ANSWER, f"{outcome['status']}: {outcome['reason'].removeprefix('The model refused: ')}")
    if outcome is not None and outcome["schema"] is not None:
        return result["structured_response"]
    if status := diagnose(message):
        raise ended(NO_ANSWER, f"{status}: {message.text}")
    return message.text


def _as_text(answer: object, schema: str) -> str:
    """Return the schema's name and a line per field; a text unchanged."""
    from pydantic_core import to_jsonable_python

    plain = to_jsonable_python(answer)
    if not isinstance(plain, dict):
        return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    fields = {name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for name, value in plain.items()}
    return "\n".join([schema, *(f"  {name}: {value}" for name, value in fields.items())])
