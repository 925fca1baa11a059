"""Threads whose checkpoints hold only additions are read, resumed and forked in databases as in memory."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.evidence import BUNDLE_KEYS
from answergraph.middleware import RequireTools
from answergraph.state.delta_channels import merge_results
from answergraph.testing import ScriptedChatModel

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}
STEPS = 120
"""More than the updates that LangGraph makes between whole copies."""

Saver = BaseCheckpointSaver[Any]
Opener = Callable[[], AbstractContextManager[Saver]]


class Weather(BaseModel):
    degrees: int


@tool
def look_up(day: int) -> str:
    """Look up the weather."""
    return f"day {day}: 21 degrees" if day != STEPS // 2 else f"day {day}: {interrupt('Which?')}"


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Open the same database repeatedly, as consecutive processes would."""
    if request.param == "memory":
        saver = InMemorySaver()
        yield lambda: saver
    elif request.param == "sqlite":
        yield lambda: SqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite"))
    else:
        url: str = request.getfixturevalue("postgres_database")
        with PostgresSaver.from_conn_string(url) as first:
            first.setup()
        yield lambda: PostgresSaver.from_conn_string(url)


def reply(messages: list[Any]) -> AIMessage:
    """Ask for the next day's weather, then answer; the same at every resumption."""
    done = sum(message.type == "tool" for message in messages)
    last: Any = {"name": "Weather", "args": {"degrees": 21}, "id": "answer"}
    return AIMessage("", tool_calls=[{"name": "look_up", "args": {"day": done}, "id": f"call_{done}"} if done < STEPS else last])


def texts_recorded(result: dict[str, Any]) -> list[str]:
    return [text for record in result["answergraph_tool_results"]["results"] for text in record["texts"]]


def agent_on(saver: Saver) -> Any:
    return create_agent(
        ScriptedChatModel(replies=reply),
        [look_up],
        response_format=ToolStrategy(Weather),
        middleware=[RequireTools("look_up")],
        limits=UsageLimits(model_calls=None),
        checkpointer=saver,
    )


def test_a_run_that_stopped_half_way_is_resumed_with_all_it_gathered(reopen: Opener) -> None:
    with reopen() as saver:
        assert agent_on(saver).invoke({"messages": ["Go"]}, THREAD)["__interrupt__"]
    with reopen() as saver:
        result = agent_on(saver).invoke(Command(resume="22 degrees"), THREAD, output_keys=BUNDLE_KEYS)
        assert result["structured_response"] == Weather(degrees=21)
        assert texts_recorded(result) == [f"day {day}: {22 if day == STEPS // 2 else 21} degrees" for day in range(STEPS)]
    with reopen() as saver:
        state = agent_on(saver).get_state(THREAD).values
        assert [message.id for message in state["messages"]] == [message.id for message in result["messages"]]


def test_a_thread_is_forked_where_it_was_and_edited(reopen: Opener) -> None:
    with reopen() as saver:
        agent = agent_on(saver)
        agent.invoke({"messages": ["Go"]}, THREAD)
    with reopen() as saver:
        agent = agent_on(saver)
        history = list(agent.get_state_history(THREAD))
        lengths = [len(snapshot.values.get("messages", ())) for snapshot in history]
        assert lengths == sorted(lengths, reverse=True)
        early = next(snapshot for snapshot in history if len(snapshot.values["messages"]) == 21)
        gone = early.values["messages"][-1]
        forked = agent.update_state(early.config, {"messages": [RemoveMessage(id=gone.id)]})
        assert len(agent.get_state(forked).values["messages"]) == 20
        assert len(agent.get_state(early.config).values["messages"]) == 21
        stopped = agent.invoke(None, forked, output_keys=BUNDLE_KEYS)
        # The model counts the results it sees: day 9 is looked up again, as the same call with the same result.
        assert texts_recorded(stopped) == [f"day {day}: 21 degrees" for day in range(STEPS // 2)]


def bytes_of_results(saver: SqliteSaver) -> int:
    with saver.cursor(transaction=False) as cursor:
        cursor.execute("SELECT sum(length(checkpoint)) FROM checkpoints")
        return int(cursor.fetchone()[0])


def test_what_a_checkpoint_holds_does_not_grow_with_the_results(tmp_path: Path) -> None:
    def written(days: int) -> int:
        def last_day(messages: list[Any]) -> AIMessage:
            done = sum(message.type == "tool" for message in messages)
            return reply(messages) if done < days else AIMessage("", tool_calls=[answer])

        answer: Any = {"name": "Weather", "args": {"degrees": 21}, "id": "answer"}
        with SqliteSaver.from_conn_string(str(tmp_path / f"{days}.sqlite")) as saver:
            agent = create_agent(
                ScriptedChatModel(replies=last_day),
                [look_up],
                response_format=ToolStrategy(Weather),
                middleware=[RequireTools("look_up")],
                checkpointer=saver,
            )
            agent.invoke({"messages": ["Go"]}, THREAD)
            return bytes_of_results(saver)

    # Stored whole, four times the results take more than eight times the bytes of all checkpoints.
    assert written(40) / written(10) < 5


def test_results_are_the_same_however_their_writes_are_batched() -> None:
    def of(run: str, *ids: str) -> Any:
        return {
            "run": run,
            "results": [{"tool_call_id": i, "name": "look_up", "args": {}, "texts": [i], "succeeded": True} for i in ids],
        }

    writes = [of("1", "a"), of("1", "b", "a"), None, of("2", "c"), of("2", "c", "d")]
    for cut in range(len(writes) + 1):
        assert merge_results(merge_results(None, writes[:cut]), writes[cut:]) == of("2", "c", "d")
