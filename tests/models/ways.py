"""The ways of asking that are measured: this library's strategies, and the peers that are installed."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from answergraph import (
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.graphs import create_ensemble
from answergraph.middleware import GroundedAnswer
from tests.models.recording_proxy import MAX_REQUESTS
from tests.models.task import Task
from tests.models.tasks import Diagnosis

BARE = "bare schema"  # means AutoStrategy
SAMPLES = "three samples"
WITHOUT_TOOLS = "instructor"
"""A peer that calls no tools."""

STRATEGIES: dict[str, Callable[[Any], Any]] = {
    BARE: lambda type_: type_,
    "ProviderStrategy": ProviderStrategy,
    "FallbackStrategy": lambda type_: FallbackStrategy([ToolStrategy(type_), ProviderStrategy(type_), PromptedStrategy(type_)]),
    "ToolStrategy": ToolStrategy,
    "DeferredStrategy": DeferredStrategy,
    "PromptedStrategy": PromptedStrategy,
}


@dataclass(frozen=True)
class Way:
    """One way of asking: a strategy of this library, or a peer."""

    name: str
    ours: bool
    ask: Callable[[Task, str], Any]
    samples: int = 1
    """How many agents answer each task."""

    @property
    def has_tools(self) -> bool:
        """Whether it is given the tasks with tools; the others would call none, or cost too much."""
        return not self.name.startswith(WITHOUT_TOOLS) and self.samples == 1


def ways(wanted: Sequence[str] | None) -> Iterator[Way]:
    """Return the ways that are wanted; all but the samples if none is named."""
    try:
        peers = importlib.import_module("benchmarks.peers.small_models").PEERS
    except ImportError as error:
        print(f"The peers are left out: {error}")
        peers = {}
    every = [Way(name, True, our_way(strategy)) for name, strategy in STRATEGIES.items()]
    every += [Way(name, False, ask) for name, ask in peers.items()]
    samples = Way(SAMPLES, True, three_samples, samples=3)
    return (way for way in [*every, samples] if (way.name in wanted if wanted else way is not samples))


def our_way(strategy: Callable[[Any], Any]) -> Callable[[Task, str], Any]:
    return lambda task, url: _agent(task, url, strategy(task.type)).invoke(_question(task))


def three_samples(task: Task, url: str) -> Any:
    """Ask one agent thrice, and keep what at least two say."""
    return create_ensemble([_agent(task, url, task.type)] * 3).invoke(_question(task))


def _agent(task: Task, url: str, response_format: Any) -> Any:
    model = ChatOpenAI(model="local", base_url=url, api_key=SecretStr("none"), max_retries=0)
    limits = UsageLimits(model_calls=MAX_REQUESTS)
    # A quote is checked, and then counts only where a tool was called; the peers have no such check.
    middleware = [GroundedAnswer()] if task.type is Diagnosis else []
    return create_agent(model, task.tools, response_format=response_format, limits=limits, middleware=middleware)


def _question(task: Task) -> Any:
    return {"messages": [{"role": "user", "content": task.prompt}]}
