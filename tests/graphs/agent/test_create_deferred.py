"""External tool calls: the run ends, names the waiting calls, and resumes with their results."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from answergraph import (
    AgentSpecError,
    DeferredStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
    external_tool,
)
from answergraph.middleware import AgentMiddleware
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, QUESTION, Verdict, call, calls, every_call_is_answered
from tests.suite.tools import search

CONFIG: Any = {"configurable": {"thread_id": "1"}}
VERDICT = Verdict(passed=True, score=7)


class Card(BaseModel):
    title: str


SHOW_CARD = external_tool("show_card", "Shows a card to the user.", Card)
FUNCTION = {"name": "show_card", "description": "Shows.", "parameters": Card.model_json_schema()}
DESCRIBED = {"type": "function", "function": FUNCTION}
CARD = call("show_card", {"title": "x"}, "c")
SEARCH = call("search", {"query": "q"}, "s")
SHOWN = {"messages": [ToolMessage("shown", tool_call_id="c")]}
PENDING = [{"id": "c", "name": "show_card", "args": {"title": "x"}}]


def agent_of(*replies: Any, tools: Any = (search, SHOW_CARD), **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    given = {"response_format": ToolStrategy(Verdict), "checkpointer": InMemorySaver(), **options}
    return create_agent(model, list(tools), **given), model


def waits(result: Any) -> bool:
    outcome = json.loads(json.dumps(result["outcome"]))
    return (outcome["status"], outcome["pending"], result.get("structured_response")) == ("deferred", PENDING, None)


def show_card(title: str) -> str:
    """Shows a card to the user."""
    raise AssertionError("it is shown elsewhere")


@pytest.mark.parametrize(
    "given", [show_card, tool(show_card), DESCRIBED, FUNCTION], ids=["function", "tool", "described", "short"]
)
def test_a_function_or_tool_of_ones_own_can_be_executed_elsewhere(run: Any, given: Any) -> None:
    elsewhere = external_tool(given)
    agent, _ = agent_of(calls(CARD), calls(call("Verdict", GOOD, "v")), tools=[elsewhere])
    assert waits(run(agent, QUESTION, CONFIG))
    assert (elsewhere.name, list(elsewhere.args)) == ("show_card", ["title"])
    assert run(agent, SHOWN, CONFIG)["structured_response"] == VERDICT


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((show_card, "Shows."), "leave them out"),
        ((lambda title: title,), "give a description"),
        (({"type": "web_search"},), "give a function with a docstring, a tool, or a name and"),
        ((3,), "give a function with a docstring"),
    ],
)
def test_what_is_no_external_tool_says_what_to_write(given: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        external_tool(*given)


class FrontendTools(AgentMiddleware):
    """Offers a browser's tools, takes their calls out of the reply, and puts them back at the end, as CopilotKit's middleware."""

    def __init__(self) -> None:
        self.whole: AIMessage | None = None

    def modify_model_request(self, request: Any) -> Any:
        return request.override(tools=[*request.tools, DESCRIBED])

    def after_model(self, state: Any, runtime: Any) -> Any:
        *before, last = state["messages"]
        kept = [call for call in last.tool_calls if call["name"] != "show_card"]
        if len(kept) == len(last.tool_calls):
            return None
        self.whole = last
        return {"messages": [*before, last.model_copy(update={"tool_calls": kept})]}

    def after_agent(self, state: Any, runtime: Any) -> Any:
        whole, self.whole = self.whole, None
        return None if whole is None else {"messages": [whole]}


STRATEGIES = {
    "tool": (ToolStrategy(Verdict), calls(call("Verdict", GOOD, "v"))),
    "provider": (ProviderStrategy(Verdict), AIMessage(json.dumps(GOOD))),
    "prompted": (PromptedStrategy(Verdict), AIMessage(json.dumps(GOOD))),
    "deferred": (DeferredStrategy(ToolStrategy(Verdict)), AIMessage(json.dumps(GOOD))),
    "bare": (Verdict, calls(call("Verdict", GOOD, "v"))),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("way", ["external tool", "described", "taken out"])
@pytest.mark.parametrize("beside", [(), (SEARCH,)], ids=["alone", "beside a tool"])
def test_a_run_ends_deferred_and_goes_on_with_the_result(run: Any, strategy: str, way: str, beside: Any) -> None:
    response_format, answer = STRATEGIES[strategy]
    tools = {"external tool": [search, SHOW_CARD], "described": [search, DESCRIBED], "taken out": [search]}[way]
    middleware = [FrontendTools()] if way == "taken out" else []
    agent, model = agent_of(
        calls(CARD, *beside), answer.model_copy(), tools=tools, response_format=response_format, middleware=middleware
    )
    first = run(agent, QUESTION, CONFIG)
    assert waits(first)
    assert [m.type for m in first["messages"]] == ["human", "ai", *["tool" for _ in beside]]
    result = run(agent, SHOWN, CONFIG)
    assert (result["structured_response"], result["outcome"]["status"]) == (VERDICT, "answered")
    assert result["outcome"]["usage"]["model_calls"] == len(model.requests) == 2
    assert every_call_is_answered(result["messages"])
    assert "pending" not in result["outcome"]


@pytest.mark.parametrize("form", [None, ToolStrategy(Verdict)])
def test_it_waits_on_until_every_result_is_there(run: Any, form: Any) -> None:
    other = call("show_card", {"title": "y"}, "d")
    answer = "done" if form is None else calls(call("Verdict", GOOD, "v"))
    agent, model = agent_of(calls(CARD, other), answer, response_format=form)
    run(agent, QUESTION, CONFIG)
    assert waits(run(agent, {"messages": [ToolMessage("shown", tool_call_id="d")]}, CONFIG))
    assert waits(run(agent, {"messages": []}, CONFIG))
    assert len(model.requests) == 1
    result = run(agent, SHOWN, CONFIG)
    assert (result["outcome"] is None) if form is None else (result["structured_response"] == VERDICT)
    assert every_call_is_answered(result["messages"])


def test_attempts_and_limits_are_those_of_the_whole_run(run: Any) -> None:
    replies = [calls(call("Verdict", BAD, "a")), calls(CARD), calls(call("Verdict", {**BAD, "score": 71}, "b"))]
    agent, model = agent_of(*replies, limits=UsageLimits(answer_attempts=2))
    assert waits(run(agent, QUESTION, CONFIG))
    result = run(agent, SHOWN, CONFIG)
    assert (result["outcome"]["status"], len(result["outcome"]["attempts"]), len(model.requests)) == ("invalid", 2, 3)
    assert result["outcome"]["usage"]["model_calls"] == 3


def test_an_answer_beside_the_call_is_held_and_confirmed(run: Any) -> None:
    agent, model = agent_of(calls(CARD, call("Verdict", GOOD, "a")), calls(call("Verdict", GOOD, "b")))
    first = run(agent, QUESTION, CONFIG)
    assert (waits(first), first["messages"][-1].tool_call_id) == (True, "a")
    assert run(agent, SHOWN, CONFIG)["structured_response"] == VERDICT
    assert every_call_is_answered(model.requests[1].messages)


def test_a_wrong_answer_beside_the_call_is_sent_back_with_the_result(run: Any) -> None:
    agent, _ = agent_of(calls(CARD, call("Verdict", BAD, "a")), calls(call("Verdict", GOOD, "b")))
    assert waits(run(agent, QUESTION, CONFIG))
    result = run(agent, SHOWN, CONFIG)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]


@pytest.mark.parametrize("end_strategy", ["early", "exhaustive"])
def test_an_answer_that_counts_at_once_ends_the_run_and_the_call_is_answered(run: Any, end_strategy: Any) -> None:
    agent, _ = agent_of(calls(CARD, call("Verdict", GOOD, "a")), end_strategy=end_strategy)
    result = run(agent, QUESTION, CONFIG)
    assert (result["structured_response"], result["outcome"]["status"]) == (VERDICT, "answered")
    assert every_call_is_answered(result["messages"])


def test_a_person_who_says_something_else_begins_a_new_run(run: Any) -> None:
    agent, model = agent_of(calls(CARD), calls(call("Verdict", GOOD, "v")))
    run(agent, QUESTION, CONFIG)
    result = run(agent, {"messages": [HumanMessage("Never mind the card.")]}, CONFIG)
    assert result["structured_response"] == VERDICT
    assert result["outcome"]["usage"]["model_calls"] == 1
    assert every_call_is_answered(model.requests[1].messages)


def test_a_deferred_run_is_not_a_failure(run: Any) -> None:
    agent, _ = agent_of(calls(CARD), on_failure="raise")
    assert waits(run(agent, QUESTION, CONFIG))


def test_the_last_call_of_the_budget_waits_for_nobody(run: Any) -> None:
    agent, _ = agent_of(calls(CARD), limits=UsageLimits(model_calls=1))
    result = run(agent, QUESTION, CONFIG)
    assert result["outcome"]["status"] == "out_of_budget"
    assert every_call_is_answered(result["messages"])


def test_an_agent_without_a_response_format_has_an_outcome_while_it_waits(run: Any) -> None:
    agent, _ = agent_of(calls(CARD, SEARCH), "done", response_format=None)
    assert waits(run(agent, QUESTION, CONFIG))
    result = run(agent, SHOWN, CONFIG)
    assert (result["messages"][-1].text, result["outcome"]) == ("done", None)


def test_a_stream_shows_the_deferred_outcome(run: Any) -> None:
    agent, _ = agent_of(calls(CARD), calls(call("Verdict", GOOD, "v")))
    for sent, status in ((QUESTION, "deferred"), (SHOWN, "answered")):
        parts = list(run.stream(agent, sent, CONFIG, stream_mode=["values", "updates", "custom"]))
        assert [data for mode, data in parts if mode == "values"][-1]["outcome"]["status"] == status
        assert {event["status"] for mode, event in parts if mode == "custom"} <= {"growing", "accepted"}


@pytest.mark.parametrize("how", ["replaced", "removed", "in place"])
@pytest.mark.parametrize("strategy", ["tool", "provider"])
def test_a_hook_that_takes_calls_of_our_own_tools_out_is_not_worked_around(run: Any, how: str, strategy: str) -> None:
    class Guard(AgentMiddleware):
        def after_model(self, state: Any, runtime: Any) -> Any:
            last = state["messages"][-1]
            if how == "removed":
                return {"messages": [RemoveMessage(id=last.id)]}
            if how == "in place":
                last.tool_calls = []
                return None
            return {"messages": [AIMessage("Blocked.", id=last.id)]}

    response_format, answer = STRATEGIES[strategy]
    agent, model = agent_of(calls(SEARCH), answer, response_format=response_format, middleware=[Guard()])
    result = run(agent, QUESTION, CONFIG)
    assert result["structured_response"] is None
    assert result["outcome"]["status"] in ("unanswered", "empty")
    assert len(model.requests) == 1


@pytest.mark.parametrize("left", [[SEARCH], [call("search", {"query": "other"}, "o")]], ids=["one of two", "another"])
@pytest.mark.parametrize("strategy", ["tool", "provider"])
def test_after_the_calls_that_a_hook_left_the_model_goes_on(run: Any, left: Any, strategy: str) -> None:
    class Limit(AgentMiddleware):
        def after_model(self, state: Any, runtime: Any) -> Any:
            last = state["messages"][-1]
            is_first = len(state["messages"]) == 2  # after the question
            return {"messages": [last.model_copy(update={"tool_calls": left})]} if is_first else None

    response_format, answer = STRATEGIES[strategy]
    agent, model = agent_of(
        calls(SEARCH, call("search", {"query": "r"}, "t")), answer, response_format=response_format, middleware=[Limit()]
    )
    result = run(agent, QUESTION, CONFIG)
    assert (result["structured_response"], len(model.requests)) == (VERDICT, 2)
    assert every_call_is_answered(model.requests[1].messages)


@pytest.mark.parametrize("wrong", [{"description": ""}, {"parameters": {"type": "string"}}, {"parameters": int}])
def test_an_external_tool_says_what_is_missing(wrong: Any) -> None:
    with pytest.raises(AgentSpecError, match="external_tool"):
        external_tool(**{"name": "x", "description": "X.", **wrong})


def test_a_call_of_an_external_tool_outside_an_agent_says_so() -> None:
    with pytest.raises(AgentSpecError, match="ends its run"):
        SHOW_CARD.invoke({"title": "x"})
