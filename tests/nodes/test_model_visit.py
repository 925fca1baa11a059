"""One visit of the model node: the run's progress, the budget of the visit, and the result of each call."""

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from answergraph import ToolStrategy, UsageLimits
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.json_schema.dialects import Dialect
from answergraph.nodes.model_visit import ModelReply, ModelVisit
from answergraph.reading.reply_reader import ReplyReader
from answergraph.runtime.snapshot import Snapshot
from answergraph.runtime.steps import run_step
from answergraph.state.budget import InnerRunBudget
from answergraph.state.ledger import LEDGER, RUNNING, RunLedger, Running, empty_ledger
from answergraph.state.usage import NO_USAGE
from tests.graphs.agent.scripted_agents import GOOD, Verdict, call, calls

ASKED, SAID = HumanMessage("q", id="q"), AIMessage("a", id="a")
FORMAT = DeclaredFormat(ToolStrategy(Verdict))
REQUEST = AnswerRequest(FORMAT.strategy, FORMAT.declared, "tool")
LIMITS = UsageLimits()
NOTHING: Any = {}


def visit(messages: list[Any], limits: UsageLimits = LIMITS, *, running: bool = False, **ledger: Any) -> ModelVisit:
    account = {LEDGER: {**empty_ledger(), **ledger}} if ledger else {}
    state: Any = {"messages": messages, RUNNING: Running(is_traced=False, origin=0.0) if running else None, **account}
    return run_step(ModelVisit.begin(state, FORMAT, limits))


def used(model_calls: int, tool_calls: int = 0) -> dict[str, Any]:
    return {"usage": {**NO_USAGE, "model_calls": model_calls, "tool_calls": tool_calls}}


def reply_of(message: AIMessage, request: AnswerRequest = REQUEST) -> ModelReply:
    return ModelReply(message, request, ReplyReader(request).read(message), Snapshot(message))


def answer(call_id: str = "1") -> AIMessage:
    return calls(call("Verdict", dict(GOOD), call_id)).model_copy(update={"id": f"m{call_id}"})


class TestWhereTheRunStands:
    """A visit begins or continues a run, with a conversation that any provider accepts."""

    def test_the_first_visit_begins_a_run_with_an_empty_ledger(self) -> None:
        begun = visit([ASKED])
        assert begun.begins_run
        assert begun.ledger == {**empty_ledger(), "run": begun.ledger["run"]}

    def test_an_unfinished_run_goes_on_with_its_ledger(self) -> None:
        resumed = visit([ASKED, SAID], used_strategies=["tool"], **used(2))
        assert not resumed.begins_run
        assert (resumed.ledger["usage"]["model_calls"], resumed.used_strategies) == (2, ["tool"])

    def test_what_a_visit_adds_to_the_used_strategies_does_not_reach_the_ledger(self) -> None:
        resumed = visit([ASKED, SAID], used_strategies=["tool"])
        resumed.used_strategies.append("prompted")
        assert resumed.ledger["used_strategies"] == ["tool"]

    def test_a_call_without_a_result_is_answered(self) -> None:
        waiting = calls(call("search", {}))
        repaired = visit([ASKED, waiting, ASKED])
        assert repaired.messages != repaired.stored
        assert [type(message) for message in repaired.messages] == [HumanMessage, AIMessage, ToolMessage, HumanMessage]

    def test_a_history_in_order_is_left_as_it_is(self) -> None:
        messages = [ASKED, SAID, ASKED]
        assert visit(messages).messages == visit(messages).stored == messages

    @pytest.mark.parametrize(("reply_id", "running", "repaired"), [("a", True, False), ("b", True, True), ("a", False, True)])
    def test_the_history_before_our_last_reply_is_looked_at_again_only_if_something_rewrote_it(
        self, reply_id: str, running: bool, repaired: bool
    ) -> None:
        messages = [ASKED, calls(call("search", {})), SAID]
        begun = visit(messages, running=running, last_reply_index=2, last_reply_id=reply_id)
        assert (begun.messages != begun.stored) is repaired


class TestWhatItMayUse:
    """The remaining budget of the run, and of the surrounding run."""

    @pytest.mark.parametrize(
        ("limits", "ledger", "facts"),
        [
            (UsageLimits(model_calls=3), used(0), (False, False, False, None)),
            (UsageLimits(model_calls=3), used(2), (False, True, True, None)),
            (UsageLimits(model_calls=3), used(3), (True, True, True, None)),
            (UsageLimits(model_calls=3, reserve_final_answer=False), used(2), (False, True, False, None)),
            (UsageLimits(tool_calls=2), used(1, 1), (False, False, False, 1)),
            (UsageLimits(tool_calls=2), used(1, 2), (False, False, True, 0)),
            (UsageLimits(tool_calls=2), used(1, 3), (False, False, True, 0)),
            (UsageLimits(tool_calls=2, reserve_final_answer=False), used(1, 2), (False, False, True, 0)),
        ],
    )
    def test_the_limits_say_whether_a_call_is_left_and_whether_it_is_for_the_answer(
        self, limits: UsageLimits, ledger: Any, facts: Any
    ) -> None:
        begun = visit([ASKED, SAID], limits, **ledger)
        assert (begun.has_no_call, begun.is_last_call, begun.forces_answer, begun.tool_calls_left) == facts

    def test_a_run_inside_another_uses_no_more_than_that_one_has_left(self) -> None:
        around: Any = {"messages": [ASKED, SAID], LEDGER: {**empty_ledger(), **used(2)}}
        with InnerRunBudget(UsageLimits(model_calls=4), lambda: around), InnerRunBudget(LIMITS, lambda: NOTHING):
            begun = visit([ASKED])
        assert begun.is_last_call
        assert not begun.has_no_call

    def test_a_run_inside_one_that_has_nothing_left_has_no_call(self) -> None:
        around: Any = {"messages": [ASKED, SAID], LEDGER: {**empty_ledger(), **used(4)}}
        with InnerRunBudget(UsageLimits(model_calls=4), lambda: around), InnerRunBudget(LIMITS, lambda: NOTHING):
            assert visit([ASKED]).has_no_call


class TestReplies:
    """A visit keeps each reply with its request and its reading."""

    def both(self) -> tuple[ModelVisit, ModelReply, ModelReply]:
        begun, one, two = visit([ASKED]), reply_of(answer("1")), reply_of(answer("2"))
        begun.replies |= {"m1": one, "m2": two}
        return begun, one, two

    def test_a_message_of_the_model_is_found_with_its_own_reading(self) -> None:
        begun, one, two = self.both()
        assert begun.reply_to(one.message) is one
        assert begun.reply_to(two.message) is two

    def test_a_message_that_middleware_made_has_the_last_request_and_no_reading(self) -> None:
        begun, _, two = self.both()
        found = begun.reply_to(AIMessage("made", id="made"))
        assert found is not None
        assert (found.request, found.reading) == (two.request, None)

    def test_without_a_call_of_the_model_there_is_no_reply(self) -> None:
        assert visit([ASKED]).reply_to(AIMessage("made", id="made")) is None
        assert visit([ASKED]).reply_to(None) is None

    def test_each_call_is_charged_and_further_ones_are_retries(self) -> None:
        begun, _, _ = self.both()
        begun.model_calls = 2
        usage = begun.usage(tool_calls=1)
        assert (usage["model_calls"], usage["tool_calls"]) == (2, 1)
        assert usage["by_cause"]["retry"]["model_calls"] == 1

    @pytest.mark.parametrize(
        ("limits", "cause"), [(UsageLimits(model_calls=9), "correction"), (UsageLimits(model_calls=3), "final_answer")]
    )
    def test_the_cause_is_that_of_the_ledger_or_the_final_answer(self, limits: UsageLimits, cause: str) -> None:
        begun = visit([ASKED, SAID], limits, cause="correction", **used(2))
        begun.model_calls = 1
        assert list(begun.usage(tool_calls=0)["by_cause"]) == [cause]


class TestReadings:
    """A reading is valid as long as message, value and request are unchanged."""

    def test_an_untouched_reading_stands_and_its_value_is_the_one_shown(self) -> None:
        reply = reply_of(answer())
        assert reply.stands(REQUEST)
        assert reply.reading is not None
        assert reply.shows(reply.reading.value)

    def test_an_equal_value_is_another_one(self) -> None:
        assert not reply_of(answer()).shows(Verdict(passed=True, score=7))

    def test_a_message_that_was_changed_in_place_is_read_again(self) -> None:
        reply = reply_of(answer())
        reply.message.tool_calls[0]["args"]["score"] = 8
        assert not reply.stands(REQUEST)

    def test_a_value_that_was_changed_in_place_is_read_again_and_is_not_the_one_shown(self) -> None:
        reply: Any = reply_of(answer())
        reply.reading.value.score = 8
        assert not reply.stands(REQUEST)
        assert not reply.shows(reply.reading.value)

    @pytest.mark.parametrize("changed", [{"strategy": ToolStrategy(Verdict)}, {"dialect": Dialect.OPENAI_STRICT}])
    def test_another_request_reads_again(self, changed: Any) -> None:
        assert not reply_of(answer()).stands(replace(REQUEST, **changed))

    def test_what_was_not_read_does_not_stand(self) -> None:
        reply = ModelReply(answer(), REQUEST, None)
        assert not reply.stands(REQUEST)
        assert not reply.shows(None)


def test_a_ledger_is_not_changed_by_a_visit() -> None:
    ledger: RunLedger = {**empty_ledger(), "used_strategies": ["tool"]}
    before = {**ledger, "used_strategies": ["tool"]}
    run_step(ModelVisit.begin({"messages": [ASKED, SAID], "answergraph_ledger": ledger}, FORMAT, LIMITS))
    assert ledger == before
