"""Reading long texts, or checking an answer against them, does not block the event loop that serves other runs."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import thread_time
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import PromptedStrategy, Quote, ToolStrategy, create_agent
from answergraph.graphs import create_judge, create_triage_agent
from answergraph.middleware import GroundedAnswer, InputAgentState
from answergraph.models import ReActTextModel
from answergraph.testing import ScriptedChatModel
from tests.suite.verdicts import Verdict
from tests.torture.hostile_inputs import JUNIT
from tests.torture.hostile_texts import SHAPES

MAX_HELD_SECONDS = 0.1
"""CPU time of the loop's thread between two iterations; on the loop itself, reading an input takes several times as long."""

ASKED: InputAgentState = {"messages": ["Did it pass?"]}


class Quoted(BaseModel):
    """What the log says."""

    said: Annotated[list[str], Quote()]


async def held_seconds(run: Awaitable[Any]) -> float:
    """Return the longest CPU time of the loop's thread between two iterations, without other threads and programs."""
    longest, ended = 0.0, False

    async def beat() -> None:
        nonlocal longest
        last = thread_time()
        while not ended:
            await asyncio.sleep(0.001)
            now = thread_time()
            longest, last = max(longest, now - last), now

    beating = asyncio.create_task(beat())
    await asyncio.sleep(0)
    gc.disable()
    try:
        await run
    finally:
        gc.enable()
        ended = True
        await beating
    return longest


def call(name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": "1"}])


def reply_as_text(folder: Path) -> Awaitable[Any]:
    model = ScriptedChatModel(replies=[SHAPES["'{\"a\":' in each other"](100_000), '{"passed": true}'])
    return create_agent(model, response_format=PromptedStrategy(Verdict)).ainvoke(ASKED)


def broken_arguments(folder: Path) -> Awaitable[Any]:
    text = SHAPES["'{' in each other"](400_000)
    broken: Any = [{"name": "Verdict", "args": text, "id": "1", "error": None, "type": "invalid_tool_call"}]
    model = ScriptedChatModel(replies=[AIMessage("", invalid_tool_calls=broken), call("Verdict", {"passed": True})])
    return create_agent(model, response_format=ToolStrategy(Verdict)).ainvoke(ASKED)


def evidence(folder: Path) -> Awaitable[Any]:
    def read_log() -> str:
        """Read the log."""
        return "1 passed, 2.5 s “fast” ﬁne\n" * 8_000

    answer = call("Quoted", {"said": ["3 failed, none", "2 passed"]})
    model = ScriptedChatModel(replies=[call("read_log", {}), answer, call("Quoted", {"said": ["1 passed"]})])
    return create_agent(model, [read_log], response_format=ToolStrategy(Quoted), middleware=[GroundedAnswer()]).ainvoke(ASKED)


def text_protocol(folder: Path) -> Awaitable[Any]:
    text = "Action: look\nAction Input: " + SHAPES["a broken call, then lists"](60_000)

    def look(q: str) -> str:
        """Look."""
        return q

    model = ScriptedChatModel(replies=[text, "Final Answer: done"])
    return create_agent(ReActTextModel(model), [look]).ainvoke(ASKED)


def result_files(folder: Path) -> Awaitable[Any]:
    (folder / "results.xml").write_text(JUNIT["cases"](200_000))
    (folder / "test.log").write_text("ERROR x\n" * 50_000)
    return create_triage_agent().ainvoke({"folder": str(folder)})


def judged_work(folder: Path) -> Awaitable[Any]:
    work = SHAPES["'{\"a\":' in each other"](100_000)
    model = ScriptedChatModel(replies=[work, f'{{"step": 1, "reason": "{"so " * 50_000}"}}', "[STEP:1]"])
    return create_judge(model, ["tests pass", "needs fix"], grounded=True).ainvoke({"report": f"All the tests pass. {work}"})


def rules_on_facts(folder: Path) -> Awaitable[Any]:
    rules = [f"when(exists(items, item > {number} && item < {number}))" for number in (1, 2)]
    return create_judge("offline", rules).ainvoke({"report": "x", "facts": {"items": list(range(49_000))}})


def callers_schema(folder: Path) -> Awaitable[Any]:
    schema = {"type": "object", "properties": {f"field_{number}": {"type": "string"} for number in range(3_000)}}
    model = ScriptedChatModel(replies=['{"field_1": "x"}'])
    agent = create_agent(model, response_format=lambda state, runtime: PromptedStrategy({"title": "Form", **schema}))
    return agent.ainvoke(ASKED)


@pytest.mark.torture
@pytest.mark.parametrize(
    "run",
    [
        *(reply_as_text, broken_arguments, evidence, text_protocol, result_files),
        *(judged_work, rules_on_facts, callers_schema),
    ],
)
async def test_the_event_loop_keeps_serving_other_runs(run: Callable[[Path], Awaitable[Any]], tmp_path: Path) -> None:
    # The first run imports what it needs, which a server does once.
    assert min([await held_seconds(run(tmp_path)) for _ in range(2)]) < MAX_HELD_SECONDS
