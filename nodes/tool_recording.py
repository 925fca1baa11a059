"""Records the results of tools in the state, where a middleware checks evidence against them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from answergraph.nodes.tools import ToolCallStep, ToolResult
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import TOOL_RESULTS
from answergraph.state.ledger import current_ledger
from answergraph.state.own_keys import without_keys
from answergraph.state.tool_results import RecordedResult, RunResults, texts_of, with_update

_RECORDS = frozenset({TOOL_RESULTS})


def recording(call: ToolCallStep) -> ToolCallStep:
    """Return a tool call whose update holds a record beside the message; it goes around all that may still change the result."""

    def recorded(request: ToolCallRequest) -> Step[ToolResult]:
        result = without_keys((yield from call(request)), _RECORDS)
        records = [_record(request, message) for message in _messages(result) if message.tool_call_id == request.tool_call["id"]]
        run = current_ledger(request.state)["run"]
        return with_update(result, {TOOL_RESULTS: RunResults(run=run, results=records)})

    return recorded


def _record(request: ToolCallRequest, message: ToolMessage) -> RecordedResult:
    call = request.tool_call
    # A call redirected to another tool counts for the tool that ran, as LangChain's results are named.
    return RecordedResult(
        tool_call_id=message.tool_call_id,
        name=message.name or call["name"],
        args=json.loads(json.dumps(call["args"], default=str)),
        texts=texts_of(message),
        succeeded=message.status != "error",
    )


def _messages(result: ToolResult) -> Sequence[ToolMessage]:
    if isinstance(result, ToolMessage):
        return [result]
    update = result.update
    found = update.get("messages", []) if isinstance(update, dict) else [v for k, v in update or () if k == "messages"]
    return [message for message in found if isinstance(message, ToolMessage)]
