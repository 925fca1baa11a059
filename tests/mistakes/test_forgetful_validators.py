"""A validator that forgets to return the answer ends the run with what to write: no run is answered with nothing."""

import json
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, model_validator

from answergraph import AgentSpecError, PromptedStrategy, ProviderStrategy, ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run

QUESTION: dict[str, Any] = {"messages": ["Go."]}


class Forgetful(BaseModel):
    """A record whose validator forgets to return it."""

    ok: bool

    @model_validator(mode="after")
    def looks(self) -> Any:
        """Look, and return nothing."""


DECLARED = [(Forgetful, {"ok": True}), (Annotated[list[bool], AfterValidator(lambda answer: None)], {"value": [True]})]


@pytest.mark.parametrize("strategy", [ToolStrategy, PromptedStrategy, ProviderStrategy])
@pytest.mark.parametrize(("declared", "data"), DECLARED, ids=["record", "list"])
def test_a_validator_that_returns_nothing_is_no_answer(run: Run, strategy: Any, declared: Any, data: Any) -> None:
    def reply(request: Any) -> Any:
        return calls(call(request.tools[0]["function"]["name"], data)) if strategy is ToolStrategy else json.dumps(data)

    agent = create_agent(ScriptedChatModel(replies=reply), response_format=strategy(declared))
    with pytest.raises(AgentSpecError, match=r"A validator of .* returned None for a valid answer; end it with `return self`"):
        run(agent, QUESTION)


class Outer(BaseModel):
    """A record with forgetful ones inside."""

    items: list[Forgetful]


class Number(BaseModel):
    """A record with a field whose validator forgets to return its value."""

    size: Annotated[int, AfterValidator(lambda value: None)]


class Cleaned(BaseModel):
    """A record with a field that a validator may empty."""

    name: Annotated[str | None, AfterValidator(lambda value: None if value == "n/a" else value)]


@pytest.mark.parametrize(
    ("declared", "data", "place"), [(Outer, {"items": [{"ok": True}]}, r"items\[0\]"), (Number, {"size": 3}, "size")]
)
def test_a_validator_inside_an_answer_that_returns_nothing_is_named_by_its_place(
    run: Run, declared: Any, data: Any, place: str
) -> None:
    model = ScriptedChatModel(replies=lambda request: calls(call(declared.__name__, data)))
    with pytest.raises(AgentSpecError, match=rf"A validator of {declared.__name__} returned None for {place}"):
        run(create_agent(model, response_format=ToolStrategy(declared)), QUESTION)


def test_a_validator_may_empty_an_optional_field(run: Run) -> None:
    model = ScriptedChatModel(replies=[calls(call("Cleaned", {"name": "n/a"}))])
    assert run(create_agent(model, response_format=ToolStrategy(Cleaned)), QUESTION)["structured_response"] == Cleaned(name=None)


def test_an_optional_answer_may_be_none(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=['{"value": null}']), response_format=PromptedStrategy(bool | None))
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"
