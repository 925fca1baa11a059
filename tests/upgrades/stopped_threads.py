"""Threads of every kind, stopped before each of their nodes, and how they continue.

``make upgrade-threads`` stores those of this version. For an earlier one, copy this folder into its checkout and run
``python -m tests.upgrades.stopped_threads FILE`` there.
"""

import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from answergraph import NoAnswerError
from tests.upgrades.thread_kinds import KINDS, STOPPING, Kind

MAX_STOPS = 30
PERSON_SAYS = "yes"
COUNTS = ("model_calls", "tool_calls")


def thread(name: str, stops: int | str) -> Any:
    return {"configurable": {"thread_id": f"{name}/{stops}"}}


def write(file: str, names: Iterable[str] = tuple(KINDS)) -> None:
    """Store each kind of thread once per stop: as it is at its first stop, at its second one, and so on, and ended."""
    with SqliteSaver.from_conn_string(file) as saver:
        for name in names:
            kind = KINDS[name]
            agent, stops = kind.build(saver), 1
            while _stops_again(agent, kind, thread(name, stops), stops):
                stops += 1
        saver.conn.execute("PRAGMA journal_mode=DELETE")  # one file, which can be loaded into memory


def _stops_again(agent: Any, kind: Kind, config: Any, stops: int) -> bool:
    """Run until the given stop; return whether there may be a further one."""
    for number in range(stops):
        try:
            agent.invoke(kind.input if number == 0 else None, config, interrupt_before="*", context=kind.context)
        except (RuntimeError, NoAnswerError):
            return False
        state = agent.get_state(config)
        if not state.next or any(task.interrupts for task in state.tasks):
            return False
    return True


def differences(content: bytes, name: str) -> dict[str, Any]:
    """Continue the threads of a kind in a copy of a file; return what ends otherwise than without a stop, by thread."""
    kind = KINDS[name]
    agent = kind.build(InMemorySaver())
    with suppress(NoAnswerError):
        agent.invoke(kind.input, thread(name, 0), context=kind.context)
    expected = _continued(agent, kind, thread(name, 0))
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as connection:
        connection.deserialize(content)
        query = "SELECT DISTINCT thread_id FROM checkpoints WHERE thread_id LIKE ?"
        configs = [thread(*thread_id.split("/")) for (thread_id,) in connection.execute(query, (f"{name}/%",)).fetchall()]
        agent = kind.build(SqliteSaver(connection))
        ends = {config["configurable"]["thread_id"]: _continued(agent, kind, config) for config in configs}
    return {thread_id: (end, expected) for thread_id, end in ends.items() if end != expected}


def _continued(agent: Any, kind: Kind, config: Any) -> list[dict[str, Any]]:
    """Run a thread to its end, and once more; return both ends."""
    ends: list[dict[str, Any]] = []
    for new_input in (None, kind.next_input):
        if new_input is not None:
            agent.invoke(new_input, config, context=kind.context)
        elif ends:
            break
        _finish(agent, kind, config)
        ends.append(_end(agent.get_state(config).values))
    return ends


def continued_after(agent: Any, kind: Kind, config: Any, stops: int) -> None:
    """Run a thread to its end, which is stopped so often between two nodes."""
    if stops:
        _stops_again(agent, kind, config, stops)
    else:
        with suppress(RuntimeError):
            agent.invoke(kind.input, config, context=kind.context)
    _finish(agent, kind, config)


def _finish(agent: Any, kind: Kind, config: Any) -> None:
    for _ in range(MAX_STOPS):
        state = agent.get_state(config)
        outcome = _outcome(state.values)
        if any(task.interrupts for task in state.tasks):
            given: Any = Command(resume=PERSON_SAYS)
        elif not state.next and outcome and outcome["status"] == "deferred":
            given = {"messages": [ToolMessage("blue", tool_call_id=call["id"]) for call in outcome["pending"]]}
        elif state.next:
            given = None
        else:
            return
        try:
            agent.invoke(given, config, context=kind.context)
        except NoAnswerError:
            return


def _outcome(values: Any) -> Any:
    return values.get("outcome") or values.get("verdict_outcome")


def _end(values: Any) -> dict[str, Any]:
    """Return what may not depend on where a run was stopped: the outcome in short, and the conversation."""
    outcome = _outcome(values)
    answer = values.get("structured_response") or values.get("verdict") or values.get("judgment")
    end: dict[str, Any] = {"answer": repr(answer), "messages": list(_texts(values.get("messages", ())))}
    if outcome is not None:
        usage = outcome["usage"]
        end |= {name: outcome[name] for name in ("status", "schema", "strategy")}
        end["attempts"] = [(attempt["schema"], attempt["status"], attempt["strategy"]) for attempt in outcome["attempts"]]
        end["usage"] = {name: usage[name] for name in COUNTS}
        end["causes"] = {cause: share["model_calls"] for cause, share in usage["by_cause"].items()}
    return end


def _texts(messages: Any) -> Iterator[Any]:
    for message in messages:
        # The words of a correction are each version's own.
        text = message.text if message.type == "ai" or getattr(message, "name", None) == "read_log" else ""
        yield message.type, text, [call["name"] for call in getattr(message, "tool_calls", ())]


if __name__ == "__main__":
    STOPPING.active = True
    write(sys.argv[1])
