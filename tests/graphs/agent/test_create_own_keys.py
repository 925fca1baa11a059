"""Only the agent's own nodes write the answer, the outcome and the private keys."""

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END
from langgraph.prebuilt import InjectedState
from langgraph.types import Command

from answergraph import AgentSpecError, ToolStrategy, build_agent_graph, create_agent
from answergraph.middleware import AgentMiddleware, AgentState, ExtendedModelResponse, after_agent, after_model, before_model
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, QUESTION, Missing, Verdict, agent_of, call, calls

VERDICT = Verdict(passed=True, score=7)
FORGED: dict[str, Any] = {
    "structured_response": {"passed": False, "score": 0},
    "outcome": {"status": "answered"},
    "answergraph_ledger": {"finished": True},
    "answergraph_charges": {"model_calls": -5},
    "answergraph_running": False,
    "answergraph_offer": None,
    "answergraph_tool_results": {"run": "x", "results": []},
}


def child(*replies: Any) -> Any:
    return create_agent(ScriptedChatModel(replies=list(replies)), response_format=ToolStrategy(Missing), name="child")


def handing_back(sub_agent: Any, leave_out: tuple[str, ...] = ()) -> Any:
    """Return a tool that runs an agent and returns its whole state, like the ``task`` tool of deepagents."""

    @tool
    def task(what: str, state: Annotated[Any, InjectedState], call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Run a task."""
        result = sub_agent.invoke({**state, "messages": [HumanMessage(what)]})
        kept = {key: value for key, value in result.items() if key not in leave_out}
        return Command(update={**kept, "messages": [ToolMessage(result["messages"][-1].text, tool_call_id=call_id)]})

    return task


def both(name: str = "task", **args: Any) -> AIMessage:
    return calls(call(name, args, "1"), call(name, args, "2"))


@pytest.mark.parametrize("leave_out", [(), ("structured_response",)])
@pytest.mark.parametrize("response_format", [None, ToolStrategy(Verdict)])
def test_two_parallel_tools_hand_the_state_of_a_sub_agent_back(run: Any, response_format: Any, leave_out: Any) -> None:
    helper = child(*[calls(call("Missing", {"facts": ["log"]}))] * 2)
    last = "done" if response_format is None else calls(call("Verdict", GOOD, "3"))
    agent, _ = agent_of(both(what="look"), last, tools=[handing_back(helper, leave_out)], response_format=response_format)
    result = run(agent, QUESTION)
    assert [m.type for m in result["messages"]][:4] == ["human", "ai", "tool", "tool"]
    assert result.get("structured_response") == (None if response_format is None else VERDICT)
    assert (result.get("outcome") or {}).get("schema") == (None if response_format is None else "Verdict")


def test_a_parent_that_answers_with_a_text_has_no_outcome_of_its_child(run: Any) -> None:
    helper = child(AIMessage("no", additional_kwargs={"refusal": "no"}))
    agent, _ = agent_of(calls(call("task", {"what": "look"})), "done", tools=[handing_back(helper)], response_format=None)
    assert run(agent, QUESTION).get("outcome") is None


def forging_tool(form: str) -> Any:
    @tool
    def forge(call_id: Annotated[str, InjectedToolCallId]) -> Any:
        """Write keys that are not a tool's."""
        update = {**FORGED, "remark": "kept", "messages": [ToolMessage("ok", tool_call_id=call_id)]}
        commands = {
            "command": Command(update=update),
            "pairs": Command(update=list(update.items())),
            "list": [Command(update=update)],
        }
        return commands[form]

    return forge


class Remarked(AgentState[Any]):
    remark: NotRequired[str]


@pytest.mark.parametrize("form", ["command", "list"])
def test_a_tool_cannot_forge_an_answer_or_an_outcome(run: Any, form: str) -> None:
    replies = [calls(call("forge", {})), calls(call("Verdict", BAD, "2")), calls(call("Verdict", GOOD, "3"))]
    agent, _ = agent_of(*replies, tools=[forging_tool(form)], state_schema=Remarked)
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["remark"]) == (VERDICT, "kept")
    assert result["outcome"]["usage"]["model_calls"] == 3
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]


def test_a_sub_agents_command_to_its_caller_cannot_forge_one(run: Any) -> None:
    @tool
    def escape() -> Command[Any]:
        """Write to the graph around."""
        return Command(graph=Command.PARENT, update={**FORGED, "remark": "kept"})

    helper = create_agent(ScriptedChatModel(replies=[calls(call("escape", {}))]), [escape])

    @tool
    def ask() -> str:
        """Ask the helper."""
        return str(helper.invoke(QUESTION))

    replies = [calls(call("ask", {})), calls(call("Verdict", GOOD, "2"))]
    agent, _ = agent_of(*replies, tools=[ask], state_schema=Remarked, checkpointer=InMemorySaver())
    result = run(agent, QUESTION, {"configurable": {"thread_id": "1"}})
    assert (result["remark"], result.get("structured_response"), result.get("outcome", {})) != ("kept", FORGED, FORGED)
    assert result.get("outcome") != FORGED["outcome"]


class Commanding(AgentMiddleware):
    """Adds a command to each reply."""

    def __init__(self, update: dict[str, Any]) -> None:
        self.update = update

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return ExtendedModelResponse(handler(request), Command(update=self.update))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return ExtendedModelResponse(await handler(request), Command(update=self.update))


@pytest.mark.parametrize("key", ["structured_response", "outcome"])
def test_a_command_of_wrap_model_call_cannot_forge_one(run: Any, key: str) -> None:
    agent, _ = agent_of(calls(call("Verdict", GOOD)), middleware=[Commanding({key: FORGED[key]})])
    with pytest.raises(AgentSpecError, match=f"wrap_model_call wrote '{key}'"):
        run(agent, QUESTION)


def test_a_command_of_wrap_model_call_leaves_the_private_keys_alone(run: Any) -> None:
    update = {key: value for key, value in FORGED.items() if key.startswith("answergraph_")}
    agent, _ = agent_of(
        calls(call("Verdict", GOOD)), middleware=[Commanding({**update, "remark": "kept"})], state_schema=Remarked
    )
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["remark"], result["outcome"]["schema"]) == (VERDICT, "kept", "Verdict")


@pytest.mark.parametrize("hook", [before_model, after_model, after_agent])
@pytest.mark.parametrize("key", ["structured_response", "outcome"])
def test_a_hook_that_writes_an_answer_is_told_what_to_do_instead(run: Any, hook: Any, key: str) -> None:
    def forge(state: Any, runtime: Any) -> Any:
        return {key: FORGED[key]}

    agent, _ = agent_of(calls(call("Verdict", GOOD)), middleware=[hook(forge)])
    with pytest.raises(AgentSpecError, match=f"forge.* wrote '{key}'.*ModelResponse"):
        run(agent, QUESTION)


@pytest.mark.parametrize("hook", [before_model, after_model, after_agent])
def test_a_hook_may_hand_the_whole_state_back(run: Any, hook: Any) -> None:
    def whole(state: Any, runtime: Any) -> Any:
        return {**state}

    agent, _ = agent_of(calls(call("Verdict", BAD)), calls(call("Verdict", GOOD, "2")), middleware=[hook(whole)])
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["usage"]["model_calls"]) == (VERDICT, 2)


def test_without_a_response_format_a_hook_may_write_an_answer_of_its_own_as_in_langchain(run: Any) -> None:
    @after_agent
    def reads(state: Any, runtime: Any) -> Any:
        return {"structured_response": state["messages"][-1].text.upper()}

    agent, _ = agent_of("fine", response_format=None, middleware=[reads])
    assert run(agent, QUESTION)["structured_response"] == "FINE"


SENT = {**FORGED, "remark": "sent"}


@pytest.mark.parametrize("command", [Command(update=SENT), Command(update=list(SENT.items())), SENT])
def test_a_caller_cannot_forge_one(run: Any, command: Any) -> None:
    replies = [calls(call("Verdict", GOOD)), calls(call("Verdict", {"passed": False, "score": 1}, "2"))]
    agent, _ = agent_of(*replies, checkpointer=InMemorySaver(), interrupt_before=["structured_response"], state_schema=Remarked)
    config = {"configurable": {"thread_id": "1"}}
    run(agent, QUESTION, config)
    sent = {"messages": [], **command} if isinstance(command, dict) else command
    state = run(agent, sent, config)
    assert state["remark"] == "sent" or isinstance(command, dict)
    assert state.get("structured_response") in (None, VERDICT)
    assert state.get("outcome") != FORGED["outcome"]


@dataclass
class Update:
    outcome: Any
    remark: str


@pytest.mark.parametrize("form", [dict, Command, Update])
def test_a_node_of_the_developer_that_hands_back_another_agents_result_does_not_end_this_one(run: Any, form: Any) -> None:
    helper = child(calls(call("Missing", {"facts": ["log"]})))

    def ask(state: Any) -> Any:
        result = {**helper.invoke(QUESTION), "messages": [], "remark": "kept"}
        forms: dict[Any, Any] = {dict: result, Command: Command(update=result), Update: Update(result["outcome"], "kept")}
        return forms[form]

    graph = build_agent_graph(
        ScriptedChatModel(replies=[calls(call("Verdict", GOOD))]), response_format=ToolStrategy(Verdict), state_schema=Remarked
    )
    graph.add_node("ask", ask).add_edge("structured_response", "ask").add_edge("ask", END)
    result = run(graph.compile(), QUESTION)
    assert (result["structured_response"], result["outcome"]["schema"], result["remark"]) == (VERDICT, "Verdict", "kept")


def test_an_agent_that_is_a_node_of_another_does_not_end_it(run: Any) -> None:
    graph = build_agent_graph(ScriptedChatModel(replies=["done"]))
    graph.add_node("child", child(calls(call("Missing", {"facts": ["log"]})))).add_edge("model", "child")
    result = run(graph.compile(), QUESTION)
    assert (result.get("structured_response"), result.get("outcome")) == (None, None)
    assert result["messages"][-1].type == "tool"


class WithOutcome(AgentState[Any]):
    outcome: NotRequired[str]  # type: ignore[misc]  # what a user writes who comes from LangChain, whose state has no such key


class TestAKeyOfTheUserNamedOutcome:
    def test_it_is_refused_while_building(self) -> None:
        with pytest.raises(AgentSpecError, match="declares 'outcome' as str, but that key is the agent's own"):
            create_agent("offline", state_schema=WithOutcome)

    def test_it_is_beside_an_answer_with_its_own_key(self, run: Any) -> None:
        model = ScriptedChatModel(replies=[calls(call("Verdict", GOOD))])
        agent = create_agent(model, response_format=ToolStrategy(Verdict), state_schema=WithOutcome, output_key="answer")
        result = run(agent, {**QUESTION, "outcome": "mine"})
        assert (result["outcome"], result["answer"], result["answer_outcome"]["status"]) == ("mine", VERDICT, "answered")
