"""An agent whose tool hangs and ignores being cancelled ends its graph in time: as a node, and as a reader of an ensemble."""

from time import monotonic
from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph

from answergraph import ToolStrategy, UsageLimits, as_node, create_agent
from answergraph.graphs import create_ensemble
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.conftest import hang as hang  # noqa: PLC0414 - a fixture
from tests.graphs.agent.hanging_agents import ANSWER, QUESTION, SOON, HangingModel, slow_tool, stubborn_slow
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.verdicts import Score

LIMITS = UsageLimits(seconds=1)


class State(MessagesState):
    outcome: dict[str, Any]


def hanging_agent(run: Run, hang: Any, name: str = "hanging") -> Any:
    """Return an agent that hangs in its tool, then in its model."""
    slow = slow_tool(hang) if run.color == "sync" else stubborn_slow
    model = HangingModel(replies=[calls(call(slow.name, {}, "s")), *[ANSWER] * 9], hang=hang, hangs=tuple(range(1, 9)))
    return create_agent(model, [slow], response_format=ToolStrategy(Score), name=name, limits=LIMITS)


def as_a_node(agent: Any) -> Any:
    node = as_node(agent, inputs={"messages": "messages"}, outputs={"outcome": "outcome"})
    return StateGraph(State).add_node("agent", node).add_edge(START, "agent").compile()


def in_an_ensemble(agent: Any) -> Any:
    model = ScriptedChatModel(replies=[ANSWER] * 9)
    quick = create_agent(model, response_format=ToolStrategy(Score), name="quick")
    return create_ensemble([agent, quick])


@pytest.mark.parametrize("place", [as_a_node, in_an_ensemble])
def test_a_child_that_hangs_ends_with_its_outcome_and_its_graph_goes_on(run: Run, hang: Any, place: Any) -> None:
    began = monotonic()
    result = run(place(hanging_agent(run, hang)), QUESTION)
    assert monotonic() - began < SOON
    outcome = result["outcome"]
    if place is as_a_node:
        assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")
    else:
        assert (outcome["status"], outcome["limit"]) == ("out_of_budget", "seconds")
        assert outcome["reason"] == "hanging reached its limit (seconds). The readers leave score in doubt."
        assert [attempt["status"] for attempt in outcome["attempts"]] == ["unanswered", "answered"]
