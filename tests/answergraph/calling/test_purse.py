"""What a call costs, by the prices of the providers."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from answergraph import UsageLimits
from answergraph.calling.purse import Purse, cost_of
from answergraph.testing import ScriptedChatModel

pytest.importorskip("genai_prices", reason="the extra answergraph[prices] is not installed")


def model(client: str, name: str, **fields: Any) -> Any:
    """Return a model whose client has a name of LangChain's."""
    kind: Any = type(client, (ScriptedChatModel,), {"__annotations__": dict.fromkeys(fields, str), **fields})
    return kind(replies=[], model_name=name)


def reply(*, read: int, written: int, **details: Any) -> AIMessage:
    counts: Any = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return AIMessage("", usage_metadata={**counts, **details})


CACHED: Any = {"input_token_details": {"cache_read": 800_000}}
WRITTEN: Any = {"input_token_details": {"cache_read": 0, "cache_creation": 500_000}}
WRITTEN_FOR_AN_HOUR: Any = {"input_token_details": {"cache_creation": 0, "ephemeral_1h_input_tokens": 500_000}}
REASONED: Any = {"output_token_details": {"reasoning": 60_000}}


@pytest.mark.parametrize(
    ("client", "name", "usage", "dollars"),
    [
        # 2.50 a million, 10 for output; cached 1.25
        ("ChatOpenAI", "gpt-4o", {"read": 1_000_000, "written": 100_000}, 3.5),
        ("ChatOpenAI", "gpt-4o", {"read": 1_000_000, "written": 100_000, **CACHED}, 2.5),
        ("AzureChatOpenAI", "gpt-4o", {"read": 1_000_000, "written": 0}, 2.5),
        # 3 a million, 15 for output; cached 0.30, writing the cache 3.75, for an hour 6
        ("ChatAnthropic", "claude-sonnet-4-0", {"read": 100_000, "written": 10_000}, 0.45),
        ("ChatAnthropic", "claude-sonnet-4-0", {"read": 900_000, "written": 0, **CACHED}, 0.54),
        ("ChatAnthropic", "claude-sonnet-4-0", {"read": 500_000, "written": 0, **WRITTEN}, 1.875),
        ("ChatAnthropic", "claude-sonnet-4-0", {"read": 500_000, "written": 0, **WRITTEN_FOR_AN_HOUR}, 3.0),
        # 1.10 a million, 4.40 for output, of which reasoning is a part
        ("ChatOpenAI", "o3-mini", {"read": 100_000, "written": 100_000, **REASONED}, 0.55),
    ],
)
def test_a_call_costs_what_the_provider_publishes(client: str, name: str, usage: Any, dollars: float) -> None:
    assert cost_of(model(client, name), reply(**usage), None) == pytest.approx(dollars)


@pytest.mark.parametrize(
    "unknown",
    [
        model("ChatOpenAI", "my-llama"),
        model("ChatOpenAI", "gpt-4o", openai_api_base="http://localhost:8000/v1"),
        model("ChatOllama", "gpt-4o"),
    ],
    ids=["a name nobody sells", "a server of your own", "a client without prices"],
)
def test_a_model_that_only_looks_like_a_sold_one_has_no_price(unknown: Any) -> None:
    assert cost_of(unknown, reply(read=1, written=1), None) is None


def test_the_address_says_whose_prices_count() -> None:
    routed = model("ChatOpenAI", "gpt-4o", openai_api_base="https://api.openai.com/v1")
    assert cost_of(routed, reply(read=1_000_000, written=0), None) == 2.5


def test_your_own_price_comes_before_the_providers() -> None:
    prices: Any = {"gpt-4o": {"input": 1, "output": 1}}
    assert cost_of(model("ChatOpenAI", "gpt-4o"), reply(read=1_000_000, written=0), prices) == 1.0
    assert cost_of(model("ChatOpenAI", "gpt-4o"), reply(read=1_000_000, written=0), {}) == 2.5


def test_a_known_price_lets_a_limited_run_begin() -> None:
    purse = Purse(UsageLimits(cost=1))
    purse.check(model("ChatOpenAI", "gpt-4o"))
    purse.pay(model("ChatOpenAI", "gpt-4o"), reply(read=1_000_000, written=0))
    assert (purse.spending.costs, purse.spending.unpriced) == ([2.5], [])
