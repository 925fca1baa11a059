"""A mistake that shows only in a run ends it, with the place and what to write."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from typing_extensions import TypedDict

from answergraph import AgentSpecError, FromContext, ToolStrategy, create_agent
from answergraph.middleware import AgentMiddleware, before_model, wrap_model_call, wrap_tool_call
from answergraph.runtime.errors import ResponseFormatError
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.mistakes.prelude import V, search
from tests.suite.colors import Run

QUESTION: dict[str, Any] = {"messages": ["Go."]}


def agent_of(*middleware: Any, **options: Any) -> Any:
    model = ScriptedChatModel(replies=[calls(call("search", {"query": "a"})), calls(call("V", {"ok": True}))])
    options = {"response_format": ToolStrategy(V), **options}
    made: Any = create_agent(model, [search], middleware=middleware, **options)
    return made


@before_model
def misspells(state: Any, runtime: Any) -> Any:
    return {"mesages": []}


@wrap_model_call
def forgets(request: Any, handler: Any) -> Any:
    handler(request)


@wrap_model_call
async def aforgets(request: Any, handler: Any) -> Any:
    await handler(request)


@wrap_tool_call
def forgets_the_result(request: Any, handler: Any) -> Any:
    handler(request)


@wrap_tool_call
async def aforgets_the_result(request: Any, handler: Any) -> Any:
    await handler(request)


class Returns(AgentMiddleware[Any, Any, Any]):
    """Returns the same from its hook before the model, or around a tool."""

    def __init__(self, update: Any = None, result: Any = None) -> None:
        super().__init__()
        self.update, self.result = update, result

    def before_model(self, state: Any, runtime: Any) -> Any:
        return self.update

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self.result

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self.result


class Forgets(AgentMiddleware[Any, Any, Any]):
    def modify_model_request(self, request: Any) -> Any:
        request.override(tools=[])


MISTAKES: dict[str, tuple[Any, Any, str]] = {
    "a hook's key": (
        misspells,
        misspells,
        "misspells.before_model returned 'mesages', which is no key of the agent's state. Did you mean 'messages'?",
    ),
    "no response": (
        forgets,
        aforgets,
        "orgets.wrap_model_call returned None; write `return handler(request)`, or return an AIMessage or a ModelResponse.",
    ),
    "no result": (
        forgets_the_result,
        aforgets_the_result,
        "orgets_the_result.wrap_tool_call returned None; write `return handler(request)`, or return a ToolMessage or a Command.",
    ),
    "a message": (
        Returns("Go on."),
        Returns("Go on."),
        "Returns.before_model returned 'Go on.'; return a dict, such as {'messages': […]}, a Command or None.",
    ),
    "a list of messages": (
        Returns([HumanMessage("Go on.")]),
        Returns([HumanMessage("Go on.")]),
        "]; return a dict, such as {'messages': […]}, a Command or None.",
    ),
    "a jump that does not exist": (
        Returns({"jump_to": "ende"}),
        Returns({"jump_to": "ende"}),
        "Returns.before_model: jump_to='ende' must be one of ('tools', 'model', 'end'). Did you mean 'end'?",
    ),
    "a jump without an edge": (
        Returns({"jump_to": "end"}),
        Returns({"jump_to": "end"}),
        "where it has no edge; write @hook_config(can_jump_to=['end']) or @before_…(can_jump_to=['end']).",
    ),
    "a text as a tool's result": (
        Returns(result="line 3"),
        Returns(result="line 3"),
        "Returns.wrap_tool_call returned 'line 3'; write `return handler(request)`, or return a ToolMessage or a Command.",
    ),
    "no request": (Forgets(), Forgets(), "Forgets made the request None; write `return request.override(…)`."),
}


@pytest.mark.parametrize(("blocking", "awaited", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_middleware_names_it(run: Run, blocking: Any, awaited: Any, message: str) -> None:
    with pytest.raises(AgentSpecError) as told:
        run(agent_of(awaited if run.is_async else blocking), QUESTION)
    assert str(told.value).endswith(message)


def test_a_field_of_a_request_that_does_not_exist_is_named_with_one_that_does() -> None:
    @wrap_model_call
    def overrides(request: Any, handler: Any) -> Any:
        return handler(request.override(respons_format=None))

    with pytest.raises(TypeError, match=r"ModelRequest has no field .'respons_format'.. Did you mean 'response_format'?"):
        agent_of(overrides).invoke(QUESTION)


def test_a_misspelt_key_beside_others_is_refused(run: Run) -> None:
    class State(TypedDict):
        language: str

    with pytest.raises(AgentSpecError, match="The input has 'langauge', which is no key of the agent's state") as told:
        run(agent_of(state_schema=State), {**QUESTION, "langauge": "German"})
    assert str(told.value).endswith("Did you mean 'language'?")


def test_another_graphs_state_may_have_similar_keys(run: Run) -> None:
    class Outer(MessagesState):
        message: str

    graph = StateGraph(Outer).add_node("agent", agent_of()).add_edge(START, "agent").compile()
    assert run(graph, {**QUESTION, "message": "mine"})["message"] == "mine"


def test_a_misspelt_key_of_the_context_is_refused(run: Run) -> None:
    schema = {"title": "V", "type": "object", "properties": {"ok": {"type": "boolean"}}}
    agent = agent_of(response_format=FromContext(), context_schema=dict)
    with pytest.raises(ResponseFormatError, match="The context has 'respons_format' and no 'response_format'"):
        run.stream(agent, QUESTION, None, context={"respons_format": schema})


PLACES = {
    "from answergraph import ScriptedChatModel": "answergraph has no ScriptedChatModel; write `from answergraph.testing import",
    "from answergraph.middleware import create_agent": "answergraph.middleware has no create_agent; write `from",
    "from answergraph import create_agents": "answergraph has no create_agents; write `from answergraph import create_agent`",
    "from answergraph.middleware import RequireTool": "write `from answergraph import RequireTools`",
    "from answergraph import create_react_agent": "write .*`from answergraph import create_agent`",
    "from answergraph import AgentExecutor": "cannot import name 'AgentExecutor'",
}


@pytest.mark.parametrize(("line", "message"), PLACES.items(), ids=PLACES)
def test_a_name_of_another_public_module_says_where_it_is(line: str, message: str) -> None:
    with pytest.raises(ImportError, match=message):
        exec(line)
