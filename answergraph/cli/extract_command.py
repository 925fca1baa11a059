"""``answergraph extract``: a record out of a document."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from answergraph import graphs
from answergraph.cli.terminal.command_runner import (
    NO_ANSWER,
    BaseUrlOption,
    chosen_model,
    ended,
    errors_as_bad_usage,
    import_also_from,
    one_line,
    say,
    schema_at,
)
from answergraph.cli.terminal.run_limits import LimitsOption, limits_in, within
from answergraph.models.model_names import OFFLINE

if TYPE_CHECKING:
    from collections.abc import Mapping


def extract(  # noqa: PLR0913, PLR0917 - one parameter per option
    document: Annotated[Path, typer.Argument(help="A file: text, HTML or CSV in UTF-8, or a PDF. '-' reads stdin.")],
    schema: Annotated[str, typer.Option(help="'module:Class', or a file with a JSON Schema, whose title names the record.")],
    model: Annotated[str, typer.Option(help="'openai:NAME', 'local:NAME', or 'provider:NAME'.")],
    base_url: BaseUrlOption = None,
    on_doubt: Annotated[
        Literal["refuse", "omit"], typer.Option(help="What becomes of a field that stands nowhere: no record, or its default.")
    ] = "refuse",
    limits: LimitsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print record and fields, as JSON.")] = False,
) -> None:
    """Take a record out of DOCUMENT, every field with its place. Exit code 0: a record; 1: none; 2: bad usage."""
    from pydantic import TypeAdapter

    from answergraph.cli.terminal.live_view import run_graph

    if model == OFFLINE:
        raise typer.BadParameter(
            "'offline' has rules for arithmetic and test runs only and reads no document: write openai:NAME or local:NAME."
        )
    with errors_as_bad_usage():
        import_also_from(Path.cwd())
        extractor = graphs.create_extractor(chosen_model(model, base_url), schema_at(schema), on_doubt=on_doubt)
        data, limited = _content_of(document), limits_in(limits)
    with within(limited):
        result = run_graph(extractor, {"document": data})
    outcome, record = result["outcome"], result.get("structured_response")
    plain: object = None if record is None else TypeAdapter(type(record)).dump_python(record, mode="json")
    if as_json:
        typer.echo(json.dumps({"record": plain, "fields": outcome["fields"]}, ensure_ascii=False))
    else:
        for path, field in outcome["fields"].items():
            say(f"{path}: {_value(record, path)}{_shown(field)}")
    if record is None:
        raise ended(NO_ANSWER, outcome["reason"])


def _content_of(document: Path) -> bytes:
    """Return a file that has something to read, before a model is paid for.

    Raises:
        AgentSpecError: If it is empty, a PDF that is broken or has a password, or no text in UTF-8.
    """
    from answergraph.evidence.texts.documents import pages_of_file
    from answergraph.runtime.errors import AgentSpecError

    is_piped = str(document) == "-"
    data, name = (sys.stdin.buffer.read(), "stdin") if is_piped else (document.read_bytes(), document.name)
    try:
        pages = pages_of_file(data)
    except ValueError as error:
        raise AgentSpecError(f"{name}: {error}.") from error
    # A scan has pages without text, which a model may see all the same.
    if not any(page.about or page.text.strip() for page in pages):
        raise AgentSpecError(f"{name} holds no text.")
    return data


def _value(record: object, path: str) -> str:
    from answergraph.kit import FieldPath

    return "" if record is None else f"{one_line(str(FieldPath(path).get(record)))}  "


def _shown(field: Mapping[str, Any]) -> str:
    passages = [f"{evidence['source']['name']}: {one_line(evidence['unit'])}" for evidence in field["evidence"]]
    return f"{field['status']}  {field['problem'] or '; '.join(passages)}"
