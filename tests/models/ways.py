"""The ways of asking that are measured: this library's strategies, and the peers that are installed."""

import importlib
from collections.abc import Callable, Iterator, Sequence
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
from answergraph.middleware import GroundedAnswer
from tests.models.recording_proxy import MAX_REQUESTS
from tests.models.tasks import Diagnosis, Task

BARE = "bare schema"  # means AutoStrategy

STRATEGIES: dict[str, Callable[[Any], Any]] = {
    BARE: lambda type_: type_,
    "ProviderStrategy": ProviderStrategy,
    "FallbackStrategy": lambda type_: FallbackStrategy([ToolStrategy(type_), ProviderStrategy(type_), PromptedStrategy(type_)]),
    "ToolStrategy": ToolStrategy,
    "DeferredStrategy": DeferredStrategy,
    "PromptedStrategy": PromptedStrategy,
}


def ways(wanted: Sequence[str] | None) -> Iterator[tuple[str, bool, Callable[[Task, str], Any]]]:
    try:
        peers = importlib.import_module("benchmarks.peers.small_models").PEERS
    except ImportError as error:
        print(f"The peers are left out: {error}")
        peers = {}
    for name, strategy in STRATEGIES.items():
        if not wanted or name in wanted:
            yield name, True, our_way(strategy)
    for name, ask in peers.items():
        if not wanted or name in wanted:
            yield name, False, ask


def our_way(strategy: Callable[[Any], Any]) -> Callable[[Task, str], Any]:
    def ask(task: Task, url: str) -> Any:
        model = ChatOpenAI(model="local", base_url=url, api_key=SecretStr("none"), max_retries=0)
        limits = UsageLimits(model_calls=MAX_REQUESTS)
        # A quote is checked, and then counts only where a tool was called; the peers have no such check.
        middleware = [GroundedAnswer()] if task.type is Diagnosis else []
        agent = create_agent(model, task.tools, response_format=strategy(task.type), limits=limits, middleware=middleware)
        return agent.invoke({"messages": [{"role": "user", "content": task.prompt}]})

    return ask
