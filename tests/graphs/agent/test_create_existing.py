"""A previous answer is brought up to date by a patch."""

from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field

from answergraph import AgentSpecError, Key, PromptedStrategy, ToolStrategy, UsageLimits, create_agent
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


@pytest.mark.parametrize("outcome", [None, {"status": "answered"}, {"fields": 3}])
def test_a_result_whose_outcome_holds_no_fields_is_refused(run: Run, outcome: Any) -> None:
    agent, model = agent_of()
    with pytest.raises(AgentSpecError, match=r"has no 'fields'; pass the structured_response alone"):
        run(agent, {"messages": ["News."], "existing": {"structured_response": MAY, "outcome": outcome}})
    assert not model.requests


def test_an_agent_without_a_response_format_has_no_previous_answer(run: Run) -> None:
    with pytest.raises(AgentSpecError, match=r"this agent has no response format; write response_format="):
        run(agent_of(response_format=None)[0], {"messages": ["News."], "existing": MAY})


def test_what_does_not_change_is_the_callers_and_what_changes_needs_evidence(run: Run) -> None:
    statuses = []
    for name in ("blue", "grace"):
        model = ScriptedChatModel(replies=[called({"changes": [{"path": "name", "value": name}]})] * 2)
        extractor = create_extractor(model, Team, limits=UsageLimits(answer_attempts=2))
        fields = run(extractor, {"document": "The blue team: Ada and Joan.", "existing": MAY})["outcome"]["fields"]
        statuses.append([fields[path]["status"] for path in ("name", "members[0]", "members[1]")])
    # The previous answer is no evidence of what changes, even if it has that elsewhere.
    assert statuses == [["supported", "supported", "given"], ["not_found", "supported", "given"]]


class Member(BaseModel):
    email: str
    role: str


class Club(BaseModel):
    members: Annotated[list[Member], Key("email")]


class OpenClub(BaseModel):
    members: Annotated[list[Member], Key("email", may_delete=True)]


ADA, GRACE, JOAN = ({"email": name, "role": role} for name, role in (("ada", "chair"), ("grace", "guest"), ("joan", "clerk")))
MINUTES = "ada is chair, grace is guest."


def club_of(schema: Any, *patches: Any, document: str, existing: Any, run: Run) -> Any:
    replies = [AIMessage("", tool_calls=[{"name": schema.__name__, "args": patch, "id": "1"}]) for patch in patches]
    extractor = create_extractor(ScriptedChatModel(replies=replies), schema, limits=UsageLimits(answer_attempts=2))
    return run(extractor, {"document": document, "existing": existing})


def changes(**values: Any) -> dict[str, Any]:
    return {"changes": [{"path": path, "value": value} for path, value in values.items()]}


def test_an_item_is_changed_and_added_by_its_key_and_the_others_keep_their_evidence(run: Run) -> None:
    first = club_of(Club, {"members": [ADA, GRACE]}, document=MINUTES, existing=None, run=run)
    patch = changes(**{"members['joan']": JOAN, "members['grace'].role": "treasurer"})
    result = club_of(Club, patch, document="grace is treasurer, joan is clerk.", existing=first, run=run)
    assert [dict(member) for member in result["structured_response"].members] == [ADA, {**GRACE, "role": "treasurer"}, JOAN]
    fields = result["outcome"]["fields"]
    assert fields["members[0].role"]["evidence"] == first["outcome"]["fields"]["members[0].role"]["evidence"]
    assert {path: record["status"] for path, record in fields.items()} == {
        f"members[{number}].{name}": "supported" for number in range(3) for name in ("email", "role")
    }


def test_an_item_is_only_deleted_where_that_is_allowed(run: Run) -> None:
    for patch in (changes(**{"members['ada']": None}), changes(members=[GRACE]), {"members": [GRACE]}):
        existing = Club.model_validate({"members": [ADA, GRACE]})
        refused = club_of(Club, patch, patch, document=MINUTES, existing=existing, run=run)
        assert (refused["structured_response"], refused["outcome"]["status"]) == (None, "invalid")
        assert "members['ada'] is gone" in refused["outcome"]["reason"]
        patched = club_of(OpenClub, patch, document=MINUTES, existing={"members": [ADA, GRACE]}, run=run)
        assert [dict(member) for member in patched["structured_response"].members] == [GRACE]


def test_an_item_that_moved_keeps_what_stood_behind_it(run: Run) -> None:
    existing = {"members": [ADA, GRACE]}
    result = club_of(OpenClub, {"members": [JOAN, GRACE]}, document="joan is clerk.", existing=existing, run=run)
    statuses = [record["status"] for record in result["outcome"]["fields"].values()]
    assert statuses == ["supported", "supported", "given", "given"]


class AliasedMember(BaseModel):
    email: str = Field(alias="e-mail")
    role: str


class AliasedClub(BaseModel):
    members: Annotated[list[AliasedMember], Key("email")] = Field(alias="all members")


def test_fields_with_an_alias_are_named_as_in_json_and_keep_their_evidence(run: Run) -> None:
    ada, grace, joan = ({"e-mail": each["email"], "role": each["role"]} for each in (ADA, GRACE, JOAN))
    first = club_of(AliasedClub, {"all members": [ada, grace]}, document=MINUTES, existing=None, run=run)
    patch = changes(**{"['all members']['joan']": joan, "['all members']['grace'].role": "treasurer"})
    result = club_of(AliasedClub, patch, document="grace is treasurer, joan is clerk.", existing=first, run=run)
    assert [(each.email, each.role) for each in result["structured_response"].members] == [
        ("ada", "chair"),
        ("grace", "treasurer"),
        ("joan", "clerk"),
    ]
    fields = result["outcome"]["fields"]
    assert fields["members[0].role"]["evidence"] == first["outcome"]["fields"]["members[0].role"]["evidence"]
    refused = club_of(AliasedClub, *[{"all members": [grace]}] * 2, document=MINUTES, existing=first, run=run)
    assert "['all members']['ada'] is gone" in refused["outcome"]["reason"]


def test_two_items_of_one_key_and_an_unknown_item_are_refused(run: Run) -> None:
    existing = {"members": [ADA]}
    for patch in ({"members": [ADA, ADA]}, changes(**{"members['joan'].role": "clerk"})):
        assert club_of(Club, patch, patch, document=MINUTES, existing=existing, run=run)["structured_response"] is None


def test_the_model_is_told_how_an_item_is_named() -> None:
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[{"name": "Club", "args": {"changes": []}, "id": "1"}])])
    create_agent(model, response_format=ToolStrategy(Club)).invoke({"messages": ["News."], "existing": {"members": [ADA]}})
    assert "named by its email: members['…'] changes it" in model.requests[0].messages[-1].text


def test_a_key_that_names_nothing_is_refused_while_building() -> None:
    class Wrong(BaseModel):
        members: Annotated[list[Member], Key("mail")]

    class NoList(BaseModel):
        name: Annotated[str, Key("mail")]

    for schema, words in ((Wrong, "names no field of its items"), (NoList, "on what is no list")):
        with pytest.raises(AgentSpecError, match=words):
            create_agent(ScriptedChatModel(replies=[]), response_format=schema)


def test_metadata_of_a_callers_message_that_is_no_previous_answer_does_nothing(run: Run) -> None:
    agent, _ = agent_of(called(MAY.model_dump()))
    message = HumanMessage("News.", response_metadata={"existing": {"schema": "Team"}})
    assert run(agent, {"messages": [message]})["structured_response"] == MAY


def test_types_that_refer_to_each_other_have_so_many_places_for_a_key() -> None:
    names = [f"Node{number}" for number in range(8)]
    space: dict[str, Any] = {}
    for name in names:
        hints = {"members": Annotated[list[Member], Key("email")], **{other.lower(): f"{other} | None" for other in names}}
        space[name] = type(name, (BaseModel,), {"__annotations__": hints, **{other.lower(): None for other in names}})
    for name in names:
        space[name].model_rebuild(_types_namespace=space)
    with pytest.raises(AgentSpecError, match=r"Key\('email'\) is at more than 1000 places"):
        create_agent(ScriptedChatModel(replies=[]), response_format=ToolStrategy(space["Node0"]))
