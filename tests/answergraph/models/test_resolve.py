"""The model of each name, and the rules of the offline model."""

import pytest
from langchain_core.messages import AIMessage

from answergraph.models.resolve import resolve_model
from answergraph.offline.offline_policy import OfflineRequest
from answergraph.runtime.errors import AgentSpecError
from answergraph.testing import ScriptedChatModel


def echo(request: OfflineRequest) -> AIMessage:
    return AIMessage(f"You said {request.messages[-1].text}.")


def test_the_offline_model_follows_the_rules_of_the_graph() -> None:
    assert resolve_model("offline", offline=echo).invoke("hello").text == "You said hello."


def test_by_default_the_rules_are_those_of_arithmetic() -> None:
    assert "all I can do is work out one arithmetic expression" in resolve_model("offline").invoke("hello").text


def test_a_model_is_returned_as_it_is() -> None:
    model = ScriptedChatModel(replies=["Hi."])
    assert resolve_model(model, offline=echo) is model


@pytest.mark.parametrize("name", ["", " ", "openai:", "nobody:nothing", 5])
def test_anything_but_a_model_is_refused(name: object) -> None:
    with pytest.raises(AgentSpecError):
        resolve_model(name)
