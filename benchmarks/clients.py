"""``make bench-clients``: the cost of one request in the clients of four providers, by the length of the conversation.

It measures both agents, the client alone, and the same JSON sent with ``httpx``; the difference is what an agent could save.
The provider is a stub in another process. Run it in the environment of ``make test-providers``.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from langchain.agents import create_agent as langchain_create_agent

import answergraph
from benchmarks.played_model import conversation
from benchmarks.report import Row
from benchmarks.rounds import Case, Done, measure
from benchmarks.work import Work
from tests.openai_server.reply import Reply
from tests.providers.providers import Provider, named
from tests.providers.stub import Stub

CLIENTS = ("OpenAI, chat completions", "Anthropic", "Gemini 2.5", "Ollama")
LENGTHS = (10, 1000, 5000)
ROUNDS = 3
REPLY = "It rains."


class RecordingStub(Stub):
    """A stub without rules that keeps the last request."""

    sent_to: tuple[str, dict[str, Any]] = ("", {})

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        """Answer every request."""
        self.sent_to = (path, body)
        return super().answer(path, body)


def stub_of(provider: Provider) -> RecordingStub:
    """Return a stub that always sends the same reply."""
    return RecordingStub(provider.api, (), lambda asked, number: Reply(REPLY))


@contextmanager
def served(provider: Provider) -> Iterator[str]:
    """Serve a stub in another process, so that only the client's CPU time is measured; yield its URL."""
    command = [sys.executable, "-m", "benchmarks.clients", provider.name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def request_of(provider: Provider, messages: list[Any]) -> tuple[str, dict[str, Any]]:
    """Return the path and the body that a client sends for a conversation."""
    with stub_of(provider) as stub:
        provider.client(stub.url).invoke(messages)
        return stub.sent_to


def case(provider: Provider, url: str, length: int, *, awaited: bool) -> Case:
    """Return one row: one request after a number of messages."""
    messages, runner = conversation(Work(history=length)), asyncio.Runner()
    path, body = request_of(provider, messages)
    model, plain = provider.client(url), httpx.Client()
    agents = {"answergraph": answergraph.create_agent(model, []), "create_agent": langchain_create_agent(model, [])}

    def run_of(agent: Any) -> Callable[[], Done]:
        def run() -> Done:
            given: Any = {"messages": list(messages)}
            result = runner.run(agent.ainvoke(given)) if awaited else agent.invoke(given)
            return Done(result["messages"][-1].text, 0)

        return run

    def client() -> Done:
        return Done((runner.run(model.ainvoke(messages)) if awaited else model.invoke(messages)).text, 0)

    def sent() -> Done:
        plain.post(url + path, json=body).raise_for_status()
        return Done(REPLY, 0)

    systems = {**{name: run_of(agent) for name, agent in agents.items()}, "client": client, "the same JSON": sent}
    colour = "async" if awaited else "sync"
    return Case(f"client of {provider}", f"messages={length} {colour}", systems, Done(REPLY, 0))


def main(rounds: int = ROUNDS) -> None:
    """Measure and print."""
    shuffler = random.Random(0)
    for name in CLIENTS:
        provider = named(name)
        with served(provider) as url:
            for length in LENGTHS:
                for awaited in (False, True):
                    one = case(provider, url, length, awaited=awaited)
                    sys.stdout.write(f"{Row(one, measure(one, rounds, shuffler)).text()}\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    match sys.argv[1:]:
        case [name] if not name.isdecimal():
            with stub_of(named(name)) as stub:
                sys.stdout.write(f"{stub.url}\n")
                sys.stdout.flush()
                sys.stdin.read()  # until the reading process ends
        case arguments:
            main(*map(int, arguments))
