"""The results of tools in a conversation."""

from collections.abc import Collection, Sequence

from langchain_core.messages import AnyMessage

from answergraph.evidence.bundles import results_in
from answergraph.state.tool_results import ToolRun, run_of


def tool_runs(messages: Sequence[AnyMessage], *, answers: Collection[str] = ()) -> list[ToolRun]:
    """Return the calls of tools of the last run in a conversation with their results, oldest first, as sources for a check.

    Args:
        messages: The conversation of any agent.
        answers: The names of the answer types whose calls are no tools.

    Example:
        >>> from langchain_core.messages import AIMessage, ToolMessage
        >>> call = {"name": "read_log", "args": {}, "id": "call_1"}
        >>> tool_runs([AIMessage("", tool_calls=[call]), ToolMessage("The disk is full.", tool_call_id="call_1")])[0].text
        'The disk is full.'
    """
    return [run_of(result) for result in results_in(messages, {*answers})]
