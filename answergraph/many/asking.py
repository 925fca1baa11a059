"""Asks the agent for one row, again if the provider failed, until the row has an end."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from uuid import UUID, uuid4

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from answergraph import AgentSpecError, NoAnswerError
from answergraph.many.batches.provider_errors import is_passing
from answergraph.many.ledger.agent_door import AgentDoor, mark_of
from answergraph.many.ledger.map_ledger import Wanted
from answergraph.many.ledger.rows import End, Group
from answergraph.many.pace import MAX_TRIES, Pace
from answergraph.many.stopping import Purse, Share
from answergraph.tapes.differences import TapeMismatch

Around = Callable[[], AbstractContextManager[None]]


class FirstRequest(BaseCallbackHandler):
    """Reads off the first request who is asking: the model and its settings, the tools, the system prompt."""

    run_inline = True

    agent: str | None = None
    """A short name of it; ``None`` before the first request."""

    def on_chat_model_start(
        self, serialized: dict[str, object], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: object
    ) -> None:
        if self.agent is None:
            prompt = [message.text for message in messages[0] if isinstance(message, SystemMessage)]
            self.agent = mark_of([kwargs.get("invocation_params"), prompt])


class Asking:
    """Asks one agent for the rows of a map."""

    def __init__(self, door: AgentDoor, pace: Pace, around: Around, purse: Purse | None) -> None:
        """``around`` makes a context for each row, from its first run to its end; ``purse`` is that of all rows."""
        self._door = door
        self._around = around
        self._purse = purse
        self._pace = pace
        self._session = uuid4().hex
        self.first_request = FirstRequest()

    async def end_of(self, row: Wanted) -> End:
        """Ask for a row, and return its end; whatever the agent raises is one."""
        with self._around(), nullcontext() if self._purse is None else self._purse.share() as share:
            end = await self._end_of(row)
        return end.left() if share is not None and self._is_spent_by(end, share) else end

    def _is_spent_by(self, end: End, share: Share) -> bool:
        """Return whether a row was ended by the limit of all rows: with a larger one it may have an answer."""
        if (end.group.status, end.group.rule) != ("out_of_budget", "cost"):
            return False
        own = getattr(getattr(self._door.agent, "builder", None), "limits", None)
        if own is None:  # a graph of several agents: the limit may be that of one
            return share.left <= 0
        return own.cost is None or end.parsed_outcome()["limits"]["cost"] < float(own.cost)

    async def _end_of(self, row: Wanted) -> End:
        began = time.monotonic()
        for tries in range(1, MAX_TRIES + 1):
            await asyncio.sleep(self._pace.seconds_to_wait)
            try:
                outcome, answer = await self._run(row, tries)
            except (AgentSpecError, TapeMismatch):
                raise  # the developer's mistake is every row's, and a tape of other runs says nothing of this agent
            except BaseException as error:  # one row's failure must not end the others, whatever it is
                task = asyncio.current_task()
                if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                    raise  # the map is being ended; the agent may raise it itself
                if not is_passing(error) or tries == MAX_TRIES:
                    return _failed(row.key, error, time.monotonic() - began)
                await asyncio.sleep(self._pace.refused(error, tries))
            else:
                self._pace.answered()
                return End.of(row.key, answer, outcome, time.monotonic() - began)
        raise AssertionError("the last try returns")

    async def _run(self, row: Wanted, tries: int) -> tuple[Mapping[str, object], object]:
        # A thread of its own for each run: an agent with a checkpointer needs one, and must not go on with another row's.
        config: RunnableConfig = {"configurable": {"thread_id": f"{row.key}/{self._session}/{tries}"}}
        if self.first_request.agent is None:
            config["callbacks"] = [self.first_request]
        try:
            result = await self._door.agent.ainvoke(row.input, config)
        except NoAnswerError as error:
            return error.outcome, None
        outcome = result.get(self._door.outcome_key)
        if outcome is None:
            waiting = f"The run was interrupted and waits: {result.get('__interrupt__')}"
            outcome = End.without_outcome(row.key, Group("deferred"), waiting).parsed_outcome()
        return outcome, self._door.stored(result.get(self._door.answer_key))


def _failed(key: str, error: BaseException, seconds: float) -> End:
    kind = type(error).__name__
    return End.without_outcome(key, Group("unanswered", rule=kind), f"The run raised {kind}: {error}", seconds)
