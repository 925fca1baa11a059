"""Developers choose how a run ends: limits, answers beside tool calls, checks, and failures."""

from typing import Any

import pytest
from langchain.agents.middleware import ModelRetryMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import AgentSpecError, AnswerRejected, NoAnswerError, ToolStrategy, UsageLimits, create_agent
from answergraph.kit import AnswerAccepted
from answergraph.middleware import AgentMiddleware
from answergraph.testing import ScriptedChatModel
from tests.suite.verdicts import Score


class Ran:
    """Counts how often the tool ran."""

    def __init__(self) -> None:
        self.count = 0

    @property
    def tool(self) -> Any:
        @tool
        def search(query: str) -> str:
            """Search."""
            self.count += 1
            return f"found {query}"

        return search


def answer(score: Any, call_id: str = "a") -> dict[str, Any]:
    return {"name": "Score", "args": {"score": score}, "id": call_id, "type": "tool_call"}


def search(call_id: str = "s") -> dict[str, Any]:
    return {"name": "search", "args": {"query": "q"}, "id": call_id, "type": "tool_call"}


def said(*calls: dict[str, Any], text: str = "") -> AIMessage:
    return AIMessage(text, tool_calls=list(calls))


QUESTION: dict[str, Any] = {"messages": ["q"]}


def agent_of(*replies: Any, **options: Any) -> tuple[Any, ScriptedChatModel, Ran]:
    ran = Ran()
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, [ran.tool], **{"response_format": ToolStrategy(Score), **options}), model, ran


def every_call_is_answered(messages: list[Any]) -> bool:
    asked = {c["id"] for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    return asked == {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}


@pytest.mark.parametrize(("end_strategy", "calls", "runs"), [("defer", 2, 1), ("exhaustive", 1, 1), ("early", 1, 0)])
def test_an_answer_beside_a_tool_call_counts_as_the_end_strategy_says(run: Any, end_strategy: Any, calls: int, runs: int) -> None:
    agent, model, ran = agent_of(said(answer(1), search()), said(answer(1, "b")), end_strategy=end_strategy)
    result = run(agent, QUESTION)
    assert result["structured_response"] == Score(score=1)
    assert (len(model.requests), ran.count) == (calls, runs)
    assert every_call_is_answered(result["messages"])


@pytest.mark.parametrize("end_strategy", ["defer", "exhaustive", "early"])
def test_an_invalid_answer_beside_a_tool_call_never_ends_the_run(run: Any, end_strategy: Any) -> None:
    agent, _, ran = agent_of(said(answer("x"), search()), said(answer(2, "b")), end_strategy=end_strategy)
    result = run(agent, QUESTION)
    assert (result["structured_response"], ran.count) == (Score(score=2), 1)
    assert every_call_is_answered(result["messages"])


def at_least_two(answer: Any, state: Any, runtime: Any) -> None:
    if answer.score < 2:
        raise AnswerRejected("Too low.")


def test_an_early_answer_that_a_check_rejects_lets_the_tools_beside_it_run(run: Any) -> None:
    agent, _, ran = agent_of(said(answer(1), search()), said(answer(2, "b")), end_strategy="early", check_answer=at_least_two)
    result = run(agent, QUESTION)
    assert (result["structured_response"], ran.count) == (Score(score=2), 1)
    assert [attempt["error"] for attempt in result["outcome"]["attempts"]] == ["Too low.", None]
    assert every_call_is_answered(result["messages"])


def test_an_early_answer_is_read_again_with_the_results_of_the_tools_beside_it(run: Any) -> None:
    def searched(answer: Any, state: Any, runtime: Any) -> None:
        if not any(message.type == "tool" for message in state["messages"]):
            raise AnswerRejected("Search first.")

    agent, model, ran = agent_of(said(answer(1), search()), end_strategy="early", check_answer=searched)
    streamed = run.stream(agent, QUESTION, stream_mode=["updates", "custom"])
    updates = [data for mode, data in streamed if mode == "updates"]
    assert [name for update in updates for name in update] == ["model", "structured_response", "tools", "structured_response"]
    outcome = updates[-1]["structured_response"]["outcome"]
    assert (outcome["status"], len(outcome["attempts"]), outcome["usage"]["tool_calls"]) == ("answered", 1, 1)
    assert (len(model.requests), ran.count) == (1, 1)
    assert [data["status"] for mode, data in streamed if mode == "custom" and data["status"] != "growing"] == ["accepted"]


def test_the_tools_beside_a_rejected_early_answer_stay_off_where_the_budget_has_turned_them_off(run: Any) -> None:
    limits = UsageLimits(model_calls=1)
    agent, _, ran = agent_of(said(answer(1), search()), end_strategy="early", check_answer=at_least_two, limits=limits)
    result = run(agent, QUESTION)
    assert (result["outcome"]["status"], ran.count) == ("out_of_budget", 0)
    assert every_call_is_answered(result["messages"])


def test_a_rejected_answer_goes_back_with_its_feedback_and_is_counted(run: Any) -> None:
    class Even(AgentMiddleware[Any, Any, Any]):
        def check_answer(self, answer: Any, state: Any, runtime: Any) -> None:
            if answer.score % 2:
                raise AnswerRejected(f"{answer.score} is odd; {len(state['messages'])} messages so far.")

    agent, _, _ = agent_of(said(answer(1)), said(answer(2, "b")), middleware=[Even()])
    result = run(agent, QUESTION)
    assert result["structured_response"] == Score(score=2)
    assert result["messages"][2].text == "1 is odd; 2 messages so far."
    assert [attempt["error"] for attempt in result["outcome"]["attempts"]] == ["1 is odd; 2 messages so far.", None]


def test_the_findings_of_a_check_are_on_the_outcome(run: Any) -> None:
    class Grounded(AgentMiddleware[Any, Any, Any]):
        def check_answer(self, answer: Any, state: Any, runtime: Any) -> AnswerAccepted:
            return AnswerAccepted({"score": {"status": "supported", "evidence": [], "problem": None}})

    def abstains(answer: Any, state: Any, runtime: Any) -> AnswerAccepted:
        return AnswerAccepted(abstained=bool(answer.score == 7))

    agent, _, _ = agent_of(said(answer(7)), middleware=[Grounded()], check_answer=abstains)
    outcome = run(agent, QUESTION)["outcome"]
    assert (outcome["status"], outcome["fields"]["score"]["status"], outcome["support"]) == ("abstained", "supported", 1)


def never(answer: Any, state: Any, runtime: Any) -> None:
    raise AnswerRejected("No.")


def test_the_same_answer_rejected_twice_ends_the_run_without_a_value(run: Any) -> None:
    strategy = ToolStrategy(Score, handle_errors=False)
    agent, model, _ = agent_of(said(answer(1)), said(answer(1, "b")), check_answer=never, response_format=strategy)
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "invalid")
    assert len(model.requests) == 2


def test_a_check_that_rejects_other_answers_in_the_same_words_leaves_the_model_all_its_attempts(run: Any) -> None:
    replies = [said(answer(score, str(score))) for score in range(5)]
    agent, model, _ = agent_of(*replies, check_answer=never, response_format=ToolStrategy(Score))
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"
    assert len(model.requests) == UsageLimits().answer_attempts


def test_on_failure_raise_raises_after_everything_else_and_the_checkpoint_keeps_the_outcome(run: Any) -> None:
    agent, _, _ = agent_of("prose", "prose", on_failure="raise", checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    with pytest.raises(NoAnswerError, match="unanswered") as raised:
        run(agent, QUESTION, config)
    values = run.state(agent, config).values
    assert values["outcome"] == raised.value.outcome
    assert len(values["messages"]) == 4


def test_on_failure_raise_returns_an_answer_as_ever(run: Any) -> None:
    agent, _, _ = agent_of(said(answer(1)), on_failure="raise")
    assert run(agent, QUESTION)["structured_response"] == Score(score=1)
    assert "no_answer" in agent.get_graph().nodes
    assert "no_answer" not in agent_of()[0].get_graph().nodes


def test_with_one_model_call_it_is_the_final_answer(run: Any) -> None:
    agent, model, _ = agent_of(said(answer(1)), limits=UsageLimits(model_calls=1))
    assert run(agent, QUESTION)["structured_response"] == Score(score=1)
    assert (model.requests[0].tool_names, model.requests[0].tool_choice) == (["search", "Score"], "Score")


def test_the_last_call_is_made_with_tools_off_and_what_it_asks_for_is_not_run(run: Any) -> None:
    agent, model, ran = agent_of(said(search()), said(search("t")), limits=UsageLimits(model_calls=2))
    result = run(agent, QUESTION)
    assert result["outcome"]["status"] == "out_of_budget"
    assert (ran.count, model.requests[1].tool_choice) == (1, "Score")
    assert "not available" in result["messages"][-1].text
    assert every_call_is_answered(result["messages"])


def test_without_a_reserve_the_tools_stay_offered_to_the_end(run: Any) -> None:
    limits = UsageLimits(model_calls=2, reserve_final_answer=False)
    agent, model, ran = agent_of(said(search()), said(search("t")), limits=limits)
    assert run(agent, QUESTION)["outcome"]["status"] == "out_of_budget"
    assert (ran.count, model.requests[1].tool_names) == (1, ["search", "Score"])


def test_tool_calls_beyond_the_limit_are_answered_and_not_run(run: Any) -> None:
    limits = UsageLimits(tool_calls=2)
    agent, model, ran = agent_of(said(search("1"), search("2"), search("3")), said(answer(1)), limits=limits)
    result = run(agent, QUESTION)
    assert (ran.count, result["outcome"]["usage"]["tool_calls"]) == (2, 2)
    assert (model.requests[1].tool_names, model.requests[1].tool_choice) == (["search", "Score"], "Score")
    assert every_call_is_answered(result["messages"])


@pytest.mark.parametrize("response_format", [ToolStrategy(Score), None])
def test_the_outcome_says_the_limits_beside_what_was_used(run: Any, response_format: Any) -> None:
    limits = UsageLimits(model_calls=2, total_tokens=300, answer_attempts=1)
    agent, _, _ = agent_of(said(search()), said(search("t")), response_format=response_format, limits=limits)
    outcome = run(agent, QUESTION)["outcome"]
    assert (outcome["status"], outcome["usage"]["model_calls"]) == ("out_of_budget", 2)
    assert outcome["limits"] == {
        "model_calls": 2, "tool_calls": None, "total_tokens": 300, "seconds": None, "cost": None, "answer_attempts": 1
    }  # fmt: skip


def used(tokens: int, **details: Any) -> AIMessage:
    usage: Any = {"input_tokens": tokens - 10, "output_tokens": 10, "total_tokens": tokens, **details}
    return said(search()).model_copy(update={"usage_metadata": usage})


@pytest.mark.parametrize(
    ("limit", "limits", "replies", "status"),
    [
        ("model_calls", UsageLimits(model_calls=2), [said(search()), said(search("t"))], "out_of_budget"),
        ("tool_calls", UsageLimits(tool_calls=1), [said(search()), said(text="Hm.")] * 2, "out_of_budget"),
        ("total_tokens", UsageLimits(total_tokens=50), [used(40), used(40)], "out_of_budget"),
        ("answer_attempts", UsageLimits(answer_attempts=2), [said(answer("x")), said(answer("y"))], "invalid"),
        (None, UsageLimits(model_calls=2), [said(search()), said(answer(1))], "answered"),
    ],
)
def test_the_outcome_names_the_limit_that_ended_the_run(
    run: Any, limit: Any, limits: UsageLimits, replies: list[Any], status: str
) -> None:
    agent, _, _ = agent_of(*replies, limits=limits)
    outcome = run(agent, QUESTION)["outcome"]
    assert (outcome["status"], outcome["limit"]) == (status, limit)
    if limit is not None:
        used, allowed = outcome["usage"][limit], outcome["limits"][limit]
        assert used >= allowed == getattr(limits, limit)
        assert status != "out_of_budget" or f"{used} of {allowed}" in outcome["reason"]


def test_the_usage_has_every_count_of_a_run(run: Any) -> None:
    details = {"input_token_details": {"cache_read": 20}, "output_token_details": {"reasoning": 4}}
    agent, _, _ = agent_of(used(40, **details), used(40, **details), said(answer(1)))
    usage = run(agent, QUESTION)["outcome"]["usage"]
    assert (usage["cached_tokens"], usage["reasoning_tokens"], usage["answer_attempts"], usage["cost"]) == (40, 8, 1, None)
    assert 0 < usage["seconds"] < 600


def test_a_reply_says_how_long_its_repeated_calls_were_waited_for(run: Any) -> None:
    retry = ModelRetryMiddleware(max_retries=2, initial_delay=0.1, backoff_factor=1.0, jitter=False)
    agent, _, _ = agent_of(ConnectionError(), ConnectionError(), said(answer(1)), middleware=[retry])
    note = run(agent, QUESTION)["messages"][1].response_metadata["answergraph"]
    assert note["failed_calls"] == ["ConnectionError"] * 2
    assert note["waited_seconds"] >= 0.2


def test_when_tokens_run_short_the_answer_is_asked_for(run: Any) -> None:
    def cost(reply: AIMessage) -> AIMessage:
        return reply.model_copy(update={"usage_metadata": {"input_tokens": 90, "output_tokens": 10, "total_tokens": 100}})

    agent, model, _ = agent_of(cost(said(search())), cost(said(answer(1))), limits=UsageLimits(total_tokens=250))
    result = run(agent, QUESTION)
    assert result["outcome"]["usage"]["total_tokens"] == 200
    assert (model.requests[1].tool_names, model.requests[1].tool_choice) == (["search", "Score"], "Score")


@pytest.mark.parametrize("attempts", [1, 2])
def test_answer_attempts_bound_the_replies_that_are_read(run: Any, attempts: int) -> None:
    replies = [said(answer(f"x{n}", str(n))) for n in range(3)]
    agent, model, _ = agent_of(*replies, limits=UsageLimits(answer_attempts=attempts))
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"
    assert len(model.requests) == attempts


def test_without_a_format_a_limit_ends_the_run_and_says_so(run: Any) -> None:
    agent, model, ran = agent_of(said(search()), said(search("t")), response_format=None, limits=UsageLimits(model_calls=2))
    result = run(agent, QUESTION)
    assert result["outcome"]["status"] == "out_of_budget"
    assert (ran.count, len(model.requests)) == (1, 2)
    assert every_call_is_answered(result["messages"])


@pytest.mark.parametrize("limit", [{"model_calls": 0}, {"tool_calls": -1}, {"total_tokens": 0}, {"answer_attempts": 0}])
def test_a_limit_below_one_is_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(AgentSpecError, match="write a whole number of at least 1"):
        UsageLimits(**limit)
