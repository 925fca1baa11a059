"""Threads that have ended, were stopped, or wait for a person or for external calls."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.types import Command, interrupt

from answergraph import AgentSpecError, NoAnswerError, ToolStrategy, as_node, create_agent, external_tool
from answergraph import aresume as awaited_resume
from answergraph import aunfinished as awaited_unfinished
from answergraph import resume as blocking_resume
from answergraph import unfinished as blocking_unfinished
from answergraph.graphs import create_workflow
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.workflow.agents import step
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Verdict, call, calls
from tests.graphs.compose.stopped_run import REPLIES, THREAD, agent_of, stop_at
from tests.suite.colors import Run

ANSWER = calls(call("Verdict", GOOD, "v"))
VERDICT = Verdict(passed=True, score=7)


def unfinished(run: Run, agent: Any, config: Any = THREAD) -> Any:
    return run.either(blocking_unfinished, awaited_unfinished, agent, config)


def resume(run: Run, agent: Any, config: Any = THREAD, **options: Any) -> Any:
    return run.either(blocking_resume, awaited_resume, agent, config, **options)


def scripted(*replies: Any, tools: Any = (), **options: Any) -> Any:
    given = {"response_format": ToolStrategy(Verdict), "checkpointer": InMemorySaver(), **options}
    return create_agent(ScriptedChatModel(replies=[reply.model_copy() for reply in replies]), list(tools), **given)


def seen(result: Any) -> Any:
    """Return the parts of a result that are equal in two runs of the same agent."""
    messages = [(message.type, message.text, getattr(message, "tool_call_id", None)) for message in result["messages"]]
    outcome = result["outcome"]
    usage = {name: used for name, used in outcome["usage"].items() if name != "seconds"}
    return messages, result["structured_response"], outcome["status"], usage, len(outcome["attempts"])


def goes_on(run: Run, saver: Any, before: list[str], expected: Any) -> tuple[str, ...] | None:
    """Check that a stopped thread ends like an uninterrupted one and repeats nothing stored; return the next nodes."""
    done: list[str] = []
    agent = agent_of(saver, done.append)
    state = run.state(agent, THREAD)
    messages = state.values.get("messages", [])
    asked = sum(isinstance(message, AIMessage) for message in messages)
    answered = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    if state.created_at is None:
        assert unfinished(run, agent) is None
        with pytest.raises(AgentSpecError, match="Nothing is stored"):
            resume(run, agent)
        result = run(agent, QUESTION, THREAD)
    else:
        assert unfinished(run, agent) == "stopped"
        result = resume(run, agent)
    assert seen(result) == expected
    assert (done.count("model"), answered & {*done}) == (len(REPLIES) - asked, set())
    assert max(map([*before, *done].count, "abc")) <= 2
    assert len({message.id for message in result["messages"]}) == len(result["messages"])
    assert (unfinished(run, agent), seen(resume(run, agent))) == (None, expected)
    return state.next if state.created_at else None


def gone() -> None:
    raise ConnectionError("The database is gone.")


@pytest.fixture(scope="module")
def unbroken() -> Any:
    return seen(agent_of(InMemorySaver(), str).invoke(QUESTION, THREAD))


@pytest.mark.parametrize("durability", ["sync", pytest.param("async", marks=pytest.mark.torture)])
def test_a_stopped_run_goes_on_also_where_nothing_is_said_to_be_next(run: Run, durability: Any, unbroken: Any) -> None:
    following = []
    for number in count(1):
        saver, done = InMemorySaver(), list[str]()
        stop_at(saver, number, gone)
        try:
            run(agent_of(saver, done.append), QUESTION, THREAD, durability=durability)
        except ConnectionError:
            del saver.put, saver.put_writes
            following.append(goes_on(run, saver, done, unbroken))
        else:
            break
    # The first checkpoint, nine supersteps with a checkpoint each, and the writes of their ten tasks.
    assert len(following) >= 15
    assert {("model",), ("tools",), ("tools", "tools"), ("structured_response",)} <= {*following}
    # LangGraph reports no next node for these unfinished runs.
    assert () in following


def test_an_exception_stops_a_run_that_goes_on_with_what_raised(run: Run) -> None:
    failures = [ConnectionError("No route."), None]

    @tool
    def fetch() -> str:
        """Fetch."""
        if failure := failures.pop(0):
            raise failure
        return "fetched"

    agent = scripted(calls(call("fetch", {}, "f")), ANSWER, tools=[fetch])
    with pytest.raises(ConnectionError):
        run(agent, QUESTION, THREAD)
    assert unfinished(run, agent) == "stopped"
    assert resume(run, agent)["structured_response"] == VERDICT


def test_a_run_at_an_interrupt_waits_for_a_person(run: Run) -> None:
    @tool
    def pay() -> str:
        """Pay."""
        return f"paid {interrupt('How much?')}, {interrupt('Really?')}"

    agent = scripted(calls(call("pay", {}, "p")), ANSWER, tools=[pay])
    run(agent, QUESTION, THREAD)
    for answer in ("ten", "yes"):
        assert unfinished(run, agent) == "waits_for_person"
        # With the input None at the second question, LangGraph would answer it with the first answer.
        with pytest.raises(AgentSpecError, match="waits for a person"):
            resume(run, agent)
        result = run(agent, Command(resume=answer), THREAD)
    assert (result["messages"][2].text, unfinished(run, agent)) == ("paid ten, yes", None)


def test_a_run_that_was_stopped_before_its_answered_task_had_ended_waits_for_the_person_again(run: Run) -> None:
    failures = [ConnectionError("No route."), None]

    @tool
    def pay() -> str:
        """Pay."""
        amount = interrupt("How much?")
        if failure := failures.pop(0):
            raise failure
        return f"paid {amount}"

    agent = scripted(calls(call("pay", {}, "p")), ANSWER, tools=[pay])
    run(agent, QUESTION, THREAD)
    with pytest.raises(ConnectionError):
        run(agent, Command(resume="ten"), THREAD)
    assert unfinished(run, agent) == "waits_for_person"
    result = run(agent, Command(resume="ten"), THREAD)
    assert (result["messages"][2].text, unfinished(run, agent)) == ("paid ten", None)


@pytest.mark.parametrize("stop", [{"interrupt_before": ["structured_response"]}, {"interrupt_after": ["model"]}])
def test_a_run_at_a_breakpoint_waits_for_a_person(run: Run, stop: Any) -> None:
    agent = scripted(ANSWER, **stop)
    run(agent, QUESTION, THREAD)
    assert unfinished(run, agent) == "waits_for_person"
    with pytest.raises(AgentSpecError, match=r"agent\.invoke\(None, config\)"):
        resume(run, agent)
    run(agent, None, THREAD)
    assert unfinished(run, agent) is None


@pytest.mark.parametrize("output_key", [None, "verdict"])
def test_a_deferred_run_waits_for_calls_until_all_are_answered(run: Run, output_key: str | None) -> None:
    ask = calls(call("show", {}, "1"), call("show", {}, "2"))
    saver = InMemorySaver()
    agent = scripted(ask, ANSWER, tools=[external_tool("show", "Shows.")], output_key=output_key, checkpointer=saver)
    run(agent, QUESTION, THREAD)
    assert unfinished(run, agent) == "waits_for_calls"
    run(agent, {"messages": [ToolMessage("shown", tool_call_id="1")]}, THREAD)
    assert unfinished(run, agent) == "waits_for_calls"
    with pytest.raises(AgentSpecError, match="waits for external calls"):
        resume(run, agent)
    stop_at(saver, 2, gone)
    with pytest.raises(ConnectionError):
        run(agent, {"messages": [ToolMessage("shown", tool_call_id="2")]}, THREAD, durability="sync")
    del saver.put, saver.put_writes
    assert unfinished(run, agent) == "stopped"
    # The model of another process has not replied yet.
    agent = scripted(ANSWER, tools=[external_tool("show", "Shows.")], output_key=output_key, checkpointer=saver)
    assert resume(run, agent)[output_key or "structured_response"] == VERDICT
    assert unfinished(run, agent) is None


def test_resuming_a_finished_thread_gives_its_result_and_changes_nothing(run: Run) -> None:
    agent = scripted(ANSWER)
    result = run(agent, QUESTION, THREAD)
    stored = len(run.history(agent, THREAD))
    assert (unfinished(run, agent), resume(run, agent)) == (None, result)
    assert len(run.history(agent, THREAD)) == stored


def test_a_run_that_raised_for_want_of_an_answer_has_ended_and_raises_again(run: Run) -> None:
    agent = scripted(AIMessage("No."), AIMessage("No."), on_failure="raise")
    with pytest.raises(NoAnswerError):
        run(agent, QUESTION, THREAD)
    assert unfinished(run, agent) is None
    with pytest.raises(NoAnswerError):
        resume(run, agent)


def test_a_graph_around_an_agent_goes_on_inside_of_it(run: Run) -> None:
    agent = scripted(ANSWER, checkpointer=None, name="judge")
    node = as_node(
        agent, inputs={"messages": "messages"}, outputs=lambda result: {"messages": [str(result["outcome"]["status"])]}
    )
    saver = InMemorySaver()
    graph: Any = StateGraph(MessagesState).add_node("judge", node).add_edge("__start__", "judge").compile(saver)
    stop_at(saver, 3, gone)
    with pytest.raises(ConnectionError):
        run(graph, QUESTION, THREAD, durability="sync")
    del saver.put, saver.put_writes
    assert unfinished(run, graph) == "stopped"
    assert resume(run, graph)["messages"][-1].text == "answered"
    assert unfinished(run, graph) is None


def test_a_workflow_goes_on(run: Run) -> None:
    attempts: list[int] = []

    def flaky(state: Any) -> dict[str, Any]:
        attempts.append(1)
        if len(attempts) == 1:
            raise ConnectionError
        return {"text": "done"}

    graph = create_workflow([step("work", flaky, {"done": "COMPLETE"})], checkpointer=InMemorySaver())
    with pytest.raises(ConnectionError):
        run(graph, {"task": "T"}, THREAD)
    assert unfinished(run, graph) == "stopped"
    assert (resume(run, graph)["status"], unfinished(run, graph)) == ("COMPLETE", None)


PLAIN: Any = StateGraph(MessagesState).add_node("n", lambda state: {}).add_edge("__start__", "n").compile(InMemorySaver())


@pytest.mark.parametrize(
    ("agent", "config", "message"),
    [
        (lambda: PLAIN, THREAD, "is not a graph of answergraph"),
        (lambda: "agent", THREAD, "is not a graph of answergraph"),
        (lambda: scripted(ANSWER, checkpointer=None), THREAD, "has no checkpointer"),
        (lambda: scripted(ANSWER), {}, "names no thread"),
        (lambda: scripted(ANSWER), {"configurable": {"thread_id": "1", "checkpoint_id": "2"}}, "names no thread"),
    ],
)
def test_what_cannot_be_known_is_refused(run: Run, agent: Callable[[], Any], config: Any, message: str) -> None:
    for ask in (unfinished, resume):
        with pytest.raises(AgentSpecError, match=message):
            ask(run, agent(), config)


def test_a_run_killed_as_it_stored_everything_at_its_end_begins_anew(run: Run, unbroken: Any) -> None:
    saver = InMemorySaver()
    stop_at(saver, 3, gone)
    agent = agent_of(saver, str)
    with pytest.raises(ConnectionError):
        run(agent, QUESTION, THREAD, durability="exit")
    del saver.put, saver.put_writes
    # LangGraph has stored an empty checkpoint, and writes that belong to it.
    assert run.state(agent, THREAD).created_at is not None
    assert unfinished(run, agent) is None
    with pytest.raises(AgentSpecError, match="Nothing is stored"):
        resume(run, agent)
    assert seen(run(agent, QUESTION, THREAD)) == unbroken


def test_a_thread_that_nobody_used_is_neither_unfinished_nor_resumed(run: Run) -> None:
    agent = scripted(ANSWER)
    assert unfinished(run, agent) is None
    with pytest.raises(AgentSpecError, match="Nothing is stored"):
        resume(run, agent)


def test_the_context_of_a_run_is_given_again(run: Run) -> None:
    given: list[Any] = []

    def check(answer: Any, state: Any, runtime: Any) -> None:
        given.append(runtime.context)
        if len(given) == 1:
            raise ConnectionError

    agent = scripted(ANSWER, check_answer=check, context_schema=dict)
    with pytest.raises(ConnectionError):
        run(agent, QUESTION, THREAD, context={"user": "a"})
    resume(run, agent, context={"user": "a"})
    assert given == [{"user": "a"}] * 2
