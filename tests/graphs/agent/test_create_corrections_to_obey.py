"""Every correction can be obeyed in the request that carries it: over all strategies, checks and servers, whatever a model does.

The model's replies are drawn. Of each request, what was said since the last reply is held against what the request offers.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from answergraph import Abstention, create_agent
from answergraph.middleware import RequireTools
from answergraph.models import forget_refusals
from answergraph.testing import ScriptedRequest
from tests.graphs.agent.obeying_agents import (
    CHECKS,
    LATE,
    LIMITS,
    LOG,
    MADE_UP,
    PATCH,
    RIGHT,
    SERVERS,
    STRATEGIES,
    WRONG,
    Cause,
    Offering,
    QuotedCause,
    Server,
    read_clock,
    read_log,
)
from tests.graphs.agent.offers import OVER, Offer, said_since, violations
from tests.suite.colors import Run

IDS = itertools.count()


def call(name: str, args: Mapping[str, object]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": dict(args), "id": f"c{next(IDS)}"}])


Way = tuple[str, str, str]
"""A server, a strategy and a check."""
CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "call": ("read_log", {}),
    "clock": ("read_clock", {}),
    "unknown": ("read_mail", {}),
    "abstain": ("Abstention", {"reason": "Nothing is known.", "missing": ["the log"]}),
    "right": ("Cause", RIGHT),
    "made up": ("Cause", MADE_UP),
    "late": ("Cause", LATE),
    "wrong": ("Cause", WRONG),
    "patch": ("Cause", PATCH),
}
TEXTS = {
    "prose": "Let me see.",
    "empty": "",
    "text call": '{"name": "read_log", "arguments": {}}',
    "python call": "read_log()",
    "call under the schema": '{"name": "read_clock", "arguments": {}}',
    "answer under the schema": json.dumps({"name": "Cause", "arguments": RIGHT}),
    "broken call": '{"name": "read_log", "arguments": {"from": 12:04}}',
    "unknown in text": '{"name": "read_mail", "arguments": {}}',
    "json": json.dumps(RIGHT),
    "wrong json": json.dumps(WRONG),
    "late json": json.dumps(LATE),
    "patch in text": json.dumps(PATCH),
    "late under the schema": json.dumps({"name": "Cause", "arguments": LATE}),
    "patch under the schema": json.dumps({"name": "Cause", "arguments": PATCH}),
}
CUT = "cut"
KINDS = (*CALLS, *TEXTS, CUT)


def reply(kind: str) -> AIMessage:
    if kind == CUT:
        return AIMessage('{"cause": "the da', response_metadata={"finish_reason": "length"})
    return call(*CALLS[kind]) if kind in CALLS else AIMessage(TEXTS[kind])


def run_of(way: Way, limits: str, kinds: Sequence[str], end_strategy: Any = "defer") -> list[str]:
    """Run an agent, and return what was said in vain."""
    forget_refusals()
    server, strategy, check = way
    script, problems, was_over, known = iter(kinds), list[str](), False, 0

    def answer(messages: list[BaseMessage], request: ScriptedRequest) -> AIMessage:
        nonlocal was_over, known
        said = said_since(messages)
        results = sum(isinstance(each, ToolMessage) and (LOG in each.text or "12:30" in each.text) for each in messages)
        if was_over and results > known:
            problems.append("a tool ran although that was over")
        known = results
        problems.extend(violations(said, Offer(request)))
        was_over = OVER in said
        return reply(next(script, "prose"))

    type_: Any = QuotedCause if "grounded" in check else Cause
    response_format = STRATEGIES[strategy](Cause | Abstention if "narrowed" in check else type_)
    arguments: Any = {
        "response_format": response_format,
        "limits": LIMITS[limits],
        "end_strategy": end_strategy,
        **CHECKS[check](),
    }
    agent = create_agent(Server(replies=answer, **SERVERS[server]), [read_log, read_clock], **arguments)
    agent.invoke({"messages": ["Why did it fail?"]})
    return problems


# A developer's own strategy is bound as it is, also where the client has no tool calls; so are the tools alone.
WAYS = [
    (server, strategy, check)
    for server, strategy, check in itertools.product(SERVERS, STRATEGIES, CHECKS)
    if server != "plain" or (strategy == "bare" and "hidden" not in check)
]
RUNS = {
    "way": st.sampled_from(WAYS),
    "limits": st.sampled_from(sorted(LIMITS)),
    "end_strategy": st.sampled_from(["defer", "early", "exhaustive"]),
    "kinds": st.lists(st.sampled_from(KINDS), min_size=1, max_size=8),
}


@settings(max_examples=25, derandomize=True)
@given(**RUNS)
def test_what_a_correction_says_can_be_done_in_its_request(way: Way, limits: str, end_strategy: str, kinds: list[str]) -> None:
    assert run_of(way, limits, kinds, end_strategy) == []


@pytest.mark.torture
@settings(max_examples=1500, derandomize=True)
@given(**RUNS)
def test_what_a_correction_says_can_be_done_in_many_runs(way: Way, limits: str, end_strategy: str, kinds: list[str]) -> None:
    assert run_of(way, limits, kinds, end_strategy) == []


@pytest.mark.parametrize(
    ("way", "limits", "kinds"),
    [
        (("json_schema only", "deferred tool", "required"), "ample", ["late"]),
        (("json_schema only", "bare", "none"), "ample", ["text call", "unknown"]),
        (("json_schema only", "bare", "grounded"), "few attempts", ["json", "text call", "made up", "json", "json"]),
        (("json_schema only", "ladder of deferred", "required"), "ample", ["json", "prose"]),
        (("full", "deferred", "required in order"), "ample", ["made up", "prose", "json"]),
        (("json_schema only", "bare", "grounded or abstained"), "ample", ["call", "made up"]),
        (("json_schema only", "bare", "grounded"), "no tool call left", ["late"]),
        (("full", "json mode", "grounded or abstained"), "few calls", ["text call", "right"]),
        (("tools only", "deferred provider", "hidden"), "no tool call left", ["cut"]),
        (("full", "provider", "hidden"), "ample", ["empty"]),
        (("tools only", "bare", "none"), "ample", ["cut", "prose", "wrong json"]),
        (("tools only", "ladder", "hidden"), "few calls", ["unknown in text", "empty"]),
        (("full", "deferred", "grounded, tools end"), "two calls", ["made up"]),
        (("json_schema only", "prompted", "without tools"), "few attempts", ["made up"]),
        (("tools only", "provider", "without tools"), "no tool call left", ["unknown", "json"]),
        (("full", "ladder of auto", "none"), "ample", ["prose", "text call", "unknown", "wrong", "call"]),
        (("json_schema only", "ladder to auto", "none"), "ample", ["prose", "prose"]),
        (("json_schema only", "auto", "grounded, repaired"), "few attempts", ["json", "late json"]),
        (("full", "bare", "grounded, repaired"), "no tool call left", ["wrong", "made up", "made up", "clock"]),
        (("tools only", "bare", "grounded, tools end"), "ample", ["call", "empty"]),
        (("tools only", "bare", "no choice"), "few attempts", ["clock", "wrong json", "python call"]),
        (("full", "own words", "no choice"), "ample", ["wrong json", "call", "right"]),
        (("full", "tool", "one choice"), "few calls", ["abstain", "late json", "made up"]),
        (("full", "bare", "no choice"), "ample", ["json", "json", "call"]),
        (("full", "deferred", "rejected and required"), "ample", ["right", "answer under the schema", "text call", "text call"]),
        (("full", "ladder of auto", "rejected by field"), "ample", ["late", "wrong json"]),
    ],
)
def test_runs_in_which_it_once_could_not(way: Way, limits: str, kinds: list[str]) -> None:
    assert run_of(way, limits, kinds) == []


def test_a_tool_asked_for_after_the_final_step_runs(run: Run) -> None:
    replies: list[Any] = ["It was the database.", reply("json"), reply("call"), reply("json"), reply("json")]
    model = Server(replies=replies, **SERVERS["json_schema only"])
    agent = create_agent(model, [read_log], response_format=Cause, middleware=[RequireTools("read_log")])
    result = run(agent, {"messages": ["Why did it fail?"]})
    assert result["structured_response"] == Cause(**RIGHT)
    assert result["outcome"]["usage"]["tool_calls"] == 1


@pytest.mark.parametrize("strategy", ["bare", "tool", "auto tool", "ladder"])
@pytest.mark.parametrize("server", ["full", "tools only"])
def test_with_the_choice_of_no_tool_the_answer_can_be_called_and_no_tool_runs(run: Run, server: str, strategy: str) -> None:
    model = Server(replies=[reply("call"), reply("call"), reply("right"), reply("json")], **SERVERS[server])
    offering: Any = Offering("read_log", "read_clock", after=1, tool_choice="none")
    agent: Any = create_agent(model, [read_log, read_clock], response_format=STRATEGIES[strategy](Cause), middleware=[offering])
    result = run(agent, {"messages": ["Why did it fail?"]})
    assert result["structured_response"] == Cause(**RIGHT)
    assert result["outcome"]["usage"]["tool_calls"] == 1
