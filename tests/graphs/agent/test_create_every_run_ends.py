"""Every run ends and says how, for all combinations of replies, strategies and limits."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall, ToolCall, ToolMessage
from langchain_core.tools import tool

from answergraph import (
    AnswerRejected,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.state.outcome import EndStrategy
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import Verdict
from tests.suite.colors import Run

EXAMPLES = 20
"""Per way to ask; each is run three times."""


GOOD = {"passed": True, "score": 7}
OTHER = {"passed": False, "score": 1}
BAD = {"passed": True, "score": 70}


def answer(args: dict[str, Any], call_id: str) -> ToolCall:
    return ToolCall(name="Verdict", args=args, id=call_id, type="tool_call")


def wish(name: str, call_id: str) -> ToolCall:
    return ToolCall(name=name, args={"query": "q"}, id=call_id, type="tool_call")


def broken(name: str, args: str, call_id: str) -> InvalidToolCall:
    return InvalidToolCall(name=name, args=args, id=call_id, error="no JSON", type="invalid_tool_call")


def called(*calls: ToolCall, invalid: Sequence[InvalidToolCall] = (), text: str = "", **metadata: Any) -> AIMessage:
    return AIMessage(text, tool_calls=list(calls), invalid_tool_calls=list(invalid), response_metadata=metadata)


def written(text: str, number: int) -> AIMessage:
    return AIMessage(text)


def refuse_the_other(answer: Any, state: Any, runtime: Any) -> None:
    if answer == Verdict.model_validate(OTHER):
        raise AnswerRejected("Not that one.")


# Each request gets a new reply, so that no two calls of a run share an id.
TEXTS = {
    "prose": "It passed, I think.",
    "prose with braces": "It {passed}, I think.",
    "a whole answer": json.dumps(GOOD),
    "an answer in prose": f"My verdict is {json.dumps(OTHER)}, for the log {{says so}}.",
    "an answer in a fence": f"```json\n{json.dumps(GOOD)}\n```",
    "an answer with a slip of syntax": '{"passed": true, "score": 7,}',
    "a bad answer in prose": f"My verdict is {json.dumps(BAD)}.",
    "two different answers in prose": f"{json.dumps(GOOD)} or {json.dumps(OTHER)}",
    "an echo of the schema": json.dumps(Verdict.model_json_schema()),
    "a list": "[1, 2]",
    "nothing": "",
    "blank": " \n",
}
MESSAGES: dict[str, Callable[[int], AIMessage]] = {
    "a good answer": lambda n: called(answer(GOOD, f"{n}a")),
    "the same bad answer": lambda n: called(answer(BAD, f"{n}a")),
    "a new bad answer": lambda n: called(answer({**BAD, "score": 70 + n}, f"{n}a")),
    "two equal answers": lambda n: called(answer(GOOD, f"{n}a"), answer(GOOD, f"{n}b")),
    "two different answers": lambda n: called(answer(GOOD, f"{n}a"), answer(OTHER, f"{n}b")),
    "a good and a bad answer": lambda n: called(answer(GOOD, f"{n}a"), answer(BAD, f"{n}b")),
    "a tool": lambda n: called(wish("search", f"{n}s")),
    "two tools": lambda n: called(wish("search", f"{n}s"), wish("search", f"{n}t"), text="Let me look."),
    "a tool that fails": lambda n: called(ToolCall(name="search", args={}, id=f"{n}s", type="tool_call")),
    "an unknown tool": lambda n: called(wish("grep", f"{n}u")),
    "an answer beside a tool": lambda n: called(answer(GOOD, f"{n}a"), wish("search", f"{n}s")),
    "another answer beside a tool": lambda n: called(wish("search", f"{n}s"), answer({**OTHER, "score": n % 10}, f"{n}a")),
    "a bad answer beside a tool": lambda n: called(answer(BAD, f"{n}a"), wish("search", f"{n}s")),
    "an answer beside an unknown tool": lambda n: called(answer(GOOD, f"{n}a"), wish("grep", f"{n}u")),
    "a tool beside an unknown tool": lambda n: called(wish("search", f"{n}s"), wish("grep", f"{n}u")),
    "a text answer beside a tool": lambda n: called(wish("search", f"{n}s"), text=json.dumps(GOOD)),
    "a malformed tool": lambda n: called(invalid=[broken("search", '{"query": ', f"{n}m")]),
    "a malformed unknown tool": lambda n: called(invalid=[broken("grep", "{", f"{n}m")]),
    "a malformed answer": lambda n: called(invalid=[broken("Verdict", '{"passed": tr', f"{n}m")]),
    "an answer in malformed arguments": lambda n: called(invalid=[broken("Verdict", f"Sure: {json.dumps(GOOD)}", f"{n}m")]),
    "a malformed answer beside a tool": lambda n: called(wish("search", f"{n}s"), invalid=[broken("Verdict", "{", f"{n}m")]),
    "a good and a malformed answer": lambda n: called(answer(GOOD, f"{n}a"), invalid=[broken("Verdict", "{", f"{n}m")]),
    "an answer beside a malformed tool": lambda n: called(answer(GOOD, f"{n}a"), invalid=[broken("search", "{", f"{n}m")]),
    "a tool beside a malformed one": lambda n: called(wish("search", f"{n}s"), invalid=[broken("search", "{", f"{n}m")]),
    "a refusal": lambda _: AIMessage("", additional_kwargs={"refusal": "I can't help with that."}),
    "a refusal beside a tool": lambda n: called(wish("search", f"{n}s"), stop_reason="refusal"),
    "a cut text": lambda _: called(text='{"passed": true, "sc', finish_reason="length"),
    "a cut answer that parses": lambda n: called(answer(GOOD, f"{n}a"), finish_reason="length"),
    "a cut answer beside a tool": lambda n: called(answer(GOOD, f"{n}a"), wish("search", f"{n}s"), stop_reason="max_tokens"),
    "a cut malformed answer": lambda n: called(invalid=[broken("Verdict", '{"pas', f"{n}m")], finish_reason="length"),
    "reasoning only": lambda _: AIMessage([{"type": "reasoning", "reasoning": "Hm."}]),
    **{kind: partial(written, text) for kind, text in TEXTS.items()},
}

TOOL, NATIVE, PROMPTED = ToolStrategy(Verdict), ProviderStrategy(Verdict), PromptedStrategy(Verdict)
FORMATS: dict[str, Any] = {
    "tool": TOOL,
    "provider": NATIVE,
    "prompted": PROMPTED,
    "deferred tool": DeferredStrategy(TOOL),
    "deferred provider": DeferredStrategy(NATIVE),
    "deferred prompted": DeferredStrategy(PROMPTED),
    "deferred auto": DeferredStrategy(Verdict),
    "fallback": FallbackStrategy([NATIVE, TOOL, PROMPTED]),
    "fallback to deferred": FallbackStrategy([TOOL, DeferredStrategy(PROMPTED)]),
    "auto": Verdict,
    "auto with the provider's mode": Verdict,
}


@dataclass(frozen=True)
class Situation:
    """A model's behaviour and the developer's options."""

    script: list[str]
    """The kinds of its replies, repeated from the start when they are used up."""
    end_strategy: EndStrategy
    limits: UsageLimits
    has_tools: bool
    is_checked: bool


def small(highest: int) -> st.SearchStrategy[int]:
    return st.integers(1, highest)


SITUATIONS = st.builds(
    Situation,
    script=st.lists(st.sampled_from(sorted(MESSAGES)), min_size=1, max_size=6),
    end_strategy=st.sampled_from(get_args(EndStrategy)),
    limits=st.builds(
        UsageLimits,
        model_calls=small(8),
        tool_calls=st.none() | small(3),
        total_tokens=st.none() | small(400),
        answer_attempts=small(5),
        reserve_final_answer=st.booleans(),
    ),
    has_tools=st.booleans(),
    is_checked=st.booleans(),
)


class Ended:
    """One complete run of a situation, with its counts."""

    def __init__(self, situation: Situation, format: str, run: Callable[[Any], Any]) -> None:
        self.searches = 0
        native = format == "auto with the provider's mode"
        self.model = ScriptedChatModel(replies=self._reply, profile={"structured_output": True} if native else None)
        self._script = situation.script
        agent = create_agent(
            self.model,
            [self._search()] if situation.has_tools else [],
            response_format=FORMATS[format],
            end_strategy=situation.end_strategy,
            limits=situation.limits,
            check_answer=refuse_the_other if situation.is_checked else None,
        )
        self.result: dict[str, Any] = run(agent)
        self.messages: list[BaseMessage] = self.result["messages"]
        self.outcome: dict[str, Any] = self.result["outcome"]

    def _reply(self, messages: Any) -> AIMessage:
        number = len(self.model.requests) - 1
        return MESSAGES[self._script[number % len(self._script)]](number)

    def _search(self) -> Any:
        @tool
        def search(query: str) -> str:
            """Search the logs."""
            self.searches += 1
            return f"found {query}"

        return search

    @property
    def story(self) -> list[dict[str, Any]]:
        """The messages without their ids, which are random."""
        return [message.model_dump(exclude={"id"}) for message in self.messages]

    @property
    def ending(self) -> dict[str, Any]:
        """The outcome without the ids, which differ in each run."""
        attempts = [{**attempt, "message_id": None} for attempt in self.outcome["attempts"]]
        return {**self.outcome, "attempts": attempts, "usage": {**self.outcome["usage"], "seconds": None}}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def every_call_is_answered_once_in_its_turn(messages: Sequence[BaseMessage]) -> bool:
    asked: list[str | None] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in asked:
                return False
            asked.remove(message.tool_call_id)
        elif asked:
            return False
        if isinstance(message, AIMessage):
            asked = [call["id"] for call in (*message.tool_calls, *message.invalid_tool_calls)]
    return not asked


def no_two_user_messages_are_adjacent(messages: Sequence[BaseMessage]) -> bool:
    return not any(all(isinstance(message, HumanMessage) for message in pair) for pair in pairwise(messages))


def ended_as_it_should(ended: Ended, limits: UsageLimits) -> None:
    value, outcome, usage = ended.result["structured_response"], ended.outcome, ended.outcome["usage"]
    assert (value is not None) == (outcome["status"] == "answered")
    if value is not None:
        assert Verdict.model_validate(value.model_dump()) == value
        assert (outcome["schema"], outcome["attempts"][-1]["error"]) == ("Verdict", None)
    assert outcome["reason"]
    assert json.loads(json.dumps(outcome)) == outcome
    assert usage["model_calls"] == len(ended.model.requests) <= (limits.model_calls or 0)
    assert ended.searches <= usage["tool_calls"] <= (limits.tool_calls or usage["tool_calls"])
    assert len(outcome["attempts"]) <= limits.answer_attempts
    if limits.reserve_final_answer and usage["model_calls"] == limits.model_calls:
        last = ended.model.requests[-1]
        is_said = "No other tool can be called any more." in last.messages[-1].text
        assert "search" not in last.tool_names or last.tool_choice in ("none", "Verdict") or is_said


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=EXAMPLES, deadline=None)
@given(situation=SITUATIONS)
def test_every_run_ends_within_its_limits_with_a_value_or_a_reason(
    runner: asyncio.Runner, format: str, situation: Situation
) -> None:
    question: dict[str, Any] = {"messages": [HumanMessage("Did it pass?")]}
    sync, awaited = Run("sync", runner), Run("async", runner)
    ended = Ended(situation, format, lambda agent: sync(agent, question))
    ended_as_it_should(ended, situation.limits)
    assert every_call_is_answered_once_in_its_turn(ended.messages)
    requests = [request.messages for request in ended.model.requests]
    assert all(every_call_is_answered_once_in_its_turn(sent) for sent in requests)
    assert no_two_user_messages_are_adjacent(ended.messages)
    assert all(no_two_user_messages_are_adjacent(sent) for sent in requests)
    for other in (
        Ended(situation, format, lambda agent: awaited(agent, question)),
        Ended(situation, format, lambda agent: sync.stream(agent, question, stream_mode="values")[-1]),
        Ended(situation, format, lambda agent: awaited.stream(agent, question, stream_mode="values")[-1]),
    ):
        assert (other.story, other.ending) == (ended.story, ended.ending)
        assert other.result["structured_response"] == ended.result["structured_response"]
