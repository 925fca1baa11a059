"""The second table of `docs/endings.md`, a test per row: what `invoke` raises, the thread after it, and how it continues."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from openai import InternalServerError

from answergraph import AgentSpecError, FromContext, NoAnswerError, ToolStrategy, create_agent, resume, unfinished
from answergraph.errors import ResponseFormatError, StructuredOutputValidationError
from answergraph.middleware import before_model
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, QUESTION, Verdict, call, calls
from tests.graphs.compose.stopped_run import stop_at
from tests.openai_server import Failure, OpenAIServer, Reply, ToolCall
from tests.openai_server import calls as served_calls
from tests.suite.colors import Run
from tests.torture.chaos import agent_of as agent_of_server

PAGE = (Path(__file__).parents[1] / "docs" / "endings.md").read_text()
TABLE = PAGE.partition("## What leaves `invoke`")[2].partition("\n## ")[0]
THREAD: Any = {"configurable": {"thread_id": "1"}}
ANSWER = calls(call("Verdict", GOOD, "v"))
FAILS: list[Exception | None] = []
"""The exceptions of the next uses of `may_fail`."""


def may_fail(*_: Any, **__: Any) -> None:
    if FAILS and (error := FAILS.pop(0)):
        raise error


@tool
def break_down() -> str:
    """Break down."""
    may_fail()
    return "mended"


@dataclass(frozen=True)
class Broken:
    """An interrupted run: a row of the table."""

    replies: tuple[Any, ...]
    raised: type[BaseException]
    said: str
    kinds: tuple[str, ...]
    """The messages of the thread."""
    go_on: Callable[[Run, Any], Any]
    """Send the input of the table's last column."""
    options: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)


def with_none(run: Run, agent: Any) -> Any:
    assert unfinished(agent, THREAD) == "stopped"
    return run(agent, None, THREAD)


def with_a_message(run: Run, agent: Any) -> Any:
    return run(agent, QUESTION, THREAD)


def with_a_schema(run: Run, agent: Any) -> Any:
    return run(agent, QUESTION, THREAD, context={"response_format": Verdict.model_json_schema()})


DOWN = RuntimeError("The disk is gone.")
TOOL = calls(call("break_down", {}, "b"))
OPENED, ASKED = ("human", "ai"), ("human",)
ROWS: dict[str, list[Broken]] = {
    "a tool raises": [
        Broken((TOOL, ANSWER), RuntimeError, "disk is gone", OPENED, with_none),
        Broken((TOOL, ANSWER), RuntimeError, "disk is gone", OPENED, with_a_message),
    ],
    "the provider fails, or its client cannot read the reply": [
        Broken((ConnectionError("No route."), ANSWER), ConnectionError, "No route", ASKED, with_none),
    ],
    "a check raises anything except `AnswerRejected`, or a hook raises": [
        Broken((ANSWER,), RuntimeError, "disk is gone", OPENED, with_none, {"check_answer": may_fail}),
        Broken((ANSWER, ANSWER), RuntimeError, "disk is gone", ASKED, with_none, {"middleware": [before_model(may_fail)]}),
    ],
    "an invalid answer, if `handle_errors` is set to raise": [
        Broken(
            (calls(call("Verdict", BAD, "v")), ANSWER), StructuredOutputValidationError, "score", ASKED, with_a_message,
            {"response_format": ToolStrategy(Verdict, handle_errors=False)},
        ),
    ],
    "a run without an answer, under `on_failure=\"raise\"`": [
        Broken(
            ("No.", "No.", ANSWER), NoAnswerError, "unanswered", ("human", "ai", "human", "ai"), with_a_message,
            {"on_failure": "raise"},
        ),
    ],
    "a format or a tool chosen at run time, or a check, cannot be used": [
        Broken(
            (ANSWER,), AgentSpecError, "returned 'odd'", OPENED, with_none,
            {"check_answer": lambda *_: "odd" if FAILS and FAILS.pop() else None},
        ),
    ],
    "a caller's schema cannot be used": [
        Broken(
            (ANSWER,), ResponseFormatError, "context's 'response_format'", ASKED, with_a_schema,
            {"response_format": FromContext(), "context_schema": dict}, {"context": {"response_format": {"type": "objekt"}}},
        ),
    ],
    "LangGraph's recursion limit": [
        Broken((TOOL, ANSWER), GraphRecursionError, "limit of 2", ("human", "ai", "tool"), with_none, {}, {"recursion_limit": 2}),
    ],
}  # fmt: skip
UNREADABLE = "the input has none of the agent's keys, or is not a dict"
OF_THEIR_OWN = {UNREADABLE, "the run is cancelled", "the checkpointer fails"}
"""Rows with a separate test below."""


def agent_of(*replies: Any, **options: Any) -> Any:
    given = {"response_format": ToolStrategy(Verdict), "tools": [break_down], "checkpointer": InMemorySaver(), **options}
    return create_agent(ScriptedChatModel(replies=replies), **given)


def kinds(state: Any) -> tuple[str, ...]:
    return tuple(message.type for message in state.values.get("messages", ()))


@pytest.mark.parametrize(
    "broken", [pytest.param(each, id=f"{row}, {at}") for row, runs in ROWS.items() for at, each in enumerate(runs)]
)
def test_a_run_that_is_broken_off_leaves_what_the_table_says_and_goes_on(run: Run, broken: Broken) -> None:
    FAILS[:] = [] if broken.raised is GraphRecursionError else [DOWN]
    agent = agent_of(*broken.replies, **broken.options)
    config: Any = {**THREAD, "recursion_limit": broken.config.get("recursion_limit", 25)}
    with pytest.raises(broken.raised, match=broken.said):
        run(agent, QUESTION, config, context=broken.config.get("context"))
    FAILS.clear()
    assert kinds(run.state(agent, THREAD)) == broken.kinds
    assert broken.go_on(run, agent)["outcome"]["status"] == "answered"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"message": "Go."}, "'message' is not a key of the agent's state. Did you mean 'messages'?"),
        ("Go.", "The input 'Go.' is not a dict"),
        ([("user", "Go.")], "is not a dict; write {'messages': …}"),
    ],
)
def test_an_input_that_the_agent_cannot_read_is_told_before_a_model_is_asked(run: Run, given: Any, told: str) -> None:
    agent = agent_of(ANSWER)
    with pytest.raises(AgentSpecError, match=re.escape(told)):
        run(agent, given, THREAD)
    assert kinds(run.state(agent, THREAD)) == ()
    assert with_a_message(run, agent)["outcome"]["status"] == "answered"


@pytest.mark.parametrize(
    ("reply", "raised"),
    [(Failure(500, "Overloaded."), InternalServerError), (Reply("x", overwritten={"choices": None}), TypeError)],
)
def test_a_client_that_fails_or_cannot_read_a_reply_raises_its_own_error_and_the_run_goes_on(reply: Any, raised: Any) -> None:
    script = [reply, served_calls(ToolCall("Verdict", {"passed": True}))]
    with OpenAIServer(script) as server:
        agent = agent_of_server(server, "chat completions", "tool", "invoke")
        with pytest.raises(raised):
            agent.invoke(QUESTION, THREAD)
        assert kinds(agent.get_state(THREAD)) == ASKED
        assert resume(agent, THREAD)["outcome"]["status"] == "answered"


def test_a_checkpointer_that_fails_leaves_what_it_had_stored(run: Run) -> None:
    saver = InMemorySaver()
    agent = agent_of(TOOL, ANSWER, checkpointer=saver)

    def gone() -> None:
        raise ConnectionError("The database is gone.")

    stop_at(saver, 5, gone)
    with pytest.raises(ConnectionError, match="database is gone"):
        run(agent, QUESTION, THREAD, durability="sync")
    del saver.put, saver.put_writes
    assert kinds(run.state(agent, THREAD)) == OPENED
    assert with_none(run, agent)["outcome"]["status"] == "answered"


def test_a_cancelled_run_leaves_what_stood_and_the_thread_goes_on() -> None:
    started = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()
        return ""

    async def cancelled() -> Any:
        agent = agent_of(calls(call("wait", {}, "w")), ANSWER, tools=[wait])
        task = asyncio.ensure_future(agent.ainvoke(QUESTION, THREAD))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        state = await agent.aget_state(THREAD)
        assert (kinds(state), state.next, state.values.get("outcome")) == (OPENED, ("tools",), None)
        return await agent.ainvoke(QUESTION, THREAD)

    assert asyncio.run(cancelled())["outcome"]["status"] == "answered"


def test_the_answer_none_is_told_apart_from_no_answer(run: Run) -> None:
    none = run(agent_of(calls(call("none", {"value": None})), response_format=ToolStrategy(Verdict | None)), QUESTION, THREAD)
    no_answer = run(agent_of("No.", "No.", response_format=ToolStrategy(Verdict | None)), QUESTION, THREAD)
    assert (none["structured_response"], no_answer["structured_response"]) == (None, None)
    ends = [(result["outcome"]["status"], result["outcome"]["schema"]) for result in (none, no_answer)]
    assert ends == [("answered", "none"), ("unanswered", None)]


def test_a_run_without_a_schema_of_its_caller_has_an_outcome(run: Run) -> None:
    outcome = run(agent_of("Hello.", response_format=FromContext()), QUESTION, THREAD)["outcome"]
    assert (outcome["status"], outcome["schema"], outcome["usage"]["model_calls"]) == ("answered", None, 1)


def test_each_row_of_the_page_is_run_here() -> None:
    rows = [row.strip() for row in re.findall(r"^\|([^|]+)\|", TABLE, re.MULTILINE)]
    assert rows[:2] == ["what happens", "---"]
    assert {*rows[2:]} == {*ROWS, *OF_THEIR_OWN}
