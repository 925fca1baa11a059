"""An awaited run makes no call that blocks the event loop: no file access, no socket, no sleep, no waiting for a lock."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import pytest
from blockbuster import BlockingError, blockbuster_ctx
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from answergraph import AutoStrategy, PromptedStrategy, Quote, ToolStrategy, aresume, aunfinished, create_agent
from answergraph.evidence.texts.cldr_names import month_names
from answergraph.graphs import create_calculator, create_extractor, create_judge, create_triage_agent, create_workflow
from answergraph.graphs.add_ons.calculator.general_agent import general_agent
from answergraph.middleware import GroundedAnswer
from answergraph.models import ReActTextModel
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.workflow.agents import step

ROOT = Path(__file__).parents[2]


class Quoted(BaseModel):
    """What the log says."""

    said: Annotated[list[str], Quote()]


class Payment(BaseModel):
    """What is to be paid, and when."""

    total: float
    due: date


def read_log() -> str:
    """Read the log: a tool that blocks, and so runs in a thread."""
    return Path(__file__).read_text()[:40]


def call(name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": "1"}])


THREAD: Any = {"configurable": {"thread_id": "1"}}
ASKED: Any = {"messages": ["Did it pass?"]}
QUOTE = {"said": ["An awaited run makes no call"]}


def grounded(strategy: Any, answer: Any) -> Any:
    replies = [call("read_log", {}), "This is no answer.", answer]
    model = ScriptedChatModel(replies=lambda messages: replies[sum(isinstance(m, AIMessage) for m in messages)])
    options: Any = {"response_format": strategy(Quoted), "middleware": [GroundedAnswer()], "checkpointer": InMemorySaver()}
    return create_agent(model, [read_log], **options)


async def agents(folder: Path) -> None:
    for strategy, answer in (
        (ToolStrategy, call("Quoted", QUOTE)),
        (PromptedStrategy, f"{QUOTE}"),
        (AutoStrategy, call("Quoted", QUOTE)),
    ):
        agent = grounded(strategy, answer)
        assert (await agent.ainvoke(ASKED, THREAD))["outcome"]["status"] == "answered"
        assert await aunfinished(agent, THREAD) is None
        await aresume(agent, THREAD)


async def streams(folder: Path) -> None:
    agent = grounded(ToolStrategy, call("Quoted", QUOTE))
    async for _ in agent.astream(ASKED, THREAD, stream_mode=["values", "messages", "custom", "updates"]):
        pass


async def text_protocol(folder: Path) -> None:
    model = ReActTextModel(ScriptedChatModel(replies=["Action: read_log\nAction Input: {}", "Final Answer: done"]))
    await create_agent(model, [read_log]).ainvoke(ASKED)


async def shipped_graphs(folder: Path) -> None:
    await create_calculator("offline").ainvoke({"messages": ["(2 + 3) × 4"]})
    await general_agent().ainvoke({"messages": ["3 + 4"]}, context={"system_prompt": "Be brief."})
    await create_judge("offline", ["when(n > 1)", "good", "bad"]).ainvoke({"report": "All good.", "facts": {"n": 1}})
    await create_workflow([step("work", lambda state: {"text": "done"}, {"done": "COMPLETE"})]).ainvoke({"task": "T"})


async def first_extraction(folder: Path) -> None:
    month_names.cache_clear()
    replies = [call("Payment", {"total": 20, "due": "2026-05-03"})]
    agent = create_extractor(ScriptedChatModel(replies=replies), Payment)
    assert (await agent.ainvoke({"document": "Amount due: 20.00 on 3 May 2026"}))["outcome"]["support"] == 1


async def triage(folder: Path) -> None:
    results = '<testsuite><testcase name="t"><failure>assert 1 == 2</failure></testcase></testsuite>'
    await asyncio.to_thread((folder / "results.xml").write_text, results)
    agent = await asyncio.to_thread(create_triage_agent, history=folder / "history.db")  # opens the file
    found = await agent.ainvoke({"folder": str(folder)})
    assert len(found["reports"]) == 1


RUNS = [agents, streams, text_protocol, shipped_graphs, first_extraction, triage]
IN_A_NEW_PROCESS = """
import asyncio, pathlib, sys
from blockbuster import blockbuster_ctx
from tests.torture import test_blocking_calls
with blockbuster_ctx():
    asyncio.run(getattr(test_blocking_calls, sys.argv[1])(pathlib.Path(sys.argv[2])))
"""


@pytest.mark.parametrize("runs", RUNS)
async def test_an_awaited_run_makes_no_blocking_call(runs: Callable[[Path], Awaitable[None]], tmp_path: Path) -> None:
    await runs(tmp_path)  # late imports happen now
    with blockbuster_ctx():
        with pytest.raises(BlockingError):
            os.stat(tmp_path)
        await runs(tmp_path)


@pytest.mark.program
@pytest.mark.parametrize("runs", RUNS)
def test_the_first_agent_and_run_of_a_process_block_only_where_python_imports(
    runs: Callable[[Path], Awaitable[None]], tmp_path: Path
) -> None:
    # A server makes graphs on its event loop, and reads then what later runs find read.
    command = [sys.executable, "-c", IN_A_NEW_PROCESS, runs.__name__, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
