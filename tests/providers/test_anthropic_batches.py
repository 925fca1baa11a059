"""Anthropic's batch endpoint gives the same rows as direct calls, through the real client and SDK, for half the price."""

import importlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from answergraph import AgentGraph, AgentSpecError, UsageLimits, create_agent
from answergraph.many import BatchAPI, MapRun, Row, map_answers
from answergraph.many.batches import batched_requests, provider_batches
from answergraph.many.batches.anthropic_batches import AnthropicBatches
from answergraph.models import forget_refusals
from tests.answergraph.many.batches.anthropic_stub import AnthropicBatchServer
from tests.answergraph.many.batches.batch_server import PRICE
from tests.answergraph.many.invoices import Invoice, collected, rows
from tests.suite.colors import Run

pytestmark = [pytest.mark.providers, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(batched_requests, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(provider_batches, "_FIRST_WAIT_SECONDS", 0.02)
    monkeypatch.setattr("answergraph.many.pace.FIRST_WAIT_SECONDS", 0.02)
    forget_refusals()
    yield
    forget_refusals()


def look_up(name: str) -> str:
    """Look up the number of an invoice."""
    return f"{name} has the number {name.removeprefix('k')}"


def last_number(body: Mapping[str, Any]) -> int:
    return int(re.findall(r"\d+", json.dumps(body["messages"][-1]["content"]))[-1])


def said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def called(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"content": [{"type": "tool_use", "id": "toolu_a", "name": tool, "input": arguments}]}


def reply(body: dict[str, Any]) -> dict[str, Any] | int:
    """Answer with the number in the last message; one row is poison, one refused, one invalid."""
    number = last_number(body)
    if number == 3:
        return 400
    if number == 4:
        return {**said(""), "stop_reason": "refusal"}
    return said(json.dumps({"number": "none" if number == 5 else number}))


def always_one(body: dict[str, Any]) -> dict[str, Any]:
    return said('{"number": 1}')


def claude(server: AnthropicBatchServer, **options: Any) -> Any:
    kind = importlib.import_module("langchain_anthropic").ChatAnthropic  # installed for these tests alone
    return kind(**{"model": "claude-opus-4-6", "base_url": server.url, "api_key": "k", "max_retries": 0, **options})


def claude_agent(server: AnthropicBatchServer, tools: Any = (), **options: Any) -> AgentGraph[Any]:
    limits = UsageLimits(answer_attempts=1)
    return create_agent(claude(server, **options), list(tools), response_format=Invoice, limits=limits)


def mapped(server: AnthropicBatchServer, count: int = 20, **options: Any) -> MapRun[Invoice]:
    agent, via = options.pop("agent", None) or claude_agent(server), options.pop("via", BatchAPI())
    return map_answers(agent, rows(count), key="id", input="body", via=via, **options)


def ends(every: dict[str, Row[Any]]) -> dict[str, Any]:
    return {key: (row.status, row.answer, row.group) for key, row in every.items()}


def test_a_batch_gives_the_rows_of_direct_calls_for_half_the_price(run: Run) -> None:
    with AnthropicBatchServer(reply) as server:
        batched = collected(run, mapped(server))
        assert (len(server.batches), server.spent) == (1, 19 * PRICE / 2)
        server.spent = 0.0
        direct = collected(run, mapped(server, via="calls"))
        assert server.spent == 19 * PRICE
    assert ends(batched) == ends(direct)
    assert [batched[f"k{number}"].status for number in (2, 3, 4, 5)] == ["answered", "unanswered", "refused", "invalid"]


def test_an_agent_with_tools_goes_in_waves(run: Run) -> None:
    def with_tool(body: dict[str, Any]) -> dict[str, Any]:
        asked = json.dumps(body["messages"][-1]["content"])
        return said(json.dumps({"number": last_number(body)})) if "tool_result" in asked else called("look_up", name=asked)

    with AnthropicBatchServer(with_tool) as server:
        every = collected(run, mapped(server, agent=claude_agent(server, [look_up])))
        assert {row.answer.number for row in every.values()} == set(range(20))
        assert [len(batch["requests"]) for batch in server.batches.values()] == [20, 20]


def test_what_expired_is_asked_again_in_a_next_batch(run: Run) -> None:
    with AnthropicBatchServer(reply, done=0.5) as server:
        assert {row.status for row in collected(run, mapped(server, 3)).values()} == {"answered"}
        assert (len(server.batches) > 1, server.spent) == (True, 3 * PRICE / 2)


def test_a_batch_that_takes_too_long_is_cancelled_and_its_rows_end(run: Run) -> None:
    with AnthropicBatchServer(reply, polls=10**6) as server:
        every = collected(run, mapped(server, 3, via=BatchAPI(max_wait_seconds=0.1)))
        assert {(row.status, "canceled" in row.reason) for row in every.values()} == {("unanswered", True)}
        assert [batch["processing_status"] for batch in server.batches.values()] == ["ended"]


def test_a_stopped_run_goes_on_with_the_batches_that_it_had_sent(run: Run, tmp_path: Path) -> None:
    with AnthropicBatchServer(always_one) as server:
        first = iter(mapped(server, 6, ledger=tmp_path / "run.db"))
        next(first)
        del first  # the batch has ended, and five of its rows are given back or stored
        every = collected(run, mapped(server, 6, ledger=tmp_path / "run.db"))
        assert (len(every), len(server.batches), server.spent) == (6, 1, 6 * PRICE / 2)


def test_requests_too_large_for_one_batch_go_into_several(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnthropicBatches, "most_bytes", 1000)
    with AnthropicBatchServer(reply) as server:
        assert len(collected(run, mapped(server, 3))) == 3
        assert len(server.batches) > 1


def test_a_way_of_asking_that_is_refused_is_followed_by_the_next_in_a_further_batch(run: Run) -> None:
    def without_formats(body: dict[str, Any]) -> dict[str, Any] | str:
        if "output_config" in body or "output_format" in body:
            return "This model does not support output_config.format (structured outputs)"
        return called(body["tools"][0]["name"], number=last_number(body))

    with AnthropicBatchServer(without_formats) as server:
        every = collected(run, mapped(server, 3))
        assert {(row.status, row.outcome["strategy"]) for row in every.values()} == {("answered", "tool")}
        assert len(server.batches) == 2


def test_rows_that_failed_are_asked_again_by_a_larger_model_in_a_new_batch(run: Run, tmp_path: Path) -> None:
    with AnthropicBatchServer(lambda body: said('{"number": "none"}' if "haiku" in body["model"] else '{"number": 1}')) as server:
        small, large = (claude_agent(server, model=f"claude-{name}") for name in ("haiku-4-5", "opus-4-6"))
        first = mapped(server, 3, agent=small, ledger=tmp_path / "run.db")
        assert {row.status for row in collected(run, first).values()} == {"invalid"}
        assert {row.status for row in collected(run, first.again(large, status={"invalid"})).values()} == {"answered"}
        assert [batch["requests"][0]["params"]["model"] for batch in server.batches.values()] == [
            "claude-haiku-4-5",
            "claude-opus-4-6",
        ]


def test_beta_features_are_those_of_the_batch(run: Run) -> None:
    with AnthropicBatchServer(always_one) as server:
        collected(run, mapped(server, 2, agent=claude_agent(server, betas=["context-management-2025-06-27"])))
        assert ["context-management-2025-06-27" in batch["betas"] for batch in server.batches.values()] == [True]


def test_rows_of_a_batch_that_is_refused_say_what_anthropic_said(run: Run) -> None:
    with AnthropicBatchServer(reply, refusal="Your credit balance is too low.") as server:
        every = collected(run, mapped(server, 2))
        assert [("credit balance" in row.reason, row.status) for row in every.values()] == [(True, "unanswered")] * 2


def test_a_client_without_batches_is_refused_while_building() -> None:
    claude_class = importlib.import_module("langchain_anthropic").ChatAnthropic
    elsewhere: Any = type("ChatClaudeElsewhere", (claude_class,), {"_async_client": property(lambda self: object())})
    agent = create_agent(elsewhere(model="claude-opus-4-6", api_key="k"), [], response_format=Invoice)
    with pytest.raises(AgentSpecError, match=r"ChatOpenAI\) or Anthropic \(ChatAnthropic\); ChatClaudeElsewhere is none"):
        map_answers(agent, rows(3), key="id", input="body", via=BatchAPI())
