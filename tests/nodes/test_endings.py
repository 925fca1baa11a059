"""How a run continues after a reply, as a table of facts and endings; then properties that hold for all facts."""

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from answergraph.nodes.endings import Ending, EndingFacts, decide, repeats, without_format
from answergraph.reading.reply_reader import Reading
from answergraph.state.ledger import empty_ledger
from answergraph.state.outcome import Status
from answergraph.state.turn import Turn
from answergraph.state.usage import UsageLimits, usage_of

ACCEPT, CONFIRM, RAISE, RUN_TOOLS = Ending("accept"), Ending("confirm"), Ending("raise"), Ending("run_tools")
DEFER = Ending("defer")
ASK, NEXT = Ending("ask_again"), Ending("ask_next_strategy")


def facts(status: Status, attempts_left: int = 4, **more: bool) -> EndingFacts:
    return EndingFacts(status, attempts_left, **more)


def end(status: Status) -> Ending:
    return Ending("end", status)


TABLE: list[tuple[str, EndingFacts, Ending]] = [
    # The lines of the table, in order.
    ("an answer", facts("answered"), ACCEPT),
    ("an answer beside tools whose results the model has not seen", facts("answered", needs_confirmation=True), CONFIRM),
    ("a wrong answer that is raised", facts("invalid", is_raised=True), RAISE),
    ("a text that is raised, as no answer stands in it", facts("unanswered", is_raised=True), RAISE),
    ("a rejected answer with tools waiting beside it", facts("invalid", tools_wait=True), RUN_TOOLS),
    ("a refusal", facts("refused"), end("refused")),
    ("a wrong answer", facts("invalid"), ASK),
    ("a text without an answer", facts("unanswered"), ASK),
    ("an empty reply", facts("empty"), ASK),
    ("a reply that was cut", facts("truncated"), ASK),
    ("a wrong answer with the last call", facts("invalid", may_ask=False, last_call_made=True), end("out_of_budget")),
    (
        "a text though tools were off, and the model may not be asked",
        facts("unanswered", 1, tools_were_off=True),
        end("out_of_budget"),
    ),
    ("a wrong answer with the last attempt", facts("invalid", 1), end("invalid")),
    ("a text with the last attempt", facts("unanswered", 1), end("unanswered")),
    ("a jump to the end after a wrong answer", facts("invalid", may_ask=False), end("invalid")),
    # What comes first.
    ("an answer with the last attempt and the last call", facts("answered", 1, may_ask=False, last_call_made=True), ACCEPT),
    (
        "an answer after which nothing may be asked is confirmed if the node says so",
        facts("answered", needs_confirmation=True, may_ask=False),
        CONFIRM,
    ),
    ("an answer is not raised", facts("answered", is_raised=True), ACCEPT),
    ("an answer runs no tools", facts("answered", tools_wait=True), ACCEPT),
    ("raising comes before waiting tools", facts("invalid", is_raised=True, tools_wait=True), RAISE),
    ("waiting tools come before the last attempt", facts("invalid", 1, tools_wait=True), RUN_TOOLS),
    ("a refusal with the last call is a refusal", facts("refused", may_ask=False, last_call_made=True), end("refused")),
    ("a refusal with tools off is a refusal", facts("refused", tools_were_off=True), end("refused")),
    ("a refusal is not asked with the next strategy", facts("refused", has_next_strategy=True), end("refused")),
    # Calls that are carried out elsewhere.
    ("an answer beside a call that waits", facts("answered", needs_confirmation=True, waits_elsewhere=True), DEFER),
    ("an answer that counts beside a call that waits", facts("answered", waits_elsewhere=True), ACCEPT),
    ("no answer, and a call waits", facts("unanswered", may_ask=False, waits_elsewhere=True), DEFER),
    ("a wrong answer in the last attempt, and a call waits", facts("invalid", 1, waits_elsewhere=True), DEFER),
    ("a refusal beside a call that waits", facts("refused", waits_elsewhere=True), end("refused")),
    # Repeated mistakes.
    ("the same wrong answer again", facts("invalid", repeats=True), end("invalid")),
    ("no answer again", facts("unanswered", repeats=True), end("unanswered")),
    ("empty again", facts("empty", repeats=True), end("empty")),
    ("cut again", facts("truncated", repeats=True), end("truncated")),
    ("the same wrong answer again, and a next strategy", facts("invalid", repeats=True, has_next_strategy=True), NEXT),
    ("no answer again, and a next strategy", facts("unanswered", repeats=True, has_next_strategy=True), NEXT),
    ("empty again, and a next strategy that brings the same", facts("empty", repeats=True, has_next_strategy=True), end("empty")),
    (
        "cut again, and a next strategy that brings the same",
        facts("truncated", repeats=True, has_next_strategy=True),
        end("truncated"),
    ),
    ("the same wrong answer again with the last call", facts("invalid", repeats=True, last_call_made=True), end("out_of_budget")),
    # The next strategy.
    ("the strategy was ignored", facts("unanswered", has_next_strategy=True), NEXT),
    ("a wrong answer is corrected first", facts("invalid", 4, has_next_strategy=True), ASK),
    ("a wrong answer with three attempts left", facts("invalid", 3, has_next_strategy=True), ASK),
    ("the last attempt is the next strategy's", facts("invalid", 2, has_next_strategy=True), NEXT),
    ("an empty reply is asked for again", facts("empty", 2, has_next_strategy=True), ASK),
    ("a cut reply is asked for with the next strategy", facts("truncated", 2, has_next_strategy=True), NEXT),
    ("a cut reply is asked for again where no other strategy is left", facts("truncated", 2), ASK),
    ("no attempt is left for the next strategy", facts("unanswered", 1, has_next_strategy=True), end("unanswered")),
    ("with two attempts left and no next strategy", facts("invalid", 2), ASK),
    # The free part of a deferred strategy.
    ("a free reply without an answer", facts("unanswered", is_attempt=False, has_next_strategy=True), NEXT),
    ("an empty free reply", facts("empty", is_attempt=False, has_next_strategy=True), NEXT),
    ("a second empty reply, a free one", facts("empty", repeats=True, is_attempt=False, has_next_strategy=True), NEXT),
    ("a wrong answer in a free reply", facts("invalid", is_attempt=False, has_next_strategy=True), NEXT),
    ("no answer, and a tool must be called first", facts("unanswered", has_next_strategy=True, keeps_tools=True), ASK),
    ("the same again", facts("unanswered", repeats=True, has_next_strategy=True, keeps_tools=True), NEXT),
    # The budget.
    ("no answer with the last call", facts("unanswered", may_ask=False, last_call_made=True), end("out_of_budget")),
    ("cut with the last call", facts("truncated", may_ask=False, last_call_made=True), end("out_of_budget")),
    ("no answer though tools were off, and attempts left", facts("unanswered", tools_were_off=True), ASK),
    ("a wrong answer though tools were off", facts("invalid", 1, tools_were_off=True), end("invalid")),
]


@pytest.mark.parametrize(("known", "ending"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_facts_decide(known: EndingFacts, ending: Ending) -> None:
    assert decide(known) == ending


FLAGS = [field.name for field in fields(EndingFacts) if field.type is bool]
STATUSES: tuple[Status, ...] = ("answered", "refused", "truncated", "empty", "invalid", "unanswered")
"""Those that a reading has."""
ALL = [
    EndingFacts(status, attempts_left, **dict(zip(FLAGS, flags, strict=True)))
    for status, attempts_left in product(STATUSES, (1, 2, 3))
    for flags in product((False, True), repeat=len(FLAGS))
]
ACTIONS = {"accept", "confirm", "defer", "raise", "run_tools", "ask_again", "ask_next_strategy", "end"}
ASKING = {"ask_again", "ask_next_strategy"}


def exceptions(is_true: Callable[[EndingFacts, Ending], bool]) -> list[EndingFacts]:
    """Return the facts for which something does not hold."""
    return [known for known in ALL if not is_true(known, decide(known))]


def test_all_facts_are_looked_at() -> None:
    assert len(ALL) == len(set(ALL)) == len(STATUSES) * 3 * 2 ** (len(fields(EndingFacts)) - 2)


def test_any_facts_have_an_ending_and_only_an_end_has_a_status() -> None:
    assert {decide(known).action for known in ALL} == ACTIONS
    assert exceptions(lambda _, ending: (ending.status is not None) == (ending.action == "end")) == []


def test_an_answer_is_never_sent_back_and_nothing_else_is_accepted() -> None:
    assert exceptions(lambda known, ending: known.status != "answered" or ending in {ACCEPT, CONFIRM, DEFER}) == []
    assert exceptions(lambda known, ending: ending not in {ACCEPT, CONFIRM} or known.status == "answered") == []
    assert exceptions(lambda known, ending: ending != CONFIRM or known.needs_confirmation) == []


def test_a_run_ends_with_the_status_of_its_reply_or_without_format() -> None:
    assert exceptions(lambda known, ending: ending.status in {None, known.status, "out_of_budget"}) == []


def test_a_refusal_is_never_asked_again_whatever_the_budget() -> None:
    assert exceptions(lambda known, ending: known.status != "refused" or ending in {end("refused"), RAISE, RUN_TOOLS}) == []


def test_nothing_is_asked_with_the_last_attempt_or_where_the_model_may_not_be_called() -> None:
    assert exceptions(lambda known, ending: ending.action not in ASKING or (known.attempts_left > 1 and known.may_ask)) == []


def test_the_next_strategy_is_asked_only_if_there_is_one() -> None:
    assert exceptions(lambda known, ending: ending != NEXT or known.has_next_strategy) == []


def test_a_repeated_mistake_is_not_asked_for_in_the_same_way_again() -> None:
    assert exceptions(lambda known, ending: not (ending == ASK and known.repeats)) == []


def test_the_last_attempt_is_made_with_the_next_strategy_if_the_answer_was_wrong() -> None:
    wrong = [known for known in ALL if known.attempts_left == 2 and known.status == "invalid"]
    last = [known for known in wrong if known.has_next_strategy and not known.keeps_tools]
    assert ASK not in {decide(known) for known in last}


def test_a_mistake_is_raised_and_tools_run_exactly_where_the_facts_say_so() -> None:
    wrong = [known for known in ALL if known.status != "answered"]
    assert [known for known in wrong if (decide(known) == RAISE) != known.is_raised] == []
    assert [known for known in wrong if (decide(known) == RUN_TOOLS) != (known.tools_wait and not known.is_raised)] == []


def test_a_further_attempt_never_ends_a_run_that_would_go_on() -> None:
    more = [(known, replace(known, attempts_left=known.attempts_left + 1)) for known in ALL]
    assert [known for known, further in more if decide(known).action != "end" and decide(further).action == "end"] == []


def test_an_end_is_out_of_budget_where_the_budget_had_the_last_word() -> None:
    ends = [known for known in ALL if decide(known).action == "end" and known.status != "refused"]
    spent = [known for known in ends if known.last_call_made or (known.tools_were_off and known.status == "unanswered")]
    assert [known for known in ends if decide(known).status == "out_of_budget"] == spent


def attempts(*statuses: Status) -> Any:
    return [{"status": status} for status in statuses]


@pytest.mark.parametrize(
    ("status", "before", "repeated"),
    [
        ("unanswered", (), False),
        ("unanswered", ("unanswered",), True),
        ("unanswered", ("unanswered", "invalid"), False),
        ("unanswered", ("invalid", "unanswered"), True),
        ("invalid", ("unanswered",), False),
        ("empty", ("empty", "invalid"), True),
        ("truncated", ("truncated", "unanswered"), True),
        ("truncated", ("empty",), False),
    ],
)
def test_a_mistake_is_repeated_if_the_last_attempt_was_the_same_or_any_was_as_empty_or_cut(
    status: Status, before: tuple[Status, ...], repeated: bool
) -> None:
    ledger: Any = {**empty_ledger(), "attempts": attempts(*before), "last_mistake": "70"}
    assert repeats(Reading(status, "why", mistake="71"), ledger, Turn({"messages": []})) is repeated


@pytest.mark.parametrize(("mistake", "repeated"), [("70", True), ("71", False), (None, False)])
def test_a_wrong_answer_repeats_the_last_one_if_it_is_equal(mistake: str | None, repeated: bool) -> None:
    ledger: Any = {**empty_ledger(), "attempts": attempts("invalid"), "last_mistake": "70"}
    assert repeats(Reading("invalid", "why", mistake=mistake), ledger, Turn({"messages": []})) is repeated


def test_a_run_without_a_format_that_a_limit_ended_says_so_and_what_it_used() -> None:
    reply = AIMessage("one", usage_metadata={"input_tokens": 2, "output_tokens": 3, "total_tokens": 5})
    usage = usage_of([reply], "turn", model_calls=1, tool_calls=2)
    outcome: Any = without_format({**empty_ledger(), "usage": usage}, [HumanMessage("q"), reply], UsageLimits())
    assert (outcome["status"], outcome["strategy"], outcome["schema"]) == ("out_of_budget", None, None)
    assert (outcome["attempts"], outcome["narrowed"], outcome["fields"], outcome["support"]) == ([], [], {}, None)
    assert outcome["usage"]["rounds"] == [{"input_tokens": 2, "output_tokens": 3}]
    assert outcome["usage"]["by_cause"] == {"turn": {"model_calls": 1, "tool_calls": 2, "total_tokens": 5}}
