"""What every command does around a graph: find its model, run it before a person's eyes, end with an exit code and one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from rich.console import Console

from answergraph.cli.live_view import LiveView, one_line
from answergraph.models.resolve import OFFLINE, resolve_model
from answergraph.state.errors import AgentSpecError

NO_ANSWER = 1
"""Exit code: the run ended without an answer, or a claim does not hold."""
BAD_USAGE = 2
"""Exit code: what was asked for cannot be run."""
INTERRUPTED = 130
"""Exit code: ended by Ctrl-C; what shells expect."""


def chosen_model(name: str, base_url: str | None) -> BaseChatModel | str:
    """Return the model of the options ``--model`` and ``--base-url``.

    Args:
        name: The model's name.
        base_url: An OpenAI-compatible server, ``None`` for the provider's own.

    Returns:
        The model; the offline one by its name, for each graph has rules of its own for it.

    Raises:
        AgentSpecError: If there is no such model, or the server goes with another one.
    """
    if base_url is None:
        return name if name == OFFLINE else resolve_model(name)
    if not name.startswith("openai:"):
        raise AgentSpecError(f"--base-url goes with --model openai:NAME, not with {name!r}.")
    # A server of one's own often wants no key, but the client insists on one.
    return resolve_model(name, base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY") or "none")


def run_graph(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    given: Mapping[str, Any],
    *,
    shows_subgraphs: bool = False,
    output_keys: Sequence[str] | None = None,
    callbacks: Sequence[BaseCallbackHandler] = (),
) -> dict[str, Any]:
    """Run a graph, showing its steps if a person looks on.

    Args:
        graph: The graph.
        given: Its input.
        shows_subgraphs: Whether the steps of graphs inside it are shown too.
        output_keys: The keys of the final state that are wanted, of those it has; those of the output by default.
        callbacks: LangChain callback handlers.

    Returns:
        The final state.

    Raises:
        typer.Exit: If it was interrupted or raised; one line on stderr says why.
    """
    view = LiveView(Console(stderr=True)) if sys.stderr.isatty() else None
    # Only where they are seen: LangGraph waits for the end of a call before it lets a Ctrl-C through then.
    subgraphs = shows_subgraphs and view is not None
    keys = None if output_keys is None else [key for key in output_keys if key in graph.channels]
    config: RunnableConfig = {"callbacks": list(callbacks)}
    result: dict[str, Any] = {}
    with told_in_one_line():
        chunk: Any
        for chunk in graph.stream(given, config, stream_mode=["updates", "values"], subgraphs=subgraphs, output_keys=keys):
            namespace, mode, data = chunk if subgraphs else ((), *chunk)
            if mode == "values":
                result = result if namespace else data
            elif view is not None:
                view.show(data, within=[part.partition(":")[0] for part in namespace])
    return result


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Tell in one line what goes wrong while models are called.

    Raises:
        typer.Exit: In place of what was raised inside.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise ended(INTERRUPTED, "Interrupted.") from interrupt
    except Exception as error:
        # Every provider has error classes of its own; of each a user is owed one line and not our stack.
        raise ended(NO_ANSWER, error_line(error)) from error


def ended(code: int, line: str) -> typer.Exit:
    """Say why on stderr.

    Args:
        code: The exit code.
        line: The reason.

    Returns:
        What to raise.
    """
    typer.echo(one_line(line), err=True)
    return typer.Exit(code)


def error_line(error: BaseException) -> str:
    """Return an error as one line, with its root where it does not name it.

    Args:
        error: What was raised.
    """
    line, root = f"{type(error).__name__}: {error}", error
    while root.__cause__ is not None:
        root = root.__cause__
    # A client that could not connect says so; what it wraps says why.
    return line if str(root) in line else f"{line} ({root})"
