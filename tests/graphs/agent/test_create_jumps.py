"""Hooks that jump, within the limits of the run."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.middleware import after_agent, after_model
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.verdicts import Verdict


def search() -> str:
    """Search."""
    return "nothing"


def answers(messages: list[Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Verdict", "args": {"passed": True}, "id": str(len(messages))}])


@pytest.mark.parametrize("place", ["model", "tools"])
@pytest.mark.parametrize("hook", [after_model, after_agent])
@pytest.mark.parametrize(
    ("limits", "calls"), [(UsageLimits(model_calls=3), 3), (UsageLimits(model_calls=None, total_tokens=1), 2)]
)
def test_a_hook_that_always_jumps_back_ends_with_the_answer_of_the_last_call(
    run: Run, place: str, hook: Any, limits: UsageLimits, calls: int
) -> None:
    def jumps(state: Any, runtime: Any) -> Any:
        return {"jump_to": place}

    model = ScriptedChatModel(replies=answers)
    back = hook(can_jump_to=[place])(jumps)
    agent = create_agent(model, [search], middleware=[back], response_format=ToolStrategy(Verdict), limits=limits)
    result = run(agent, {"messages": ["Did it pass?"]})
    assert result["structured_response"] == Verdict(passed=True)
    assert len(model.requests) == calls
