"""Every exit condition is a row: a state, and the reason for the next edge."""

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Send

from answergraph.graphs.agent.routing import RoutingFacts, route_after_model, route_after_structured_response, route_after_tools
from answergraph.state.ledger import ANSWER_REQUEST, LEDGER, empty_ledger
from answergraph.state.messages import correction_message
from answergraph.state.turn import CallNames, Turn
from tests.suite.replies import call, malformed, result, said

NAMES = CallNames(returns_directly={"search": False, "stop": True})
ANSWERS = replace(NAMES, answers=frozenset({"Verdict"}))

TEXT = RoutingFacts(NAMES, has_tools=True)
ANSWER = RoutingFacts(ANSWERS, has_tools=True, reads_answers=True)
ANSWER_ALONE = RoutingFacts(ANSWERS, reads_answers=True)
EARLY = replace(ANSWER, end_strategy="early")
EARLY_ALONE = replace(ANSWER_ALONE, end_strategy="early")
REVIEWED = replace(ANSWER_ALONE, names=replace(ANSWERS, reviewed=frozenset({"Verdict"})))
BARE = RoutingFacts(jumps=frozenset())


def turn(state: Any, facts: RoutingFacts) -> Turn:
    return Turn(state, facts.names)


ASKED = HumanMessage("question")
SENDS_ONE = [Send("tools", [call("search")])]
SPENT = {LEDGER: {**empty_ledger(), "last_call_made": True}}

AFTER_MODEL = [
    ("nothing called, no format: the run ends", TEXT, [ASKED, said(text="done")], {}, "finish"),
    ("nothing called, a format: the text is read", ANSWER, [ASKED, said(text="done")], {}, "read_answer"),
    ("a tool is called", TEXT, [ASKED, said(call("search"))], {}, SENDS_ONE),
    ("a tool is called, a format", ANSWER, [ASKED, said(call("search"))], {}, SENDS_ONE),
    ("an answer is called", ANSWER, [ASKED, said(call("Verdict"))], {}, "read_answer"),
    ("an answer beside a tool: the tool runs first", ANSWER, [ASKED, said(call("Verdict", "2"), call("search"))], {}, SENDS_ONE),
    ("a malformed answer", ANSWER, [ASKED, said(bad=(malformed("Verdict"),))], {}, "read_answer"),
    ("malformed arguments for the first time", TEXT, [ASKED, said(bad=(malformed("search"),)), result()], {}, "ask_again"),
    (
        "the same malformed arguments again",
        TEXT,
        [ASKED, said(bad=(malformed("search"),)), result(), said(bad=(malformed("search"),)), result()],
        {},
        "finish",
    ),
    ("all calls answered by a hook", TEXT, [ASKED, said(call("search")), result()], {}, "ask_again"),
    ("an answer call answered by a hook", ANSWER, [ASKED, said(call("Verdict")), result(name="Verdict")], {}, "read_answer"),
    ("an answer a person turned down", REVIEWED, [ASKED, said(call("Verdict")), result(name="Verdict")], {}, "ask_again"),
    ("an unknown tool without a tools node", ANSWER_ALONE, [ASKED, said(call("search"))], {}, "read_answer"),
    (
        "a value given by middleware",
        ANSWER,
        [ASKED, said(call("search")), result()],
        {ANSWER_REQUEST: {"has_next_strategy": False, "middleware_value": {}}},
        "read_answer",
    ),
    (
        "the last call of the budget asks for tools",
        ANSWER,
        [ASKED, said(call("search"))],
        {LEDGER: {"last_call_made": True, "tools_were_off": False}},
        "read_answer",
    ),
    ("the messages were cleared", TEXT, [], {}, "finish"),
    ("the messages were cleared, a format", ANSWER, [], {}, "read_answer"),
    ("a jump to the end", TEXT, [ASKED, said(call("search"))], {"jump_to": "end"}, "finish"),
    ("a jump to the end leads through the answer", ANSWER, [ASKED, said(call("search"))], {"jump_to": "end"}, "read_answer"),
    ("a jump to the model", ANSWER, [ASKED, said(text="done")], {"jump_to": "model"}, "ask_again"),
    ("a jump to the tools", TEXT, [ASKED, said(call("search"))], {"jump_to": "tools"}, SENDS_ONE),
    ("a jump to the tools with nothing to run", TEXT, [ASKED, said(text="done")], {"jump_to": "tools"}, "ask_again"),
    ("a jump to a model that may not be asked", TEXT, [ASKED, said(text="done")], {"jump_to": "model", **SPENT}, "finish"),
    ("an undeclared jump in a graph without a loop", BARE, [ASKED, said(text="done")], {"jump_to": "model"}, "finish"),
]

AFTER_TOOLS = [
    ("a tool is done", TEXT, [ASKED, said(call("search")), result()], "ask_again"),
    ("an answer stood beside it", ANSWER, [ASKED, said(call("search"), call("Verdict", "2")), result()], "read_answer"),
    ("the tool returns directly", TEXT, [ASKED, said(call("stop")), result(name="stop")], "finish"),
    ("the tool returns directly, a format", ANSWER, [ASKED, said(call("stop")), result(name="stop")], "read_answer"),
    ("one of two returns directly", TEXT, [ASKED, said(call("stop"), call("search", "2")), result(name="stop")], "ask_again"),
    ("the messages were cleared", TEXT, [], "ask_again"),
]

FINISHED = {LEDGER: {**empty_ledger(), "finished": True}}
BESIDE = {"messages": [ASKED, said(call("search"), call("Verdict", "2"))]}
RAN = {"messages": [*BESIDE["messages"], result()]}

AFTER_STRUCTURED_RESPONSE = [
    ("an outcome stands", ANSWER, {"structured_response": object(), **FINISHED}, "finish"),
    ("the run ends without an answer", ANSWER, {"structured_response": None, **FINISHED}, "finish"),
    ("a subagent's outcome is no exit", ANSWER, {"outcome": {"status": "answered"}, LEDGER: empty_ledger()}, "ask_again"),
    ("the key that holds None is no exit", ANSWER, {"structured_response": None, "outcome": None}, "ask_again"),
    ("nothing was written yet", ANSWER, {"messages": [correction_message("again")]}, "ask_again"),
    ("an early answer that was not accepted: the tools beside it run", EARLY, BESIDE, SENDS_ONE),
    ("an early answer that was accepted", EARLY, {**BESIDE, **FINISHED}, "finish"),
    ("the tools beside an early answer have run", EARLY, RAN, "ask_again"),
    ("without tools nothing waits", EARLY_ALONE, BESIDE, "ask_again"),
    ("otherwise tools ran before the answer was read", ANSWER, BESIDE, "ask_again"),
]


@pytest.mark.parametrize(
    ("facts", "messages", "more", "reason"), [row[1:] for row in AFTER_MODEL], ids=[r[0] for r in AFTER_MODEL]
)
def test_after_the_model(facts: RoutingFacts, messages: list[Any], more: dict[str, Any], reason: Any) -> None:
    assert route_after_model(turn({"messages": messages, **more}, facts), facts) == reason


@pytest.mark.parametrize(("facts", "messages", "reason"), [row[1:] for row in AFTER_TOOLS], ids=[r[0] for r in AFTER_TOOLS])
def test_after_the_tools(facts: RoutingFacts, messages: list[Any], reason: Any) -> None:
    assert route_after_tools(turn({"messages": messages}, facts), facts) == reason


@pytest.mark.parametrize(
    ("facts", "state", "reason"), [row[1:] for row in AFTER_STRUCTURED_RESPONSE], ids=[r[0] for r in AFTER_STRUCTURED_RESPONSE]
)
def test_after_the_structured_response(facts: RoutingFacts, state: dict[str, Any], reason: Any) -> None:
    assert route_after_structured_response(turn({"messages": [], **state}, facts), facts) == reason


def test_each_parallel_call_gets_a_task_of_its_own() -> None:
    message = said(call("search", "1"), call("search", "2"), call("Verdict", "3"))
    assert route_after_model(turn({"messages": [ASKED, message]}, ANSWER), ANSWER) == [
        Send("tools", [call("search", "1")]),
        Send("tools", [call("search", "2")]),
    ]
