"""An agent on a LangGraph server, as LangGraph's ``RemoteGraph`` calls it."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import MessageLikeRepresentation, convert_to_messages
from langchain_core.runnables import Runnable
from langchain_core.tools import ToolException
from langgraph.pregel.remote import RemoteException

from answergraph.graphs.compose.as_node import REMOTE_WAITS
from answergraph.runtime.errors import AgentSpecError, NoAnswerError
from answergraph.runtime.steps import Invoke, Step


def run_remotely(agent: Runnable[Any, Any], request: Mapping[str, object]) -> Step[Mapping[str, object]]:
    """Run a remote agent in no thread, and return its result as a local one's.

    It gets no config, and so not its caller's thread: there it would see earlier runs, and a server that calls itself would wait
    for its own run to end.
    """
    try:
        result: dict[str, Sequence[MessageLikeRepresentation]] | None = yield Invoke(agent, request)
    except RemoteException as error:
        sent = error.args[0] if error.args else None
        if isinstance(sent, Mapping) and sent.get("error") == NoAnswerError.__name__:
            raise ToolException(sent["message"]) from error  # what the calling model reads
        raise
    if result is None or "__interrupt__" in result:
        raise AgentSpecError(REMOTE_WAITS)
    return {**result, "messages": convert_to_messages(result.get("messages", []))}
