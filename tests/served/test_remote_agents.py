"""An agent on a server as a tool and as a node of a local graph, by LangGraph's ``RemoteGraph``: typed as if it were local."""

from typing import Annotated, Any
from uuid import uuid4

import pytest
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from answergraph import AgentSpecError, as_node, as_tool, create_agent
from answergraph.graphs.add_ons.calculator.calculator import Calculation, create_calculator
from answergraph.kit import AnswerChannel
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls

pytestmark = pytest.mark.server

CONFIG: Any = {"configurable": {"thread_id": "1"}}


def remote(name: str, address: str) -> RemoteGraph:
    """Return an agent of the server, with clients that leave no connection open: they cannot be closed."""
    return RemoteGraph(name, url=address, headers={"connection": "close"})


def result_of(run: Any, agent: Any, times: int = 1) -> ToolMessage:
    """Let an agent call another one as a tool, and return the last result."""
    asks = [calls(call("calculator", {"request": "(2 + 3) × 4"}, f"ask_{number}")) for number in range(times)]
    tool = as_tool(agent, name="calculator", description="Calculates.")
    caller = create_agent(ScriptedChatModel(replies=[*asks, "Done."]), [tool], checkpointer=InMemorySaver())
    messages = run(caller, {"messages": ["How much?"]}, CONFIG)["messages"]
    results = [each for each in messages if isinstance(each, ToolMessage)]
    assert len(results) == times
    return results[-1]


def comparable(artifact: Any) -> Any:
    """Return an artifact without what no two runs share: times, and the ids of calls."""
    outcome = {key: artifact["outcome"][key] for key in ("status", "reason", "schema", "support")}
    fields = {
        path: (each["status"], [part["source"] for part in each["evidence"]])
        for path, each in artifact["outcome"]["fields"].items()
    }
    supported_by = [(each["name"], each["args"], each["texts"]) for each in artifact["supported_by"]]
    return artifact["structured_response"], outcome, fields, supported_by


def test_a_remote_agent_as_a_tool_gives_what_a_local_one_gives(run: Any, address: str) -> None:
    there, here = result_of(run, remote("calculator", address)), result_of(run, create_calculator())
    assert (there.text, there.status) == (here.text, "success")
    assert comparable(there.artifact) == comparable(here.artifact)
    assert there.artifact["supported_by"] != []


def test_a_second_call_of_a_remote_agent_sees_nothing_of_the_first(run: Any, address: str) -> None:
    first, second = (result_of(run, remote("calculator", address), times).artifact["outcome"] for times in (1, 2))
    tokens = ("model_calls", "input_tokens", "output_tokens")
    assert [first["usage"][name] for name in tokens] == [second["usage"][name] for name in tokens]


def test_a_remote_run_that_raises_for_want_of_an_answer_is_an_error_with_its_reason(run: Any, address: str) -> None:
    message = result_of(run, remote("raising", address))
    assert message.status == "error"
    assert message.text.startswith("No answer (invalid): The answer does not fit 'Verdict'")


def test_a_remote_agent_that_asks_a_person_is_refused_as_a_tool(run: Any, address: str) -> None:
    with pytest.raises(AgentSpecError, match="waits for a person, and neither a tool nor a node can go on with it"):
        result_of(run, remote("approval", address))


class Ticket(TypedDict):
    question: str
    total: Annotated[Calculation | None, AnswerChannel]
    ended: Any


def test_the_answer_of_a_remote_agent_as_a_node_has_its_type(run: Any, address: str) -> None:
    node = as_node(
        remote("calculator", address),
        inputs=lambda state: {"messages": [{"role": "user", "content": state["question"]}]},
        outputs={"total": "structured_response", "ended": "outcome"},
    )
    graph = StateGraph(Ticket).add_node("calculator", node).add_edge("__start__", "calculator").compile()
    result = run(graph, {"question": "(2 + 3) × 4"})
    assert isinstance(result["total"], Calculation)
    assert (result["total"].final_answer, result["ended"]["status"]) == (20, "answered")
    assert result["ended"]["fields"]["final_answer"]["status"] == "supported"


class Team(MessagesState):
    structured_response: Annotated[Calculation | None, AnswerChannel]
    outcome: Any


def test_a_remote_agent_can_be_a_node_of_a_graph_with_its_keys(run: Any, address: str) -> None:
    graph = StateGraph(Team).add_node("calculator", remote("calculator", address)).add_edge("__start__", "calculator")
    result = run(graph.compile(), {"messages": ["(2 + 3) × 4"]})
    assert isinstance(result["structured_response"], Calculation)
    assert result["outcome"]["status"] == "answered"


def test_a_remote_agent_that_asks_a_person_is_refused_as_a_node(run: Any, address: str) -> None:
    node = as_node(remote("approval", address), inputs={"messages": "messages"}, outputs={"outcome": "outcome"})
    graph = StateGraph(Team).add_node("calculator", node).add_edge("__start__", "calculator")
    thread: Any = {"configurable": {"thread_id": str(uuid4())}}
    with pytest.raises(AgentSpecError, match="neither a tool nor a node can go on with it"):
        run(graph.compile(checkpointer=InMemorySaver()), {"messages": ["(2 + 3) × 4"]}, thread)


def test_a_remote_agent_on_its_own_goes_on_with_the_decision_of_a_person(run: Any, address: str) -> None:
    agent = remote("approval", address)
    thread: Any = {"configurable": {"thread_id": str(uuid4())}}
    (waits,) = run(agent, {"messages": [{"role": "user", "content": "(2 + 3) × 4"}]}, thread)["__interrupt__"]
    assert waits["value"]["action_requests"][0]["name"] == "multiply"
    result = run(agent, Command(resume={"decisions": [{"type": "approve"}]}), thread)
    assert (result["structured_response"]["final_answer"], result["outcome"]["status"]) == (20, "answered")
