"""Graphs with the same schemas share the reading of their types, but no state."""

from typing import Any

import pytest
from langgraph.graph import END, StateGraph
from langgraph.types import RetryPolicy
from pydantic import create_model
from typing_extensions import TypedDict

from answergraph import build_agent_graph, create_agent
from answergraph.graphs.agent.agent_state_graph import AgentStateGraph
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Verdict, call, calls


class Noted(TypedDict):
    note: str


class Person(TypedDict):
    name: str


def graph_of(**options: Any) -> AgentStateGraph:
    return build_agent_graph(ScriptedChatModel(replies=[calls(call("Verdict", GOOD))]), response_format=Verdict, **options)


def test_what_is_added_to_one_graph_is_not_in_the_next() -> None:
    extended = graph_of()

    def take_note(state: Noted) -> dict[str, Any]:
        return {"note": "taken"}

    extended.add_node("take_note", take_note, input_schema=Noted)
    extended.add_edge("take_note", END)
    plain = graph_of()
    assert "note" in extended.compile().channels
    assert "note" not in plain.compile().channels
    assert "take_note" not in plain.nodes
    assert len(plain.edges) == len(extended.edges) - 1


def test_the_defaults_of_one_graphs_nodes_are_not_the_next_ones() -> None:
    tries: list[str] = []

    def fails(state: Any) -> None:
        tries.append("one")
        raise ConnectionError("down")

    graph_of().set_node_defaults(retry_policy=RetryPolicy(max_attempts=3, initial_interval=0.0))
    graph = graph_of()
    graph.add_node("fails", fails)
    graph.add_edge("structured_response", "fails")
    with pytest.raises(ConnectionError):
        graph.compile().invoke(QUESTION)
    assert tries == ["one"]


def test_a_graph_has_all_that_langgraphs_constructor_gives_and_shares_none_of_its_containers() -> None:
    graph, other = graph_of(), graph_of()
    made = StateGraph(graph.state_schema, input_schema=graph.input_schema, output_schema=graph.output_schema)
    assert vars(made).keys() <= vars(graph).keys()
    assert {name: type(value) for name, value in vars(made).items()} == {name: type(vars(graph)[name]) for name in vars(made)}
    assert made.schemas.keys() <= graph.schemas.keys()
    assert made.channels.keys() <= graph.channels.keys()
    shared = [value for name, value in vars(made).items() if vars(graph)[name] is vars(other)[name]]
    assert [value for value in shared if not isinstance(value, type | bool | None)] == []


def test_each_graph_has_its_own_context() -> None:
    first, second, third = graph_of(context_schema=Person), graph_of(context_schema=Noted), graph_of()
    assert [graph.context_schema for graph in (first, second, third)] == [Person, Noted, None]


def test_agents_of_one_schema_keep_their_runs_apart(run: Any) -> None:
    agents = [graph_of(output_key=key).compile() for key in ("left", "right", "left")]
    results = [run(agent, QUESTION) for agent in agents]
    assert [[key for key in ("left", "right") if key in result] for result in results] == [["left"], ["right"], ["left"]]
    assert [len(result["messages"]) for result in results] == [3, 3, 3]


def test_types_of_one_name_are_answers_of_their_own(run: Any) -> None:
    for kind, value in ((int, 3), (str, "three")):
        counted = create_model("Count", n=kind)
        agent = create_agent(ScriptedChatModel(replies=[calls(call("Count", {"n": value}))]), response_format=counted)
        answer: Any = run(agent, QUESTION)["structured_response"]
        assert type(answer) is counted
        assert answer.model_dump() == {"n": value}
