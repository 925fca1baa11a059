"""The results of a run's tools, kept apart from the conversation, which may be changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from langchain_core.messages import ToolMessage
from langgraph.types import Command
from typing_extensions import TypedDict

from answergraph.state.agent_state import TOOL_RESULTS, AgentState, PrivateStateAttr
from answergraph.state.delta_channels import GrowingChannel
from answergraph.state.ledger import current_ledger


class RecordedResult(TypedDict):
    """One tool call and its result, as plain JSON."""

    tool_call_id: str
    name: str
    args: dict[str, Any]
    texts: list[str]
    """The texts of the result's content blocks, one if it is a string; joined they are the message's ``text``."""
    succeeded: bool


class RunResults(TypedDict):
    """The results of one run."""

    run: str
    """The run's id; those of earlier runs of a thread are dropped."""
    results: list[RecordedResult]


@dataclass(frozen=True)
class ToolRun:
    """One tool call of the run and its result."""

    tool_call_id: str
    name: str
    """The tool's name."""
    args: Mapping[str, Any]
    texts: tuple[str, ...]
    """The texts of the result's content blocks."""
    succeeded: bool = True
    """Whether the result is no error."""

    @property
    def text(self) -> str:
        """The result's text, as ``ToolMessage.text``."""
        return "".join(self.texts)

    @property
    def value(self) -> Any:
        """The result as JSON if it is, else its text."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return self.text


class ToolResultsChannel(GrowingChannel):
    """The results of a run; a checkpoint holds the added ones only."""

    __slots__ = ()
    __hash__ = None  # as in DeltaChannel, which has __eq__ alone

    def length(self) -> int:
        return len(self.value["results"]) if self.is_available() and self.value else 0


def merge_results(before: RunResults | None, writes: Sequence[RunResults | None]) -> RunResults | None:
    """Add results, the same however the writes are batched; the first result of another run replaces all earlier ones."""
    merged = before
    for write in writes:
        if write:
            known = merged["results"] if merged and merged["run"] == write["run"] else []
            # A call that runs again after a crash writes its result again.
            new = [result for result in write["results"] if result not in known]
            merged = {"run": write["run"], "results": [*known, *new]}
    return merged


class EvidenceState(AgentState[Any]):
    """The state of a middleware that reads the run's tool results; they are recorded because it is declared."""

    answergraph_tool_results: NotRequired[Annotated[RunResults, PrivateStateAttr, ToolResultsChannel(merge_results)]]


def results_of_run(state: Mapping[str, Any]) -> list[ToolRun]:
    """Return the results of the tools since the run began, oldest first."""
    recorded: RunResults | None = state.get(TOOL_RESULTS)
    if not recorded or recorded["run"] != current_ledger(state)["run"]:
        return []
    return [run_of(result) for result in recorded["results"]]


def run_of(result: Mapping[str, Any]) -> ToolRun:
    return ToolRun(**{**result, "texts": tuple(result["texts"])})


def texts_of(message: ToolMessage) -> list[str]:
    """Return the texts of a message's content blocks, in order; joined they are its ``text``."""
    if isinstance(message.content, str):
        return [message.content]
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in message.content]
    return [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]


def with_update(result: ToolMessage | Command[Any], update: dict[str, Any]) -> ToolMessage | Command[Any]:
    """Return the result of a tool call with a state update beside it."""
    if isinstance(result, ToolMessage):
        return Command(update={"messages": [result], **update})
    before = result.update
    together = {**(before or {}), **update} if isinstance(before, dict | None) else [*before, *update.items()]
    return Command(graph=result.graph, update=together, resume=result.resume, goto=result.goto)
