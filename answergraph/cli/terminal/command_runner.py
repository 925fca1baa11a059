"""What all commands share: options, the model, and ending with an exit code and a one-line reason.

Each command imports its code when it runs, so that ``--help`` and shell completion are fast.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PureWindowsPath
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

import answergraph
from answergraph.models.model_names import OFFLINE
from answergraph.runtime.extras import MissingExtraError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langgraph.graph.state import CompiledStateGraph

    Graph = CompiledStateGraph[Any, Any]

NO_ANSWER = 1
"""Exit code: the run ended without an answer, or a claim does not hold."""
BAD_USAGE = 2
"""Exit code: the request cannot be run."""

ModelOption = Annotated[str, typer.Option(help="'offline', 'openai:NAME', 'local:NAME', or 'provider:NAME'.")]
BaseUrlOption = Annotated[str | None, typer.Option(help="An OpenAI-compatible server, for --model openai:NAME.")]
FactOption = Annotated[list[str] | None, typer.Option(help="NAME=VALUE for agents and rules, the value as JSON or a text.")]
KeyOption = Annotated[Path | None, typer.Option(help="A file with the secret that signs the bundle.")]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def chosen_model(name: str, base_url: str | None) -> BaseChatModel | str:
    """Return the model that ``--model`` and ``--base-url`` select: a name, or a model on that server.

    Raise ``AgentSpecError`` if ``--base-url`` is given with another kind of model.
    """
    if base_url is None:
        return name  # each graph has rules of its own for "offline"
    if not name.startswith("openai:"):
        raise answergraph.AgentSpecError(f"--base-url needs --model openai:NAME, not {name!r}.")
    from answergraph.kit import resolve_model

    # Local servers often need no key, but the client requires one.
    return resolve_model(name, base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY") or "none")


def imported(reference: str) -> Any:
    """Import ``package.module:attribute``, also from the current folder as ``python -m`` does, or raise ``AgentSpecError``."""
    module, _, attribute = reference.rpartition(":")
    if not module or not attribute:
        raise answergraph.AgentSpecError(f"{reference!r} does not name an object; write it as 'package.module:attribute'.")
    path = PureWindowsPath(module)  # which has both separators
    if path.suffix == ".py" or len(path.parts) > 1:
        name = f"{path.stem}:{attribute}"
        raise answergraph.AgentSpecError(f"{reference!r} names a file; write {name!r}, the module, in its folder.")
    import_also_from(Path.cwd())
    try:
        return getattr(importlib.import_module(module), attribute)
    except Exception as error:  # the module is the user's, and may raise anything
        from answergraph.runtime.explained_arguments import meant

        near = meant(attribute, vars(sys.modules.get(module, sys)))
        raise answergraph.AgentSpecError(f"{reference!r} cannot be imported: {error}{near and f'.{near}'}") from error


def schema_at(reference: str) -> Any:
    """Return the schema in a file, or at ``package.module:attribute``; raise ``AgentSpecError`` if there is none."""
    if not reference.endswith(".json") and not Path(reference).is_file():
        return imported(reference)
    try:
        return json.loads(Path(reference).read_bytes())
    except ValueError as error:
        raise answergraph.AgentSpecError(f"{reference} is not a JSON Schema: {error}") from error


def by_whom(line: str, model: str) -> str:
    """Return a line of an answer; it says so if no model gave the answer."""
    return f"{line} (by rules)" if model == OFFLINE else line


def import_also_from(*folders: Path) -> None:
    """Append folders to the import path: files there do not hide installed packages."""
    sys.path += [str(folder) for folder in folders if str(folder) not in sys.path]


@contextmanager
def errors_as_bad_usage(ledger: object = None) -> Iterator[None]:
    """Turn an error into one line on stderr and ``typer.Exit`` with code 2; after Ctrl-C, say what a ledger is there for."""
    try:
        yield
    except KeyboardInterrupt:
        if ledger is not None:
            say(one_line(f"Repeat the command to go on from {ledger}."), err=True)
        raise
    except OSError as error:
        raise ended(BAD_USAGE, f"Error: {error.filename}: {error.strerror}" if error.filename else f"Error: {error}") from error
    except (answergraph.AgentSpecError, MissingExtraError, UnicodeDecodeError) as error:
        raise ended(BAD_USAGE, f"Error: {error}") from error


def facts_of(options: list[str] | None) -> dict[str, object]:
    """Parse facts given as ``NAME=VALUE``, the value as JSON or a string; raise ``AgentSpecError`` if one has no name."""
    facts: dict[str, object] = {}
    for option in options or ():
        name, equals, value = option.partition("=")
        if not name or not equals:
            raise answergraph.AgentSpecError(f"--fact takes NAME=VALUE, not {option!r}.")
        facts[name] = value
        with suppress(ValueError):
            facts[name] = json.loads(value)
    return facts


def text_in(file: Path) -> str:
    """Return the text of a file; raise ``AgentSpecError`` if it is none in UTF-8."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise answergraph.AgentSpecError(f"{file} is not a text in UTF-8: convert with 'iconv -f latin1 -t utf-8'.") from error


def said(argument: str) -> str:
    """Return an argument, or what stdin says for ``-``; raise ``AgentSpecError`` if it is not in UTF-8."""
    text = sys.stdin.read() if argument == "-" else argument
    try:
        text.encode()  # what the shell handed on in another encoding stands in it as surrogates
    except UnicodeEncodeError as error:
        raise answergraph.AgentSpecError("The text is not in UTF-8: convert it with 'iconv -f latin1 -t utf-8'.") from error
    return text


def key_in(file: Path | None) -> bytes | None:
    """Return the secret in a file, without the white space around it; raise ``AgentSpecError`` if there is none in it."""
    secret = None if file is None else file.read_bytes().strip()
    if secret == b"":
        raise answergraph.AgentSpecError(f"--key {file} is empty, so anybody could sign with it; put a secret into it.")
    return secret


def write_json(path: Path, value: object) -> None:
    path.write_text(f"{json.dumps(value, ensure_ascii=False, indent=1, default=str)}\n", encoding="utf-8")


def columns_of(stream: TextIO) -> int:
    """Return how wide a terminal is; 0 for a file, also where a shell has set ``COLUMNS``, but not with ``FORCE_COLOR``."""
    return get_terminal_size().columns if stream.isatty() or os.environ.get("FORCE_COLOR") else 0


def say(text: str, *, err: bool = False, indent: int = 4) -> None:
    """Print lines for people: in a terminal they wrap at words; in a file, and in a table, a line stays one line."""
    columns = columns_of(sys.stderr if err else sys.stdout)
    typer.echo("\n".join(_wrapped(line, columns, indent) for line in text.split("\n")) if columns else text, err=err)


def _wrapped(line: str, columns: int, indent: int) -> str:
    if len(line) <= columns or line.startswith("|"):
        return line
    # What has no space stays whole, so that it can be copied: the id of a test, an address.
    return fill(line, columns, subsequent_indent=" " * min(indent, columns // 3), break_long_words=False, break_on_hyphens=False)


def ended(code: int, line: str) -> typer.Exit:
    """Print the reason on stderr, and return the exit to raise."""
    say(one_line(line), err=True, indent=0)
    return typer.Exit(code)


def error_line(error: BaseException) -> str:
    """Return an error as one line: type, text, the address of an unreachable server, and the first cause."""
    line, root = f"{type(error).__name__}: {error}", error
    while root.__cause__ is not None:
        root = root.__cause__
    # A client's connection error holds the request; the error it wraps holds the cause.
    if "response" not in vars(error) and (request := vars(error).get("request")) is not None:
        line = f"{line} No reply from {request.url}"
    return line if str(root) in line else f"{line} ({root})"


def one_line(text: str) -> str:
    """Return a text as one line without control characters, safe to print on a terminal."""
    return " ".join(_CONTROL.sub(" ", text).split())
