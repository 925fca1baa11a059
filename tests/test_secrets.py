"""No output of a run contains a program's keys: result, stream, threads, traces, bundle, errors, logs."""

import asyncio
import json
import logging
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.tools import InjectedToolArg, tool
from langchain_core.tracers.run_collector import RunCollectorCallbackHandler
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.prebuilt import ToolRuntime
from openai import OpenAIError
from pydantic import SecretStr

from answergraph import AutoStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, create_agent
from answergraph.evidence import answer_bundle
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Verdict
from tests.openai_server import Failure, OpenAIServer, Reply, ToolCall, calls, says
from tests.suite.colors import Run

KEYS = {place: f"sk-{place}-0123456789abcdef" for place in ("model", "env", "client", "context", "injected", "bundle")}
"""A key for each place where programs keep one."""
THREAD: Any = {"configurable": {"thread_id": "1"}}


@dataclass
class Client:
    """What a tool asks with a key of its own."""

    key: str

    def ask(self, question: str, key: str) -> str:
        if not question:
            raise ConnectionError("The service is gone.")
        return f"{question}: {len(self.key) + len(key)}"


CLIENT = Client(KEYS["client"])


@tool
def look(question: str, runtime: ToolRuntime[Any], key: Annotated[str, InjectedToolArg] = KEYS["injected"]) -> str:
    """Look something up."""
    return CLIENT.ask(question, key + runtime.context["key"] + os.environ["SERVICE_KEY"])


ASKED, FAILING = calls(ToolCall("look", {"question": "one"})), calls(ToolCall("look", {"question": ""}))
ANSWERS: dict[str, tuple[Any, Reply]] = {
    "tool": (ToolStrategy(Verdict), calls(ToolCall("Verdict", GOOD))),
    "provider": (ProviderStrategy(Verdict), says(json.dumps(GOOD))),
    "prompted": (PromptedStrategy(Verdict), says(json.dumps(GOOD))),
    "auto": (AutoStrategy(Verdict), calls(ToolCall("Verdict", GOOD))),
}


WRONG = says("I cannot tell.")
SCRIPTS: dict[str, Callable[[Reply], list[Reply | Failure]]] = {
    "answered": lambda answer: [ASKED, answer],
    "corrected": lambda answer: [WRONG, calls(ToolCall("nobody", {})), answer],
    "unanswered": lambda _: [WRONG] * 9,
    "a refused format": lambda answer: [Failure(400, "response_format and tool_choice are not supported."), answer, answer],
    "a wrong key": lambda _: [Failure(401, "Incorrect API key provided.")],
    "a provider that fails": lambda _: [Failure(500, "Overloaded.")],
    "a tool that fails": lambda _: [FAILING],
}
FAIL = {"a wrong key", "a provider that fails", "a tool that fails"}


@contextmanager
def agent_for(strategy: Any, script: list[Reply | Failure], threads: Path) -> Iterator[Any]:
    with OpenAIServer(script) as server, SqliteSaver.from_conn_string(str(threads)) as saver:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr(KEYS["model"]), max_retries=0)
        yield create_agent(model, [look], response_format=strategy, checkpointer=saver, context_schema=dict)


def dumped(runs: Any) -> str:
    """Return everything that a tracer would send about some runs."""
    return "".join(f"{vars(run)}{dumped(run.child_runs)}" for run in runs)


def what_comes_out(agent: Any, run: Run) -> Iterator[str]:
    """Run an agent, and yield everything that a caller, a tracer or a reader of its threads sees."""
    tracer = RunCollectorCallbackHandler()
    given: Any = {"config": {**THREAD, "callbacks": [tracer]}, "context": {"key": KEYS["context"]}}
    try:
        yield repr(run.stream(agent, QUESTION, **given, stream_mode=["values", "updates", "messages", "custom", "debug"]))
        bundle = answer_bundle(run.state(agent, THREAD).values, key=KEYS["bundle"].encode())
        yield json.dumps(bundle, default=repr)
    except (OpenAIError, ConnectionError) as error:
        yield "".join(traceback.format_exception(error)) + repr(vars(error))
    yield repr(run.history(agent, THREAD))
    assert tracer.traced_runs
    yield dumped(tracer.traced_runs)
    yield repr(agent) + json.dumps(agent.get_graph().to_json(), default=repr)


@pytest.mark.parametrize(
    ("strategy", "kind"), [*(("auto", kind) for kind in SCRIPTS), *((each, "answered") for each in ANSWERS if each != "auto")]
)
def test_no_key_comes_out_of_a_run(
    strategy: str, kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SERVICE_KEY", KEYS["env"])
    declared, answer = ANSWERS[strategy]
    with asyncio.Runner() as runner, agent_for(declared, SCRIPTS[kind](answer), tmp_path / "threads") as agent:
        out = "".join(what_comes_out(agent, Run("sync", runner)))
    out += "".join(file.read_bytes().decode(errors="replace") for file in tmp_path.iterdir()) + caplog.text
    assert kind in FAIL or "Verdict" in out
    assert [place for place, key in KEYS.items() if key in out] == []
