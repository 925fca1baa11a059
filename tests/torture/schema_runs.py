"""Runs of an agent with a caller's schema and a model's answer, each in a process with a limit on time and memory."""

from __future__ import annotations

import json
import multiprocessing
import resource
import signal
from collections.abc import Iterator
from functools import cache
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage

from answergraph import AutoStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.answers.untrusted.untrusted_schema import MAX_FOLLOWED_CHARACTERS, check_untrusted_schema
from answergraph.errors import ResponseFormatError
from answergraph.json_schema.dialects import Dialect, SchemaNotExpressible
from answergraph.json_schema.wire_schema import wire_schema
from answergraph.testing import ScriptedChatModel
from tests.torture.hostile_schemas import ANSWERS, FAMILIES, random_schemas

MAX_CPU_SECONDS = 10
MAX_MEMORY_BYTES = 1_000_000_000
"""Beside what the process has after its imports."""
MAX_REQUEST_CHARACTERS = MAX_FOLLOWED_CHARACTERS
"""Half of it for the schema with its references replaced, half for the example, corrections and other messages."""
STRATEGIES: dict[str, Any] = {
    "auto": AutoStrategy,
    "tool": ToolStrategy,
    "provider": ProviderStrategy,
    "prompted": PromptedStrategy,
    "prompted with the schema": lambda schema: PromptedStrategy(schema, show="schema"),
}


class SchemaRun(NamedTuple):
    """One schema, one answer, one way to ask."""

    schema: str
    answer: str
    strategy: str


@cache
def schemas() -> dict[str, dict[str, Any]]:
    return {**FAMILIES, **dict(random_schemas())}


def runs(every: int = 1) -> list[SchemaRun]:
    """Return every n-th combination."""
    return [SchemaRun(*names) for names in product(schemas(), ANSWERS, STRATEGIES)][::every]


def wrong(chosen: list[SchemaRun]) -> Iterator[tuple[SchemaRun, str]]:
    """Yield the runs that were killed, raised an error, or sent too much, with what happened."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([__name__])  # imported once: each run is a fork of this process
    for run in chosen:
        receiving, sending = processes.Pipe(duplex=False)
        process = processes.Process(target=_limited, args=(run, sending))
        process.start()
        sending.close()
        process.join()
        code = process.exitcode or 0
        said = signal.Signals(-code).name if code < 0 else receiving.recv() if receiving.poll() else f"exit code {code}"
        if said:
            yield run, said


def _limited(run: SchemaRun, sending: Connection) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    memory = pages * resource.getpagesize() + MAX_MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        sending.send(_problem(run))
    except Exception as error:  # noqa: BLE001 - what leaves a run is what is looked for
        sending.send(f"{type(error).__name__}: {str(error)[:300]}")


def _problem(run: SchemaRun) -> str:
    schema = check_untrusted_schema(schemas()[run.schema])
    try:
        sizes = {"a request": _asked(run, schema)} | {f"the dialect {each}": _wire_size(schema, each) for each in Dialect}
    except ResponseFormatError:
        return ""  # refused with a reason
    return "; ".join(f"{name} has {size:,} characters" for name, size in sizes.items() if size > MAX_REQUEST_CHARACTERS)


def _asked(run: SchemaRun, schema: dict[str, Any]) -> int:
    """Run the agent; return the characters of its largest request, without the replies in it."""
    data = ANSWERS[run.answer]()
    call = AIMessage("", tool_calls=[{"name": "Answer", "args": data, "id": "1"}])
    reply = call if run.strategy == "tool" else AIMessage(json.dumps(data))
    model = ScriptedChatModel(replies=lambda messages: reply.model_copy(deep=True))
    agent = create_agent(model, response_format=STRATEGIES[run.strategy](schema), limits=UsageLimits(answer_attempts=3))
    agent.invoke({"messages": ["?"]})
    return max(_size(request) for request in model.requests)


def _size(request: Any) -> int:
    said = sum(len(message.text) for message in request.messages if not isinstance(message, AIMessage))
    return said + len(json.dumps([request.tools, request.kwargs], default=str))


def _wire_size(schema: dict[str, Any], dialect: Dialect) -> int:
    try:
        return len(json.dumps(wire_schema(schema, dialect).schema))
    except SchemaNotExpressible:
        return 0
