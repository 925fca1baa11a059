"""Every correction can be obeyed in the request that carries it: over all strategies, checks and servers, whatever a model does.

The model's replies are drawn. Of each request, what was said since the last reply is held against what the request offers.
"""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import (
    Abstention,
    AnswerRejected,
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    Quote,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.middleware import AgentMiddleware, GroundedAnswer, NarrowResponseFormat, RequireTools
from answergraph.models import forget_refusals
from answergraph.testing import ScriptedChatModel, ScriptedRequest
from tests.graphs.agent.offers import OVER, Offer, said_since, violations
from tests.suite.colors import Run

LOG = "10:00 started\n12:04 the database did not answer"
RIGHT: dict[str, Any] = {"cause": "the database", "quote": "the database did not answer", "minutes": 4}
MADE_UP = RIGHT | {"quote": "the disk was full"}
LATE = RIGHT | {"minutes": 400}
WRONG: dict[str, Any] = {"cause": "the database"}


class Cause(BaseModel):
    """Why it failed."""

    cause: str
    quote: str
    minutes: int


class QuotedCause(Cause):
    """Why it failed."""

    quote: Annotated[str, Quote()]


QuotedCause.__name__ = "Cause"


@tool
def read_log() -> str:
    """Read the log."""
    return LOG


@tool
def read_clock() -> str:
    """Read the clock."""
    return "12:30"


def in_the_first_hour(answer: Any, state: Any, runtime: Any) -> None:
    if isinstance(answer, Cause) and answer.minutes > 60:
        raise AnswerRejected("The minutes are those since the hour: at most 60.")


class Offering(AgentMiddleware):
    """Offers only some tools, or the tools with a choice, once the model has replied ``after`` times."""

    def __init__(self, *names: str, after: int = 0, **settings: Any) -> None:
        super().__init__()
        self.names, self.after, self.settings = names, after, settings

    def modify_model_request(self, request: Any) -> Any:
        if sum(isinstance(each, AIMessage) for each in request.messages) < self.after:
            return request
        tools = [each for each in request.tools if each.name in self.names]
        return request.override(tools=tools, **self.settings)


def only_abstention_without_log(request: Any) -> Any:
    return None if any(LOG in each.text for each in request.messages if isinstance(each, ToolMessage)) else Abstention


class Server(ScriptedChatModel):
    """A model behind a server at an address, which says what it can do."""

    base_url: str = ""
    calls: bool = True
    """Whether the server has tool calls."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        if not self.calls:
            raise NotImplementedError
        return super().bind_tools(tools, **kwargs)


SERVERS: dict[str, dict[str, Any]] = {
    "full": {"model_name": "gpt-5"},
    "json_schema only": {"model_name": "smollm", "base_url": "http://llama-cpp:8080/v1"},
    "tools only": {"model_name": "mistral-7b"},
    "plain": {"model_name": "mistral-7b", "calls": False},
}
STRATEGIES: dict[str, Callable[[Any], Any]] = {
    "bare": lambda type_: type_,
    "tool": ToolStrategy,
    "auto tool": lambda type_: ToolStrategy(type_, tool_choice="auto"),
    "provider": ProviderStrategy,
    "prompted": PromptedStrategy,
    "json mode": lambda type_: PromptedStrategy(type_, json_mode=True),
    "deferred": DeferredStrategy,
    "deferred tool": lambda type_: DeferredStrategy(ToolStrategy(type_)),
    "deferred provider": lambda type_: DeferredStrategy(ProviderStrategy(type_)),
    "ladder": lambda type_: FallbackStrategy([ToolStrategy(type_), ProviderStrategy(type_), PromptedStrategy(type_)]),
    "auto": AutoStrategy,
    "own words": lambda type_: ToolStrategy(type_, handle_errors="Look at your answer again."),
    "ladder of auto": lambda type_: FallbackStrategy([AutoStrategy(type_), DeferredStrategy(type_)]),
    "ladder to auto": lambda type_: FallbackStrategy([PromptedStrategy(type_), AutoStrategy(type_)]),
    "ladder of deferred": lambda type_: FallbackStrategy([DeferredStrategy(ToolStrategy(type_)), PromptedStrategy(type_)]),
}
CHECKS: dict[str, Callable[[], dict[str, Any]]] = {
    "none": dict,
    "grounded": lambda: {"middleware": [GroundedAnswer()]},
    "grounded or abstained": lambda: {"middleware": [GroundedAnswer(abstain=Abstention)]},
    "required": lambda: {"middleware": [RequireTools("read_log")]},
    "required in order": lambda: {"middleware": [RequireTools("read_log"), RequireTools("read_clock")]},
    "hidden": lambda: {"middleware": [RequireTools("read_log", mode="hide")]},
    "narrowed": lambda: {"middleware": [NarrowResponseFormat(only_abstention_without_log, until="first call read_log")]},
    "grounded and hidden": lambda: {"middleware": [GroundedAnswer(), RequireTools("read_log", mode="hide")]},
    "without clock": lambda: {"middleware": [RequireTools("read_log"), Offering("read_log")]},
    "without tools": lambda: {"middleware": [RequireTools("read_log"), Offering()]},
    "grounded, tools end": lambda: {"middleware": [GroundedAnswer(), Offering(after=2)]},
    "free choice": lambda: {"middleware": [RequireTools("read_log"), Offering("read_log", "read_clock", tool_choice="auto")]},
    "forced": lambda: {"middleware": [Offering("read_log", "read_clock", tool_choice="any")]},
    "rejected": lambda: {"check_answer": in_the_first_hour},
}
LIMITS: dict[str, UsageLimits] = {
    "ample": UsageLimits(model_calls=12, answer_attempts=8),
    "few attempts": UsageLimits(model_calls=12, answer_attempts=3),
    "no tool call left": UsageLimits(model_calls=12, tool_calls=1, answer_attempts=8),
    "few calls": UsageLimits(model_calls=4, answer_attempts=8),
    "two calls": UsageLimits(model_calls=2),
    "no reserve": UsageLimits(model_calls=4, answer_attempts=8, reserve_final_answer=False),
}


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
    response_format = STRATEGIES[strategy](Cause | Abstention if check == "narrowed" else type_)
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
