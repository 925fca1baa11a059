"""Budgets: the limits of a run, and how inner runs share the remaining budget."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Command

from answergraph import AgentSpecError
from answergraph.state.budget import (
    InnerRunBudget,
    NoCallLeftError,
    callers_budget,
    current_budget,
)
from answergraph.state.ledger import INNER_USAGE, LEDGER, RunLedger, empty_ledger
from answergraph.state.outcome import LimitName, Usage
from answergraph.state.usage import NO_LIMITS, NO_USAGE, RemainingBudget, UsageLimits, usage_of


def used(model_calls: int = 0, tool_calls: int = 0, total_tokens: int = 0) -> Usage:
    return {**NO_USAGE, "model_calls": model_calls, "tool_calls": tool_calls, "total_tokens": total_tokens}


def ledger_of(usage: Usage) -> RunLedger:
    return {**empty_ledger(), "usage": usage}


def state_of(usage: Usage) -> Any:
    return {"messages": [HumanMessage("q"), AIMessage("a")], LEDGER: ledger_of(usage)}


class TestLimits:
    """Limits applied to a usage."""

    @pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3"])
    @pytest.mark.parametrize("name", ["model_calls", "tool_calls", "total_tokens", "answer_attempts"])
    def test_a_limit_is_a_whole_number_from_one_on(self, name: str, wrong: Any) -> None:
        with pytest.raises(AgentSpecError, match=name):
            UsageLimits(**{name: wrong})

    @pytest.mark.parametrize("wrong", [None, 1, "yes"])
    def test_whether_an_answer_is_reserved_is_true_or_false(self, wrong: Any) -> None:
        with pytest.raises(AgentSpecError, match="True or False"):
            UsageLimits(reserve_final_answer=wrong)

    @pytest.mark.parametrize(
        ("limits", "usage", "limit"),
        [
            (UsageLimits(model_calls=3), used(1), None),
            (UsageLimits(model_calls=3), used(2), "model_calls"),
            (UsageLimits(model_calls=1), used(0), "model_calls"),
            (UsageLimits(model_calls=None), used(10_000), None),
            (UsageLimits(total_tokens=100), used(0), None),
            (UsageLimits(total_tokens=100), used(0, total_tokens=60), None),
            (UsageLimits(total_tokens=100), used(1, total_tokens=33), None),
            (UsageLimits(total_tokens=100), used(1, total_tokens=34), "total_tokens"),
            (UsageLimits(total_tokens=100), used(2, total_tokens=50), None),
            (UsageLimits(total_tokens=100), used(2, total_tokens=52), "total_tokens"),
            (UsageLimits(tool_calls=1), used(5, tool_calls=5), None),
        ],
    )
    def test_the_last_call_is_the_last_one_that_there_is_room_for(
        self, limits: UsageLimits, usage: Usage, limit: LimitName | None
    ) -> None:
        assert limits.last_call_by(usage) == limit

    @pytest.mark.parametrize(
        ("limits", "usage", "limit"),
        [
            (UsageLimits(model_calls=2), used(1), None),
            (UsageLimits(model_calls=2), used(2), "model_calls"),
            (UsageLimits(total_tokens=10), used(1, total_tokens=99), None),
            (NO_LIMITS, used(10_000, 10_000, 10_000), None),
            (NO_LIMITS.capped_by(RemainingBudget(0, None, None)), used(), "model_calls"),
            (NO_LIMITS.capped_by(RemainingBudget(None, None, 0)), used(), "total_tokens"),
            (NO_LIMITS.capped_by(RemainingBudget(1, None, 1)), used(), None),
        ],
    )
    def test_a_budget_is_exhausted_where_no_call_of_the_model_is_left(
        self, limits: UsageLimits, usage: Usage, limit: LimitName | None
    ) -> None:
        assert limits.exhausted_by(usage) == limit

    def test_the_call_of_the_final_answer_is_kept_back_from_inner_runs(self) -> None:
        limits = UsageLimits(model_calls=5, tool_calls=4, total_tokens=100)
        assert limits.remaining(used(1, 1, 30)) == RemainingBudget(3, 3, 70)
        assert UsageLimits(model_calls=5, reserve_final_answer=False).remaining(used(1)) == RemainingBudget(4, None, None)
        assert limits.remaining(used(9, 9, 900)) == RemainingBudget(0, 0, 0)

    def test_limits_are_capped_by_what_a_caller_has_left_and_never_widened(self) -> None:
        capped = UsageLimits(model_calls=5, total_tokens=50, answer_attempts=2, reserve_final_answer=False).capped_by(
            RemainingBudget(3, 0, 90)
        )
        assert (capped.model_calls, capped.tool_calls, capped.total_tokens) == (3, 0, 50)
        assert (capped.answer_attempts, capped.reserve_final_answer) == (2, False)

    @given(st.integers(0, 20) | st.none(), st.integers(0, 20), st.integers(1, 6))
    def test_the_parts_of_a_budget_do_not_exceed_the_whole(self, limit: int | None, spent: int, parts: int) -> None:
        left = RemainingBudget(limit, limit, limit).minus(used(spent, spent, spent))
        share = left.split(parts)
        for whole, part in zip(left, share, strict=True):
            assert (whole is None and part is None) or 0 <= (part or 0) * parts <= (whole or 0)
        assert left.is_exhausted == (limit is not None and spent >= limit)


def budget(limits: UsageLimits, usage: Usage | None = None, parts: int = 1) -> InnerRunBudget:
    return InnerRunBudget(limits, lambda: state_of(usage or used()), lambda _: parts)


class TestInnerRuns:
    """Runs inside a run are charged to it and use no more than it has left."""

    def test_a_budget_is_found_inside_it_and_gone_after_it(self) -> None:
        outer, inner = budget(UsageLimits()), budget(UsageLimits())
        assert (current_budget(), callers_budget()) == (None, None)
        with outer:
            assert (current_budget(), callers_budget()) == (outer, None)
            with inner:
                assert (current_budget(), callers_budget()) == (inner, outer)
            assert current_budget() is outer
        assert current_budget() is None

    def test_an_inner_run_may_use_what_is_left_and_its_own_usage_is_not_taken_off(self) -> None:
        with budget(UsageLimits(model_calls=10), used(3)) as around:
            one, two = ledger_of(used(0)), ledger_of(used(0))
            assert around.remaining_for(one).model_calls == 6
            assert around.remaining_for({**one, "usage": used(4)}).model_calls == 6
            assert around.remaining_for(two).model_calls == 2

    def test_a_later_charge_of_the_same_run_replaces_the_earlier_one(self) -> None:
        with budget(UsageLimits()) as around:
            run = ledger_of(used(2))
            around.charge(run)
            around.charge({**run, "usage": used(3, 1, 7)})
        (_, command) = around.finished_update({"a": 1})
        assert command.update[INNER_USAGE] == used(3, 1, 7)

    def test_parallel_parts_share_what_is_left(self) -> None:
        with budget(UsageLimits(model_calls=10, tool_calls=7), used(3), parts=2) as around:
            assert around.remaining_for(ledger_of(used()))[:2] == (3, 3)

    def test_no_parts_at_all_are_one_part(self) -> None:
        with budget(UsageLimits(model_calls=10), parts=0) as around:
            assert around.remaining_for(ledger_of(used())).model_calls == 9

    def test_the_callers_caller_is_a_limit_too(self) -> None:
        with budget(UsageLimits(model_calls=4)), budget(UsageLimits(model_calls=50)) as inner:
            assert inner.remaining_for(ledger_of(used())).model_calls == 2

    def test_the_state_is_asked_for_only_by_a_run_inside(self) -> None:
        asked: list[int] = []

        def state() -> Any:
            asked.append(1)
            return state_of(used())

        with InnerRunBudget(UsageLimits(), state) as around:
            around.finished_update({})
            assert asked == []
            around.remaining_for(ledger_of(used()))
        assert asked == [1]


class TestCharges:
    """Charges are added to the update of a node, or to the result of a tool call."""

    def charged(self) -> InnerRunBudget:
        with budget(UsageLimits()) as around:
            around.charge(ledger_of(used(1)))
        return around

    @pytest.mark.parametrize("update", [None, {"a": 1}, [Command(update={})], Command(goto="x")])
    def test_without_charges_an_update_is_left_as_it_is(self, update: Any) -> None:
        with budget(UsageLimits()) as around:
            assert around.finished_update(update) is update

    @pytest.mark.parametrize(
        ("update", "before"),
        [
            (None, []),
            ({"a": 1}, [{"a": 1}]),
            (Command(goto="x"), [Command(goto="x")]),
            ([{"a": 1}, Command(goto="x")], [{"a": 1}, Command(goto="x")]),
        ],
    )
    def test_charges_come_after_any_update(self, update: Any, before: list[Any]) -> None:
        assert self.charged().finished_update(update) == [*before, Command(update={INNER_USAGE: used(1)})]

    def test_a_tool_message_becomes_a_command_with_both(self) -> None:
        message = ToolMessage("r", tool_call_id="1")
        assert self.charged().result_with_charges(message) == Command(update={"messages": [message], INNER_USAGE: used(1)})
        with budget(UsageLimits()) as around:
            assert around.result_with_charges(message) is message

    @pytest.mark.parametrize(
        ("update", "together"),
        [
            (None, {INNER_USAGE: used(1)}),
            ({"a": 1}, {"a": 1, INNER_USAGE: used(1)}),
            ([("a", 1)], [("a", 1), (INNER_USAGE, used(1))]),
        ],
    )
    def test_a_command_keeps_all_else_it_says(self, update: Any, together: Any) -> None:
        command: Any = Command(graph=Command.PARENT, update=update, goto="x", resume="r")
        assert self.charged().result_with_charges(command) == Command(graph=Command.PARENT, update=together, goto="x", resume="r")


class TestSingleCalls:
    """A model call that belongs to no agent's run is charged to the run around it."""

    def test_it_is_charged_with_its_tokens(self) -> None:
        reply = AIMessage("r", usage_metadata={"input_tokens": 2, "output_tokens": 1, "total_tokens": 3})
        with budget(UsageLimits()) as around, around.charge_single_call() as replied:
            replied(usage_of([reply], "turn", model_calls=1, tool_calls=0))
        ((_, command), expected) = around.finished_update({}), used(1, 0, 3)
        assert command.update[INNER_USAGE] == {**expected, "input_tokens": 2, "output_tokens": 1}

    def test_a_call_without_a_reply_is_not_charged(self) -> None:
        with budget(UsageLimits()) as around:
            with pytest.raises(OSError, match="down"), around.charge_single_call():
                raise OSError("down")
            assert around.finished_update(None) is None

    def test_calls_at_the_same_time_do_not_share_the_last_one(self) -> None:
        callers = 8
        together = Barrier(callers)

        def call(around: InnerRunBudget) -> bool:
            together.wait()
            try:
                with around.charge_single_call() as replied:
                    replied(usage_of([AIMessage("r")], "turn", model_calls=1, tool_calls=0))
            except NoCallLeftError:
                return False
            return True

        with budget(UsageLimits(model_calls=4)) as around, ThreadPoolExecutor(callers) as pool:
            made = [pool.submit(copy_context().run, call, around) for _ in range(callers)]
        assert sum(each.result() for each in made) <= 3
        (_, command) = around.finished_update({})
        assert command.update[INNER_USAGE]["model_calls"] == sum(each.result() for each in made)
