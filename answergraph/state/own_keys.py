"""Protects the state keys that only the agent's own nodes write: the answer, the outcome and the private keys.

If another writer sets them, for example a tool that returns the state of another agent, the values are dropped.
"""

import operator
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from langchain_core.callbacks import BaseCallbackManager, CallbackManager
from langchain_core.messages import ToolMessage
from langchain_core.runnables import ensure_config
from langchain_core.tracers import BaseTracer
from langgraph.types import Command

from answergraph.runtime.errors import AgentSpecError
from answergraph.state.agent_state import PRIVATE_KEYS
from answergraph.state.ledger import RUNNING, Running

REFUSED = (
    "{writer} wrote {key!r}, which only the agent's own nodes write. To give another answer, return "
    "ModelResponse(result=…, structured_response=…) from wrap_model_call; to send one back, raise AnswerRejected in check_answer."
)

DROPPED = (
    "{writer} returned {keys!r}, which the agent's state does not have: it is dropped. Declare it in a TypedDict derived from "
    "AgentState, and write create_agent(state_schema=…), or state_schema = … in the middleware."
)

_LIKE_A_KEY = 0.8
"""Minimum similarity of a misspelt key, of 1."""


def without_refused_keys(writer: str, update: object, state: Any, names: frozenset[str]) -> Any:
    """Return a hook's update without the agent's own keys; raise ``AgentSpecError`` if it changes the answer or the outcome."""
    cleaned = without_keys(update, names)
    for key, value in [] if cleaned is update else pairs_of(update):
        stands = state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)
        if key in names - PRIVATE_KEYS and value is not stands and value is not None and value != stands:
            raise AgentSpecError(REFUSED.format(writer=writer, key=key))
    return cleaned


def check_spelling(what: str, keys: Iterable[object], known: Collection[str], of: str = "the agent's state") -> None:
    """Raise ``AgentSpecError`` for a key that is like one of the known ones; LangGraph drops it without a word."""
    for key in keys:
        near = get_close_matches(key, known, 1, _LIKE_A_KEY) if isinstance(key, str) and key not in known else ()
        if near:
            raise AgentSpecError(f"{what} {key!r}, which is no key of {of}. Did you mean {near[0]!r}?")


def check_kept(writer: str, update: object, known: Collection[str]) -> None:
    """Raise ``AgentSpecError`` for a misspelt key of an update; warn of others, since LangGraph drops both without a word."""
    for part in update if isinstance(update, list) else [update]:
        # A command to the graph around this one writes that graph's keys.
        is_own = not (isinstance(part, Command) and part.graph)
        # The agent's own keys are dropped too, and come along where a tool hands back the whole state of another agent.
        if is_own and (unknown := {key for key, _ in pairs_of([part])}.difference(known, PRIVATE_KEYS)):
            check_spelling(f"{writer} returned", unknown, known)
            warnings.warn(DROPPED.format(writer=writer, keys=sorted(map(str, unknown))), stacklevel=2)


def without_keys(update: object, names: frozenset[str]) -> Any:
    """Return an update of any form without some keys."""
    if isinstance(update, Command):
        # A command to the graph around this one writes that graph's keys.
        inner = update.update if update.graph == Command.PARENT else without_keys(update.update, names)
        return update if inner is update.update else replace(update, update=inner)
    if isinstance(update, Mapping):
        return update if names.isdisjoint(update) else {key: value for key, value in update.items() if key not in names}
    if isinstance(update, list | tuple):
        parts = [without_keys(part, names) for part in update if not _is_pair(part) or part[0] not in names]
        is_same = len(parts) == len(update) and all(map(operator.is_, parts, update))
        return update if is_same else parts
    fields = getattr(update, "__dict__", None)
    return update if not fields or names.isdisjoint(fields) else without_keys(fields, names)


def _is_pair(part: object) -> bool:
    return isinstance(part, tuple) and list(map(type, part[:1])) == [str]


class UntracedUpdate(dict[str, object]):
    """The update of a node in a run that no tracer records."""


def marked_if_untraced(update: dict[str, object], running: Running | None) -> dict[str, object]:
    """Return the update of a node, marked in a run that no tracer records: nothing is left out of it for a trace."""
    return update if running is None or running.is_traced else UntracedUpdate(update)


def is_traced() -> bool:
    """Return whether a tracer records the current run; called once per run, because it costs as much as a tool call."""
    callbacks = ensure_config().get("callbacks")
    # In a node they are a manager, to which LangChain has added the tracers of the environment.
    manager = callbacks if isinstance(callbacks, BaseCallbackManager) else CallbackManager.configure(callbacks)
    return any(isinstance(handler, BaseTracer) for handler in manager.handlers)


def for_trace(value: object) -> Any:
    """Return the part of a state or an update that a trace records.

    LangGraph calls this also for untraced runs, and notifies every callback twice if something is left out.
    """
    running = value.get(RUNNING) if type(value) is dict else None
    is_untraced = type(value) is UntracedUpdate or (running is not None and not running.is_traced)
    return value if is_untraced else without_keys(value, PRIVATE_KEYS)


def pairs_of(update: object) -> list[tuple[str, object]]:
    """Return the keys and values that an update of any form writes."""
    if isinstance(update, Command):
        return pairs_of(update.update)
    if isinstance(update, Mapping):
        return list(update.items())
    if isinstance(update, list | tuple):
        return [pair for part in update for pair in ([part] if _is_pair(part) else pairs_of(part))]
    return list(getattr(update, "__dict__", {}).items())


def written_messages(update: object) -> list[object]:
    values = [value for key, value in pairs_of(update) if key == "messages"]
    return [each for value in values for each in (value if isinstance(value, list | tuple) else [value])]


def updates_in(update: object) -> Sequence[object]:
    """Return the updates that a node or hook returned: one, several or none."""
    if update is None:
        return ()
    return update if isinstance(update, list | tuple) else (update,)


def with_update(result: ToolMessage | Command[str], update: dict[str, object]) -> ToolMessage | Command[str]:
    """Return the result of a tool call with a state update beside it."""
    if isinstance(result, ToolMessage):
        return Command(update={"messages": [result], **update})
    before = result.update
    together = {**(before or {}), **update} if isinstance(before, dict | None) else [*before, *update.items()]
    return Command(graph=result.graph, update=together, resume=result.resume, goto=result.goto)
