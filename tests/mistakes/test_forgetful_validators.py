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


def test_an_optional_answer_may_be_none(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=['{"value": null}']), response_format=PromptedStrategy(bool | None))
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"
