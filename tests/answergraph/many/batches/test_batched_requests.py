"""The batch endpoint gives the same rows as direct calls, for half the price."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from answergraph import AgentGraph, AgentSpecError, ProviderStrategy, UsageLimits, create_agent
from answergraph.many import BatchAPI, MapRun, Row, map_answers
from answergraph.many.batches import batched_requests, provider_batches
from tests.answergraph.many.batches.batch_server import PRICE
from tests.answergraph.many.batches.openai_stub import OpenAIBatchServer
from tests.answergraph.many.invoices import Invoice, agent_of, collected, rows
from tests.suite.colors import Run


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batched_requests, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(provider_batches, "_FIRST_WAIT_SECONDS", 0.02)
    monkeypatch.setattr("answergraph.many.pace.FIRST_WAIT_SECONDS", 0.02)


def look_up(name: str) -> str:
    """Look up the number of an invoice."""
    return f"{name} has the number {name.removeprefix('k')}"


def reply(body: dict[str, Any]) -> dict[str, Any] | int:
    """Answer with the number in the last message; one row is poison, one refused, one invalid, one fails once."""
    number = int(re.findall(r"\d+", body["messages"][-1]["content"])[-1])
    if number == 3:
        return 400
    if number == 4:
        return {"refusal": "No."}
    return {"content": json.dumps({"number": "none" if number == 5 else number})}


def openai_agent(server: OpenAIBatchServer, tools: Any = ()) -> AgentGraph[Invoice | None]:
    model = ChatOpenAI(model="gpt-4.1-mini", base_url=server.base_url, api_key="none", max_retries=0)  # type: ignore[arg-type]  # a secret
    return create_agent(model, list(tools), response_format=ProviderStrategy(Invoice), limits=UsageLimits(answer_attempts=1))


def mapped(server: OpenAIBatchServer, count: int = 20, **options: Any) -> MapRun[Invoice]:
    via = options.pop("via", BatchAPI())
    return map_answers(
        options.pop("agent", None) or openai_agent(server), rows(count), key="id", input="body", via=via, **options
    )


def ends(every: dict[str, Row[Any]]) -> dict[str, Any]:
    return {key: (row.status, row.answer, row.group) for key, row in every.items()}


def test_a_batch_gives_the_rows_of_direct_calls_for_half_the_price(run: Run) -> None:
    with OpenAIBatchServer(reply) as server:
        batched = collected(run, mapped(server))
        assert (len(server.batches), server.spent) == (1, 20 * PRICE / 2)
        server.spent = 0.0
        direct = collected(run, mapped(server, via="calls"))
        assert server.spent == 20 * PRICE
    assert ends(batched) == ends(direct)
    assert [batched[f"k{number}"].status for number in (2, 3, 4, 5)] == ["answered", "unanswered", "refused", "invalid"]


def test_rows_beyond_a_file_go_into_further_files(run: Run) -> None:
    with OpenAIBatchServer(reply) as server:
        assert len(collected(run, mapped(server, via=BatchAPI(rows_per_file=8)))) == 20
        assert max(len(batch["lines"]) for batch in server.batches.values()) == 8


def test_what_expired_is_asked_again_in_a_next_batch(run: Run) -> None:
    with OpenAIBatchServer(reply, done=0.5) as server:
        assert {row.status for row in collected(run, mapped(server, 3)).values()} == {"answered"}
        assert len(server.batches) > 1


def test_a_batch_that_takes_too_long_is_cancelled_and_its_rows_end(run: Run) -> None:
    with OpenAIBatchServer(reply, polls=10**6) as server:
        every = collected(run, mapped(server, 3, via=BatchAPI(max_wait_seconds=0.1)))
        assert {row.status for row in every.values()} == {"unanswered"}
        assert [batch["status"] for batch in server.batches.values()] == ["cancelled"]


def test_an_agent_with_tools_goes_in_waves(run: Run) -> None:
    def with_tool(body: dict[str, Any]) -> dict[str, Any]:
        if body["messages"][-1]["role"] == "tool":
            return {"content": json.dumps({"number": int(re.findall(r"\d+", body["messages"][-1]["content"])[-1])})}
        name = f"k{re.findall(r'[0-9]+', body['messages'][-1]['content'])[-1]}"
        function = {"name": "look_up", "arguments": json.dumps({"name": name})}
        return {"tool_calls": [{"id": f"call_{name}", "type": "function", "function": function}]}

    with OpenAIBatchServer(with_tool) as server:
        every = collected(run, mapped(server, agent=openai_agent(server, [look_up])))
        assert {row.answer.number for row in every.values()} == set(range(20))
        assert [len(batch["lines"]) for batch in server.batches.values()] == [20, 20]


def test_a_stopped_run_goes_on_with_the_batches_that_it_had_sent(run: Run, tmp_path: Path) -> None:
    def left(server: OpenAIBatchServer) -> Iterator[Row[Any]]:
        return iter(mapped(server, 6, ledger=tmp_path / "run.db"))

    with OpenAIBatchServer(lambda body: {"content": '{"number": 1}'}) as server:
        first = left(server)
        next(first)
        del first  # the batch has ended, and five of its rows are given back or stored
        every = collected(run, mapped(server, 6, ledger=tmp_path / "run.db"))
        assert (len(every), len(server.batches), server.spent) == (6, 1, 6 * PRICE / 2)


def test_a_batch_whose_making_was_not_heard_of_is_found_by_its_file(run: Run) -> None:
    with OpenAIBatchServer(lambda body: {"content": '{"number": 1}'}, lost=True) as server:
        assert {row.status for row in collected(run, mapped(server, 4)).values()} == {"answered"}
        assert (len(server.batches), server.spent) == (1, 4 * PRICE / 2)


def test_rows_of_a_batch_that_is_refused_say_what_the_provider_said(run: Run) -> None:
    with OpenAIBatchServer(reply, refusal="Billing hard limit has been reached.") as server:
        every = collected(run, mapped(server, 2))
        assert [("Billing hard limit" in row.reason, row.status) for row in every.values()] == [(True, "unanswered")] * 2
        assert len(server.batches) == 1


def test_rows_are_asked_again_in_a_new_batch(run: Run, tmp_path: Path) -> None:
    with OpenAIBatchServer(lambda body: {"content": '{"number": "none"}'}) as server:
        first = mapped(server, 3, ledger=tmp_path / "run.db")
        collected(run, first)
        server.reply = lambda body: {"content": '{"number": 1}'}
        assert {row.status for row in collected(run, first.again(status={"invalid"})).values()} == {"answered"}
        assert len(server.batches) == 2


def test_a_model_without_a_batch_endpoint_is_refused_while_building() -> None:
    with pytest.raises(AgentSpecError, match="needs models of OpenAI"):
        map_answers(agent_of(), rows(3), key="id", input="body", via=BatchAPI())


@pytest.mark.parametrize("options", [{"rows_per_file": 0}, {"rows_per_file": 50_001}, {"max_wait_seconds": 0}])
def test_numbers_that_no_provider_takes_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(AgentSpecError, match=next(iter(options))):
        BatchAPI(**options)
