"""The cost of a run: counted, limited, shared with runs inside, and never guessed."""

from decimal import Decimal
from typing import Any

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

from answergraph import AgentSpecError, ToolStrategy, UsageLimits, as_tool, create_agent
from answergraph.kit import ask_model
from answergraph.middleware import wrap_model_call
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.hanging_agents import ANSWER, QUESTION, HangingModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import Score

PRICES: Any = {"scripted": {"input": Decimal("2"), "output": 10, "cached_input": 0.5}}


def priced(reply: Any, input: int = 1_000, output: int = 100, cached: int = 0) -> Any:
    usage: Any = {"input_tokens": input, "output_tokens": output, "total_tokens": input + output}
    details = {"input_token_details": {"cache_read": cached}} if cached else {}
    return AIMessage(reply.content, tool_calls=reply.tool_calls, usage_metadata={**usage, **details})


SEARCH = [calls(call("search", {"query": "x"}, f"s{number}")) for number in range(9)]


def agent_of(*replies: Any, tools: Any = (search,), **limits: Any) -> Any:
    model = ScriptedChatModel(replies=list(replies))
    limits = {"prices": PRICES, **limits}
    return create_agent(model, list(tools), response_format=ToolStrategy(Score), limits=UsageLimits(**limits), name="agent")


def test_the_cost_of_each_call_is_added_by_cause(run: Run) -> None:
    wrong = priced(calls(call("Score", {"score": "high"}, "w")))
    usage = run(agent_of(priced(SEARCH[0], cached=400), wrong, priced(ANSWER)), QUESTION)["outcome"]["usage"]
    # A million input tokens cost 2, cached ones 0.5, output 10.
    assert usage["cost"] == pytest.approx((600 * 2 + 400 * 0.5 + 100 * 10 + 2 * (1_000 * 2 + 100 * 10)) / 1e6)
    assert sum(share["cost"] for share in usage["by_cause"].values()) == pytest.approx(usage["cost"])
    assert (usage["by_cause"]["correction"]["cost"], usage["unpriced"]) == (pytest.approx(0.003), [])


def test_each_reply_says_what_its_call_has_cost(run: Run) -> None:
    messages = run(agent_of(priced(SEARCH[0], cached=400), priced(ANSWER)), QUESTION)["messages"]
    costs = [message.response_metadata["answergraph"]["cost"] for message in messages if isinstance(message, AIMessage)]
    assert costs == [pytest.approx(0.0024), pytest.approx(0.003)]


def test_without_limits_in_money_nothing_is_counted(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=[ANSWER]), [], response_format=ToolStrategy(Score))
    usage = run(agent, QUESTION)["outcome"]["usage"]
    assert (usage["cost"], usage["unpriced"]) == (None, [])


def test_near_the_limit_the_answer_is_forced_from_what_is_known(run: Run) -> None:
    agent = agent_of(*(priced(reply) for reply in SEARCH[:3]), priced(ANSWER), cost=Decimal("0.0135"))
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["limit"]) == (Score(score=1), None)
    assert result["outcome"]["usage"]["cost"] == pytest.approx(0.012)
    assert result["outcome"]["usage"]["by_cause"]["final_answer"]["model_calls"] == 1


def test_past_the_limit_the_run_ends_and_names_it(run: Run) -> None:
    outcome = run(agent_of(priced(SEARCH[0], input=1_000_000), ANSWER, cost=1), QUESTION)["outcome"]
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "cost")
    assert (outcome["usage"]["cost"], outcome["limits"]["cost"], outcome["usage"]["model_calls"]) == (2.001, 1.0, 1)
    assert outcome["reason"].startswith("The run's budget is spent: 2.001 of 1.0 in the currency of its prices.")


def test_a_rest_that_is_too_little_for_another_call_is_said(run: Run) -> None:
    thinking = [priced(AIMessage("I think."), input=input, output=1) for input in (60, 10)]
    outcome = run(agent_of(*thinking, tools=(), total_tokens=100), QUESTION)["outcome"]
    words = "The run's budget is spent: 72 of 100 tokens, and the rest is too little for another call."
    assert outcome["reason"].startswith(words)


def test_prices_may_be_a_function_of_the_model_and_the_usage(run: Run) -> None:
    def prices(name: str, usage: Any) -> Decimal | None:
        return Decimal(usage["output_tokens"]) / 100 if name == "scripted" else None

    assert run(agent_of(priced(ANSWER), prices=prices), QUESTION)["outcome"]["usage"]["cost"] == 1.0


def test_a_price_that_is_not_known_is_said_and_not_guessed(run: Run) -> None:
    usage = run(agent_of(priced(ANSWER), prices={}), QUESTION)["outcome"]["usage"]
    assert (usage["cost"], usage["unpriced"]) == (None, ["scripted"])


def test_a_reply_of_no_tokens_costs_nothing(run: Run) -> None:
    silent = AIMessage(
        "", tool_calls=ANSWER.tool_calls, usage_metadata={"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    )
    model = ScriptedChatModel(replies=lambda messages: silent)
    agent = create_agent(model, [], response_format=ToolStrategy(Score), limits=UsageLimits(prices=PRICES))
    assert run(agent, QUESTION)["outcome"]["usage"]["cost"] == 0


def test_a_call_that_did_not_end_has_no_price(run: Run, hang: Any) -> None:
    model = HangingModel(replies=[ANSWER] * 2, hang=hang, hangs=(0,))
    limits = UsageLimits(prices=PRICES, seconds_per_model_call=0.2)
    outcome = run(create_agent(model, [], response_format=ToolStrategy(Score), limits=limits), QUESTION)["outcome"]
    assert (outcome["status"], outcome["usage"]["cost"], outcome["usage"]["unpriced"]) == ("answered", None, ["scripted"])


def test_a_reply_out_of_langchains_cache_costs_nothing(run: Run) -> None:
    model = ScriptedChatModel(replies=[priced(ANSWER)], cache=InMemoryCache())
    agent = create_agent(model, [], response_format=ToolStrategy(Score), limits=UsageLimits(cost=1, prices=PRICES))
    costs = [run(agent, {"messages": [HumanMessage("q", id="1")]})["outcome"]["usage"]["cost"] for _ in range(2)]
    assert costs == [pytest.approx(0.003), 0]


@pytest.mark.parametrize("amount", [-5, float("nan"), float("inf"), "1", True, {"input": 1}])
def test_a_function_of_prices_that_returns_no_amount_is_refused(run: Run, amount: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"prices=<lambda>\): it returned .* for a call of 'scripted'\. Return an amount"):
        run(agent_of(priced(ANSWER), prices=lambda model, usage: amount), QUESTION)


def test_a_limit_with_an_unknown_price_is_refused_while_building() -> None:
    with pytest.raises(AgentSpecError, match=r"the price of 'scripted' is not known\. Write prices="):
        agent_of(ANSWER, cost=1, prices=None)


def test_a_limit_with_an_unknown_price_is_refused_at_the_call_of_another_model(run: Run) -> None:
    other = ScriptedChatModel(replies=[ANSWER], model_name="other")

    @wrap_model_call
    def to_other(request: Any, handler: Any) -> Any:
        return handler(request.override(model=other))

    limits = UsageLimits(cost=1, prices=PRICES)
    agent = create_agent(ScriptedChatModel(replies=[]), [], middleware=[to_other], response_format=Score, limits=limits)
    with pytest.raises(AgentSpecError, match="the price of 'other' is not known"):
        agent.invoke(QUESTION)
    assert other.requests == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"cost": 0},
        {"cost": "1"},
        {"cost": float("nan")},
        {"cost": Decimal("NaN")},
        {"cost": 10**400},
        {"prices": 3},
        {"prices": {"m": {"input": 1}}},
        {"prices": lambda model: 1},
    ],
)
def test_money_is_checked(wrong: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"UsageLimits\((cost|prices)="):
        UsageLimits(**wrong)


def test_runs_inside_are_priced_as_the_run_around_them_and_have_what_is_left(run: Run) -> None:
    inner = create_agent(ScriptedChatModel(replies=[priced(ANSWER)]), [], response_format=ToolStrategy(Score), name="inner")
    asks = as_tool(inner, description="Ask the inner agent.")
    agent = agent_of(priced(calls(call("inner", {"request": "q"}, "s"))), priced(ANSWER), tools=[asks], cost=1)
    result = run(agent, QUESTION)
    usage = result["outcome"]["usage"]
    assert (usage["cost"], usage["by_cause"]["inner_run"]["cost"]) == (pytest.approx(0.009), pytest.approx(0.003))
    (artifact,) = [message.artifact for message in result["messages"] if message.type == "tool" and message.artifact]
    assert artifact["outcome"]["limits"]["cost"] == pytest.approx(1 - 0.003)
    assert artifact["outcome"]["usage"]["cost"] == pytest.approx(0.003)


def test_an_inner_run_without_a_price_is_not_shown_as_free(run: Run) -> None:
    other = ScriptedChatModel(replies=[priced(ANSWER)], model_name="other")
    asks = as_tool(create_agent(other, [], response_format=ToolStrategy(Score), name="inner"), description="Ask the inner agent.")
    result = run(agent_of(priced(calls(call("inner", {"request": "q"}, "s"))), priced(ANSWER), tools=[asks]), QUESTION)
    usage = result["outcome"]["usage"]
    assert (usage["cost"], usage["unpriced"]) == (None, ["other"])
    assert usage["by_cause"]["inner_run"] == {"model_calls": 1, "tool_calls": 0, "total_tokens": 1_100}
    assert "cost" not in usage["by_cause"]["turn"]


def test_a_call_of_an_add_on_is_priced_too() -> None:
    @tool
    def asks() -> str:
        """Ask a model once."""
        reading = ask_model(ScriptedChatModel(replies=[priced(AIMessage("7"))]), [HumanMessage("q")], None).run()
        return str(reading.usage["cost"])

    result = agent_of(priced(calls(call("asks", {}, "s"))), priced(ANSWER), tools=[asks], cost=1).invoke(QUESTION)
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["cost"] == pytest.approx(0.003)


def test_the_model_is_told_what_is_left_at_the_end_of_each_request(run: Run) -> None:
    model = ScriptedChatModel(replies=[priced(SEARCH[0]), priced(ANSWER)])
    limits = UsageLimits(model_calls=5, total_tokens=9_000, cost=Decimal("0.5"), prices=PRICES, tell_model=True)
    agent = create_agent(model, [search], response_format=ToolStrategy(Score), limits=limits)
    result = run(agent, QUESTION)
    first, second = [request.messages for request in model.requests]
    assert first[-1].text.endswith("Left in this run: 5 model calls, this one included, 9000 tokens, 0.5 of 0.5 in money.")
    assert second[-1].text.endswith("Left in this run: 4 model calls, this one included, 7900 tokens, 0.5 of 0.5 in money.")
    assert [message.text for message in first[:-1]] == [message.text for message in second[: len(first) - 1]]
    assert not any("Left in this run" in message.text for message in result["messages"])
