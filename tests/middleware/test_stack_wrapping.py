"""Hooks around the model and the tools: their view, their return values, and refused ones."""

import asyncio
from typing import Any, NotRequired

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Command

from answergraph import create_agent
from answergraph.middleware import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    InputAgentState,
    ModelResponse,
    after_model,
    wrap_model_call,
    wrap_tool_call,
)
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search
from tests.suite.verdicts import Answer

ANSWER = {"name": "Answer", "args": {"text": "a"}, "id": "9", "type": "tool_call"}
SEARCH = {"name": "search", "args": {"query": "q"}, "id": "1", "type": "tool_call"}
QUESTION: InputAgentState = {"messages": ["q"]}


def scripted(*replies: Any) -> ScriptedChatModel:
    return ScriptedChatModel(replies=list(replies))


def test_a_middleware_retries_the_model_and_only_the_last_reply_counts(run: Any) -> None:
    def retry(request: Any, handler: Any) -> Any:
        handler(request)
        return handler(request)

    async def aretry(request: Any, handler: Any) -> Any:
        await handler(request)
        return await handler(request)

    middleware = type(
        "Retry",
        (AgentMiddleware,),
        {"wrap_model_call": lambda self, q, h: retry(q, h), "awrap_model_call": lambda self, q, h: aretry(q, h)},
    )()
    model = scripted(AIMessage("prose"), AIMessage("", tool_calls=[ANSWER]))
    result = run(create_agent(model, response_format=Answer, middleware=[middleware]), QUESTION)
    assert result["structured_response"] == Answer(text="a")
    assert result["outcome"]["usage"]["model_calls"] == 2


@pytest.mark.parametrize(("given", "status"), [(Answer(text="cached"), "answered"), ({"text": 3}, "invalid")])
def test_a_value_given_by_a_middleware_is_checked_like_any_other(run: Any, given: Any, status: str) -> None:
    response = ModelResponse(result=[AIMessage("from the cache")], structured_response=given)

    async def agive(self: Any, request: Any, handler: Any) -> Any:
        return response

    members = {"wrap_model_call": lambda self, request, handler: response, "awrap_model_call": agive}
    model = scripted()
    agent = create_agent(model, response_format=Answer, middleware=[type("Cache", (AgentMiddleware,), members)()])
    assert run(agent, QUESTION)["outcome"]["status"] == status
    assert model.requests == []


def test_middleware_sees_the_answer_before_it_is_committed(run: Any) -> None:
    seen: list[Any] = []

    class Look(AgentMiddleware[Any, Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            response = handler(request)
            seen.append(response.structured_response)
            return response

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            response = await handler(request)
            seen.append(response.structured_response)
            return response

    run(create_agent(scripted(AIMessage("", tool_calls=[ANSWER])), response_format=Answer, middleware=[Look()]), QUESTION)
    assert seen == [Answer(text="a")]


def test_commands_of_every_layer_update_the_state(run: Any) -> None:
    class Counted(AgentState[Any]):
        count: NotRequired[int]

    class Count(AgentMiddleware[Any, Any, Any]):
        state_schema = Counted

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return ExtendedModelResponse(handler(request), Command(update={"count": 1}))

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return ExtendedModelResponse(await handler(request), Command(update={"count": 1}))

    assert run(create_agent(scripted("hi"), middleware=[Count()]), QUESTION)["count"] == 1


@pytest.mark.parametrize("command", [Command(goto="tools"), Command(resume=1), Command(graph=Command.PARENT)])
def test_a_command_that_would_steer_the_graph_from_inside_a_model_call_is_refused(command: Any) -> None:
    @wrap_model_call
    def steer(request: Any, handler: Any) -> Any:
        return ExtendedModelResponse(handler(request), command)

    with pytest.raises(NotImplementedError, match="not yet supported in wrap_model_call"):
        create_agent(scripted("hi"), middleware=[steer]).invoke(QUESTION)


def test_a_tool_wrapper_may_run_a_tool_the_agent_does_not_know(run: Any) -> None:
    class Dynamic(AgentMiddleware[Any, Any, Any]):
        def modify_model_request(self, request: Any) -> Any:
            return request.override(tools=[*request.tools, search])

        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(tool=search))

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            return await handler(request.override(tool=search))

    result = run(create_agent(scripted(AIMessage("", tool_calls=[SEARCH]), "done"), middleware=[Dynamic()]), QUESTION)
    assert result["messages"][2].text == "found q"


def test_tools_that_nobody_can_run_are_refused_with_what_to_do(run: Any) -> None:
    class Adds(AgentMiddleware[Any, Any, Any]):
        def modify_model_request(self, request: Any) -> Any:
            return request.override(tools=[search])

    with pytest.raises(ValueError, match=r"Unknown tools: \['search'\]"):
        run(create_agent(scripted(), middleware=[Adds()]), QUESTION)


@pytest.mark.parametrize(("decorator", "hook"), [(wrap_model_call, "awrap_model_call"), (wrap_tool_call, "awrap_tool_call")])
def test_a_wrapper_of_the_wrong_colour_says_what_to_define(decorator: Any, hook: str) -> None:
    @decorator  # type: ignore[untyped-decorator]  # comes from the parameters
    def only_sync(request: Any, handler: Any) -> Any:
        return handler(request)

    agent = create_agent(scripted(AIMessage("", tool_calls=[SEARCH])), [search], middleware=[only_sync])
    with pytest.raises(NotImplementedError, match=f"Asynchronous implementation of {hook} is not available"):
        asyncio.run(agent.ainvoke(QUESTION))


def test_middleware_adds_its_own_tools_and_state(run: Any) -> None:
    class Noted(AgentState[Any]):
        notes: NotRequired[list[str]]

    class Notes(AgentMiddleware[Any, Any, Any]):
        state_schema = Noted
        tools = (search,)

        def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
            return {"notes": ["started"]}

    result = run(create_agent(scripted(AIMessage("", tool_calls=[SEARCH]), "done"), middleware=[Notes()]), QUESTION)
    assert result["notes"] == ["started"]
    assert isinstance(result["messages"][2], ToolMessage)


def test_an_answer_counts_though_a_hook_adds_a_message_after_it(run: Any) -> None:
    @after_model
    def remark(state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [HumanMessage("noted")]}

    agent = create_agent(scripted(AIMessage('{"text": "a"}')), response_format=Answer, middleware=[remark])
    assert run(agent, QUESTION)["structured_response"] == Answer(text="a")
