"""All tools of a turn run concurrently, blocking or awaited."""

import threading
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, MessagesState, StateGraph

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

CALLS = 40
"""More than LangGraph's default number of threads on any machine."""


class Meeting:
    """A tool whose calls wait until a given number of them is running."""

    def __init__(self, calls: int) -> None:
        self._barrier = threading.Barrier(calls, timeout=30)
        self._lock = threading.Lock()
        self.running = self.most = 0

    def tool(self) -> BaseTool:
        @tool
        def meet(number: int) -> str:
            """Wait for the others."""
            with self._lock:
                self.running += 1
                self.most = max(self.most, self.running)
            self._barrier.wait()
            with self._lock:
                self.running -= 1
            return f"met as {number}"

        return meet


def model_with(calls: int) -> ScriptedChatModel:
    made: Any = [{"name": "meet", "args": {"number": number}, "id": str(number)} for number in range(calls)]
    return ScriptedChatModel(replies=[AIMessage("", tool_calls=made), AIMessage("done")])


def test_all_blocking_tools_of_a_turn_run_at_once(run: Run) -> None:
    agent = create_agent(model_with(CALLS), [Meeting(CALLS).tool()])
    result = run(agent, {"messages": ["Go"]})
    assert [m.content for m in result["messages"][2:-1]] == [f"met as {number}" for number in range(CALLS)]


def test_a_callers_own_max_concurrency_counts(run: Run) -> None:
    meeting = Meeting(1)
    run(create_agent(model_with(CALLS), [meeting.tool()]), {"messages": ["Go"]}, {"max_concurrency": 1})
    assert meeting.most == 1


def test_an_agent_that_is_a_node_runs_its_tools_at_once_too(run: Run) -> None:
    outer = StateGraph(MessagesState)
    outer.add_node("agent", create_agent(model_with(CALLS), [Meeting(CALLS).tool()]))
    outer.add_edge(START, "agent")
    assert run(outer.compile(), {"messages": ["Go"]})["messages"][-1].text == "done"
