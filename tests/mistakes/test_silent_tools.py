"""What a tool returns and no state would keep is refused, with the tool and what to write."""

from typing import Annotated, Any

import pytest
from langchain.tools import ToolRuntime
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from answergraph import AgentSpecError, create_agent
from answergraph.middleware import AgentState, before_model, wrap_tool_call
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.mistakes.test_run_time_mistakes import QUESTION
from tests.suite.colors import Run


class Counted(AgentState[Any]):
    """A state with a key of its own."""

    found: int


@tool
def writes(key: str, runtime: ToolRuntime) -> Any:
    """Write a key."""
    return Command(update={key: 1, "messages": [ToolMessage("Done.", tool_call_id=runtime.tool_call_id)]})


@tool
def mixes_up(key: str) -> Any:
    """Return the result of another call."""
    return ToolMessage("Done.", tool_call_id="another")


@wrap_tool_call
def puts_right(request: Any, handler: Any) -> Any:
    return handler(request).model_copy(update={"tool_call_id": request.tool_call["id"]})


@wrap_tool_call
def renames(request: Any, handler: Any) -> Any:
    """Run the call as another one."""
    return handler(request.override(tool_call={**request.tool_call, "id": "another"}))


@wrap_tool_call
async def arenames(request: Any, handler: Any) -> Any:
    return await handler(request.override(tool_call={**request.tool_call, "id": "another"}))


@tool
def looks(key: str) -> str:
    """Look."""
    return key


def agent_with(used: Any, key: str = "a", *middleware: Any, **options: Any) -> Any:
    model = ScriptedChatModel(replies=[calls(call(used.name, {"key": key}, "own")), "Done."])
    made: Any = create_agent(model, [used], middleware=middleware, **options)
    return made


def test_a_misspelt_key_of_a_tools_command_is_refused(run: Run) -> None:
    with pytest.raises(AgentSpecError) as told:
        run(agent_with(writes, "fuond", state_schema=Counted), QUESTION)
    words = "The tool 'writes' returned 'fuond', which is no key of the agent's state. Did you mean 'found'?"
    assert str(told.value) == words


def test_a_key_of_a_tools_command_that_no_state_has_is_told(run: Run) -> None:
    with pytest.warns(UserWarning, match=r"The tool 'writes' returned \['colour'\], which the agent's state does not have"):
        run(agent_with(writes, "colour"), QUESTION)


def test_a_declared_key_of_a_tools_command_is_kept(run: Run) -> None:
    assert run(agent_with(writes, "found", state_schema=Counted), QUESTION)["found"] == 1


def test_a_command_to_the_graph_around_may_write_its_keys() -> None:
    class Outer(TypedDict):
        messages: Annotated[list[Any], lambda before, after: [*before, *after]]
        message: str

    @tool
    def hands_over(key: str, runtime: ToolRuntime) -> Any:
        """Hand over."""
        result = ToolMessage("Done.", tool_call_id=runtime.tool_call_id)
        return Command(graph=Command.PARENT, goto="end", update={"message": "mine", "messages": [result]})

    graph: Any = StateGraph(Outer).add_node("agent", agent_with(hands_over)).add_node("end", lambda state: None)
    assert graph.add_edge(START, "agent").compile().invoke({**QUESTION, "message": ""})["message"] == "mine"


def test_a_misspelt_key_of_a_hooks_command_is_refused(run: Run) -> None:
    @before_model
    def counts(state: Any, runtime: Any) -> Any:
        return Command(update={"fuond": 1})

    with pytest.raises(AgentSpecError, match=r"counts.before_model returned 'fuond'.*Did you mean 'found'\?"):
        run(agent_with(looks, "a", counts, state_schema=Counted), QUESTION)


OTHER = (
    "The tool '{}' returned a ToolMessage for the call 'another', and its own is 'own'. Write tool_call_id=runtime.tool_call_id "
    "in a tool with runtime: ToolRuntime, or request.tool_call['id'] in a wrap_tool_call."
)


def test_the_result_of_another_call_is_refused(run: Run) -> None:
    with pytest.raises(AgentSpecError) as told:
        run(agent_with(mixes_up), QUESTION)
    assert str(told.value) == OTHER.format("mixes_up")


def test_a_middleware_that_runs_a_call_as_another_is_refused(run: Run) -> None:
    with pytest.raises(AgentSpecError) as told:
        run(agent_with(looks, "a", arenames if run.is_async else renames), QUESTION)
    assert str(told.value) == OTHER.format("looks")


def test_a_middleware_may_put_a_result_right() -> None:
    assert agent_with(mixes_up, "a", puts_right).invoke(QUESTION)["messages"][2].tool_call_id == "own"
