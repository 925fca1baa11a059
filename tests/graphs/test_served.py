"""The factories of ``langgraph.json``: which models their callers may choose. ``tests/test_server.py`` asks a server."""

import pytest

from answergraph import AgentSpecError
from answergraph.graphs.add_ons.calculator.general_agent import general_agent
from answergraph.graphs.served import MODELS, permitted_model
from tests.suite.colors import Run


def test_callers_can_choose_only_the_offline_model_until_the_operator_lists_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODELS, raising=False)
    assert permitted_model("offline") == "offline"
    with pytest.raises(AgentSpecError, match=f"'openai:gpt-4.1' cannot be used: this server permits 'offline'.*{MODELS}"):
        permitted_model("openai:gpt-4.1")
    monkeypatch.setenv(MODELS, " openai:gpt-4.1, anthropic:claude,")
    assert permitted_model("openai:gpt-4.1") == "openai:gpt-4.1"
    with pytest.raises(AgentSpecError, match=r"permits 'offline', 'openai:gpt-4.1', 'anthropic:claude'"):
        permitted_model("")


def test_the_general_agent_asks_for_permission_when_it_calls_the_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODELS, raising=False)
    # Not every server shows a factory the context of the run.
    agent = general_agent(permitted=permitted_model)
    with pytest.raises(AgentSpecError, match="this server permits 'offline'"):
        run(agent, {"messages": ["3 + 4"]}, context={"model": "openai:gpt-4.1"})
