import asyncio
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata

from answergraph import AgentGraph, AgentSpecError, UsageLimits, create_agent
from answergraph.many import Group, MapRun, map_answers
from answergraph.many.ledger.rows import NOT_ASKED
from answergraph.testing import ScriptedChatModel
from answergraph.types import Status
from tests.answergraph.many.invoices import Invoice, agent_of, collected, read_number, rows
from tests.suite.colors import Run


def test_a_map_stops_after_failures_in_a_row_and_says_why(run: Run) -> None:
    mapped = map_answers(
        agent_of(lambda _: '{"number": "none"}'), rows(300), key="id", input="body", stop_after=7, concurrency=64
    )
    ends = collected(run, mapped)
    assert len(ends) == 300
    assert mapped.counts() == {"invalid": 7, "out_of_budget": 293}
    assert mapped.stopped is not None
    assert "7 rows in a row" in mapped.stopped
    assert "invalid" in mapped.stopped
    assert sum(row.reason.startswith("Not asked") for row in ends.values()) == 293


def test_an_answer_between_failures_keeps_a_map_going(run: Run) -> None:
    mapped = map_answers(
        agent_of(lambda text: read_number(text) if text.endswith("0") else "{}"), rows(100), key="id", input="body", stop_after=50
    )
    collected(run, mapped)
    assert (mapped.counts(), mapped.stopped) == ({"answered": 10, "invalid": 90}, None)


def test_a_limit_of_all_rows_leaves_the_rest_for_another_time(run: Run, tmp_path: Path) -> None:
    ledger = tmp_path / "run.db"
    mapped = map_answers(agent_of(), rows(40), key="id", input="body", ledger=ledger, limits=UsageLimits(model_calls=12))
    assert len(collected(run, mapped)) == 40
    assert mapped.counts() == {"answered": 12, "out_of_budget": 28}
    assert mapped.stopped is not None
    assert "model_calls=12" in mapped.stopped
    more = map_answers(agent_of(), rows(40), key="id", input="body", ledger=ledger, limits=UsageLimits(model_calls=30))
    collected(run, more)
    # What was used before counts: the limit is of all rows of the ledger.
    assert more.counts() == {"answered": 30, "out_of_budget": 10}
    rest = map_answers(agent_of(), rows(40), key="id", input="body", ledger=ledger)
    collected(run, rest)
    assert (rest.counts(), rest.stopped) == ({"answered": 40}, None)
    assert rest.usage()["model_calls"] == 40


def test_fifty_calls_are_a_limit_if_they_are_the_only_one(run: Run) -> None:
    def counts(limits: UsageLimits) -> dict[Status, int]:
        mapped = map_answers(agent_of(), rows(60), key="id", input="body", limits=limits)
        collected(run, mapped)
        return mapped.counts()

    assert counts(UsageLimits(model_calls=50)) == {"answered": 50, "out_of_budget": 10}
    assert counts(UsageLimits(total_tokens=10_000)) == {"answered": 60}


def test_a_limit_of_tokens_is_kept_by_the_average_of_the_rows_before(run: Run) -> None:
    mapped = map_answers(agent_of(), rows(200), key="id", input="body", limits=UsageLimits(total_tokens=500), concurrency=4)
    collected(run, mapped)
    assert mapped.usage()["total_tokens"] < 600
    assert 0 < mapped.counts()["answered"] < 200


@pytest.mark.parametrize(("tokens", "answered"), [(50, 1), (500, 5), (550, 6)])
def test_rows_that_are_asked_at_once_do_not_spend_a_limit_many_times(run: Run, tokens: int, answered: int) -> None:
    used: UsageMetadata = {"input_tokens": 90, "output_tokens": 10, "total_tokens": 100}
    agent = create_agent(ScriptedChatModel(replies=lambda _: AIMessage('{"value": 7}', usage_metadata=used)), response_format=int)
    mapped = map_answers(agent, rows(40), key="id", input="body", limits=UsageLimits(total_tokens=tokens))
    collected(run, mapped)
    # At most the row that reaches the limit goes beyond it.
    assert mapped.counts() == {"answered": answered, "out_of_budget": 40 - answered}


def test_rows_that_fail_without_usage_do_not_open_the_way_for_many_at_once(run: Run) -> None:
    used: UsageMetadata = {"input_tokens": 90, "output_tokens": 10, "total_tokens": 100}

    def reply(messages: list[BaseMessage]) -> AIMessage | Exception:
        number = int(messages[-1].text.rpartition(" ")[2])
        return ValueError("down") if number % 4 < 3 else AIMessage('{"value": 7}', usage_metadata=used)

    agent = create_agent(ScriptedChatModel(replies=reply), response_format=int)
    mapped = map_answers(agent, rows(40), key="id", input="body", limits=UsageLimits(total_tokens=250))
    collected(run, mapped)
    assert mapped.usage()["total_tokens"] == 300
    assert mapped.counts()["answered"] == 3


def test_a_limit_of_cost_leaves_the_rest_for_another_time(run: Run) -> None:
    agent = agent_of(limits=UsageLimits(prices=lambda name, usage: 0.5))
    mapped = map_answers(agent, rows(20), key="id", input="body", concurrency=1, limits=UsageLimits(cost=Decimal(3)))
    collected(run, mapped)
    assert (mapped.counts(), mapped.usage()["cost"]) == ({"answered": 6, "out_of_budget": 14}, 3.0)
    assert mapped.stopped is not None
    assert "cost=3" in mapped.stopped


def test_a_limit_of_cost_has_its_own_prices_for_an_agent_without_any(run: Run) -> None:
    limits = UsageLimits(cost=Decimal(3), prices=lambda name, usage: 0.5)
    mapped = map_answers(agent_of(), rows(20), key="id", input="body", concurrency=1, limits=limits)
    ends = collected(run, mapped)
    assert (mapped.counts(), mapped.usage()["cost"]) == ({"answered": 6, "out_of_budget": 14}, 3.0)
    assert [row.outcome["usage"]["cost"] for row in ends.values() if row.status == "answered"] == [0.5] * 6


def is_wrong_twice() -> ScriptedChatModel:
    """Answer each row at the third attempt."""

    def answer(messages: list[Any]) -> AIMessage:
        attempts = sum(1 for message in messages if isinstance(message, AIMessage))
        return AIMessage(f'{{"number": {attempts}}}' if attempts == 2 else f'{{"number": "no {attempts}"}}')

    return ScriptedChatModel(replies=answer)


def test_a_row_that_the_limit_of_all_rows_ends_is_asked_again_under_a_larger_one(run: Run, tmp_path: Path) -> None:
    def mapped(cost: str) -> MapRun[Any]:
        agent = create_agent(is_wrong_twice(), response_format=Invoice)
        limits = UsageLimits(cost=Decimal(cost), prices=lambda name, usage: 0.5)
        return map_answers(agent, rows(6), key="id", input="body", ledger=tmp_path / "run.db", limits=limits)

    first, none, some, rest = mapped("1"), mapped("1"), mapped("2.5"), mapped("99")
    ends = collected(run, first)
    assert (len(ends), first.groups(), first.usage()["cost"]) == (6, {NOT_ASKED: 6}, 1.0)
    assert ends["k0"].reason.startswith("Left for another time, since the limit of all rows is spent.")
    assert (collected(run, none).keys(), none.usage()["cost"]) == (ends.keys(), 1.0)
    collected(run, some)
    assert (some.counts(), some.usage()["cost"]) == ({"answered": 1, "out_of_budget": 5}, 2.5)
    collected(run, rest)
    assert (rest.counts(), rest.usage()["cost"], rest.stopped) == ({"answered": 6}, 1.0 + 6 * 1.5, None)


def test_a_row_that_the_limit_of_its_own_agent_ends_has_ended(run: Run, tmp_path: Path) -> None:
    for cost in ("1", "99"):
        own = UsageLimits(cost=Decimal("0.5"), prices=lambda name, usage: 0.5)
        agent = create_agent(is_wrong_twice(), response_format=Invoice, limits=own)
        limits = UsageLimits(cost=Decimal(cost))
        mapped = map_answers(agent, rows(4), key="id", input="body", ledger=tmp_path / "run.db", limits=limits)
        collected(run, mapped)
    assert mapped.groups() == {Group("out_of_budget", "number", "cost"): 4}
    assert (mapped.stopped, mapped.usage()["cost"]) == (None, 2.0)


class Slow(ScriptedChatModel):
    """Lets the calls of several rows be under way at the same time."""

    async def _agenerate(self, *args: Any, **options: Any) -> Any:
        await asyncio.sleep(0.01)
        return await super()._agenerate(*args, **options)


def asked_often(calls_of: Callable[[int], int]) -> AgentGraph[Any]:
    """Return an agent that answers a row after so many calls."""

    def answer(messages: list[Any]) -> AIMessage:
        attempts = sum(1 for message in messages if isinstance(message, AIMessage))
        row = int(next(message.text for message in messages if isinstance(message, HumanMessage)).split()[-1])
        return AIMessage('{"number": 7}' if attempts + 1 >= calls_of(row) else f'{{"number": "no {attempts}"}}')

    return create_agent(Slow(replies=answer), response_format=Invoice, limits=UsageLimits(answer_attempts=20))


@pytest.mark.parametrize(
    ("cost", "first", "others"),
    [("4", 3, 3), ("4", 1, 3), ("4", 1, 10), ("3.75", 1, 10), ("20.25", 1, 10), ("20.25", 1, 1)],
)
def test_rows_at_once_share_the_money_of_a_map(run: Run, cost: str, first: int, others: int) -> None:
    limits = UsageLimits(cost=Decimal(cost), prices=lambda name, usage: 0.5)
    agent = asked_often(lambda row: others if row else first)
    mapped = map_answers(agent, rows(80), key="id", input="body", concurrency=16, limits=limits)
    collected(run, mapped)
    # The last call may go beyond the limit, since its price is known when it has ended.
    assert Decimal(cost) - Decimal("0.5") < mapped.usage()["cost"] < Decimal(cost) + Decimal("0.5")
    assert mapped.groups().keys() == {Group("answered"), NOT_ASKED}
    assert mapped.stopped is not None
    assert f"cost={cost}" in mapped.stopped


def test_what_was_spent_before_is_no_longer_in_the_purse(run: Run, tmp_path: Path) -> None:
    spent = []
    for cost in ("2", "4", "4"):
        limits = UsageLimits(cost=Decimal(cost), prices=lambda name, usage: 0.5)
        agent = asked_often(lambda row: 3)
        mapped = map_answers(agent, rows(9), key="id", input="body", ledger=tmp_path / "run.db", limits=limits)
        collected(run, mapped)
        spent.append(mapped.usage()["cost"])
    assert spent == [2.0, 4.0, 4.0]


def test_a_row_that_the_rest_is_too_little_for_is_asked_again_under_a_larger_limit(run: Run, tmp_path: Path) -> None:
    def mapped(cost: str) -> MapRun[Any]:
        limits = UsageLimits(cost=Decimal(cost), prices=lambda name, usage: 0.5)
        agent = asked_often(lambda row: 3)
        return map_answers(agent, rows(3), key="id", input="body", ledger=tmp_path / "run.db", limits=limits)

    less, more = mapped("1.2"), mapped("99")
    collected(run, less)
    assert (less.groups(), less.usage()["cost"]) == ({NOT_ASKED: 3}, 1.0)
    assert less.stopped == "The limit cost=1.2 of all rows leaves too little for a row (1)."
    collected(run, more)
    assert (more.counts(), more.stopped) == ({"answered": 3}, None)


def test_rows_that_the_limit_of_all_rows_ends_are_no_failures_in_a_row(run: Run) -> None:
    limits = UsageLimits(cost=Decimal("3.5"), prices=lambda name, usage: 0.5)
    agent = asked_often(lambda row: 10 if row > 2 else 1)
    mapped = map_answers(agent, rows(40), key="id", input="body", stop_after=2, limits=limits)
    collected(run, mapped)
    assert mapped.counts() == {"answered": 3, "out_of_budget": 37}
    assert mapped.stopped is not None
    assert mapped.stopped.startswith("The limit cost=3.5 of all rows is reached")


@pytest.mark.parametrize("own", [None, UsageLimits(prices={})], ids=["no limits of its own", "counts what has a price"])
def test_a_limit_of_cost_is_refused_before_the_first_call_of_a_model_without_a_price(run: Run, own: UsageLimits | None) -> None:
    asked = list[str]()

    def reply(text: str) -> str:
        asked.append(text)
        return read_number(text)

    agent = agent_of(reply, limits=own)
    mapped = map_answers(agent, rows(9), key="id", input="body", limits=UsageLimits(cost=3))
    with pytest.raises(AgentSpecError, match=r"the price of 'scripted' is not known. Write prices="):
        collected(run, mapped)
    assert (asked, mapped.usage()) == ([], {})
