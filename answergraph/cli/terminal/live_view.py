"""Runs a graph and prints its progress: a line per step, message and outcome."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

import answergraph
from answergraph.cli.terminal.command_runner import BAD_USAGE, NO_ANSWER, ended, error_line, one_line
from answergraph.cli.terminal.run_limits import in_time, spent, spent_so_far
from answergraph.nodes.names import MODEL, STRUCTURED_RESPONSE, TOOLS
from answergraph.state.messages import CORRECTION_ID_PREFIX

if TYPE_CHECKING:
    from answergraph.cli.terminal.command_runner import Graph

_NODE_WIDTH = len(STRUCTURED_RESPONSE) + 2
_STYLES = {MODEL: "bold cyan", TOOLS: "bold yellow", STRUCTURED_RESPONSE: "bold green"}


def _show_steps(console: Console, updates: Mapping[str, object], within: Sequence[str]) -> None:
    """Print an item of the ``updates`` stream; ``within`` names the enclosing nodes, outermost first."""
    for node, update in updates.items():
        name = " › ".join([*within, node])
        for line in step_lines(update):
            text = Text(f"{name.ljust(_NODE_WIDTH - 1)} ", style=_STYLES.get(node, "bold"))
            console.print(text.append(line, style="not bold default"), soft_wrap=not console.is_terminal)
    if used := spent_so_far():
        console.print(Text(f"{' ' * _NODE_WIDTH}{used}", style="dim"), soft_wrap=not console.is_terminal)


def run_graph(
    graph: Graph,
    inputs: Mapping[str, object],
    config: RunnableConfig | None = None,
    *,
    shows_subgraphs: bool = False,
    output_keys: Sequence[str] | None = None,
    show: Callable[[Mapping[str, Any], Sequence[str]], None] | None = None,
) -> dict[str, Any]:
    """Run a graph and print its updates; return its final state, or raise ``typer.Exit`` with the reason on stderr.

    It ends in the time of the limits around it: an agent with its outcome, any other graph with a reason.
    """
    if show is None and sys.stderr.isatty():
        show = partial(_show_steps, Console(stderr=True))
    # Only if they are shown: while streaming, LangGraph delays Ctrl-C until a call ends.
    subgraphs = shows_subgraphs and show is not None
    keys = None if output_keys is None else [key for key in output_keys if key in graph.channels]

    result: dict[str, object] = {}

    def stream() -> None:
        nonlocal result
        chunk: Any
        for chunk in graph.stream(inputs, config, stream_mode=["updates", "values"], subgraphs=subgraphs, output_keys=keys):
            namespace, mode, data = chunk if subgraphs else ((), *chunk)
            if mode == "values":
                result = result if namespace else data
            elif show is not None:
                show(data, [part.partition(":")[0] for part in namespace])

    try:
        in_time(stream)
    except answergraph.AgentSpecError as error:
        raise ended(BAD_USAGE, f"Error: {error}") from error
    except Exception as error:
        # Providers raise their own error classes; users get one line instead of a traceback.
        raise ended(NO_ANSWER, error_line(error)) from error
    return result


def progress_bar(further: ProgressColumn) -> Progress:
    """Return a progress bar with one extra column, on stderr if that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), further)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def step_lines(update: object) -> Iterator[str]:
    """Return a line for each thing a node did; ``↺`` marks the library's own corrections."""
    for part in update if isinstance(update, list) else [update]:
        if isinstance(part, Mapping):
            for message in part.get("messages") or ():
                yield from _message_lines(message)
            if part.get("outcome"):
                yield _ending_line(part["outcome"])
            yield from _decision_lines(part)


def _ending_line(outcome: Mapping[str, Any]) -> str:
    used = spent(outcome["usage"], outcome["limits"])
    return f"■ {outcome['status']}: {outcome['reason']}{used and f' ({used})'}"


def _decision_lines(update: Mapping[str, Any]) -> Iterator[str]:
    for stage in ((update.get("judging") or {}).get("stages") or ())[-1:]:
        yield f"{stage['status']}: {one_line(stage['reason'])}"
    if (update.get("judgment") or {}).get("label"):
        yield f"■ {update['judgment']['label']} ({update['judgment']['method']})"
    for transition in (update.get("transitions") or ())[-1:]:
        yield f"⇒ {transition['next']} ({transition['rule']}, {transition['method']})"
    if update.get("status"):
        yield f"■ {update['status']}: {one_line(update['reason'])}"


def _message_lines(message: AnyMessage) -> Iterator[str]:
    if isinstance(message, AIMessage):
        if message.text:
            yield f"“{one_line(message.text)}”"
        for call in message.tool_calls:
            arguments = ", ".join(
                f"{key}={json.dumps(value, ensure_ascii=False, default=str)}" for key, value in call["args"].items()
            )
            yield f"→ {call['name']}({arguments})"
    elif isinstance(message, ToolMessage):
        sign = "↺" if str(message.id).startswith(CORRECTION_ID_PREFIX) else "←"
        yield f"{sign} {message.name}: {one_line(message.text)}"
    elif message.text:
        yield f"↺ {one_line(message.text)}"
