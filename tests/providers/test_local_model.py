"""A small real model in the program's own process; what it says is its own, how a run ends is not."""

from collections.abc import Callable
from typing import Annotated, Any

import httpx
import pytest
from pydantic import BaseModel

from answergraph import Grounded, UsageLimits, create_agent
from answergraph.middleware import GroundedAnswer, Input
from answergraph.models.resolve import resolve_model

pytestmark = pytest.mark.providers

INVOICE = "Invoice A-17\npens 12.50, paper 7.50\nAmount due: 20.00"
LIMITS = UsageLimits(model_calls=6, seconds=120)


class Invoice(BaseModel):
    total: Annotated[float, Grounded(label="amount due")]
    buyer: Annotated[str | None, Grounded()] = None


def test_a_run_ends_in_a_supported_answer_or_a_reason(run: Callable[..., Any]) -> None:
    agent = create_agent(
        "local:smollm2", response_format=Invoice, middleware=[GroundedAnswer(sources=Input(), on_doubt="omit")], limits=LIMITS
    )
    result = run(agent, {"messages": [INVOICE]})
    answer, outcome = result["structured_response"], result["outcome"]
    assert outcome["usage"]["model_calls"] >= 1
    if answer is None:
        assert outcome["status"] in {"invalid", "unanswered", "out_of_budget"}
        assert outcome["reason"]
    else:
        assert (answer.total, outcome["fields"]["total"]["status"]) == (20, "supported")


def test_its_reply_is_streamed_in_parts() -> None:
    agent: Any = create_agent("local:smollm2", limits=LIMITS)
    parts = [
        message.text
        for message, _ in agent.stream({"messages": ["Count from one to ten."]}, stream_mode="messages")
        if message.text
    ]
    assert len(parts) > 1


def test_only_who_has_the_key_may_ask_its_server() -> None:
    model: Any = resolve_model("local:smollm2", temperature=0)
    assert model.temperature == 0
    address = model.openai_api_base
    assert httpx.URL(address).host == "127.0.0.1"
    assert httpx.post(f"{address}/chat/completions", json={"messages": []}, timeout=60).status_code == httpx.codes.UNAUTHORIZED


def test_two_agents_share_one_loaded_model() -> None:
    first: Any = resolve_model("local:smollm2")
    second: Any = resolve_model("local:smollm2")
    assert first.openai_api_base == second.openai_api_base
