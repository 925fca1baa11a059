"""The ledger: sums of usage, causes that add up, new and resumed runs, and the records of version 0.1."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from answergraph.state.ledger import (
    ANSWER_REQUEST,
    INNER_USAGE,
    LEDGER,
    RUNNING,
    RunLedger,
    Running,
    empty_ledger,
    of_run,
)
from answergraph.state.messages import correction_message
from answergraph.state.outcome import Cause, CauseUsage, Usage
from answergraph.state.turn import Turn
from answergraph.state.usage import NO_USAGE, added, usage_of


def reply(total: int, **more: Any) -> AIMessage:
    return AIMessage("r", usage_metadata={"input_tokens": total - 1, "output_tokens": 1, "total_tokens": total}, **more)


COUNTS = st.integers(min_value=0, max_value=9)
AT_WORK = Running(is_traced=False, origin=0.0)
SHARES = st.builds(CauseUsage, model_calls=COUNTS, tool_calls=COUNTS, total_tokens=COUNTS)
CAUSES = st.dictionaries(st.sampled_from(get_args(Cause)), SHARES)
USAGES = st.builds(
    Usage, model_calls=COUNTS, tool_calls=COUNTS, input_tokens=COUNTS, output_tokens=COUNTS, total_tokens=COUNTS, by_cause=CAUSES
)


class TestUsage:
    """The usage of model calls, in total and by cause."""

    def test_an_ordinary_turn_has_no_cause_of_its_own(self) -> None:
        used = usage_of([reply(10)], "turn", model_calls=1, tool_calls=2)
        assert used == {
            "model_calls": 1, "tool_calls": 2, "input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "by_cause": {},
        }  # fmt: skip

    def test_a_reply_that_reports_no_tokens_counts_as_a_call(self) -> None:
        used = usage_of([AIMessage("r")], "turn", model_calls=1, tool_calls=0)
        assert (used["model_calls"], used["total_tokens"]) == (1, 0)

    def test_further_calls_of_one_turn_are_retries_and_only_the_first_has_the_turns_cause(self) -> None:
        used = usage_of([reply(10), reply(20), reply(30)], "correction", model_calls=3, tool_calls=1)
        assert used["total_tokens"] == 60
        assert used["by_cause"] == {
            "correction": {"model_calls": 1, "tool_calls": 1, "total_tokens": 10},
            "retry": {"model_calls": 2, "tool_calls": 0, "total_tokens": 50},
        }

    def test_a_turn_that_middleware_answered_has_used_no_call(self) -> None:
        used = usage_of([], "correction", model_calls=0, tool_calls=0)
        assert used["by_cause"] == {"correction": {"model_calls": 0, "tool_calls": 0, "total_tokens": 0}}

    @given(USAGES, USAGES, USAGES)
    def test_sums_do_not_depend_on_order_and_nothing_adds_nothing(self, one: Usage, two: Usage, three: Usage) -> None:
        assert added(one, two) == added(two, one)
        assert added(added(one, two), three) == added(one, added(two, three))
        assert added(one, NO_USAGE) == one

    def test_a_sum_changes_neither_part(self) -> None:
        one = usage_of([reply(1)], "correction", model_calls=1, tool_calls=0)
        two = usage_of([reply(2)], "correction", model_calls=1, tool_calls=0)
        assert added(one, two)["by_cause"]["correction"]["total_tokens"] == 3
        assert (one["by_cause"]["correction"]["total_tokens"], two["by_cause"]["correction"]["total_tokens"]) == (1, 2)

    @given(st.lists(st.tuples(st.sampled_from(get_args(Cause)), st.integers(0, 3), COUNTS, st.integers(1, 50)), max_size=5))
    def test_the_causes_of_a_finished_run_add_up_to_its_totals(self, visits: list[Any]) -> None:
        usage = NO_USAGE
        for cause, model_calls, tool_calls, tokens in visits:
            replies = [reply(tokens)] * model_calls
            usage = added(usage, usage_of(replies, cause, model_calls=model_calls, tool_calls=tool_calls))
        shares = of_run({**empty_ledger(), "usage": usage}, [])["by_cause"].values()
        for name in ("model_calls", "tool_calls", "total_tokens"):
            assert sum(share[name] for share in shares) == usage[name]

    def test_the_rounds_of_a_run_begin_where_a_person_spoke_last(self) -> None:
        conversation = [
            HumanMessage("1"), reply(5), HumanMessage("2"), reply(7), correction_message("no"), AIMessage("x"), reply(9),
        ]  # fmt: skip
        rounds = of_run(empty_ledger(), conversation)["rounds"]
        assert [(each["input_tokens"], each["output_tokens"]) for each in rounds] == [(6, 1), (0, 0), (8, 1)]


FINISHED = {**empty_ledger(), "finished": True}
UNFINISHED = empty_ledger()
ASKED, SAID = HumanMessage("q"), AIMessage("a")


def turn(state: Any) -> Turn:
    return Turn(state)


def current(state: Any) -> RunLedger:
    read = turn(state)
    return read.run_ledger(begins_run=read.begins_run)


RUNS = [
    ("a thread without a ledger", {"messages": [ASKED]}, True),
    ("a person speaks after a finished run", {LEDGER: FINISHED, "messages": [ASKED, SAID, ASKED]}, True),
    ("a finished run is run again without a new message", {LEDGER: FINISHED, "messages": [ASKED, SAID]}, True),
    ("a person speaks into an unfinished run", {LEDGER: UNFINISHED, "messages": [ASKED, SAID, ASKED]}, True),
    ("an unfinished run is resumed", {LEDGER: UNFINISHED, "messages": [ASKED, SAID]}, False),
    ("a correction is ours", {LEDGER: UNFINISHED, "messages": [ASKED, SAID, correction_message("no")]}, False),
    ("a tool's result", {LEDGER: UNFINISHED, "messages": [ASKED, SAID, ToolMessage("r", tool_call_id="1")]}, False),
    (
        "the model was called in this execution",
        {LEDGER: UNFINISHED, RUNNING: AT_WORK, "messages": [ASKED, SAID, ASKED]},
        False,
    ),
    ("it was called and a subagent finished", {LEDGER: FINISHED, RUNNING: AT_WORK, "messages": [ASKED, SAID]}, False),
]


@pytest.mark.parametrize(("state", "starts"), [row[1:] for row in RUNS], ids=[row[0] for row in RUNS])
def test_a_run_starts_where_a_person_has_spoken_or_the_last_one_is_finished(state: dict[str, Any], starts: bool) -> None:
    assert turn(state).begins_run is starts
    stored = state.get(LEDGER)
    assert (stored is not None and current(state)["run"] == stored["run"]) is not starts


def inner(calls: int) -> Usage:
    return usage_of([reply(10)] * calls, "turn", model_calls=calls, tool_calls=0)


class TestInnerRuns:
    """The usage of inner runs is counted once."""

    def test_what_they_used_is_added_once_under_their_cause(self) -> None:
        ledger = {**empty_ledger(), "usage": usage_of([reply(1)], "turn", model_calls=1, tool_calls=0)}
        state = {LEDGER: ledger, INNER_USAGE: inner(2), "messages": []}
        first = turn(state).run_ledger(begins_run=False)
        assert (first["usage"]["model_calls"], first["usage"]["by_cause"]["inner_run"]["model_calls"]) == (3, 2)
        again = turn({**state, LEDGER: first}).run_ledger(begins_run=False)
        assert again is first or again == first

    def test_only_what_is_new_is_added(self) -> None:
        first = turn({LEDGER: empty_ledger(), INNER_USAGE: inner(2), "messages": []}).run_ledger(begins_run=False)
        later = turn({LEDGER: first, INNER_USAGE: inner(5), "messages": []}).run_ledger(begins_run=False)
        assert (later["usage"]["model_calls"], later["usage"]["total_tokens"]) == (5, 50)

    def test_a_new_run_starts_from_nothing_and_does_not_count_those_of_earlier_runs(self) -> None:
        first = turn({LEDGER: empty_ledger(), INNER_USAGE: inner(2), "messages": []}).run_ledger(begins_run=False)
        state = {LEDGER: first, INNER_USAGE: inner(2), "messages": [ASKED]}
        assert turn(state).run_ledger(begins_run=True)["usage"] == NO_USAGE
        assert turn({**state, INNER_USAGE: inner(3)}).run_ledger(begins_run=True)["usage"]["model_calls"] == 1


OLD_NAMES = {
    "charged": ("inner_usage_counted", inner(1)),
    "held": ("unconfirmed", {"schema": "Verdict", "value": {"passed": True}}),
    "holds": ("confirmations_asked", 2),
    "spent": ("used_strategies", ["tool"]),
    "seen": ("last_reply_index", 3),
    "last_id": ("last_reply_id", "m"),
    "tools_off": ("tools_were_off", True),
    "final": ("last_call_made", True),
}


class TestVersion01:
    """A ledger from a checkpoint of version 0.1 has other names, and omits the fields that still have their initial values."""

    def test_every_old_name_is_read(self) -> None:
        stored: Any = {
            "run": "r",
            "cause": "correction",
            "usage": inner(1),
            **{old: value for old, (_, value) in OLD_NAMES.items()},
        }
        ledger: Any = turn({LEDGER: stored}).ledger
        assert {new: ledger[new] for new, _ in OLD_NAMES.values()} == dict(OLD_NAMES.values())
        assert (ledger["run"], ledger["cause"], ledger["usage"]) == ("r", "correction", inner(1))
        assert ledger.keys() >= empty_ledger().keys()

    @pytest.mark.parametrize("old", OLD_NAMES)
    def test_a_name_alone_is_read_beside_what_was_left_out(self, old: str) -> None:
        new, value = OLD_NAMES[old]
        expected: Any = {**empty_ledger(), "run": "r", "usage": inner(1), new: value}
        assert turn({LEDGER: {"run": "r", "usage": inner(1), old: value}}).ledger == expected

    def test_a_ledger_in_the_current_form_is_kept(self) -> None:
        ledger = empty_ledger()
        assert turn({LEDGER: ledger}).ledger is ledger
        assert turn({}).ledger is None

    def test_a_run_of_version_0_1_is_resumed(self) -> None:
        state = {LEDGER: {"run": "r", "usage": inner(2), "final": True}, "messages": [ASKED, SAID]}
        assert not turn(state).begins_run
        assert (current(state)["last_call_made"], current(state)["usage"]) == (True, inner(2))

    def test_a_finished_run_of_version_0_1_is_followed_by_a_new_one(self) -> None:
        state = {LEDGER: {"run": "r", "finished": True, "charged": inner(2)}, INNER_USAGE: inner(2), "messages": [ASKED, SAID]}
        assert turn(state).begins_run
        assert current(state)["usage"] == NO_USAGE

    def test_how_the_answer_was_asked_for_is_read_with_its_old_names(self) -> None:
        kept = {"strategy": "tool", "declared": ["A", "B"], "schemas": ["A"], "key": "t:1"}
        said = {"of_model": False, "valid": True, "dialect": "openai_strict", "note": "n"}
        given = {"schema": "A", "value": {"x": 1}}
        old = {**kept, **said, "rung": "0:tool", "is_last": False, "given": given}
        assert turn({ANSWER_REQUEST: old}).request == {
            **kept, **said, "strategy_id": "0:tool", "has_next_strategy": True, "middleware_value": given,
        }  # fmt: skip

    def test_what_was_left_out_of_it_is_what_holds_for_most_calls(self) -> None:
        old = {"strategy": "tool", "declared": ["A"], "schemas": ["A"], "key": "t:1", "rung": "tool"}
        left_out = {"of_model": True, "valid": False, "dialect": "plain", "note": None, "middleware_value": None}
        expected = {name: value for name, value in old.items() if name != "rung"}
        assert turn({ANSWER_REQUEST: old}).request == {
            **expected, "strategy_id": "tool", "has_next_strategy": False, **left_out,
        }  # fmt: skip

    def test_a_record_in_the_current_form_is_kept(self) -> None:
        record = {"strategy": "tool", "has_next_strategy": False}
        assert turn({ANSWER_REQUEST: record}).request is record
        assert turn({}).request is None
