"""What counts as a source of evidence: texts, files, calls of tools with their results, and the caller's own messages."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from answergraph.evidence.texts.documents import DocumentPage, pages_of_block, pages_of_file, sources_in
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.delta_channels import RecordedResult
from answergraph.state.ledger import EXISTING
from answergraph.state.messages import is_correction, texts_of
from answergraph.state.tool_results import ToolRun

Source = str | Path | ToolRun
"""A text, a file, or a tool's call with its result."""


def runs_of(sources: Source | Sequence[Source]) -> list[ToolRun]:
    """Return sources in one form.

    Raises:
        AgentSpecError: If one is something else.
    """
    every = [sources] if isinstance(sources, Source) else sources
    return [_run_of(source, number) for number, source in enumerate(every)]


def _run_of(source: object, number: int) -> ToolRun:
    if isinstance(source, ToolRun):
        return source
    if isinstance(source, Path):
        pages = pages_of_file(source.read_bytes(), source.name)
        texts, unread = tuple(page.text for page in pages), _unread(pages)
        return ToolRun(str(source), source.name, {}, texts, sources=sources_in(pages), unread=unread, kind="text")
    if isinstance(source, str):
        return ToolRun(f"text_{number}", f"text_{number}", {}, (source,), kind="text")
    raise AgentSpecError(f"sources: {shown(source)} is neither a text, a path of a file, nor a ToolRun.")


def with_overruled(runs: Sequence[ToolRun]) -> list[ToolRun]:
    """Return runs, each with the last call of the same tool with the same arguments if that returned something else."""
    last = {(run.name, repr(run.args)): run for run in runs if run.kind == "tool" and run.succeeded}
    newest = [last.get((run.name, repr(run.args)), run) for run in runs]
    pairs = zip(runs, newest, strict=True)
    return [replace(run, overruled_by=other.tool_call_id) if run.texts != other.texts else run for run, other in pairs]


def input_records(messages: Sequence[AnyMessage]) -> list[RecordedResult]:
    """Return the caller's last messages as sources: those without a reply of the model between them."""
    places = [at for at, message in enumerate(messages) if _is_callers(message)]
    last = places[-1] if places else -1
    replies = [at for at, message in enumerate(messages[: last + 1]) if isinstance(message, AIMessage | ToolMessage)]
    first = replies[-1] + 1 if replies else 0
    return [_input_record(message) for message in messages[first : last + 1] if _is_callers(message)]


def _is_callers(message: AnyMessage) -> bool:
    return isinstance(message, HumanMessage) and not is_correction(message) and EXISTING not in message.response_metadata


def _input_record(message: AnyMessage) -> RecordedResult:
    blocks = [block for block in message.content if isinstance(block, dict)] if isinstance(message.content, list) else []
    files = {id(block): pages_of_block(block) for block in blocks}
    pages = [page for each in files.values() for page in each]
    # Text that no middleware may have changed unnoticed comes first: pages of a file are read once.
    written = texts_of(message)
    texts = [*written, *(page.text for page in pages)]
    kinds = {str(block.get("type")) for block in blocks if not files[id(block)] and block.get("type") not in _READ}
    record = RecordedResult(tool_call_id=str(message.id), name="input", args={}, texts=texts, succeeded=True, kind="input")
    if unread := [*sorted(kinds), *_unread(pages)]:
        record["unread"] = unread
    if sources := sources_in(pages, sum(map(len, written))):
        record["sources"] = sources
    return record


def _unread(pages: Sequence[DocumentPage]) -> list[str]:
    """Return the pages without text, such as scans."""
    return [page.unread for page in pages if page.unread]


_READ = frozenset({"text", "text-plain", "search_result", "document", "tool_result"})
