"""A mistake that shows only in a run ends it, with the place and what to write."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from typing_extensions import TypedDict

from answergraph import AgentSpecError, AnswerRejected, FromContext, ToolStrategy, UsageLimits, create_agent, resume
from answergraph.middleware import (
    AgentMiddleware,
    AgentState,
    after_agent,
    after_model,
    before_agent,
    before_model,
    dynamic_prompt,
    wrap_model_call,
    wrap_tool_call,
)
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


class Changes(AgentMiddleware[Any, Any, Any]):
    """Hands on another request."""

    def __init__(self, change: Any) -> None:
        super().__init__()
        self.change = change

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(self.change(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(self.change(request))


@dynamic_prompt
def writes_no_prompt(request: Any) -> Any:
    """Forgets to return it."""


@pytest.mark.parametrize("hook", [before_agent, before_model, after_model, after_agent])
def test_a_key_that_no_state_has_is_told(run: Run, hook: Any) -> None:
    @hook  # type: ignore[untyped-decorator]  # one of four
    def counts(state: Any, runtime: Any) -> Any:
        return {"turns": 1}

    with pytest.warns(UserWarning, match=rf"counts.{hook.__name__} returned \['turns'\], which the agent's state does not have"):
        run(agent_of(counts), QUESTION)


def test_a_key_of_a_state_schema_is_written_without_a_word(run: Run) -> None:
    class Turns(AgentState[Any]):
        turns: int

    @before_model(state_schema=Turns)
    def counts(state: Any, runtime: Any) -> Any:
        return {"turns": 1}

    assert run(agent_of(counts), QUESTION)["turns"] == 1


A_REQUEST = "write `return request.override(…)`, or `handler(request.override(…))` in wrap_model_call."
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
    "no request": (Forgets(), Forgets(), f"Forgets made the request None; {A_REQUEST}"),
    "a handler without a request": (Changes(lambda request: None), Changes(lambda request: None), A_REQUEST),
    "messages as the request": (Changes(lambda request: request.messages), Changes(lambda request: request.messages), A_REQUEST),
    "the name of a model": (
        Changes(lambda request: request.override(model="openai:gpt-4.1")),
        Changes(lambda request: request.override(model="openai:gpt-4.1")),
        "Changes set model='openai:gpt-4.1', no model; pass a chat model, such as ChatOpenAI(model=…).",
    ),
    "the name of a tool": (
        Changes(lambda request: request.override(tools=["search"])),
        Changes(lambda request: request.override(tools=["search"])),
        "Changes: 'search' in tools is a name; write [tool for tool in request.tools if tool.name == 'search'].",
    ),
    "a function as a tool": (
        Changes(lambda request: request.override(tools=[search])),
        Changes(lambda request: request.override(tools=[search])),
        "Changes: search in tools is a function; write tool(search), and pass it to create_agent(tools=[…]) too.",
    ),
    "no prompt": (
        writes_no_prompt,
        writes_no_prompt,
        "writes_no_prompt returned None; return the prompt, a text or a SystemMessage.",
    ),
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


def test_a_request_lists_its_fields_if_none_is_like_the_one_that_is_missing() -> None:
    @wrap_model_call
    def overrides(request: Any, handler: Any) -> Any:
        return handler(request.override(prompt="Be brief."))

    with pytest.raises(TypeError, match=r"no field .'prompt'.. Its fields are model, messages, .* and system_prompt\."):
        agent_of(overrides).invoke(QUESTION)


def test_a_thread_that_is_named_beside_the_config_is_refused_with_the_place() -> None:
    thread: Any = {"thread_id": "1"}
    with pytest.raises(AgentSpecError, match="names no thread; write config="):
        resume(agent_of(checkpointer=InMemorySaver()), thread)


def test_a_rejection_without_words_sends_a_general_sentence(run: Run) -> None:
    def never(answer: Any, state: Any, runtime: Any) -> None:
        raise AnswerRejected

    outcome = run(agent_of(check_answer=never, limits=UsageLimits(answer_attempts=1)), QUESTION)["outcome"]
    assert "Check it again and give a better one." in outcome["attempts"][0]["error"]


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
