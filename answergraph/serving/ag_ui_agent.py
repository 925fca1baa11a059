"""An agent for pages that speak AG-UI, on the official package: its answer, as it grows, and its outcome are the shared state."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from answergraph import AgentGraph, AgentSpecError
from answergraph.kit import require_extra
from answergraph.many.ledger.agent_door import AgentDoor
from answergraph.serving.served_agent import UNNAMED
from answergraph.streaming import is_answer_event

require_extra("ag-ui", "ag_ui_langgraph")

from ag_ui.core import EventType, RunAgentInput, StateDeltaEvent  # noqa: E402 - see above
from ag_ui_langgraph import LangGraphAgent, State  # noqa: E402 - see above


def to_ag_ui(agent: AgentGraph) -> LangGraphAgent:
    """Make an AG-UI agent of an agent, for ``add_langgraph_fastapi_endpoint`` of ``ag-ui-langgraph``.

    The state that the page shares has the answer as JSON, and the outcome with its reason and the record of each field. The
    answer grows in the state while the model writes. Who may ask, and for which thread, is the business of the application.

    Args:
        agent: An agent of ``create_agent`` with a ``response_format``, a ``name`` and a ``checkpointer``.

    Returns:
        The agent of ``ag-ui-langgraph``.

    Raises:
        AgentSpecError: If the agent has no typed answer, no name or no checkpointer.

    Example:
        >>> from answergraph import create_agent
        >>> from langgraph.checkpoint.memory import InMemorySaver
        >>> agent = create_agent("offline", response_format=int, name="count", checkpointer=InMemorySaver())
        >>> to_ag_ui(agent).name
        'count'
    """
    AgentDoor(agent)
    if agent.name == UNNAMED or not isinstance(agent.checkpointer, BaseCheckpointSaver):
        raise AgentSpecError(
            "AG-UI needs a name and a checkpointer; write create_agent(…, name='…', checkpointer=InMemorySaver())."
        )
    return _AnswerAgent(name=agent.name, graph=agent)


class _AnswerAgent(LangGraphAgent):
    """Shares the answer as it grows, and as the JSON that its schema declares."""

    def __init__(self, *, name: str, graph: AgentGraph, **flags: Any) -> None:
        super().__init__(name=name, graph=graph, **flags)
        self._door = AgentDoor(graph)

    def get_stream_kwargs(self, *args: object, **kwargs: object) -> dict[str, object]:
        """Ask for the answer's events besides."""
        return {**super().get_stream_kwargs(*args, **kwargs), "stream_mode": ["updates", "custom"]}

    def get_state_snapshot(self, state: State) -> State:
        """Return the state with the answer as JSON."""
        shared: State = super().get_state_snapshot(state)
        plain = self._door.plain(shared.get(self._door.answer_key))
        return shared if plain is None else {**shared, self._door.answer_key: plain}

    async def run(self, input: RunAgentInput) -> AsyncGenerator[Any, None]:
        """Run the agent; what LangGraph says of each step stays here, but for the answer that grows."""
        async for event in super().run(input):
            if event.type is EventType.RUN_ERROR:  # errors of others may hold secrets: the package has logged them
                yield event.model_copy(update={"message": "An internal error occurred.", "raw_event": None})
            elif event.type is not EventType.RAW:
                yield event.model_copy(update={"raw_event": None})
            elif (delta := self._growth(event.event)) is not None:
                yield delta

    def _growth(self, event: object) -> StateDeltaEvent | None:
        """Return the change of the state, if LangGraph's event has more of the answer of this agent, not of one inside."""
        match event:
            case {"event": "on_chain_stream", "data": {"chunk": [[], "custom", answer]}}:
                if is_answer_event(answer) and answer["key"] == self._door.answer_key and answer["value"] is not None:
                    change = {"op": "add", "path": f"/{answer['key']}", "value": answer["value"]}
                    return StateDeltaEvent.model_validate({"delta": [change]})
        return None
