"""An agent as a tool of another agent, with its typed answer as result."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.pregel import Pregel
from langgraph.pregel.protocol import PregelProtocol
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict

from answergraph.answers.storage.answer_channel import AnswerCodec
from answergraph.evidence.bundles import results_in
from answergraph.graphs.agent.agent_state_graph import AgentStateGraph
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError, NoAnswerError
from answergraph.runtime.steps import Invoke, Step, in_both_colours
from answergraph.state.agent_state import AnswerKeys
from answergraph.state.delta_channels import RecordedResult
from answergraph.state.field_record import cited_in
from answergraph.state.outcome import Outcome


class AgentToolArtifact(TypedDict):
    """The artifact on the tool message of an agent that ran as a tool; plain JSON, so that every checkpointer restores it."""

    structured_response: Any
    """The answer as JSON, ``None`` if there is none."""
    outcome: Outcome | None
    """Why the agent's run ended; ``None`` for an agent that answers with a text and met no limit."""
    supported_by: list[RecordedResult]
    """The results of the agent's tools that its outcome names as evidence."""


def as_tool(
    agent: Runnable[Any, Any],
    *,
    description: str,
    name: str | None = None,
    request: Callable[..., Mapping[str, Any]] | None = None,
    return_direct: bool = False,
) -> BaseTool:
    """Turn an agent into a tool of another agent.

    The result is the agent's answer as JSON text, or its last text if it declares no answer; the tool message's ``artifact``
    holds the answer and the outcome. A run without an answer is a result with status ``error`` that says why. The agent sees
    only the request, not its caller's conversation. Its usage counts towards the caller's limits. It streams
    under ``subgraphs=True``, and resumes where it was interrupted.

    Args:
        agent: An agent made by ``create_agent`` or compiled from ``build_agent_graph``; or LangGraph's ``RemoteGraph`` of one
            without an ``output_key``. A remote run is in no thread, so it cannot wait for a person, and is not charged to its
            caller.
        description: What the agent is for, as shown to the model that calls it.
        name: The tool's name, by default the agent's.
        request: A function from the tool's arguments to the agent's input; ``ToolRuntime`` and the like are
            injected as in any tool. By default the only argument is a message.
        return_direct: Whether the result ends the calling agent's run.

    Returns:
        The tool.

    Raises:
        AgentSpecError: If ``agent`` is not an agent of this package, or neither it nor the tool has a name.

    Example:
        >>> from answergraph import create_agent
        >>> helper = as_tool(create_agent("offline", name="helper"), description="Says hello.")
        >>> helper.name, list(helper.args)
        ('helper', ['request'])
    """
    graph = getattr(agent, "builder", None)
    if isinstance(agent, PregelProtocol) and not isinstance(agent, Pregel):
        from answergraph.graphs.compose.remote_agent import run_remotely  # noqa: PLC0415 - who has one has imported its module

        graph = None
    elif not isinstance(graph, AgentStateGraph):
        raise AgentSpecError(
            f"as_tool takes an agent made by create_agent, not {shown(agent)}; write as_tool(create_agent(…), …)."
        )
    tool_name = name or (graph.agent_name if graph else agent.get_name())
    if tool_name is None:
        raise AgentSpecError("A tool needs a name; write as_tool(agent, name='…', …), or create_agent(…, name='…').")
    keys, codec = (graph.keys, graph.codec) if graph else (AnswerKeys(), None)
    prepare = request or _conversation

    @wraps(prepare)
    def step(*args: Any, **kwargs: Any) -> Step[tuple[str, AgentToolArtifact]]:
        try:
            inputs = prepare(*args, **kwargs)
            return _reported(keys, codec, (yield Invoke(agent, inputs)) if graph else (yield from run_remotely(agent, inputs)))
        except NoAnswerError as error:
            return _reported(keys, codec, {keys.outcome: error.outcome})

    return _AgentTool.from_function(
        *in_both_colours(step),
        name=tool_name,
        description=description,
        return_direct=return_direct,
        response_format="content_and_artifact",
        handle_tool_error=graph is None,
    )


class _AgentTool(StructuredTool):
    """A tool whose message status says whether there is an answer."""

    def run(self, *args: Any, **kwargs: Any) -> object:
        return _with_status(super().run(*args, **kwargs))

    async def arun(self, *args: Any, **kwargs: Any) -> object:
        return _with_status(await super().arun(*args, **kwargs))


def _reported(keys: AnswerKeys, codec: AnswerCodec | None, result: Mapping[str, Any]) -> tuple[str, AgentToolArtifact]:
    """Return an agent's result as text and artifact; the answer of a remote agent, without a codec, is JSON already."""
    answer, outcome = result.get(keys.answer), result.get(keys.outcome)
    if answer is None:
        text = result["messages"][-1].text if outcome is None else str(NoAnswerError(outcome))
        return text, AgentToolArtifact(structured_response=None, outcome=outcome, supported_by=[])
    named = codec.to_json(answer) if codec else None
    # Values of middleware or run-time formats may have any type.
    value = to_jsonable_python(answer, fallback=str) if named is None else named.data
    text, cited = json.dumps(value, ensure_ascii=False), _cited(result["messages"], outcome)
    return text, AgentToolArtifact(structured_response=value, outcome=outcome, supported_by=cited)


def _cited(messages: Sequence[AnyMessage], outcome: Outcome | None) -> list[RecordedResult]:
    if outcome is None:
        return []
    named = cited_in(outcome["fields"])
    return [result for result in results_in(messages, {str(outcome["schema"])}) if result["tool_call_id"] in named]


def _conversation(
    request: Annotated[str, "What to do, with everything one has to know for it: nothing else of this conversation is seen."],
) -> dict[str, object]:
    return {"messages": [HumanMessage(request)]}


def _with_status(result: Any) -> object:
    if not isinstance(result, ToolMessage) or not isinstance(result.artifact, dict):
        return result
    has_answer = result.artifact["structured_response"] is not None or result.artifact["outcome"] is None
    return result if has_answer else result.model_copy(update={"status": "error"})
