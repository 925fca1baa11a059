"""An agent as a node of a graph with another state: keys, answers, streams and interrupts."""

from functools import partial
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from answergraph import ToolStrategy, UsageLimits, as_node, build_agent_graph, create_agent
from answergraph.kit import AnswerChannel
from answergraph.middleware import after_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Missing, Verdict, call, calls
from tests.suite.tools import search

CONFIG: Any = {"configurable": {"thread_id": "1"}}
VERDICT = Verdict(passed=True, score=7)


@tool
def approve(what: str) -> str:
    """Ask a person."""
    return str(interrupt(what))


class Case(TypedDict):
    """A state without messages."""

    question: str
    verdict: Annotated[Verdict | Missing | None, AnswerChannel]
    why: str


def to_messages(state: Case) -> dict[str, Any]:
    return {"messages": [state["question"]]}


def to_case(result: dict[str, Any]) -> dict[str, Any]:
    return {"verdict": result["structured_response"], "why": result["outcome"]["status"]}


def asks(text: str, state: Any) -> dict[str, Any]:
    return {"messages": [text]}


def judge(*replies: Any, **options: Any) -> Any:
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, **{"response_format": ToolStrategy(Verdict | Missing), "name": "judge", **options})


def graph_of(agent: Any, saver: Any = None, outputs: Any = to_case) -> Any:
    graph = StateGraph(Case).add_node("judge", as_node(agent, inputs=to_messages, outputs=outputs))
    return graph.add_edge("__start__", "judge").compile(saver)


def test_the_state_of_the_graph_is_made_the_agents_and_back_by_functions(run: Any) -> None:
    result = run(graph_of(judge(calls(call("Verdict", GOOD)))), {"question": "Did it pass?"})
    assert result == {"question": "Did it pass?", "verdict": VERDICT, "why": "answered"}


def test_keys_are_named_by_mappings_and_left_out_where_there_is_nothing(run: Any) -> None:
    agent = judge(AIMessage("It passed."), response_format=None)
    outputs = {"verdict": "structured_response", "why": "messages"}
    node = as_node(agent, inputs={"messages": "question"}, outputs=outputs)
    graph = StateGraph(Case).add_node("judge", node).add_edge("__start__", "judge").compile()
    result = run(graph, {"question": "Did it pass?"})
    assert "verdict" not in result
    assert [message.text for message in result["why"]] == ["Did it pass?", "It passed."]


def test_it_is_drawn_and_streamed_as_a_subgraph(run: Any) -> None:
    graph = graph_of(judge("Thinking of it.", response_format=None), outputs=lambda result: {})
    assert [name for name, _ in graph.get_subgraphs()] == ["judge"]
    assert "judge:model" in graph.get_graph(xray=True).draw_mermaid(with_styles=False).replace("\\3a", ":")
    events = run.stream(graph, {"question": "?"}, stream_mode=["messages", "updates"], subgraphs=True)
    tokens = [event[0].text for namespace, mode, event in events if mode == "messages" and namespace]
    assert "".join(tokens) == "Thinking of it."
    assert [node for namespace, mode, event in events if mode == "updates" and namespace for node in event] == ["model"]


def test_an_interrupt_inside_is_seen_answered_and_the_answer_is_typed_ever_after(run: Any) -> None:
    replies = calls(call("approve", {"what": "it"})), calls(call("Missing", {"facts": ["log"]}, "2"))
    saver = InMemorySaver()
    graph = graph_of(judge(*replies, tools=[approve]), saver)
    assert run(graph, {"question": "?"}, CONFIG)["__interrupt__"][0].value == "it"
    waiting = run.state(graph, CONFIG, subgraphs=True).tasks[0]
    assert [message.type for message in waiting.state.values["messages"]] == ["human", "ai"]
    assert run(graph, Command(resume="yes"), CONFIG)["verdict"] == Missing(facts=["log"])
    later = graph_of(judge(), saver)
    assert run.state(later, CONFIG).values["verdict"] == Missing(facts=["log"])
    assert run.history(later, CONFIG)[0].values["verdict"] == Missing(facts=["log"])


def test_the_same_agent_in_two_nodes_of_one_superstep_keeps_its_answers_apart(run: Any) -> None:
    class Two(TypedDict):
        question: str
        one: Annotated[Verdict | None, AnswerChannel]
        other: Annotated[Verdict | None, AnswerChannel]

    def reply(messages: Any) -> AIMessage:
        return calls(call("Verdict", {"passed": messages[0].text == "one", "score": 1}))

    agent = create_agent(ScriptedChatModel(replies=reply), response_format=ToolStrategy(Verdict), name="judge")
    graph = StateGraph(Two)
    for key in ("one", "other"):
        asking = as_node(agent, inputs=partial(asks, key), outputs={key: "structured_response"})
        graph.add_node(f"{key}_judge", asking).add_edge("__start__", f"{key}_judge")
    result = run(graph.compile(), {"question": "?"})
    assert (result["one"].passed, result["other"].passed) == (True, False)


@after_agent
def last(state: Any, runtime: Any) -> None:
    """Adds a last node to the graph."""


@pytest.mark.parametrize("model_calls", [3, 5])
def test_in_the_graph_of_another_agent_it_shares_the_limits(run: Any, model_calls: int) -> None:
    model = ScriptedChatModel(replies=[calls(call("search", {"query": "q"}, str(place))) for place in range(20)])
    inner = create_agent(model, [search], response_format=ToolStrategy(Verdict), name="inner")
    outer = ScriptedChatModel(replies=[calls(call("Missing", {"facts": []}))])
    limits = UsageLimits(model_calls=model_calls)
    graph = build_agent_graph(outer, response_format=ToolStrategy(Missing), limits=limits, middleware=[last])
    graph.add_node("inner", as_node(inner, inputs=lambda state: QUESTION, outputs=lambda result: {}))
    graph.add_edge("last.after_agent", "inner")
    run(graph.compile(), QUESTION)
    assert len(model.requests) == model_calls - 2
