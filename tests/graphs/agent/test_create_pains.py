"""Users' complaints about other agents, turned into requirements: how, and how often, a model is asked."""

from typing import Any

import pytest
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from answergraph import (
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.middleware import wrap_model_call
from answergraph.models import known_refusals
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import (
    BAD,
    GOOD,
    QUESTION,
    Verdict,
    agent_of,
    bad,
    call,
    calls,
    every_call_is_answered,
    good,
)
from tests.openai_server import Failure, OpenAIServer
from tests.suite.tools import search

ANSWER = '{"passed": true, "score": 7}'
SEARCH = call("search", {"query": "x"}, "s")
THREAD: dict[str, Any] = {"configurable": {"thread_id": "1"}}


def malformed(name: str, args: str, call_id: str | None = "m", beside: Any = ()) -> AIMessage:
    broken = {"name": name, "args": args, "id": call_id, "error": None, "type": "invalid_tool_call"}
    return AIMessage("", tool_calls=list(beside), invalid_tool_calls=[broken])


def attempts(result: dict[str, Any]) -> list[str]:
    return [attempt["strategy"] for attempt in result["outcome"]["attempts"]]


# Loops, retries, ends


def test_a_limit_set_by_a_middleware_ends_the_run_with_a_reason_and_keeps_what_was_found(run: Any) -> None:
    limit = ModelCallLimitMiddleware(run_limit=1, exit_behavior="end")
    agent, _ = agent_of(calls(SEARCH), middleware=[limit])
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "unanswered")
    assert "found x" in [m.text for m in result["messages"]]


def test_the_last_call_of_a_deferred_strategy_asks_for_the_answer(run: Any) -> None:
    strategy = DeferredStrategy(ToolStrategy(Verdict))
    limits = UsageLimits(model_calls=2)
    agent, model = agent_of(calls(SEARCH), good("a"), response_format=strategy, limits=limits)
    result = run(agent, QUESTION)
    assert (model.requests[-1].tool_names, model.requests[-1].tool_choice) == (["search", "Verdict"], "Verdict")
    assert result["structured_response"] == Verdict(passed=True, score=7)


def test_when_the_tool_calls_are_spent_the_answer_can_still_be_corrected(run: Any) -> None:
    agent, model = agent_of(calls(SEARCH), bad(0), good("a"), limits=UsageLimits(tool_calls=1))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)
    assert [request.tool_choice for request in model.requests[1:]] == ["Verdict", "Verdict"]


@pytest.mark.parametrize("response_format", [ToolStrategy(Verdict), None], ids=["with a format", "without"])
def test_a_model_that_goes_on_calling_tools_when_they_are_spent_is_stopped(run: Any, response_format: Any) -> None:
    limits = UsageLimits(model_calls=None, tool_calls=1)
    replies = [calls({**SEARCH, "id": f"s{n}"}) for n in range(9)]
    agent, _ = agent_of(*replies, response_format=response_format, limits=limits)
    result = run(agent, QUESTION)
    assert result["outcome"]["status"] == "out_of_budget"
    assert every_call_is_answered(result["messages"])


def test_a_malformed_answer_beside_a_tool_is_an_attempt_like_any_other(run: Any) -> None:
    replies = [malformed("Verdict", "{", f"m{n}", [{**SEARCH, "id": f"s{n}"}]) for n in range(9)]
    agent, model = agent_of(*replies)
    result = run(agent, QUESTION)
    assert result["outcome"]["status"] == "invalid"
    assert len(model.requests) == 2
    assert every_call_is_answered(result["messages"])


def test_an_answer_in_malformed_arguments_beside_a_tool_is_not_lost(run: Any) -> None:
    agent, model = agent_of(malformed("Verdict", f"Sure: {ANSWER}", beside=[SEARCH]), end_strategy="exhaustive")
    assert run(agent, QUESTION)["structured_response"] == Verdict(passed=True, score=7)
    assert len(model.requests) == 1


def test_an_answer_beside_a_malformed_tool_call_waits_for_the_error_to_be_seen(run: Any) -> None:
    both = malformed("search", "{", beside=[call("Verdict", GOOD)])
    agent, model = agent_of(both, calls(call("Verdict", {**GOOD, "score": 1}, "2")))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=1)
    assert any("malformed" in m.text for m in model.requests[1].messages)


@pytest.mark.parametrize(
    "reply",
    [calls({**call("Verdict", GOOD), "id": None}), calls({**call("grep", {}), "id": None}), malformed("Verdict", "{", None)],
    ids=["an answer", "an unknown tool", "a malformed answer"],
)
def test_a_call_without_an_id_does_not_break_the_run(run: Any, reply: AIMessage) -> None:
    agent, _ = agent_of(reply, good("a"))
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"


def test_the_models_own_message_is_not_changed_by_the_run(run: Any) -> None:
    reply = calls({**call("Verdict", GOOD), "id": None})
    agent, _ = agent_of(reply)
    run(agent, QUESTION)
    assert reply.tool_calls[0]["id"] is None


def test_a_malformed_tool_call_without_an_id_is_not_asked_again_unchanged(run: Any) -> None:
    agent, model = agent_of(malformed("search", "{", None), good("a"))
    run(agent, QUESTION)
    first, second = model.requests
    assert second.messages[-1].type != "ai"
    assert len(second.messages) > len(first.messages)


def test_the_cost_of_each_attempt_is_on_the_outcome(run: Any) -> None:
    agent, model = agent_of(bad(0), bad(1), good("a"))
    outcome = run(agent, QUESTION)["outcome"]
    assert [attempt["error"] is None for attempt in outcome["attempts"]] == [False, False, True]
    assert outcome["usage"]["model_calls"] == len(model.requests) == 3
    assert outcome["usage"]["total_tokens"] == outcome["usage"]["input_tokens"] + outcome["usage"]["output_tokens"] > 0


@pytest.mark.parametrize("strategy", [ProviderStrategy, PromptedStrategy])
def test_a_correction_of_a_text_needs_no_tools(run: Any, strategy: Any) -> None:
    agent, model = agent_of('{"passed": 7}', ANSWER, response_format=strategy(Verdict), tools=())
    result = run(agent, QUESTION)
    assert [m.type for m in result["messages"]] == ["human", "ai", "human", "ai"]
    assert not any(isinstance(m, ToolMessage) for request in model.requests for m in request.messages)


# How the model is asked


def test_a_middlewares_tool_choice_wins_over_the_forced_call(run: Any) -> None:
    @wrap_model_call
    async def choose_async(request: Any, handler: Any) -> Any:
        return await handler(request.override(tool_choice="auto"))

    @wrap_model_call
    def choose(request: Any, handler: Any) -> Any:
        return handler(request.override(tool_choice="auto"))

    agent, model = agent_of(good("a"), middleware=[choose_async if run.is_async else choose])
    run(agent, QUESTION)
    assert model.requests[0].tool_choice == "auto"


def test_adaptive_thinking_leaves_the_forced_call_as_it_is(run: Any) -> None:
    class Thinking(ScriptedChatModel):
        thinking: Any

    model = Thinking(replies=[good("a")], thinking={"type": "adaptive"})
    run(create_agent(model, [search], response_format=Verdict), QUESTION)
    assert model.requests[0].tool_choice == "any"


def test_prose_in_the_providers_mode_means_that_the_mode_is_missing(run: Any) -> None:
    model = ScriptedChatModel(replies=["It passed.", good("a")], profile={"structured_output": True})
    result = run(create_agent(model, [search], response_format=Verdict), QUESTION)
    assert attempts(result) == ["provider", "tool"]
    assert result["outcome"]["strategy"] == "tool"


def test_a_model_that_repeats_its_mistake_is_asked_in_another_way(run: Any) -> None:
    same = [calls(call("Verdict", BAD, str(n))) for n in range(2)]
    agent, _ = agent_of(*same, ANSWER, response_format=FallbackStrategy([ToolStrategy(Verdict), PromptedStrategy(Verdict)]))
    result = run(agent, QUESTION)
    assert attempts(result) == ["tool", "tool", "prompted"]
    assert result["structured_response"] == Verdict(passed=True, score=7)


def test_a_model_that_makes_ever_new_mistakes_is_asked_in_another_way_before_its_attempts_are_spent(run: Any) -> None:
    fallback = FallbackStrategy([ToolStrategy(Verdict), PromptedStrategy(Verdict)])
    agent, _ = agent_of(*(bad(n) for n in range(3)), ANSWER, response_format=fallback)
    assert "prompted" in attempts(run(agent, QUESTION))


def test_the_mistake_is_reported_when_the_strategy_changes(run: Any) -> None:
    fallback = FallbackStrategy([ToolStrategy(Verdict), PromptedStrategy(Verdict)])
    agent, model = agent_of(bad(0), ANSWER, response_format=fallback, limits=UsageLimits(answer_attempts=2))
    run(agent, QUESTION)
    assert any("less than or equal to 10" in message.text for message in model.requests[1].messages)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens "
        "(129000 in the messages, 1000 in the functions/tools).",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        "Invalid 'tools[0].function.name': string does not match pattern.",
        "Invalid schema for function 'search': None is not of type 'object'.",
    ],
    ids=["context too long", "history out of order", "a bad tool", "a bad schema of a tool"],
)
def test_a_bad_request_that_is_not_about_the_format_is_raised_and_teaches_nothing(run: Any, message: str) -> None:
    with OpenAIServer([Failure(400, message=message)] * 5) as server:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        with pytest.raises(Exception, match=r"context|assistant|Invalid"):
            run(create_agent(model, [search], response_format=Verdict), QUESTION)
        assert known_refusals() == []
        assert len(server.requests) == 1


def test_a_reply_is_sent_back_to_the_model_as_it_came(run: Any) -> None:
    thought = AIMessage("", tool_calls=[SEARCH], additional_kwargs={"reasoning_content": "Let me look."})
    agent, model = agent_of(thought, good("a"))
    run(agent, QUESTION)
    assert model.requests[1].messages[1].additional_kwargs == {"reasoning_content": "Let me look."}


# The free loop and its final step


def test_the_final_step_sees_what_the_free_loop_concluded(run: Any) -> None:
    agent, model = agent_of("It passed with 7.", good("a"), response_format=DeferredStrategy(ToolStrategy(Verdict)))
    run(agent, QUESTION)
    assert [m.type for m in model.requests[1].messages] == ["human", "ai", "human"]
    assert model.requests[1].messages[1].text == "It passed with 7."


@pytest.mark.parametrize(
    "reply",
    [AIMessage("It passed, because", response_metadata={"finish_reason": "length"}), AIMessage(""), AIMessage('{"passed": 7}')],
    ids=["cut", "empty", "invalid"],
)
def test_a_free_loop_that_ends_badly_is_followed_by_the_final_step(run: Any, reply: AIMessage) -> None:
    strategy = DeferredStrategy(ToolStrategy(Verdict))
    agent, model = agent_of(reply, reply.model_copy(), good("a"), response_format=strategy)
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"
    assert (model.requests[-1].tool_names, model.requests[-1].tool_choice) == (["search", "Verdict"], "Verdict")
