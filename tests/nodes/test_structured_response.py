"""The ``structured_response`` node, step by step: a state with a reply, and the decision."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage

from answergraph import AnswerRejected, DeferredStrategy, FallbackStrategy, PromptedStrategy, ToolStrategy, UsageLimits
from answergraph.errors import StructuredOutputValidationError
from answergraph.kit import AnswerAccepted
from answergraph.state.budget import InnerRunBudget
from answergraph.state.ledger import ANSWER_REQUEST, INNER_USAGE, LEDGER, RUNNING, Running, empty_ledger
from tests.graphs.agent.scripted_agents import BAD, GOOD, Missing, Verdict, call, calls, lookup
from tests.nodes.heart_steps import Nodes, merged
from tests.suite.tools import search

ASKED = HumanMessage("q", id="q")
START: dict[str, Any] = {"messages": [ASKED]}
TOOL = ToolStrategy(Verdict)
RIGHT, WRONG = calls(call("Verdict", GOOD)), calls(call("Verdict", BAD))
BESIDE = calls(call("Verdict", GOOD), call("search", {"query": "x"}, "s"))
FOUND = ToolMessage("found", name="search", tool_call_id="s", id="r")


def after(nodes: Nodes, reply: AIMessage, *more: Any, **state: Any) -> dict[str, Any]:
    """Return the state after the model has replied and other messages came."""
    replied = merged(START, nodes.replied(START, reply))
    return {**merged(replied, {"messages": list(more)}), **state}


def decided(reply: AIMessage, *more: Any, tools: Any = (search,), state: Any = None, **options: Any) -> dict[str, Any]:
    nodes = Nodes(*tools, **{"response_format": TOOL, **options})
    update: dict[str, Any] = nodes.performed("structured_response", after(nodes, reply, *more, **(state or {})))
    return update


def results(update: dict[str, Any]) -> list[tuple[str, str]]:
    return [(message.tool_call_id, message.text) for message in update["messages"] if isinstance(message, ToolMessage)]


class TestAccepted:
    """An answer ends the run."""

    def test_it_is_written_as_json_with_its_outcome_and_a_receipt(self) -> None:
        update = decided(RIGHT)
        assert (update["structured_response"], update[LEDGER]["finished"]) == (GOOD, True)
        outcome = update["outcome"]
        assert (outcome["status"], outcome["strategy"], outcome["schema"]) == ("answered", "tool", "Verdict")
        assert [attempt["status"] for attempt in outcome["attempts"]] == ["answered"]
        assert results(update) == [("1", "Returning structured response: passed=True score=7")]

    def test_it_is_written_to_the_agents_own_keys(self) -> None:
        update = decided(RIGHT, output_key="verdict")
        assert update.keys() == {"messages", "verdict", "verdict_outcome", LEDGER}

    def test_a_check_may_say_that_it_abstains_and_what_supports_it(self) -> None:
        said = AnswerAccepted({"passed": {"status": "supported", "evidence": [], "problem": None}}, abstained=True)
        outcome = decided(RIGHT, check_answer=lambda *_: said)["outcome"]
        assert (outcome["status"], outcome["support"], list(outcome["fields"])) == ("abstained", 1, ["passed"])

    def test_two_equal_answers_get_a_receipt_each(self) -> None:
        update = decided(calls(call("Verdict", GOOD), call("Verdict", {"score": 7.0, "passed": True}, "2")))
        assert [call_id for call_id, _ in results(update)] == ["1", "2"]
        assert update["outcome"]["status"] == "answered"

    def test_a_call_that_a_hook_has_answered_gets_no_second_result(self) -> None:
        assert results(decided(RIGHT, ToolMessage("noted", name="Verdict", tool_call_id="1"))) == []

    def test_results_directly_follow_their_calls_whatever_a_hook_added(self) -> None:
        note = HumanMessage("note", id="note")
        written = decided(RIGHT, note)["messages"]
        assert [type(message) for message in written] == [RemoveMessage, ToolMessage, HumanMessage]
        assert (written[0].id, written[2].text) == ("note", "note")


class TestSentBack:
    """A reply that holds no answer is sent back with what is wrong."""

    def test_a_wrong_answer_is_answered_with_its_error_and_recorded(self) -> None:
        update = decided(WRONG)
        assert "outcome" not in update
        ((call_id, text),) = results(update)
        assert (call_id, "less than or equal to 10" in text) == ("1", True)
        (attempt,) = update[LEDGER]["attempts"]
        assert (attempt["status"], attempt["schema"]) == ("invalid", "Verdict")
        assert (update[LEDGER]["cause"], update[LEDGER]["finished"]) == ("correction", False)

    def test_a_text_is_answered_with_a_message_of_ours(self) -> None:
        (correction,) = decided(AIMessage("It passed."))["messages"]
        assert isinstance(correction, HumanMessage)
        assert str(correction.id).startswith("answergraph-correction-")

    def test_calls_of_tools_beside_it_that_nobody_runs_are_answered(self) -> None:
        update = decided(calls(call("Verdict", BAD), call("nosuch", {}, "2")), tools=())
        assert [call_id for call_id, _ in results(update)] == ["1", "2"]
        assert "nosuch is not a valid tool" in results(update)[1][1]

    def test_it_is_raised_where_handle_errors_says_so_and_the_model_wrote_it(self) -> None:
        nodes = Nodes(search, response_format=TOOL)
        state = after(nodes, WRONG)
        raising = Nodes(search, response_format=ToolStrategy(Verdict, handle_errors=False))
        with pytest.raises(StructuredOutputValidationError):
            raising.performed("structured_response", state)
        made = {**state, ANSWER_REQUEST: {**state[ANSWER_REQUEST], "of_model": False, "key": ""}}
        assert "outcome" not in raising.performed("structured_response", made)

    def test_nothing_is_raised_where_the_model_could_not_be_asked_again(self) -> None:
        state = after(Nodes(search, response_format=TOOL), WRONG, jump_to="end")
        raising = Nodes(search, response_format=ToolStrategy(Verdict, handle_errors=False))
        assert raising.performed("structured_response", state)["outcome"]["status"] == "invalid"

    def test_the_correction_describes_the_next_strategy_and_this_one_is_used_up(self) -> None:
        update = decided(AIMessage("It passed."), response_format=FallbackStrategy([TOOL, PromptedStrategy(Verdict)]))
        assert len(update[LEDGER]["used_strategies"]) == 1
        assert update["messages"][0].text == "Give your final answer now, in the form you are asked for."

    def test_a_free_reply_is_not_an_attempt(self) -> None:
        update = decided(AIMessage("Done."), response_format=DeferredStrategy(TOOL))
        assert (update[LEDGER]["attempts"], update[LEDGER]["cause"]) == ([], "final_answer")


NOTHING: Any = {}


def test_a_run_inside_another_is_charged_to_it_when_it_ends() -> None:
    nodes = Nodes(response_format=TOOL)
    state = after(nodes, RIGHT)
    with InnerRunBudget(UsageLimits(), lambda: NOTHING) as around, InnerRunBudget(UsageLimits(), lambda: NOTHING):
        nodes.performed("structured_response", state)
    (command,) = around.finished_update(None)
    assert command.update[INNER_USAGE] == state[LEDGER]["usage"]


class TestEnded:
    """Without an answer the run ends with a reason."""

    def test_a_jump_to_the_end_ends_with_the_status_of_the_reply(self) -> None:
        update = decided(WRONG, state={"jump_to": "end"})
        assert (update["outcome"]["status"], update["structured_response"]) == ("invalid", None)

    def test_the_last_attempt_ends_with_the_status_of_the_reply(self) -> None:
        assert decided(WRONG, limits=UsageLimits(answer_attempts=1))["outcome"]["status"] == "invalid"

    def test_the_last_call_ends_out_of_budget_and_says_what_came_instead(self) -> None:
        outcome = decided(AIMessage("Hm."), limits=UsageLimits(model_calls=1))["outcome"]
        assert outcome["status"] == "out_of_budget"
        why = "The model wrote a text that holds no answer: Hm."
        assert outcome["reason"] == f"The run's budget is spent: 1 of 1 model calls. {why}"

    def test_a_run_whose_messages_were_cleared_is_unanswered(self) -> None:
        update = Nodes(response_format=TOOL).performed("structured_response", {"messages": [], "jump_to": "end"})
        assert (update["outcome"]["status"], update["messages"]) == ("unanswered", [])

    def test_what_the_model_said_in_an_earlier_run_is_not_an_answer_to_this_one(self) -> None:
        state = {"messages": [ASKED, RIGHT, ToolMessage("ok", tool_call_id="1"), HumanMessage("next")], "jump_to": "end"}
        assert Nodes(response_format=TOOL).performed("structured_response", state)["outcome"]["status"] == "unanswered"

    def test_tool_calls_that_are_cut_twice_in_a_row_end_the_run(self) -> None:
        cut = calls(call("search", {"query": "x"}, "s")).model_copy(update={"response_metadata": {"finish_reason": "length"}})
        nodes = Nodes(search, response_format=TOOL)
        once = after(nodes, cut)
        twice = merged(once, nodes.replied(once, cut.model_copy(update={"id": "2"})))
        assert nodes.performed("structured_response", twice)["outcome"]["status"] == "truncated"


class TestRepeats:
    """The same mistake twice ends the run; another answer with the same fault does not."""

    def second(self, one: AIMessage, two: AIMessage, **options: Any) -> dict[str, Any]:
        """Return the update for a second reply, after the first was sent back."""
        nodes = Nodes(search, **{"response_format": TOOL, **options})
        state = after(nodes, one)
        state = merged(state, nodes.performed("structured_response", state))
        update: dict[str, Any] = nodes.performed("structured_response", merged(state, nodes.replied(state, two)))
        return update

    @pytest.mark.parametrize(
        ("two", "ends"), [(BAD, True), ({"score": 70.0, "passed": True}, True), ({**BAD, "score": 71}, False)]
    )
    def test_a_wrong_answer_repeats_if_its_json_is_equal(self, two: Any, ends: bool) -> None:
        assert ("outcome" in self.second(WRONG, calls(call("Verdict", two, "2")))) is ends

    @pytest.mark.parametrize(("score", "ends"), [(7, True), (6, False)])
    def test_a_check_that_says_the_same_of_two_answers_has_not_seen_the_same_mistake(self, score: int, ends: bool) -> None:
        def never(*_: Any) -> None:
            raise AnswerRejected("Never.")

        two = calls(call("Verdict", {"passed": True, "score": score}, "2"))
        assert ("outcome" in self.second(RIGHT, two, check_answer=never)) is ends

    def test_a_check_may_say_other_words_of_the_same_answer(self) -> None:
        words = iter(["one", "two"])

        def never(*_: Any) -> None:
            raise AnswerRejected(next(words))

        assert "outcome" in self.second(RIGHT, calls(call("Verdict", GOOD, "2")), check_answer=never)

    def test_no_answer_in_other_words_is_the_same_mistake(self) -> None:
        assert "outcome" in self.second(AIMessage("It passed."), AIMessage("As I said."))

    def test_another_kind_of_mistake_is_a_new_one(self) -> None:
        assert "outcome" not in self.second(AIMessage("It passed."), WRONG)

    def test_one_answer_per_schema_is_not_a_repetition(self) -> None:
        class Same(Missing):
            """The same members as ``Missing``."""

        def never(*_: Any) -> None:
            raise AnswerRejected("Never.")

        one, two = calls(call("Missing", {"facts": []})), calls(call("Same", {"facts": []}, "2"))
        assert "outcome" not in self.second(one, two, response_format=ToolStrategy(Missing | Same), check_answer=never)


class TestBesideTools:
    """An answer given beside tool calls counts as the end strategy says."""

    def test_deferred_it_is_held_and_the_model_is_asked_to_confirm_it(self) -> None:
        update = decided(BESIDE, FOUND)
        assert "outcome" not in update
        ledger = update[LEDGER]
        assert ledger["unconfirmed"] == {"schema": "Verdict", "value": GOOD}
        assert (ledger["confirmations_asked"], ledger["cause"], ledger["attempts"]) == (1, "confirmation", [])
        assert "held back" in results(update)[0][1]

    @pytest.mark.parametrize(
        ("again", "confirmed"), [(GOOD, True), ({"score": 7.0, "passed": True}, True), ({**GOOD, "score": 6}, False)]
    )
    def test_beside_tools_again_only_the_equal_answer_is_a_confirmation(self, again: Any, confirmed: bool) -> None:
        nodes = Nodes(search, response_format=TOOL)
        state = after(nodes, BESIDE, FOUND)
        state = merged(state, nodes.performed("structured_response", state))
        later = calls(call("Verdict", again, "3"), call("search", {"query": "y"}, "4"))
        state = merged(state, nodes.replied(state, later))
        state = merged(state, {"messages": [ToolMessage("found", name="search", tool_call_id="4")]})
        assert ("outcome" in nodes.performed("structured_response", state)) is confirmed

    def test_exhaustive_it_is_accepted_with_the_results(self) -> None:
        assert decided(BESIDE, FOUND, end_strategy="exhaustive")["outcome"]["status"] == "answered"

    def test_early_it_is_accepted_and_the_tools_are_told_that_they_did_not_run(self) -> None:
        update = decided(BESIDE, end_strategy="early")
        assert update["outcome"]["status"] == "answered"
        assert results(update)[1] == ("s", "Tool search was not run: an answer stood beside the call.")

    def test_early_and_rejected_nothing_is_decided_before_the_tools_have_run(self) -> None:
        def never(*_: Any) -> None:
            raise AnswerRejected("Never.")

        assert decided(BESIDE, end_strategy="early", check_answer=never) == {}
        assert results(decided(BESIDE, FOUND, end_strategy="early", check_answer=never)) == [("1", "Never.")]

    def test_with_tools_off_a_rejected_early_answer_is_sent_back(self) -> None:
        def never(*_: Any) -> None:
            raise AnswerRejected("Never.")

        nodes = Nodes(search, response_format=TOOL, end_strategy="early", check_answer=never)
        state = after(nodes, BESIDE)
        update = nodes.performed("structured_response", {**state, LEDGER: {**state[LEDGER], "tools_were_off": True}})
        assert results(update)[0] == ("1", "Never.")

    def test_an_answer_that_is_never_confirmed_is_accepted_in_the_end(self) -> None:
        nodes = Nodes(search, response_format=TOOL, limits=UsageLimits(answer_attempts=2))
        state = after(nodes, BESIDE, FOUND)
        for asked, ends in ((1, False), (2, True)):
            ledger = {**state[LEDGER], "confirmations_asked": asked}
            assert ("outcome" in nodes.performed("structured_response", {**state, LEDGER: ledger})) is ends

    def test_nothing_is_held_where_the_model_may_not_be_asked(self) -> None:
        assert decided(BESIDE, FOUND, state={"jump_to": "end"})["outcome"]["status"] == "answered"


@pytest.mark.parametrize(("key", "status"), [("good", "answered"), ("bad", "unanswered")])
def test_the_result_of_a_tool_that_returns_directly_is_read_in_place_of_the_reply(key: str, status: str) -> None:
    result = ToolMessage(lookup.invoke({"key": key}), name="lookup", tool_call_id="1")
    update = decided(calls(call("lookup", {"key": key})), result, tools=(lookup,))
    assert (update["outcome"]["status"], results(update)) == (status, [])


def test_a_reply_of_the_model_counts_though_a_hook_had_the_last_word() -> None:
    assert decided(RIGHT, AIMessage("Yours, the bot.", id="b"))["outcome"]["status"] == "answered"


def test_a_record_of_version_0_1_is_read_with_its_ledger() -> None:
    record = {"strategy": "tool", "declared": ["Verdict"], "schemas": ["Verdict"], "key": "x:1", "rung": "tool"}
    old_ledger = {"run": "r", "cause": "turn", "usage": empty_ledger()["usage"], "seen": 1, "last_id": "a"}
    reply = RIGHT.model_copy(update={"id": "a"})
    running = Running(is_traced=False, origin=0.0)
    state = {"messages": [ASKED, reply], ANSWER_REQUEST: record, LEDGER: old_ledger, RUNNING: running}
    assert Nodes(response_format=TOOL).performed("structured_response", state)["outcome"]["status"] == "answered"
