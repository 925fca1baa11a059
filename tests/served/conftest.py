"""One LangGraph server for all tests of this folder: the shipped graphs and a few more, and a provider that can be held up."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from answergraph.graphs.served import MODELS
from tests.openai_server import Failure, OpenAIServer, Reply, says
from tests.openai_server.reply import JSONObject
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

TESTED = ("approval", "elsewhere", "team", "hooked", "raising", "undecided", "unreadable", "hanging")
HOLD_SECONDS = 60
KEY = "sk-of-the-server-0123456789"


@dataclass
class Provider:
    """A provider that answers ``Did: <question>``, and may be told to keep a question waiting."""

    server: OpenAIServer = field(init=False)
    failing: set[str] = field(default_factory=set)
    """Questions to which it fails."""
    held: dict[str, tuple[Event, Event]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.server = OpenAIServer(self._reply)

    def hold(self, question: str) -> tuple[Event, Event]:
        """Keep an answer back; gives the event that says it was asked, and the one that lets it be answered."""
        self.held[question] = Event(), Event()
        return self.held[question]

    @property
    def context(self) -> dict[str, Any]:
        """The context of a run of the general agent that asks this provider."""
        return {"model": "openai:small"}

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a server whose callers may choose this provider's model."""
        return {"OPENAI_BASE_URL": self.server.base_url, "OPENAI_API_KEY": KEY, MODELS: self.context["model"]}

    def _reply(self, body: JSONObject) -> Reply | Failure:
        question = str(body["messages"][-1]["content"])
        if question in self.failing:
            return Failure(500, "The provider is down.")
        if question in self.held:
            asked, released = self.held[question]
            asked.set()
            released.wait(HOLD_SECONDS)
        return says(f"Did: {question}")


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    provider = Provider()
    with provider.server:
        yield provider
        for _, released in provider.held.values():
            released.set()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps its threads and its log."""
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="session")
def address(provider: Provider, folder: Path) -> Iterator[str]:
    config = shipped()
    config["graphs"] |= {name: f"./tests/served/graphs.py:{name}" for name in TESTED}
    lay_out(folder, config)
    with langgraph_dev(folder, provider.environment) as url:
        yield url


@pytest.fixture
async def client(address: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=address) as client:
        yield client
