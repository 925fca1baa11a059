"""Records tool results in the state, for middleware that checks evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from answergraph.nodes.tools import ToolCallStep, ToolResult
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import TOOL_RESULTS
from answergraph.state.delta_channels import RunResults
from answergraph.state.own_keys import with_update, without_keys, written_messages
from answergraph.state.tool_results import records_of
from answergraph.state.turn import Turn

_RECORDS = frozenset({TOOL_RESULTS})


def recording(
    wrap: Callable[[ToolCallStep], ToolCallStep], call: ToolCallStep, computing: frozenset[str] = frozenset()
) -> ToolCallStep:
    """Return a wrapped tool call that adds a record of its final message to the update.

    A record has the name of the tool that ran, which may differ from the call's or message's. Results of ``computing``
    tools support no text.
    """

    def recorded(request: ToolCallRequest) -> Step[ToolResult]:
        ran = [request]

        def noted(inner: ToolCallRequest) -> Step[ToolResult]:
            ran.append(inner)
            result: ToolResult = yield from call(inner)
            return result

        result = without_keys((yield from wrap(noted)(request)), _RECORDS)
        tool, args = ran[-1].tool, request.tool_call["args"]
        name, is_answer = (tool.name, tool.return_direct) if tool else (ran[-1].tool_call["name"], False)
        written = list(_written_before(request.state["messages"]))
        every = [result] if isinstance(result, ToolMessage) else written_messages(result)
        results = [m for m in every if isinstance(m, ToolMessage) and m.tool_call_id == request.tool_call["id"]]
        facts = {"is_answer": is_answer, "computes": name in computing}
        records = [record for message in results for record in records_of(message, name, args, written, **facts)]
        run = Turn(request.state).run
        return with_update(result, {TOOL_RESULTS: RunResults(run=run, results=records)})

    return recorded


def _written_before(messages: Sequence[AnyMessage]) -> Iterator[str]:
    """Yield the model's text since its previous calls."""
    replies = (message for message in reversed(messages) if isinstance(message, AIMessage))
    for index, message in enumerate(replies):
        if index and message.tool_calls:
            return
        if message.text:
            yield message.text
