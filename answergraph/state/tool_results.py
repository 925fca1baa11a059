"""The tool results of a run, kept apart from the conversation, which may change."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Annotated, Any, Literal, NotRequired, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.types import Command
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph.state.agent_state import INPUT_TEXTS, TOOL_RESULTS, AgentState, PrivateStateAttr, RunState
from answergraph.state.delta_channels import GrowingChannel
from answergraph.state.messages import is_correction
from answergraph.state.turn import Turn

SUPPORTED_BY = "supported_by"
"""The key of a tool message's artifact with the results that support an agent's answer."""
_AGAIN = "#"
"""Separates a repeated call id from its number."""

PLACES_IN_THE_REPLY = "citations that only give places in your own reply"
"""Kind of content that has no words of a source."""
_TEXT_BLOCKS = frozenset({"text", "text-plain"})
_BLOCKS_OF_BLOCKS = frozenset({"search_result", "document", "tool_result"})
_SOURCES = {"text": "data", "content": "content"}  # the text field of a document's source, by its type
_NO_SOURCE = frozenset({"type", "text", "content", "page_content", "cited_text", "encrypted_index", "index"})
_MAX_SOURCE_CHARACTERS = 500
"""Longer values in the description of a source are dropped."""


class RecordedResult(TypedDict):
    """One tool call and its result, as plain JSON; the fields are those of ``ToolRun``."""

    tool_call_id: str
    name: str
    args: dict[str, Any]
    texts: list[str]
    succeeded: bool
    written: NotRequired[list[str]]
    counts: NotRequired[bool]
    sources: NotRequired[list[list[Any]]]
    unread: NotRequired[list[str]]
    kind: NotRequired[Literal["tool", "input", "text"]]


class RunResults(TypedDict):
    """The results of one run."""

    run: str
    """The run's id; those of earlier runs of a thread are dropped."""
    results: list[RecordedResult]
    shown: NotRequired[dict[str, str]]
    """Per call, the text last shown to the model if a wrapper changed it; empty if removed."""


@dataclass(frozen=True)
class ToolRun:
    """One tool call of the run and its result."""

    tool_call_id: str
    name: str
    """The tool's name."""
    args: Mapping[str, Any]
    texts: tuple[str, ...]
    """The texts of the result's content blocks, one if the content is a string."""
    succeeded: bool = True
    written: tuple[str, ...] = ()
    """The model's own words since the previous call; they support nothing."""
    counts: bool = True
    """Whether the result may support an answer; another model's words and the answer itself may not."""
    sources: Sequence[Any] = ()
    """Start, end and source of each document in the text; a source has an id, address, title or page."""
    unread: Sequence[str] = ()
    """The kinds of content that were not read, such as images."""
    kind: Literal["tool", "input", "text"] = "tool"
    """What it is: a call, the caller's own message, or a text given to ``check_evidence``."""
    shown: str | None = None
    """The text shown to the model instead of the result, if different; empty if removed."""

    @property
    def text(self) -> str:
        """The result's text, as ``ToolMessage.text``."""
        return "".join(self.texts)

    @property
    def value(self) -> Any:
        """The result parsed as JSON, or its text if it is not JSON."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return self.text


class ToolResultsChannel(GrowingChannel):
    """The results of a run; a checkpoint holds only additions."""

    __slots__ = ()
    __hash__ = None  # as in DeltaChannel, which defines only __eq__

    def length(self) -> int:
        return len(self.value["results"]) if self.is_available() and self.value else 0


def merge_results(before: RunResults | None, writes: Sequence[RunResults | None]) -> RunResults | None:
    """Add results; how the writes are batched makes no difference. The first result of a new run replaces all earlier ones."""
    merged = before
    for write in writes:
        if write:
            known = merged["results"] if merged and merged["run"] == write["run"] else []
            # A call that runs again after a crash writes its result again.
            new = [result for result in write["results"] if result not in known]
            shown = {"shown": write.get("shown", (merged if known and merged else write).get("shown"))}
            merged = cast(RunResults, {"run": write["run"], "results": [*known, *new], **(shown if shown["shown"] else {})})
    return merged


def shown_update(state: RunState, sent: Sequence[AnyMessage]) -> dict[str, object]:
    """Return the update that records which results the model was shown in changed form."""
    recorded: Any = state[TOOL_RESULTS]
    if list(map(id, sent)) == list(map(id, state["messages"])):
        return {}
    held, shown = _shown_texts(state["messages"]), _shown_texts(sent)
    changed = {call_id: shown.get(call_id, [""])[-1] for call_id, texts in held.items() if shown.get(call_id) != texts}
    is_known = changed == recorded.get("shown", {})
    return {} if is_known else {TOOL_RESULTS: RunResults(run=recorded["run"], results=[], shown=changed)}


def _shown_texts(messages: Sequence[AnyMessage]) -> dict[str, list[str]]:
    """Return the texts of the tool messages by the id of their call."""
    texts: dict[str, list[str]] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            texts.setdefault(message.tool_call_id, []).append("".join(texts_of(message)))
    return texts


class EvidenceState(AgentState):
    """The state of a middleware that needs the run's tool results; declaring it records them."""

    answergraph_tool_results: NotRequired[Annotated[RunResults, PrivateStateAttr, ToolResultsChannel(merge_results)]]


def results_of_run(state: RunState) -> list[ToolRun]:
    """Return the sources of the current run, oldest first: the caller's messages, where they are one, and the tool results."""
    inputs: Any = state.get(INPUT_TEXTS) or []
    recorded: Any = state.get(TOOL_RESULTS)
    of_tools = recorded["results"] if recorded and recorded["run"] == Turn(state).run else []
    shown = recorded.get("shown", {}) if recorded and of_tools else {}
    runs = [run_of(result) for result in with_unique_ids([*inputs, *of_tools, *cited_in(state["messages"])])]
    return [replace(run, shown=shown.get(call_id_of(run.tool_call_id))) for run in runs]


def as_shown(runs: Iterable[ToolRun], messages: Sequence[AnyMessage]) -> list[ToolRun]:
    """Return results, each with the text that the conversation shows for it if that differs."""
    by_id = _shown_texts(messages)
    replies = {message.id for message in messages if isinstance(message, AIMessage)}
    own = {message.id: texts_of(message) for message in messages if isinstance(message, HumanMessage)}
    found: list[ToolRun] = []
    for run in runs:
        if run.kind == "input":
            pieces = own.get(run.tool_call_id)  # a middleware may have removed words of the caller, or the message
            is_whole = pieces is not None and {*pieces} <= {*run.texts}
            found.append(run if is_whole else replace(run, shown="".join(pieces or ())))
            continue
        texts = by_id.get(call_id_of(run.tool_call_id), [])
        # What a reply cites was never a tool message, and neither was the result of an inner agent's tool.
        is_elsewhere = run.tool_call_id not in by_id and ("/" in run.tool_call_id or run.tool_call_id in replies)
        is_shown = run.shown is not None or run.text in texts or is_elsewhere
        found.append(run if is_shown else replace(run, shown=texts[-1] if texts else ""))
    return found


def run_of(result: Mapping[str, Any]) -> ToolRun:
    return ToolRun(**{**result, "texts": tuple(result["texts"]), "written": tuple(result.get("written", ()))})


def with_unique_ids(results: Iterable[RecordedResult]) -> list[RecordedResult]:
    """Return results with unique ids, because some servers reuse call ids in every turn."""
    seen: Counter[str] = Counter()
    apart: list[RecordedResult] = []
    for result in results:
        seen[result["tool_call_id"]] += 1
        count = seen[result["tool_call_id"]]
        apart.append(result if count == 1 else {**result, "tool_call_id": f"{result['tool_call_id']}{_AGAIN}{count}"})
    return apart


def call_id_of(evidence_id: str) -> str:
    return evidence_id.rpartition(_AGAIN)[0] or evidence_id  # as the conversation names it


def records_of(
    message: ToolMessage, name: str, args: Mapping[str, object], written: Sequence[str] = (), *, is_answer: bool = False
) -> list[RecordedResult]:
    """Return the records of one tool message: its own and, if it is an agent's answer, those of the agent's tools.

    The words of an agent support nothing, but the results behind its answer do. A result that is the answer does not support it.
    """
    behind = message.artifact.get(SUPPORTED_BY) if isinstance(message.artifact, Mapping) else None
    record = _record(message.tool_call_id, name, args, list(_pieces(message.content)))
    record["succeeded"] = message.status != "error"
    if sources := [*record.get("sources", ()), *_documents(message)]:
        record["sources"] = sources
    if unread := _unread(message.content):
        record["unread"] = unread
    if written:
        record["written"] = list(written)
    if is_answer or behind is not None:
        record["counts"] = False
    ids = {"tool_call_id": message.tool_call_id, "name": name}
    inner = [{**one, **{field: f"{outer}/{one[field]}" for field, outer in ids.items()}} for one in behind or ()]
    return [record, *(cast(RecordedResult, one) for one in inner)]  # the same fields


def texts_of(message: AnyMessage) -> list[str]:
    """Return the texts of a message's content blocks, in order; those of search results and documents too."""
    return [text for text, _ in _pieces(message.content)]


def cited_in(messages: Sequence[AnyMessage]) -> list[RecordedResult]:
    """Return the passages of sources that providers attached to the replies of the last run.

    A citation that only marks a place in the reply supports nothing; neither does what the model wrote, or what failed.
    """
    found: list[RecordedResult] = []
    for number, message in enumerate(reversed(messages)):
        if isinstance(message, HumanMessage) and not is_correction(message):
            break
        grounding = message.response_metadata.get("grounding_metadata") or {}
        if isinstance(message, AIMessage) and (isinstance(message.content, list) or grounding):
            blocks = cast("list[Any]", message.content_blocks)
            notes = [note for block in blocks for note in block.get("annotations", ()) if note["type"] == "citation"]
            cited = [(note["cited_text"], note) for note in notes if note.get("cited_text") and "start_index" not in note]
            calls = {str(block.get("id")): block.get("args") for block in blocks if block["type"] == "server_tool_call"}
            ran = [block for block in blocks if block["type"] == "server_tool_result" and block.get("status") != "error"]
            results = [one for block in ran for one in block.get("output") or ()]
            results += [chunk.get("retrieved_context") for chunk in grounding.get("grounding_chunks") or ()]
            cited += [(str(one["text"]), one) for one in results if isinstance(one, Mapping) and one.get("text")]
            record = _record(message.id or f"reply-{number}", "citation", calls, cited)
            record |= {"written": [message.text], "unread": [] if cited else [PLACES_IN_THE_REPLY]}
            found += [record] if notes or cited else []
    return found[::-1]


def _record(call_id: str, name: str, args: Mapping[str, Any], pieces: Sequence[tuple[str, Any]]) -> RecordedResult:
    texts = [text for text, _ in pieces]
    places = zip(accumulate(map(len, texts), initial=0), pieces, strict=False)
    sources = [[start, start + len(text), source] for start, (text, given) in places if (source := _source(given))]
    plain = json.loads(json.dumps(args, default=str))
    record = RecordedResult(tool_call_id=call_id, name=name, args=plain, texts=texts, succeeded=True)
    return {**record, "sources": sources} if sources else record


def _source(given: Mapping[str, Any]) -> dict[str, object]:
    """Return the source of a text: id, address, title, page."""
    named = {**given, **given.get("extras", {}), **given.get("metadata", {})}
    kept = {name: value for name, value in named.items() if isinstance(value, str | int) and name not in _NO_SOURCE}
    return {name: value for name, value in kept.items() if len(str(value)) <= _MAX_SOURCE_CHARACTERS}


def _documents(message: ToolMessage) -> Iterator[list[object]]:
    """Yield the position and source of each document of a retriever's artifact."""
    text = "".join(texts_of(message))
    for document in message.artifact if isinstance(message.artifact, list) else ():
        given = dict(document) if isinstance(document, Mapping | BaseModel) else {}
        content = str(given.get("page_content") or "")
        if content and content in text and (source := _source(given)):
            yield [text.find(content), text.find(content) + len(content), source]


def _pieces(blocks: object, given: Mapping[str, object] | None = None) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the texts of content blocks, each with its search result or document."""
    for block in blocks if isinstance(blocks, list) else [blocks]:
        if isinstance(block, str):
            yield block, given or {}
        elif isinstance(block, Mapping) and block.get("type") in _TEXT_BLOCKS and isinstance(block.get("text"), str):
            yield block["text"], given or block
        elif isinstance(block, Mapping) and block.get("type") in _BLOCKS_OF_BLOCKS:
            source = block["source"] if isinstance(block.get("source"), Mapping) else {}
            for inner in (block.get("content"), source.get(_SOURCES.get(str(source.get("type")), ""))):
                yield from _pieces(inner or [], block)


def _unread(blocks: object) -> list[str]:
    """Return the kinds of content blocks that cannot be read, each once."""
    kinds = [block.get("type") for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
    return list(dict.fromkeys(str(kind) for kind in kinds if kind not in _TEXT_BLOCKS | _BLOCKS_OF_BLOCKS))


def with_update(result: ToolMessage | Command[Any], update: dict[str, object]) -> ToolMessage | Command[Any]:
    """Return the result of a tool call with a state update beside it."""
    if isinstance(result, ToolMessage):
        return Command(update={"messages": [result], **update})
    before = result.update
    together = {**(before or {}), **update} if isinstance(before, dict | None) else [*before, *update.items()]
    return Command(graph=result.graph, update=together, resume=result.resume, goto=result.goto)
