"""An agent as an A2A agent, on the official SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Never

from pydantic_core import from_json, to_json

from answergraph import AgentGraph, AgentSpecError, __version__
from answergraph.kit import require_extra
from answergraph.serving.served_agent import OWN_THREADS, End, ServedAgent

require_extra("a2a", "a2a")

from a2a.helpers import get_data_parts, new_data_part, new_task_from_user_message, new_text_part  # noqa: E402 - see above
from a2a.server.agent_execution import AgentExecutor, RequestContext  # noqa: E402 - see above
from a2a.server.request_handlers import DefaultRequestHandler  # noqa: E402 - see above
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes  # noqa: E402 - see above
from a2a.server.tasks import InMemoryTaskStore, TaskStore, TaskUpdater  # noqa: E402 - see above
from a2a.types import AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill, Part  # noqa: E402 - see above
from starlette.applications import Starlette  # noqa: E402 - see above

if TYPE_CHECKING:
    from a2a.server.events import EventQueue
    from starlette.types import ASGIApp

MODES = ("application/json", "text/plain")
SCHEMAS = "urn:answergraph:schemas"
"""The extension of the card that holds the JSON Schemas of input and answer."""
OUTCOME = "answergraph/outcome"
ANSWER = "answer"
"""The id of the one artifact."""
KEPT_SECONDS = 300.0
"""How long a task that waits keeps its place in memory; a later message finds it in the store."""


def to_a2a(
    agent: AgentGraph[Any, Never, object],
    *,
    url: str,
    skills: Mapping[str, str] | None = None,
    task_store: TaskStore | None = None,
) -> ASGIApp:
    """Make an A2A agent of an agent, as an ASGI application to mount.

    Each message without a task id starts a run, and the answer is the task's artifact, as data and as text; it grows while the
    model writes. A run without an answer is a failed task with its status and its reason. A run that waits, of an agent with a
    checkpointer, is a task that requires input: the next message with its id goes on with it. Who may ask is the business of
    the application around it.

    Args:
        agent: An agent of ``create_agent`` with a ``response_format`` and a ``name``.
        url: Where clients reach the application, for its card at ``/.well-known/agent-card.json``.
        skills: What the agent can do, a description by name; without them the card says what it answers with.
        task_store: Where the SDK keeps tasks; without it, in this process until it ends.

    Returns:
        The application.

    Raises:
        AgentSpecError: If the agent has no typed answer or no name, or the URL is none.

    Example:
        >>> from answergraph import create_agent
        >>> from starlette.routing import Mount
        >>> agent = create_agent("offline", response_format=int, name="count")
        >>> Mount("/a2a", to_a2a(agent, url="https://agents.example.org/a2a")).path
        '/a2a'
    """
    if not url.startswith(("http://", "https://")):
        raise AgentSpecError(f"url={url!r} is no address; write to_a2a(…, url='https://…') with the address that clients use.")
    served = ServedAgent(agent)
    card = _card(served, url, skills or {served.name: served.description})
    handler = DefaultRequestHandler(
        agent_executor=_Executor(served),
        task_store=task_store or InMemoryTaskStore(),
        agent_card=card,
        interrupted_task_timeout=KEPT_SECONDS,
    )
    return Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")])


def _card(agent: ServedAgent, url: str, skills: Mapping[str, str]) -> AgentCard:
    schemas = {"input": agent.input_schema, "output": agent.output_schema}
    about = "The JSON Schemas of a message's data and of the answer."
    return AgentCard(
        name=agent.name,
        description=agent.description,
        version=__version__,
        # With a slash: a mounted application redirects without it, and clients do not follow when they post.
        supported_interfaces=[AgentInterface(url=f"{url.rstrip('/')}/", protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(
            streaming=True, extensions=[AgentExtension(uri=SCHEMAS, description=about, params=_plain(schemas))]
        ),
        default_input_modes=MODES,
        default_output_modes=MODES,
        skills=[AgentSkill(id=name, name=name, description=what, tags=[agent.name]) for name, what in skills.items()],
    )


class _Executor(AgentExecutor):
    """Runs the agent for one message after another of a task."""

    def __init__(self, agent: ServedAgent) -> None:
        self._agent = agent

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Run the agent, or go on with the run that waits, and say how it ended."""
        if context.message is None or context.task_id is None or context.context_id is None:
            raise ValueError("The SDK hands on a message with its ids.")
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        task = _Task(TaskUpdater(event_queue, context.task_id, context.context_id))
        await task.updater.start_work()
        thread = f"{OWN_THREADS}{context.task_id}"
        text, data = context.get_user_input(), get_data_parts(context.message.parts)
        arguments: dict[str, Any] = {}
        for part in data:
            arguments.update(part if isinstance(part, dict) else {"data": part})  # the schema refuses the latter
        if context.current_task is not None:
            decision = {} if arguments else {"decision": text}
            end = await self._agent.resume({**decision, **arguments, "thread_id": thread}, _unheard, task.grow)
        else:
            request = {self._agent.text_key: text} if text else {}
            end = await self._agent.run({**request, **arguments}, _unheard, thread, task.grow)
        await task.end(end, waits=end.waits or (end.content is None and await self._agent.waits_for(thread) is not None))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Say that the run is cancelled, which the SDK does."""
        await TaskUpdater(event_queue, context.task_id or "", context.context_id or "").cancel()


class _Task:
    """What the client hears of a task."""

    def __init__(self, updater: TaskUpdater) -> None:
        self.updater = updater
        self._grew = False

    async def grow(self, value: object) -> None:
        """Send the answer so far, in place of what was sent before."""
        self._grew = True
        await self._send([new_data_part(_plain(value))], {"status": "growing"})

    async def end(self, end: End, *, waits: bool) -> None:
        """Send how the run ended, or what it waits for."""
        outcome = {OUTCOME: _plain(end.outcome)} if end.outcome else {}
        if end.content is not None and not waits:
            await self._send([new_data_part(_plain(end.content)), new_text_part(end.text)], outcome, last=True)
            await self.updater.complete()
            return
        if self._grew:  # no part of an answer that was not accepted stays behind
            await self._send([new_text_part(end.text)], {"status": "rejected"}, last=True)
        message = self.updater.new_agent_message(_parts_of(end), metadata=outcome)
        await (self.updater.requires_input(message) if waits else self.updater.failed(message))

    async def _send(self, parts: list[Part], metadata: dict[str, object], *, last: bool = False) -> None:
        await self.updater.add_artifact(parts, ANSWER, "answer", metadata, append=False, last_chunk=last)


def _parts_of(end: End) -> list[Part]:
    """Return a message for who has no answer: why, and what the run waits for."""
    if end.content is None:
        return [new_text_part(end.text)]
    waiting = {key: value for key, value in end.content.items() if key in {"status", "reason", "pending", "questions"}}
    return [new_text_part(f"{waiting['status']}: {waiting['reason']}"), new_data_part(_plain(waiting))]


async def _unheard(steps: float, total: float | None, what: str | None) -> None:
    """Take a step: the client hears of the answer that grows instead."""


def _plain(value: object) -> Any:
    """Return what protobuf takes: JSON, without values such as NaN."""
    return from_json(to_json(value, fallback=str))
