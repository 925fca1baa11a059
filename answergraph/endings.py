"""How a command ends: the exit codes, and the one line on stderr that says why."""

from __future__ import annotations

import typer

from answergraph.live_view import one_line

NO_ANSWER = 1
"""Exit code: the run ended without an answer, or a claim does not hold."""
BAD_USAGE = 2
"""Exit code: what was asked for cannot be run."""
INTERRUPTED = 130
"""Exit code: ended by Ctrl-C; what shells expect."""


def ended(code: int, line: str) -> typer.Exit:
    """Say why on stderr.

    Args:
        code: The exit code.
        line: Why.

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
