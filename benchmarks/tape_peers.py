"""``python -m benchmarks.tape_peers``: threads that are recorded and played by a tape, by vcrpy, and by pytest-agentcontract.

It needs ``pip install vcrpy pytest-agentcontract``. The model is played by a server on this machine, which counts the requests.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import vcr
from agentcontract.adapters.langgraph import record_graph
from agentcontract.recorder.core import Recorder
from agentcontract.replay.engine import ReplayEngine
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel, SecretStr

from answergraph import ToolStrategy, as_tool, create_agent
from answergraph.testing import TapeMismatch, use_tape
from tests.openai_server import OpenAIServer, Reply, ToolCall, calls

RAN: list[str] = []


class Verdict(BaseModel):
    """The verdict on a case."""

    passed: bool


@tool
def look_up(case: str) -> str:
    """Look a case up."""
    RAN.append(case)
    return f"{case}: exit code 0"


@tool
def ask(question: str) -> str:
    """Ask a person."""
    return str(interrupt(question))


ANSWER = ToolCall("Verdict", {"passed": True})
THREADS: dict[str, list[ToolCall]] = {
    "a tool": [ToolCall("look_up", {"case": "A-17"}), ANSWER],
    "a mistake": [ToolCall("look_up", {"case": "A-17"}), ToolCall("Verdict", {"passed": "perhaps"}), ANSWER],
    "a person": [ToolCall("ask", {"question": "Counts it?"}), ToolCall("look_up", {"case": "A-17"}), ANSWER],
    "an agent in a tool": [ToolCall("helper", {"request": "A-17?"}), ToolCall("look_up", {"case": "A-17"}), ANSWER, ANSWER],
}
PROMPT, CHANGED = "Be exact.", "Be brief."


class PlayedModel:
    """Writes the replies of a thread, in order and then from the first one again; counts the requests."""

    def __init__(self, name: str) -> None:
        """Set the thread."""
        self.requests = 0
        self.replies = THREADS[name]

    def reply(self, body: object) -> Reply:
        """Return the reply to a request."""
        self.requests += 1
        return calls(self.replies[(self.requests - 1) % len(self.replies)])


def agent_of(base_url: str, prompt: str) -> Any:
    """Return the agent of every thread."""
    model = ChatOpenAI(model="gpt-4o-mini", base_url=base_url, api_key=SecretStr("test"), max_retries=0)
    helper = create_agent(model, [look_up], response_format=ToolStrategy(Verdict), name="helper")
    tools = [look_up, ask, as_tool(helper, description="Helps.")]
    saver = InMemorySaver()
    return create_agent(model, tools, response_format=ToolStrategy(Verdict), system_prompt=prompt, checkpointer=saver)


def ended(agent: Any) -> str:
    """Run a thread to its end, and return how it ended."""
    config: Any = {"configurable": {"thread_id": "1"}}
    result = agent.invoke({"messages": "Did A-17 pass?"}, config)
    while "__interrupt__" in result:
        result = agent.invoke(Command(resume="yes"), config)
    return str(result["outcome"]["status"])


def with_tape(agent: Any, file: Path, again: bool) -> str:
    """Record a thread with a tape, or play it."""
    with use_tape(file, mode="none" if again else "all"):
        return ended(agent)


def with_vcrpy(agent: Any, file: Path, again: bool) -> str:
    """Record the requests of a thread with vcrpy, or play them."""
    body = ["method", "scheme", "host", "port", "path", "query", "body"]
    with vcr.use_cassette(str(file), record_mode="none" if again else "all", match_on=body):
        return ended(agent)


RECORDED: dict[str, Any] = {}


def with_agentcontract(agent: Any, file: Path, again: bool) -> str:
    """Record a thread with pytest-agentcontract, or run it again and compare the turns: it does not play a graph's model."""
    recorder = Recorder(scenario=file.stem)
    with recorder.recording():
        unpatch = record_graph(agent, recorder)
        status = ended(agent)
        unpatch()
    if not again:
        RECORDED[file.stem] = recorder.run
        return status
    compared = ReplayEngine(RECORDED[file.stem]).finish(recorder.run.turns)
    return status if compared.ok else f"differs: {compared.errors[0]}"


PEERS: dict[str, Callable[[Any, Path, bool], str]] = {
    "a tape": with_tape,
    "vcrpy": with_vcrpy,
    "pytest-agentcontract": with_agentcontract,
}


@contextmanager
def counted(server: PlayedModel) -> Iterator[dict[str, int]]:
    """Count what a block asks the model, and how often it runs the tool."""
    counts = {"requests": -server.requests, "tools": -len(RAN)}
    yield counts
    counts |= {"requests": counts["requests"] + server.requests, "tools": counts["tools"] + len(RAN)}


def played(peer: str, name: str, folder: Path) -> Iterator[str]:
    """Yield what the same and a changed agent ask, run, and end as."""
    model = PlayedModel(name)
    with OpenAIServer(model.reply) as server:
        for again, prompt in ((False, PROMPT), (True, PROMPT), (True, CHANGED)):
            agent = agent_of(server.base_url, prompt)
            with counted(model) as counts:
                try:
                    end = PEERS[peer](agent, folder / f"{peer} {name}", again)
                except (Exception, TapeMismatch) as error:  # noqa: BLE001 - each peer has its own
                    end = f"{type(error).__name__}: {' '.join(str(error).split())[:90]}"
            if again:
                yield f"{counts['requests']} | {counts['tools']} | {end}"


def main() -> None:
    """Print the table of ``docs/how-to/tapes.md``."""
    warnings.simplefilter("ignore")
    head = "| thread | with | requests | tools run | ends | changed prompt: requests | tools run | ends |\n"
    sys.stdout.write(head + "|---|---|---|---|---|---|---|---|\n")
    with tempfile.TemporaryDirectory() as folder:
        for name in THREADS:
            for peer in PEERS:
                sys.stdout.write(f"| {name} | {peer} | {' | '.join(played(peer, name, Path(folder)))} |\n")


if __name__ == "__main__":
    main()
