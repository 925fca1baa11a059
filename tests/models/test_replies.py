"""Every recorded reply is read correctly: as an answer, a call of a real tool, or neither.

The replies are of real small models (``replies/``); what each holds stands beside it in a file of labels, made by
``tests.models.label``. An agent is given the schema and the tools of the recorded request and a model that gives the reply.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, StructuredTool

from answergraph import AutoStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.asking.providers.refusals import remember_refusal
from answergraph.asking.strategies.call_or_answer import NATIVE_CALLS
from answergraph.middleware import AgentMiddleware
from answergraph.models import ReActTextModel, forget_refusals
from answergraph.testing import ScriptedChatModel
from tests.models.requests import asked_by

pytestmark = pytest.mark.torture

REPLIES = Path(__file__).parent / "replies"

MIN_SHARE_READ = 0.95
"""Of the replies that hold a valid answer or a call, the share that is read as such."""

Verdict = Literal["answer", "call", "neither"]


@dataclass(frozen=True)
class Labelled:
    """One recorded reply with its label."""

    name: str
    text: str
    finish_reason: str
    tools: tuple[dict[str, Any], ...]
    label: dict[str, Any]

    @property
    def verdict(self) -> Verdict:
        """What the reader must make of the reply."""
        held: str = self.label["label"]
        return held if held in {"answer", "call"} else "neither"  # type: ignore[return-value] # checked by the test of the labels


def labelled() -> Iterator[Labelled]:
    for path in sorted(REPLIES.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        labels = json.loads(path.with_suffix(".labels.json").read_text("utf-8"))
        for row, label in zip(rows, labels, strict=True):
            text = row["reply"]["content"] or ""
            tools = asked_by(row["request"]).tools
            yield Labelled(f"{path.stem}:{label['line']}", text, row["finish_reason"], tools, label)


@dataclass(frozen=True)
class Read:
    """What the library made of a reply."""

    verdict: Verdict
    answer: Any = None
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


STRATEGIES: dict[str, Callable[[Any], Any]] = {
    "native": ProviderStrategy,
    "tool": ToolStrategy,
    "words": PromptedStrategy,
    "json_mode": lambda schema: PromptedStrategy(schema, json_mode=True),
    "react": AutoStrategy,
    "held": AutoStrategy,
}


class LocalModel(ScriptedChatModel):
    """A model whose server enforces schemas and no calls: it is asked for a call or the answer, under one schema."""

    base_url: str = "http://llama-cpp:8080/v1"


class Freely(AgentMiddleware[Any, Any, Any]):
    """Lets the answer come at once, as after a call."""

    def modify_model_request(self, request: Any) -> Any:
        return request.override(tool_choice="auto")


def read(reply: Labelled) -> Read:
    """Give the reply to an agent as its model's first, and nothing of use after it."""
    calls: list[tuple[str, dict[str, Any]]] = []
    schema = reply.label["schema"]
    message = AIMessage(reply.text, response_metadata={"finish_reason": reply.finish_reason})
    is_held = reply.label["way"] == "held"
    script = (LocalModel if is_held else ScriptedChatModel)(replies=[message, *["I have nothing to add."] * 3])
    model = ReActTextModel(script) if reply.label["way"] == "react" else script
    if is_held:
        remember_refusal(model, NATIVE_CALLS, beside_tools=False)
    agent = create_agent(
        model,
        [_tool(each, calls) for each in reply.tools],
        response_format=schema and STRATEGIES[reply.label["way"]](schema),
        limits=UsageLimits(model_calls=2),
        middleware=[Freely()] if is_held else [],
    )
    result = agent.invoke({"messages": ["Go."]})
    if calls:
        return Read("call", calls=tuple(calls))
    if result.get("structured_response") is not None:
        return Read("answer", answer=result["structured_response"])
    return Read("neither")


def _tool(function: dict[str, Any], calls: list[tuple[str, dict[str, Any]]]) -> BaseTool:
    def run(**arguments: Any) -> str:
        calls.append((function["name"], arguments))
        return "done"

    schema = {"type": "object", "properties": {}, **function["parameters"]}
    return StructuredTool(name=function["name"], description=function.get("description", "A tool."), args_schema=schema, func=run)


def is_right(reply: Labelled, made: Read) -> bool:
    if made.verdict == "answer" == reply.verdict:
        return made.answer in reply.label["answers"]
    if made.verdict == "call" == reply.verdict:
        return list(made.calls[0]) in reply.label["calls"]
    return made.verdict == reply.verdict


@pytest.fixture(scope="module")
def readings() -> Iterator[list[tuple[Labelled, Read]]]:
    yield [(reply, read(reply)) for reply in labelled()]
    forget_refusals()


def test_what_holds_an_answer_or_a_call_is_read_as_such(readings: list[tuple[Labelled, Read]]) -> None:
    held = [(reply, made) for reply, made in readings if reply.verdict != "neither"]
    wrong = [
        f"{reply.name} {reply.label['way']} {reply.verdict} -> {made.verdict}"
        for reply, made in held
        if not is_right(reply, made)
    ]
    share = 1 - len(wrong) / len(held)
    print(f"{share:.1%} of {len(held)} replies that hold an answer or a call are read as such; not so:", *wrong, sep="\n  ")
    assert share >= MIN_SHARE_READ, "\n".join(wrong)


def test_nothing_is_read_where_nothing_is_held(readings: list[tuple[Labelled, Read]]) -> None:
    wrong = [
        f"{reply.name} {reply.label['way']} {reply.label['label']} -> {made}"
        for reply, made in readings
        if reply.verdict == "neither" and made.verdict != "neither"
    ]
    assert not wrong, "\n".join(wrong)


def test_every_reply_has_a_label() -> None:
    counts = Counter(reply.label["label"] for reply in labelled())
    assert counts.keys() <= {"answer", "call", "echo", "prose", "cut", "wrong"}
