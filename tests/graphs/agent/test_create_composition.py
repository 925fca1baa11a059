"""Tools, threads, interrupts, streams and subgraphs of an agent."""

import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command, interrupt

from answergraph import build_agent_graph
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import (
    BAD,
    GOOD,
    QUESTION,
    Verdict,
    agent_of,
    call,
    calls,
    every_call_is_answered,
    lookup,
)


@pytest.mark.parametrize(("key", "status"), [("good", "answered"), ("bad", "unanswered")])
def test_a_return_direct_result_is_read_once_as_the_answer(run: Any, key: str, status: str) -> None:
    agent, model = agent_of(calls(call("lookup", {"key": key})), tools=[lookup])
    result = run(agent, QUESTION)
    assert result["outcome"]["status"] == status
    assert (result["structured_response"] is None) == (status == "unanswered")
    assert len(model.requests) == 1


def test_malformed_tool_arguments_are_answered_in_the_same_run_once(run: Any) -> None:
    bad = {"name": "search", "args": '{"query": ', "id": "1", "error": None, "type": "invalid_tool_call"}
    broken = AIMessage("", invalid_tool_calls=[bad])
    agent, model = agent_of(broken, AIMessage("", invalid_tool_calls=[{**bad, "id": "2"}]), "later", response_format=None)
    result = run(agent, QUESTION)
    assert len(model.requests) == 2
    assert "arguments were malformed" in result["messages"][2].text
    assert every_call_is_answered(result["messages"])


def test_a_thread_left_with_an_unanswered_call_goes_on(run: Any) -> None:
    agent, model = agent_of("fine", response_format=None)
    history = [HumanMessage("a"), calls(call("search", {"query": "x"})), HumanMessage("b")]
    result = run(agent, {"messages": history})
    assert [m.type for m in model.requests[0].messages] == ["human", "ai", "tool", "human"]
    assert [m.type for m in result["messages"]] == ["human", "ai", "tool", "human", "ai"]


def test_a_new_turn_of_a_thread_starts_with_a_clean_outcome(run: Any) -> None:
    agent, _ = agent_of(calls(call("Verdict", GOOD)), "no", "no", checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    assert run(agent, QUESTION, config)["outcome"]["status"] == "answered"
    second = run(agent, QUESTION, config)
    assert (second["structured_response"], second["outcome"]["status"]) == (None, "unanswered")
    assert second["outcome"]["usage"]["model_calls"] == 2


def test_an_interrupt_in_a_tool_resumes_with_the_attempts_so_far(run: Any) -> None:
    @tool
    def approve(what: str) -> str:
        """Ask a person."""
        return str(interrupt(what))

    agent, _ = agent_of(
        calls(call("Verdict", BAD)),
        calls(call("approve", {"what": "it"}, "2")),
        calls(call("Verdict", GOOD, "3")),
        tools=[approve],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "1"}}
    assert run(agent, QUESTION, config)["__interrupt__"][0].value == "it"
    result = run(agent, Command(resume="yes"), config)
    assert len(result["outcome"]["attempts"]) == 2
    assert result["outcome"]["usage"]["model_calls"] == 3


def test_parallel_tool_calls_run_at_the_same_time(run: Any) -> None:
    barrier = threading.Barrier(2, timeout=60)

    @tool
    def meet(name: str) -> str:
        """Wait for the other."""
        barrier.wait()
        return name

    agent, _ = agent_of(
        calls(call("meet", {"name": "a"}), call("meet", {"name": "b"}, "2")), "met", tools=[meet], response_format=None
    )
    assert [m.text for m in run(agent, QUESTION)["messages"][2:4]] == ["a", "b"]


def test_tools_get_the_state_and_may_update_it(run: Any) -> None:
    @tool
    def remember(runtime: ToolRuntime) -> Command[Any]:
        """Count the messages."""
        content = f"{len(runtime.state['messages'])} messages"
        return Command(update={"messages": [ToolMessage(content, tool_call_id=runtime.tool_call_id)]})

    agent, _ = agent_of(calls(call("remember", {})), "done", tools=[remember], response_format=None)
    assert run(agent, QUESTION)["messages"][2].text == "2 messages"


def test_an_unknown_tool_is_answered_with_the_tools_there_are(run: Any) -> None:
    agent, _ = agent_of(calls(call("grep", {})), "done", response_format=None)
    assert "grep is not a valid tool, try one of [search]" in run(agent, QUESTION)["messages"][2].text


def test_an_unknown_tool_of_an_agent_without_tools_is_answered_with_the_schema(run: Any) -> None:
    agent, _ = agent_of(calls(call("grep", {})), calls(call("Verdict", GOOD, "2")), tools=())
    result = run(agent, QUESTION)
    assert "try one of [Verdict]" in result["messages"][2].text
    assert result["structured_response"] == Verdict(passed=True, score=7)


def test_without_a_format_a_text_ends_the_run_and_there_is_no_outcome(run: Any) -> None:
    agent, _ = agent_of("All well.", response_format=None)
    assert run(agent, QUESTION).keys() == {"messages"}


def test_the_system_prompt_goes_before_every_call(run: Any) -> None:
    agent, model = agent_of("ok", response_format=None, system_prompt=SystemMessage("Be brief."))
    run(agent, QUESTION)
    assert [m.type for m in model.requests[0].messages] == ["system", "human"]


def test_private_state_is_kept_out_of_every_stream_and_of_the_thread(run: Any) -> None:
    for mode in ("values", "updates", "checkpoints"):
        agent, _ = agent_of(calls(call("Verdict", GOOD)), checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": mode}}
        assert "answergraph_" not in repr(run.stream(agent, QUESTION, config, stream_mode=mode))
        assert "answergraph_" not in repr(run.state(agent, config).values)


def test_updates_show_the_nodes_of_the_graph(run: Any) -> None:
    agent, _ = agent_of(calls(call("search", {"query": "x"})), calls(call("Verdict", GOOD, "2")))
    nodes = [node for update in run.stream(agent, QUESTION, stream_mode="updates") for node in update]
    assert nodes == ["model", "tools", "model", "structured_response"]


def test_two_agents_in_one_superstep_keep_their_answers_apart(run: Any) -> None:
    class Parent(MessagesState):
        plan: Any
        plan_outcome: Any
        review: Any
        review_outcome: Any

    graph = StateGraph(Parent)
    for key, answer in (("plan", GOOD), ("review", {"passed": False, "score": 0})):
        agent, _ = agent_of(calls(call("Verdict", answer, key)), output_key=key, name=key)
        graph.add_node(f"{key}_agent", agent)
        graph.add_edge("__start__", f"{key}_agent")
    result = run(graph.compile(), QUESTION)
    assert (result["plan"].score, result["review"].score) == (7, 0)
    assert (result["plan_outcome"]["status"], result["review_outcome"]["status"]) == ("answered", "answered")


def test_a_subgraph_agent_streams_its_steps_and_interrupts_inside(run: Any) -> None:
    @tool
    def approve(what: str) -> str:
        """Ask a person."""
        return str(interrupt(what))

    agent, _ = agent_of(calls(call("approve", {"what": "it"})), calls(call("Verdict", GOOD, "2")), tools=[approve], name="judge")
    parent = StateGraph(MessagesState).add_node("judge", agent).add_edge("__start__", "judge").compile(InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    first = run.stream(parent, QUESTION, config, stream_mode="updates", subgraphs=True)
    assert [next(iter(update)) for namespace, update in first if namespace] == ["model", "__interrupt__"]
    rest = run.stream(parent, Command(resume="yes"), config, stream_mode="updates", subgraphs=True)
    assert [next(iter(update)) for namespace, update in rest if namespace] == ["tools", "model", "structured_response"]
    assert "judge:" in parent.get_graph(xray=True).draw_mermaid(with_styles=False).replace("\\3a", ":")


def test_an_uncompiled_agent_can_be_added_to(run: Any) -> None:
    graph = build_agent_graph(ScriptedChatModel(replies=[calls(call("Verdict", GOOD))]), response_format=Verdict)
    graph.add_node("greet", lambda state: {"messages": [HumanMessage("And now?")]})
    graph.add_edge("greet", "model")
    assert {"greet", "model", "structured_response"} <= set(graph.compile().get_graph().nodes)
