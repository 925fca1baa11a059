"""AG-UI for pages, on the official package: the answer, as it grows, and the outcome are the shared state."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from answergraph import AgentGraph, AgentSpecError
from answergraph.kit import require_extra
from answergraph.many.ledger.agent_door import AgentDoor
from answergraph.serving.served_agent import UNNAMED
from answergraph.streaming import is_answer_event

require_extra("ag-ui", "ag_ui_langgraph")

from ag_ui.core import EventType, RunAgentInput, StateDeltaEvent  # noqa: E402 - see above
from ag_ui_langgraph import LangGraphAgent, State, add_langgraph_fastapi_endpoint  # noqa: E402 - see above
from fastapi import FastAPI  # noqa: E402 - comes with it

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


def to_ag_ui(agent: AgentGraph) -> ASGIApp:
    """Make an AG-UI server of one agent, as an ASGI application to mount.

    The state that the page shares has the answer as JSON, and the outcome with its reason and the record of each field. The
    answer grows in the state while the model writes. Who may ask, and for which thread, is the business of the application.

    Args:
        agent: An agent of ``create_agent`` with a ``response_format``, a ``name`` and a ``checkpointer``.

    Returns:
        The application: it takes AG-UI's requests at its root, and ``GET`` at ``/health``.

    Raises:
        AgentSpecError: If the agent has no typed answer, no name or no checkpointer.

    Example:
        >>> from answergraph import create_agent
        >>> from langgraph.checkpoint.memory import InMemorySaver
        >>> from starlette.routing import Mount
        >>> agent = create_agent("offline", response_format=int, name="count", checkpointer=InMemorySaver())
        >>> Mount("/count", to_ag_ui(agent)).path
        '/count'
    """
    AgentDoor(agent)
    if agent.name == UNNAMED or not isinstance(agent.checkpointer, BaseCheckpointSaver):
        raise AgentSpecError(
            "AG-UI needs a name and a checkpointer; write create_agent(…, name='…', checkpointer=InMemorySaver())."
        )
    app = FastAPI(openapi_url=None)  # what it takes is AG-UI's to describe
    add_langgraph_fastapi_endpoint(app, _AnswerAgent(name=agent.name, graph=agent))
    return _cancelled_once(app)


def _cancelled_once(app: ASGIApp) -> ASGIApp:
    """Cancel a request when its connection ends, once.

    Starlette does not listen for the end (from ASGI 2.4 on), or it cancels again and again (anyio): LangGraph then has no time
    to cancel the run's tasks, and a tool that hangs is left behind.
    """

    async def cancelling(scope: Scope, receive: Receive, send: Send) -> None:
        is_read = asyncio.Event()

        async def reading() -> Message:
            message = await receive()
            if not message.get("more_body"):
                is_read.set()
            return message

        async def closed() -> None:
            await is_read.wait()
            while (await receive())["type"] != "http.disconnect":
                pass

        request = {**scope, "asgi": {**scope.get("asgi", {}), "spec_version": "2.4"}}
        tasks = asyncio.ensure_future(app(request, reading, send)), asyncio.ensure_future(closed())
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await tasks[0]

    return cancelling


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
