"""A previous answer is brought up to date by a patch."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from answergraph import AgentSpecError, PromptedStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.graphs import create_extractor
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run


class Team(BaseModel):
    name: str
    members: list[str]


MAY = Team(name="red", members=["ada", "grace"])


def called(value: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Team", "args": value, "id": "1"}])


def agent_of(*replies: Any, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, **{"response_format": ToolStrategy(Team), **options}), model


@pytest.mark.parametrize("existing", [MAY, MAY.model_dump()], ids=["value", "json"])
@pytest.mark.parametrize("messages", ["Grace left, Joan came.", ["Grace left, Joan came."]], ids=["text", "list"])
def test_the_model_writes_only_what_changes(run: Run, existing: Any, messages: Any) -> None:
    agent, model = agent_of(called({"changes": [{"path": "members[1]", "value": "joan"}]}))
    result = run(agent, {"messages": messages, "existing": existing})
    assert result["structured_response"] == Team(name="red", members=["ada", "joan"])
    assert '{"name": "red", "members": ["ada", "grace"]}' in model.requests[0].messages[-1].text
    assert result["outcome"]["attempts"][0]["patch"]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ({"changes": []}, MAY),
        ({"changes": [{"path": "members[2]", "value": "joan"}]}, Team(name="red", members=["ada", "grace", "joan"])),
        ({"name": "blue"}, Team(name="blue", members=["ada", "grace"])),
        ({"name": "blue", "members": []}, Team(name="blue", members=[])),
    ],
    ids=["nothing", "one more", "a part", "the whole"],
)
def test_nothing_an_item_a_part_or_the_whole_may_change(run: Run, reply: Any, answer: Team) -> None:
    agent, _ = agent_of(called(reply))
    assert run(agent, {"messages": ["News."], "existing": MAY})["structured_response"] == answer


def test_an_answer_in_text_is_brought_up_to_date(run: Run) -> None:
    agent, _ = agent_of('{"changes": [{"path": "name", "value": "blue"}]}', response_format=PromptedStrategy(Team))
    assert run(agent, {"messages": ["News."], "existing": MAY})["structured_response"].name == "blue"


def test_without_repair_the_whole_answer_is_asked_for(run: Run) -> None:
    agent, model = agent_of(called({"name": "blue", "members": ["ada"]}), repair="whole")
    assert run(agent, {"messages": ["News."], "existing": MAY})["structured_response"].name == "blue"
    assert "Give the whole answer again" in model.requests[0].messages[-1].text


def test_the_next_run_of_the_thread_is_an_ordinary_one(run: Run) -> None:
    config: Any = {"configurable": {"thread_id": "1"}}
    replies = [called({"name": "blue"}), called({"name": "green", "members": ["joan"]})]
    agent, _ = agent_of(*replies, checkpointer=InMemorySaver())
    run(agent, {"messages": ["News."], "existing": MAY}, config)
    result = run(agent, {"messages": ["A new team."]}, config)
    assert result["structured_response"] == Team(name="green", members=["joan"])
    assert not result["outcome"]["attempts"][0]["patch"]


def test_no_previous_answer_is_an_ordinary_run(run: Run) -> None:
    agent, model = agent_of(called(MAY.model_dump()))
    assert run(agent, {"messages": ["News."], "existing": None})["structured_response"] == MAY
    assert len(model.requests[0].messages) == 1


def test_a_value_that_is_no_answer_is_refused(run: Run) -> None:
    agent, _ = agent_of()
    with pytest.raises(AgentSpecError, match=r"existing=.* is not an answer of \['Team'\]"):
        run(agent, {"messages": ["News."], "existing": {"name": 3}})


def test_the_previous_answer_is_no_evidence_of_itself(run: Run) -> None:
    model = ScriptedChatModel(replies=[called({"changes": [{"path": "name", "value": "blue"}]})] * 2)
    extractor = create_extractor(model, Team, limits=UsageLimits(answer_attempts=2))
    result = run(extractor, {"document": "The blue team: Ada and Joan.", "existing": MAY})
    assert result["outcome"]["fields"]["members[1]"]["status"] == "not_found"


def test_metadata_of_a_callers_message_that_is_no_previous_answer_does_nothing(run: Run) -> None:
    agent, _ = agent_of(called(MAY.model_dump()))
    message = HumanMessage("News.", response_metadata={"existing": {"schema": "Team"}})
    assert run(agent, {"messages": [message]})["structured_response"] == MAY
