"""Each provider ends each situation as expected, blocking, awaited and streamed, with the same number of calls."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from answergraph import create_agent
from tests.providers.providers import PROVIDERS, Provider, with_rules
from tests.providers.situations import FOUND, MISSING, SITUATIONS, Situation
from tests.providers.stub import Stub

pytestmark = [
    pytest.mark.providers,
    # The clients leave sockets open and warn; only their requests matter here.
    pytest.mark.filterwarnings("default"),
]

SEEN = Path(__file__).parent / "seen.json"
"""The results of the last run of the whole matrix: provider → situation → status and number of requests per way."""
WAYS = ("blocking", "awaited", "streamed")
CASES = [(provider, each) for provider in PROVIDERS for each in SITUATIONS if not each.only or provider.name in each.only]


def result_of(agent: Any, way: str) -> dict[str, Any]:
    question: dict[str, Any] = {"messages": ["Find the number."]}
    if way == "blocking":
        return dict(agent.invoke(question))
    if way == "awaited":
        return dict(asyncio.run(agent.ainvoke(question)))
    values = [data for mode, data in agent.stream(question, stream_mode=["messages", "values"]) if mode == "values"]
    return dict(values[-1])


def played(provider: Provider, situation: Situation, way: str) -> tuple[dict[str, Any] | Exception, Stub]:
    """Run an agent against the stub of a provider, and return the result."""
    strict = with_rules(provider, *situation.rules)
    with Stub(strict.api, strict.rules, situation.model) as stub:
        model = strict.client(stub.url, thinking=situation.thinking)
        agent = create_agent(model, list(situation.tools), response_format=situation.format(), **situation.options())
        try:
            return result_of(agent, way), stub
        except Exception as error:  # noqa: BLE001 - the provider's error is one of the possible results
            return error, stub


def seen(result: dict[str, Any] | Exception, stub: Stub) -> list[Any]:
    status = "error" if isinstance(result, Exception) else result["outcome"]["status"]
    return [status, len(stub.asked)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("provider", "situation"), CASES, ids=str)
def test_a_run_ends_as_it_should(provider: Provider, situation: Situation, way: str) -> None:
    result, stub = played(provider, situation, way)
    if situation.error:
        assert isinstance(result, Exception), result
    elif isinstance(result, Exception):
        raise result
    else:
        outcome = result["outcome"]
        assert outcome["status"] == situation.status, outcome
        assert (result["structured_response"] is not None) == (situation.status == "answered")
        if result["structured_response"] is not None:
            assert result["structured_response"].model_dump(exclude_none=True) in (FOUND, MISSING)
        if situation.attempts is not None:
            assert len(outcome["attempts"]) == situation.attempts
    assert seen(result, stub) == json.loads(SEEN.read_text())["seen"][provider.name][situation.name][WAYS.index(way)]


def test_every_rule_has_a_source() -> None:
    assert all(rule.source.startswith("https://") for provider in PROVIDERS for rule in provider.rules)
