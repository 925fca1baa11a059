"""What all commands share: options, the choice of a model, the run of a graph, and an end with an exit code and one line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from rich.console import Console

from answergraph.cli.live_view import LiveView, one_line
from answergraph.models.resolve import resolve_model
from answergraph.runtime.extras import MissingExtraError
from answergraph.state.errors import AgentSpecError

NO_ANSWER = 1
"""Exit code: the run ended without an answer, or a claim does not hold."""
BAD_USAGE = 2
"""Exit code: what was asked for cannot be run."""
INTERRUPTED = 130
"""Exit code: ended by Ctrl-C; what shells expect."""

ModelOption = Annotated[str, typer.Option(help="'offline', 'openai:NAME', or 'provider:NAME'.")]
BaseUrlOption = Annotated[str | None, typer.Option(help="An OpenAI-compatible server, for --model openai:NAME.")]
FactOption = Annotated[list[str] | None, typer.Option(help="NAME=VALUE for agents and rules, the value as JSON or a text.")]

Graph = CompiledStateGraph[Any, Any, Any, Any]


def chosen_model(name: str, base_url: str | None) -> BaseChatModel | str:
    """Return the model of the options ``--model`` and ``--base-url``: its name, or the model on that server.

    Raises:
        AgentSpecError: If the server goes with another model.
    """
    if base_url is None:
        return name  # each graph has rules of its own for "offline"
    if not name.startswith("openai:"):
        raise AgentSpecError(f"--base-url goes with --model openai:NAME, not with {name!r}.")
    # A server of one's own often wants no key, but the client insists on one.
    return resolve_model(name, base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY") or "none")


def run_graph(
    graph: Graph,
    given: Mapping[str, Any],
    config: RunnableConfig | None = None,
    *,
    shows_subgraphs: bool = False,
    output_keys: Sequence[str] | None = None,
    show: Callable[[Mapping[str, Any], Sequence[str]], None] | None = None,
) -> dict[str, Any]:
    """Run a graph and return its final state; its updates are shown, by default as steps on a terminal.

    Raises:
        typer.Exit: If it was interrupted or raised; one line on stderr says why.
    """
    if show is None and sys.stderr.isatty():
        show = LiveView(Console(stderr=True)).show
    # Only where they are seen: LangGraph waits for the end of a call before it lets a Ctrl-C through then.
    subgraphs = shows_subgraphs and show is not None
    keys = None if output_keys is None else [key for key in output_keys if key in graph.channels]
    result: dict[str, Any] = {}
    try:
        chunk: Any
        for chunk in graph.stream(given, config, stream_mode=["updates", "values"], subgraphs=subgraphs, output_keys=keys):
            namespace, mode, data = chunk if subgraphs else ((), *chunk)
            if mode == "values":
                result = result if namespace else data
            elif show is not None:
                show(data, [part.partition(":")[0] for part in namespace])
    except KeyboardInterrupt as interrupt:
        raise ended(INTERRUPTED, "Interrupted.") from interrupt
    except Exception as error:
        # Every provider has error classes of its own; of each a user is owed one line and not our stack.
        raise ended(NO_ANSWER, error_line(error)) from error
    return result


@contextmanager
def told_as_bad_usage() -> Iterator[None]:
    """Tell in one line why a command cannot be run as it was given.

    Raises:
        typer.Exit: In place of the error inside.
    """
    try:
        yield
    except (AgentSpecError, MissingExtraError, OSError, UnicodeDecodeError) as error:
        raise ended(BAD_USAGE, f"Error: {error}") from error


def facts_of(options: list[str] | None) -> dict[str, Any]:
    """Return facts that were given as ``NAME=VALUE``; a value that is not JSON is a text.

    Raises:
        AgentSpecError: If one has no name.
    """
    facts: dict[str, Any] = {}
    for option in options or ():
        name, equals, value = option.partition("=")
        if not name or not equals:
            raise AgentSpecError(f"--fact takes NAME=VALUE, not {option!r}.")
        facts[name] = value
        with suppress(ValueError):
            facts[name] = json.loads(value)
    return facts


def write_json(path: Path, value: Any) -> None:
    path.write_text(f"{json.dumps(value, ensure_ascii=False, indent=1, default=str)}\n", encoding="utf-8")


def ended(code: int, line: str) -> typer.Exit:
    """Print the reason as one line on stderr, and return the exit to raise."""
    typer.echo(one_line(line), err=True)
    return typer.Exit(code)


def error_line(error: BaseException) -> str:
    """Return an error as one line, with its first cause where the error does not name it."""
    line, root = f"{type(error).__name__}: {error}", error
    while root.__cause__ is not None:
        root = root.__cause__
    # A client that could not connect says so; what it wraps says why.
    return line if str(root) in line else f"{line} ({root})"
