"""Whatever a server answers, the run ends in an outcome, and the next turn of the same thread works."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from typing import Any

import pytest
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, SecretStr, field_validator

from answergraph import AutoStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, create_agent
from tests.openai_server import OpenAIServer, Reply, ToolCall, calls, is_cut_off, refuses, says

pytestmark = pytest.mark.torture


class Verdict(BaseModel):
    """The test's verdict."""

    passed: bool
    why: str = ""

    @field_validator("why", mode="before")
    @classmethod
    def _stripped(cls, why: Any) -> Any:
        return why.strip()  # a validator that does not expect a number raises an AttributeError


@tool
def look(q: str) -> str:
    """Look something up."""
    return q


def deep(levels: int, inside: str = "1") -> str:
    return "[" * levels + inside + "]" * levels


ANSWER = '{"passed": true, "why": "It runs."}'
ARGUMENTS = {
    **{f"{levels} deep": f'{{"q": {deep(levels)}, "passed": {deep(levels)}}}' for levels in (127, 200, 500, 900, 10_000)},
    "open brackets": "[" * 10_000,
    "brackets in a string": '{"q": "' + '{"k":[1,' * 400 + '"}',
    "a number over 64 bits": '{"q": 1180591620717411303424, "passed": 1180591620717411303424}',
    "a number of 5,000 digits": '{"q": ' + "9" * 5_000 + "}",
    "an infinite number": '{"q": 1e999, "passed": true, "why": 1e999}',
    "no number": '{"q": NaN, "passed": NaN}',
    "a lone surrogate": '{"q": "\\ud800", "passed": true, "why": "\\ud800"}',
    "a surrogate as a key": '{"\\ud800": 1}',
    "a zero character": '{"q": "\\u0000", "passed": true, "why": "\\u0000"}',
    "4,000 characters": '{"q": "' + "a" * 4_000 + '"}',
    "a list": '[{"passed": true}]',
    "a text": '"passed"',
    "nothing": "",
    "null": "null",
    "other types": '{"q": {"a": [1]}, "passed": "maybe", "why": 7}',
    "a key twice": '{"passed": true, "passed": false, "q": "a", "q": "b"}',
}
TEXTS = {
    **{name: text for name, text in ARGUMENTS.items() if name != "4,000 characters"},
    "an open fence": "```json\n" + " " * 20_000 + "x",
    "thoughts without end": "<think>" * 2_000,
    "a call without end": '{"name": "look", "arguments": ' * 1_000,
    "tags": '<invoke name="look">' * 1_000,
    "spaces": " " * 50_000,
    "quotes": "'\"" * 5_000,
}
REPLIES: dict[str, Reply] = {
    **{f"a text: {name}": says(text) for name, text in TEXTS.items()},
    **{f"cut: {name}": is_cut_off(text) for name, text in TEXTS.items()},
    **{f"arguments: {name}": calls(ToolCall("look", text)) for name, text in ARGUMENTS.items()},
    **{f"an answer call: {name}": calls(ToolCall("Verdict", text)) for name, text in ARGUMENTS.items()},
    "200 calls": calls(*(ToolCall("look", {"q": "a"}, id=str(at)) for at in range(200))),
    "200 unknown calls": calls(*(ToolCall("nobody", {"q": "a"}, id=str(at)) for at in range(200))),
    "200 answers": calls(*(ToolCall("Verdict", {"passed": bool(at % 2)}, id=str(at)) for at in range(200))),
    "calls of one id": calls(*(ToolCall("look", {"q": "a"}, id="one") for _ in range(5))),
    "a call without a name": calls(ToolCall("", {"q": "a"})),
    "a name of 10,000 characters": calls(ToolCall("l" * 10_000, {"q": "a"})),
    "a refusal of brackets": refuses("[" * 10_000),
    "an unknown finish reason": Reply("x", finish_reason="stop" * 5_000 + "!"),
}
STRATEGIES: tuple[Any, ...] = (ToolStrategy, ProviderStrategy, PromptedStrategy, AutoStrategy)
PART, OF_EACH = (0, 1), 5
"""Each strategy gets two of every five replies from each API: 328 in all."""
KEY = "key-of-nobody"
Run = Callable[[Any, Any, Any], Any]


def invoke(agent: Any, given: Any, config: Any) -> Any:
    return agent.invoke(given, config)


def ainvoke(agent: Any, given: Any, config: Any) -> Any:
    return asyncio.run(agent.ainvoke(given, config))


def stream(agent: Any, given: Any, config: Any) -> Any:
    return list(agent.stream(given, config, stream_mode="values"))[-1]


def astream(agent: Any, given: Any, config: Any) -> Any:
    async def last() -> Any:
        return [state async for state in agent.astream(given, config, stream_mode="values")][-1]

    return asyncio.run(last())


WAYS: tuple[Run, ...] = (invoke, ainvoke, stream, astream)


@contextmanager
def chaos_server() -> Iterator[tuple[list[Reply], OpenAIServer]]:
    """Answer what the script holds, then well."""
    script: list[Reply] = []

    def next_reply(body: Any) -> Reply:
        tools = [each.get("function") or each for each in body.get("tools") or ()]
        is_asked_to_call = any(each.get("name") == "Verdict" for each in tools)
        return script.pop() if script else calls(ToolCall("Verdict", ANSWER)) if is_asked_to_call else says(ANSWER)

    with OpenAIServer(next_reply) as server:
        yield script, server


def agent_of(server: OpenAIServer, strategy: Any, way: Run, responses_api: bool) -> Any:
    options: dict[str, Any] = {"streaming": True} if way in (stream, astream) else {}
    key = SecretStr(KEY)
    model = ChatOpenAI(
        model="gpt-4o", base_url=server.base_url, api_key=key, use_responses_api=responses_api, max_retries=0, **options
    )
    return create_agent(model, [look], response_format=strategy(Verdict), checkpointer=InMemorySaver())


def faults(run: Callable[[Any, Any], Any], script: list[Reply], thread: str) -> list[str]:
    """Return what went wrong in a turn with what the script holds, and in the next turn of the thread."""
    found = []
    for turn in ("first", "next"):
        try:
            outcome = run({"messages": [turn]}, {"configurable": {"thread_id": thread}})["outcome"]
        except Exception as error:  # noqa: BLE001 - that it is none is what is tested
            found.append(f"{turn}: {type(error).__name__}: {str(error)[:100]}")
            continue
        found += [f"{turn}: the key is told"] if KEY in json.dumps(outcome) else []
        found += ["next: no answer"] if turn == "next" and outcome["status"] != "answered" else []
        script.clear()
    return found


@pytest.mark.parametrize("responses_api", [False, True], ids=["chat", "responses"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_run_ends_in_an_outcome_whatever_the_server_answers(strategy: Any, responses_api: bool) -> None:
    """Blocking, awaited and streamed in turn."""
    ways: Any = cycle(WAYS)
    turn_of = STRATEGIES.index(strategy) + 2 * responses_api
    chosen = [each for number, each in enumerate(REPLIES.items()) if (number + turn_of) % OF_EACH in PART]
    with chaos_server() as (script, server):
        agents = {way: agent_of(server, strategy, way, responses_api) for way in WAYS}
        wrong = {}
        for way, (name, reply) in zip(ways, chosen, strict=False):
            script[:] = [reply] * 2
            wrong[name] = faults(partial(way, agents[way]), script, name)
    assert {name: each for name, each in wrong.items() if each} == {}
    assert len(chosen) >= len(REPLIES) * len(PART) // OF_EACH
