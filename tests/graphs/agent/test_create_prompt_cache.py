"""A provider's prompt cache hits: a request begins with the request before it, as far as its format allows.

``python -m tests.graphs.agent.test_create_prompt_cache`` prints the table of ``docs/performance.md``.
"""

import json
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, SecretStr

from answergraph import (
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from tests.openai_server import OpenAIServer, Reply, ToolCall, calls, says

TURNS = 10
HELD = 0.99
DOCS = Path(__file__).parents[3] / "docs" / "performance.md"


class ReasonedVerdict(BaseModel):
    """Whether a run passed."""

    passed: bool
    reason: str


@tool
def read_log(part: int) -> str:
    """Read a part of the log."""
    return "\n".join(f"{part}.{line} step finished in {line * 17 % 29} ms, nothing unusual was seen" for line in range(12))


VALUE = {"passed": True, "reason": "Nothing unusual was seen."}
LOOK = calls(ToolCall("read_log", {"part": 3}))
BY_TOOL = [LOOK, calls(ToolCall("ReasonedVerdict", VALUE))]
IN_TEXT = [LOOK, says(json.dumps(VALUE))]
IN_THE_END = [LOOK, says("I have read it."), IN_TEXT[-1]]
FORMATS: Mapping[str, tuple[Any, list[Reply]]] = {
    "no schema": (None, [LOOK, says("It passed.")]),
    "`ToolStrategy`": (ToolStrategy(ReasonedVerdict), BY_TOOL),
    "`ProviderStrategy`": (ProviderStrategy(ReasonedVerdict), IN_TEXT),
    "`AutoStrategy`": (AutoStrategy(ReasonedVerdict), IN_TEXT),
    "`FallbackStrategy`": (FallbackStrategy([ProviderStrategy(ReasonedVerdict), ToolStrategy(ReasonedVerdict)]), IN_TEXT),
    "`PromptedStrategy`": (PromptedStrategy(ReasonedVerdict), IN_TEXT),
    "`DeferredStrategy`, provider": (DeferredStrategy(ProviderStrategy(ReasonedVerdict)), IN_THE_END),
    "`DeferredStrategy`, tool": (DeferredStrategy(ToolStrategy(ReasonedVerdict)), [*IN_THE_END[:2], BY_TOOL[-1]]),
    "`DeferredStrategy`, prompted": (DeferredStrategy(PromptedStrategy(ReasonedVerdict)), IN_THE_END),
}


class Prompt(NamedTuple):
    """The input of the model in a request, in OpenAI's order."""

    head: str
    """Tools and format."""
    text: str
    """Head and messages."""


@cache
def prompts(name: str, *, responses_api: bool = False) -> list[Prompt]:
    """Return the model's input in each request of a thread."""
    response_format, turn = FORMATS[name]
    with OpenAIServer(turn * TURNS) as server:
        fields: dict[str, Any] = {"use_responses_api": responses_api, "max_retries": 0}
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("test"), **fields)
        agent = create_agent(
            model, [read_log], response_format=response_format, system_prompt="You read logs.", checkpointer=InMemorySaver()
        )
        for number in range(TURNS):
            question = f"Did run {number} pass? Look into part {number} of the log before you answer, and say why."
            state: Any = agent.invoke({"messages": [question]}, {"configurable": {"thread_id": "1"}})
            assert response_format is None or state["structured_response"] == ReasonedVerdict(
                passed=True, reason=str(VALUE["reason"])
            )
        bodies = [request.body for request in server.requests]
    assert len(bodies) == len(turn) * TURNS
    return [_prompt(body) for body in bodies]


def _prompt(body: Mapping[str, Any]) -> Prompt:
    head = json.dumps([body.get("tools"), body.get("response_format") or body.get("text")])
    return Prompt(head, "".join([head, *map(json.dumps, body.get("messages") or body["input"])]))


def _share(before: str, prompt: str) -> float:
    return len(commonprefix([before, prompt])) / len(before)  # noqa: RUF071 - of texts, not of paths


def shares(found: list[Prompt]) -> tuple[list[float], list[float]]:
    """Return each request's share of the request before it, and of the last one with the same tools and format."""
    of_its_kind: dict[str, str] = {}
    again = []
    for prompt in found:
        if prompt.head in of_its_kind:
            again.append(_share(of_its_kind[prompt.head], prompt.text))
        of_its_kind[prompt.head] = prompt.text
    return [_share(before.text, prompt.text) for before, prompt in pairwise(found)], again


def row(name: str, *, responses_api: bool = False) -> str:
    """Return the row of the docs for a format."""
    found = shares(prompts(name, responses_api=responses_api))
    return f"| {name} | {' | '.join(f'{sum(part) / len(part):.1%} ({min(part):.1%})' for part in found)} |"


@pytest.mark.parametrize("name", FORMATS)
def test_the_docs_say_how_much_of_a_request_is_found_again(name: str) -> None:
    assert row(name) in DOCS.read_text(encoding="utf-8").splitlines()


CHAT_COMPLETIONS = [(name, False) for name in FORMATS if "rompted" not in name]
RESPONSES = [("`ToolStrategy`", True), ("`ProviderStrategy`", True)]


@pytest.mark.parametrize(("name", "responses_api"), CHAT_COMPLETIONS + RESPONSES)
def test_a_request_begins_with_the_whole_of_the_last_one_with_its_tools_and_format(name: str, responses_api: bool) -> None:
    before, of_its_kind = shares(prompts(name, responses_api=responses_api))
    assert min(of_its_kind) >= HELD
    assert min(before) >= HELD or "Deferred" in name


if __name__ == "__main__":
    sys.stdout.write("".join(f"{row(name)}\n" for name in FORMATS))
