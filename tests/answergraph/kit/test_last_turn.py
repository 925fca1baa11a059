"""A turn of the kit: the last reply of a state with its calls, and a router that gives reasons."""

from collections.abc import Hashable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from answergraph import AgentSpecError, ToolStrategy, build_agent_graph, external_tool
from answergraph.kit import Turn, reason_router
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Verdict, call, calls
from tests.suite.colors import Run

WHERE: dict[Hashable, str] = {"it called": "called", "it spoke": END}


def reason(turn: Turn) -> str:
    return "it called" if turn.calls else "it spoke"


def graph_with(route: Any, reply: AIMessage) -> Any:
    graph = StateGraph(MessagesState).add_node("ask", lambda state: {"messages": [reply]}).add_node("called", lambda state: {})
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", reason_router(route, WHERE, name="after ask"), WHERE)
    return graph.compile()


def test_a_state_without_a_reply_has_an_empty_turn() -> None:
    assert Turn.of({"messages": [HumanMessage("Hi")]}) == Turn(None, (), "empty")


def test_a_call_has_the_result_that_followed_it() -> None:
    asked = AIMessage("", tool_calls=[{"name": "add", "args": {"a": 1}, "id": "1"}, {"name": "add", "args": {}, "id": "2"}])
    result = ToolMessage("2", tool_call_id="1")
    turn = Turn.of({"messages": [HumanMessage("Hi"), asked, result]})
    assert [(each.id, each.args, each.kind, each.result) for each in turn.calls] == [
        ("1", {"a": 1}, "tool", result),
        ("2", {}, "tool", None),
    ]


@pytest.mark.parametrize(("reply", "visited"), [(AIMessage("Hello"), False), (calls(call("add", {})), True)])
def test_a_router_follows_its_reasons(run: Run, reply: AIMessage, visited: bool) -> None:
    graph = graph_with(reason, reply)
    updates = [name for update in run.stream(graph, {"messages": ["Hi"]}, stream_mode="updates") for name in update]
    assert ("called" in updates) is visited


def test_the_reasons_stand_on_the_drawn_edges() -> None:
    drawn = graph_with(reason, AIMessage("Hello")).get_graph()
    assert {edge.data for edge in drawn.edges if edge.conditional} == set(WHERE)


def test_a_reason_without_an_edge_is_refused_by_name(run: Run) -> None:
    graph = graph_with(lambda turn: "it sang", AIMessage("Hello"))
    with pytest.raises(AgentSpecError, match=r"'after ask' gave the reason 'it sang'"):
        run(graph, {"messages": ["Hi"]})


def test_in_an_agent_answers_and_external_calls_are_told_apart(run: Run) -> None:
    pay = external_tool("pay", "Pay.", {"type": "object", "properties": {"amount": {"type": "integer"}}})
    turns: list[Turn] = []
    model = ScriptedChatModel(replies=[calls(call("pay", {"amount": 1}, "1")), calls(call("Verdict", dict(GOOD), "2"))])
    for _ in range(2):
        graph = build_agent_graph(model, [pay], response_format=ToolStrategy(Verdict))
        graph.add_node("look", lambda state: turns.append(Turn.of(state)))
        graph.add_edge("structured_response", "look")
        run(graph.compile(), QUESTION)
    assert [[(each.name, each.kind) for each in turn.calls] for turn in turns] == [[("pay", "external")], [("Verdict", "answer")]]
