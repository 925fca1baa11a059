"""LangChain's middleware at its limits: ended runs, failed retries, blocked calls, and the arguments of its decorators."""

import asyncio
from typing import Any, NotRequired

import pytest
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
    after_agent,
    after_model,
    before_agent,
    before_model,
    wrap_model_call,
    wrap_tool_call,
)
from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
from langchain.agents.middleware.pii import PIIDetectionError
from langchain.agents.middleware.tool_call_limit import ToolCallLimitExceededError
from langchain.agents.structured_output import ProviderStrategy as LangChainProviderStrategy
from langchain.agents.structured_output import ToolStrategy as LangChainToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search
from tests.suite.verdicts import Verdict


@tool
def breaks(query: str) -> str:
    """Break."""
    raise ConnectionError(query)


QUESTION: dict[str, Any] = {"messages": [HumanMessage("Did it pass?")]}
THREAD: Any = {"configurable": {"thread_id": "1"}}
PASSED = Verdict(passed=True)
BY_TOOL = LangChainToolStrategy(Verdict)
BY_PROVIDER = LangChainProviderStrategy(Verdict)
FORMATS = pytest.mark.parametrize("response_format", [BY_TOOL, BY_PROVIDER, Verdict], ids=["tool", "provider", "bare"])


def calls(name: str, call_id: str, **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call_id, "type": "tool_call"}])


def searches(call_id: str) -> AIMessage:
    return calls("search", call_id, query=call_id)


def answers(call_id: str = "a", *, passed: bool = True) -> AIMessage:
    return calls("Verdict", call_id, passed=passed)


def agent_of(*replies: Any, middleware: Any, response_format: Any = BY_TOOL, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    stack = middleware if isinstance(middleware, list) else [middleware]
    tools = options.pop("tools", [search, breaks])
    return create_agent(model, tools, middleware=stack, response_format=response_format, **options), model


@FORMATS
def test_a_limit_on_model_calls_ends_the_run_without_an_answer(run: Any, response_format: Any) -> None:
    limit = ModelCallLimitMiddleware(run_limit=2)
    agent, model = agent_of(searches("1"), searches("2"), middleware=limit, response_format=response_format)
    result = run(agent, QUESTION)
    assert len(model.requests) == 2
    assert "limits exceeded" in result["messages"][-1].text
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "unanswered")


def test_a_limit_on_model_calls_may_raise(run: Any) -> None:
    agent, _ = agent_of(searches("1"), middleware=ModelCallLimitMiddleware(run_limit=1, exit_behavior="error"))
    with pytest.raises(ModelCallLimitExceededError, match="run limit"):
        run(agent, QUESTION)


def test_an_answer_in_the_last_call_of_a_limit_counts(run: Any) -> None:
    agent, _ = agent_of(searches("1"), answers(), middleware=ModelCallLimitMiddleware(run_limit=2, exit_behavior="error"))
    assert run(agent, QUESTION)["structured_response"] == PASSED


def test_a_limit_on_tool_calls_ends_the_run_and_the_outcome_says_so(run: Any) -> None:
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior="end")
    agent, model = agent_of(searches("1"), searches("2"), middleware=limit)
    result = run(agent, QUESTION)
    assert len(model.requests) == 2
    assert result["outcome"]["status"] == "unanswered"
    assert {m.tool_call_id for m in result["messages"] if m.type == "tool"} == {"1", "2"}


def test_a_limit_on_tool_calls_may_raise(run: Any) -> None:
    agent, _ = agent_of(searches("1"), searches("2"), middleware=ToolCallLimitMiddleware(run_limit=1, exit_behavior="error"))
    with pytest.raises(ToolCallLimitExceededError):
        run(agent, QUESTION)


@pytest.mark.parametrize("exit_behavior", ["continue", "end"])
def test_an_answer_beyond_a_limit_on_tool_calls_still_counts(run: Any, exit_behavior: Any) -> None:
    # The limit counts the answer's call; LangChain has accepted the answer by then.
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior=exit_behavior)
    agent, _ = agent_of(searches("1"), answers(), middleware=limit)
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (PASSED, "answered")


@FORMATS
def test_a_retry_that_gives_up_ends_without_an_answer(run: Any, response_format: Any) -> None:
    retry = ModelRetryMiddleware(max_retries=1, initial_delay=0.0, jitter=False)

    def down(messages: Any) -> Any:
        return ConnectionError("down")

    agent = create_agent(ScriptedChatModel(replies=down), [search], middleware=[retry], response_format=response_format)
    result = run(agent, QUESTION)
    assert "failed after 2 attempts" in str([message.text for message in result["messages"]])
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "unanswered")


def test_a_retry_may_raise_what_the_model_raised(run: Any) -> None:
    retry = ModelRetryMiddleware(max_retries=1, initial_delay=0.0, jitter=False, on_failure="error")
    agent, model = agent_of(ConnectionError("one"), ConnectionError("two"), middleware=retry)
    with pytest.raises(ConnectionError, match="two"):
        run(agent, QUESTION)
    assert len(model.requests) == 2


def test_a_retry_catches_an_answer_that_does_not_parse(run: Any) -> None:
    retry = ModelRetryMiddleware(max_retries=1, initial_delay=0.0, jitter=False)
    agent, model = agent_of('{"passed": "maybe"}', '{"passed": true}', middleware=retry, response_format=BY_PROVIDER)
    result = run(agent, QUESTION)
    assert (len(model.requests), len(result["messages"]), result["structured_response"]) == (2, 2, PASSED)


def test_when_every_fallback_fails_the_last_error_is_raised(run: Any) -> None:
    spare = ScriptedChatModel(replies=[TimeoutError("spare")])
    agent, _ = agent_of(ConnectionError("down"), middleware=ModelFallbackMiddleware(spare))
    with pytest.raises(TimeoutError, match="spare"):
        run(agent, QUESTION)


def test_a_tool_that_never_works_is_reported_to_the_model(run: Any) -> None:
    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0.0, jitter=False)
    agent, _ = agent_of(calls("breaks", "1", query="x"), answers(), middleware=retry)
    result = run(agent, QUESTION)
    assert (result["messages"][2].status, result["structured_response"]) == ("error", PASSED)


def test_an_address_that_is_to_be_blocked_raises_before_the_model_is_called(run: Any) -> None:
    agent, model = agent_of(answers(), middleware=PIIMiddleware("email", strategy="block"))
    with pytest.raises(PIIDetectionError):
        run(agent, {"messages": [HumanMessage("Write to ada@example.org")]})
    assert model.requests == []


def test_a_tool_result_is_redacted_before_the_model_reads_it(run: Any) -> None:
    redact = PIIMiddleware("email", apply_to_tool_results=True)
    agent, model = agent_of(calls("search", "1", query="ada@example.org"), answers(), middleware=redact)
    assert run(agent, QUESTION)["structured_response"] == PASSED
    assert model.requests[1].messages[-1].text == "found [REDACTED_EMAIL]"


def test_a_person_edits_the_answer_and_the_edited_one_counts(run: Any) -> None:
    review = HumanInTheLoopMiddleware(interrupt_on={"Verdict": True})
    agent, _ = agent_of(answers(), middleware=review, checkpointer=InMemorySaver())
    run(agent, QUESTION, THREAD)
    edited = {"type": "edit", "edited_action": {"name": "Verdict", "args": {"passed": False}}}
    result = run(agent, Command(resume={"decisions": [edited]}), THREAD)
    assert result["structured_response"] == Verdict(passed=False)


class Noted(AgentState[Any]):
    """A state with notes."""

    notes: NotRequired[list[str]]


@pytest.mark.parametrize("hook", [before_agent, before_model, after_model, after_agent])
def test_a_decorated_hook_adds_its_state_tools_and_name(run: Any, hook: Any) -> None:
    @tool
    def extra() -> str:
        """Do more."""
        return "more"

    @hook(state_schema=Noted, tools=[extra], name="Noting")  # type: ignore[untyped-decorator]  # one of four decorators
    def note(state: Any, runtime: Any) -> dict[str, Any]:
        return {"notes": [f"{len(state['messages'])}"]}

    agent, model = agent_of(answers(), middleware=note)
    result = run(agent, QUESTION)
    assert (len(result["notes"]), result["structured_response"]) == (1, PASSED)
    assert model.requests[0].tool_names == ["extra", "search", "breaks", "Verdict"]
    assert f"Noting.{hook.__name__}" in agent.get_graph().nodes


def test_decorated_coroutines_are_awaited() -> None:
    @before_model
    async def remind(state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [HumanMessage("Be quick.")]}

    @wrap_model_call
    async def no_tools(request: Any, handler: Any) -> Any:
        return await handler(request.override(tools=[]))

    @wrap_tool_call
    async def loud(request: Any, handler: Any) -> Any:
        result = await handler(request)
        return result.model_copy(update={"content": result.text.upper()})

    agent, model = agent_of(searches("1"), answers(), middleware=[remind, no_tools, loud])
    result = asyncio.run(agent.ainvoke(QUESTION))
    assert model.requests[0].tool_names == ["Verdict"]
    assert [m.text for m in result["messages"]][1:4] == ["Be quick.", "", "FOUND 1"]
    assert result["structured_response"] == PASSED


class AddingAMessage(AgentMiddleware[Any, Any]):
    """Adds a message after the model's, by a command."""

    def _added(self, response: Any) -> Any:
        return ExtendedModelResponse(model_response=response, command=Command(update={"messages": [HumanMessage("Thanks.")]}))

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return self._added(handler(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return self._added(await handler(request))


@after_model
def thank(state: Any, runtime: Any) -> dict[str, Any]:
    return {"messages": [HumanMessage("Thanks.")]}


@pytest.mark.parametrize("middleware", [AddingAMessage(), thank], ids=["command", "hook"])
def test_the_next_turn_of_a_thread_sends_each_result_right_after_its_call(run: Any, middleware: Any) -> None:
    # Providers refuse a conversation in which another message stands between a tool call and its result.
    agent, model = agent_of(answers("a"), answers("b"), middleware=middleware, checkpointer=InMemorySaver())
    for question in ("First?", "Second?"):
        run(agent, {"messages": [HumanMessage(question)]}, THREAD)
    assert [message.type for message in model.requests[1].messages] == ["human", "ai", "tool", "human", "human"]
