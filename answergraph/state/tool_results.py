"""The tool results of a run, kept apart from the conversation, which may change."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Annotated, Any, Literal, NotRequired, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from pydantic import BaseModel

from answergraph.state.agent_state import INPUT_TEXTS, TOOL_RESULTS, AgentState, PrivateStateAttr, RunState
from answergraph.state.delta_channels import RecordedResult, RunResults, ToolResultsChannel, merge_results
from answergraph.state.messages import is_correction, pieces_of, texts_of, unread_in
from answergraph.state.turn import Turn

SUPPORTED_BY = "supported_by"
"""The key of a tool message's artifact with the results that support an agent's answer."""
_AGAIN = "#"
"""Separates a repeated call id from its number."""

PLACES_IN_THE_REPLY = "citations that only give places in your own reply"
"""Kind of content that has no words of a source."""
_WORDS = ("text", "logs", "stdout")  # keys of what a provider's tool returned
_GROUNDING = "grounding_metadata"
_Block = Mapping[str, Any]
_NO_SOURCE = frozenset({"type", "text", "content", "page_content", "cited_text", "encrypted_index", "index"})
_MAX_SOURCE_CHARACTERS = 500
"""Longer values in the description of a source are dropped."""


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
    computes: bool = False
    """Whether the tool transforms what it is given, as code does: its result supports numbers and dates, but no text."""
    overruled_by: str | None = None
    """The later call of the same tool with the same arguments that returned something else."""
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
    runs = [run_of(result) for result in with_unique_ids([*inputs, *of_tools, *results_in_replies(state["messages"])])]
    return [replace(run, shown=shown.get(call_id_of(run.tool_call_id))) for run in runs]


def as_shown(runs: Iterable[ToolRun], messages: Sequence[AnyMessage]) -> list[ToolRun]:
    """Return results, each with the text that the conversation shows for it if that differs."""
    # What a provider ran or cited stands in its replies, and never was a tool message.
    by_id = {each["tool_call_id"]: ["".join(each["texts"])] for each in results_in_replies(messages)} | _shown_texts(messages)
    own = {message.id: texts_of(message) for message in messages if isinstance(message, HumanMessage)}
    shown_runs: list[ToolRun] = []
    for run in runs:
        if run.kind == "input":
            pieces = own.get(run.tool_call_id)  # a middleware may have removed words of the caller, or the message
            is_whole = pieces is not None and {*pieces} <= {*run.texts}
            shown_runs.append(run if is_whole else replace(run, shown="".join(pieces or ())))
            continue
        texts = by_id.get(call_id_of(run.tool_call_id), [])
        is_inner = run.tool_call_id not in by_id and "/" in run.tool_call_id
        is_shown = run.shown is not None or run.text in texts or is_inner
        shown_runs.append(run if is_shown else replace(run, shown="".join(texts[-1:])))
    return shown_runs


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
    message: ToolMessage,
    name: str,
    args: Mapping[str, object],
    written: Sequence[str] = (),
    *,
    is_answer: bool = False,
    computes: bool = False,
) -> list[RecordedResult]:
    """Return the records of one tool message: its own and, if it is an agent's answer, those of the agent's tools.

    The words of an agent support nothing, but the results behind its answer do. A result that is the answer does not support it.
    """
    is_agent = isinstance(message.artifact, Mapping) and message.artifact.keys() >= {SUPPORTED_BY, "structured_response"}
    behind = message.artifact[SUPPORTED_BY] if is_agent else None
    record = _record(message.tool_call_id, name, args, list(pieces_of(message.content)))
    record["succeeded"] = message.status != "error"
    if sources := [*record.get("sources", ()), *_documents(message)]:
        record["sources"] = sources
    if unread := unread_in(message.content):
        record["unread"] = unread
    if written:
        record["written"] = list(written)
    if computes:
        record["computes"] = True
    if is_answer or behind is not None:
        record["counts"] = False
    ids = {"tool_call_id": message.tool_call_id, "name": name}
    inner = [{**one, **{field: f"{outer}/{one[field]}" for field, outer in ids.items()}} for one in behind or ()]
    return [record, *(cast(RecordedResult, one) for one in inner)]  # the same fields


def results_in_replies(messages: Sequence[AnyMessage]) -> list[RecordedResult]:
    """Return the calls that providers ran themselves in the last run, and the passages of sources that they attached to replies.

    A citation that only marks a place in the reply supports nothing; neither does what the model wrote, or what failed.
    """
    own = takewhile(lambda message: not isinstance(message, HumanMessage) or is_correction(message), reversed(messages))
    replies = {
        message.id or f"reply-{number}": message
        for number, message in enumerate(own)
        if isinstance(message, AIMessage) and (isinstance(message.content, list) or message.response_metadata.get(_GROUNDING))
    }
    blocks = {reply_id: cast("list[Any]", message.content_blocks) for reply_id, message in replies.items()}
    # A reply that paused holds the call, the next one its result.
    results = {
        block["tool_call_id"]: block for each in blocks.values() for block in each if block["type"] == "server_tool_result"
    }
    return [
        record
        for reply_id, message in reversed(replies.items())
        for record in (*_run_by_provider(blocks[reply_id], results), *_citations(reply_id, message, blocks[reply_id]))
    ]


def _run_by_provider(blocks: Sequence[_Block], results: Mapping[str, _Block]) -> Iterator[RecordedResult]:
    """Yield the calls of a reply that its provider ran; one without a result, or with a failed one, supports nothing."""
    written: list[str] = []
    for block in blocks:
        if block["type"] == "text":
            written.append(block["text"])
        elif block["type"] == "server_tool_call":
            call_id, more = block.get("id", ""), block.get("extras", {})
            result = results.get(call_id, {"status": "error"})
            name, args = str(more.get("tool_name") or block["name"]), block.get("args") or {"arguments": more.get("arguments")}
            record = _record(call_id, name, args, list(_said_in(result.get("output"))))
            # Whatever else a provider says of a call, it says of one that has not ended.
            record["succeeded"] = result.get("status", result.get("extras", {}).get("status", "success")) == "success"
            # Code may print what the model wrote, in any spelling.
            if "code" in name:
                record["computes"] = True
            record["written"] = written
            yield record
            written = []


def _said_in(output: object) -> Iterator[tuple[str, _Block]]:
    """Yield the texts of what a provider's tool returned, each with what says where it is from."""
    for one in output if isinstance(output, list) else [output]:
        if isinstance(one, str):
            yield one, {}
        elif isinstance(one, Mapping) and (text := next((one[key] for key in _WORDS if isinstance(one.get(key), str)), None)):
            yield text, one
        elif isinstance(one, Mapping):
            yield from ((text, {**one, **about}) for text, about in pieces_of(one.get("content") or []))


def _citations(reply_id: str, message: AIMessage, blocks: Sequence[_Block]) -> Iterator[RecordedResult]:
    """Yield what a reply cites: the words of its sources, or only that there are some."""
    notes = [note for block in blocks for note in block.get("annotations", ()) if note["type"] == "citation"]
    chunks = (message.response_metadata.get(_GROUNDING) or {}).get("grounding_chunks") or ()
    contexts = [chunk["retrieved_context"] for chunk in chunks if chunk.get("retrieved_context", {}).get("text")]
    cited = [(note["cited_text"], note) for note in notes if note.get("cited_text") and "start_index" not in note]
    record = _record(reply_id, "citation", {}, [*cited, *((str(one["text"]), one) for one in contexts)])
    record |= {"written": [message.text], "unread": [] if record["texts"] else [PLACES_IN_THE_REPLY]}
    if notes or contexts:
        yield record


def _record(call_id: str, name: str, args: Mapping[str, object], pieces: Sequence[tuple[str, _Block]]) -> RecordedResult:
    texts = [text for text, _ in pieces]
    located = zip(accumulate(map(len, texts), initial=0), pieces, strict=False)
    sources = [[start, start + len(text), source] for start, (text, block) in located if (source := _source(block))]
    plain = json.loads(json.dumps(args, default=str))
    record = RecordedResult(tool_call_id=call_id, name=name, args=plain, texts=texts, succeeded=True)
    return {**record, "sources": sources} if sources else record


def _source(block: _Block) -> dict[str, object]:
    """Return the source of a text: id, address, title, page."""
    named = {**block, **block.get("extras", {}), **block.get("metadata", {})}
    source = {name: value for name, value in named.items() if isinstance(value, str | int) and name not in _NO_SOURCE}
    return {name: value for name, value in source.items() if len(str(value)) <= _MAX_SOURCE_CHARACTERS}


def _documents(message: ToolMessage) -> Iterator[list[object]]:
    """Yield the position and source of each document of a retriever's artifact."""
    text = "".join(texts_of(message))
    for document in message.artifact if isinstance(message.artifact, list) else ():
        fields = dict(document) if isinstance(document, Mapping | BaseModel) else {}
        content = str(fields.get("page_content") or "")
        if content and content in text and (source := _source(fields)):
            yield [text.find(content), text.find(content) + len(content), source]
