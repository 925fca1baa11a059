"""A field may be read under other names than it is written with; an answer is stored, reviewed and compared all the same."""

import json
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, create_model

from answergraph import Grounded, PromptedStrategy, ToolStrategy, create_agent
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import Case, ScriptedChatModel, evaluate
from tests.suite.colors import Run

QUESTION: Any = {"messages": ["The total is 5.0."]}
THREAD: Any = {"configurable": {"thread_id": "1"}}
ALIASES: dict[str, tuple[str, Any]] = {
    "alias": ("Total", Field(alias="Total")),
    "another one for writing": ("total_in", Field(validation_alias="total_in", serialization_alias="total_out")),
    "for reading": ("total_in", Field(validation_alias="total_in")),
    "for writing": ("total", Field(serialization_alias="total_out")),
    "choices": ("sum", Field(validation_alias=AliasChoices("sum", "Sum"))),
    "choices with a path": ("sum", Field(validation_alias=AliasChoices("sum", AliasPath("sums", 0)))),
}
aliases = pytest.mark.parametrize(("key", "field"), ALIASES.values(), ids=ALIASES)


def bill(field: Any, base: Any = BaseModel) -> Any:
    total: Any = (Annotated[float, Grounded()], field)
    return create_model("Bill", __base__=base, __doc__="A bill.", total=total, pages=(int, ...))


def agent_of(schema: Any, *totals: dict[str, Any], **options: Any) -> Any:
    calls = [{"name": "Bill", "args": {**each, "pages": 1}, "id": "1"} for each in totals]
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]) for call in calls])
    grounded = GroundedAnswer(sources=Input(), on_doubt=options.pop("on_doubt", "refuse"))
    return create_agent(model, response_format=ToolStrategy(schema), middleware=[grounded], **options)


@aliases
def test_an_answer_is_read_and_restored_by_its_names(run: Run, key: str, field: Any) -> None:
    schema, saver = bill(field), InMemorySaver()
    result = run(agent_of(schema, {key: 5.0}, checkpointer=saver), QUESTION, THREAD)
    assert result["outcome"]["fields"]["total"]["status"] == "supported"
    restored = agent_of(schema, checkpointer=saver).get_state(THREAD).values["structured_response"]
    assert restored == result["structured_response"] == schema.model_construct(total=5.0, pages=1)


@aliases
def test_a_person_edits_a_field_whatever_its_names_are(run: Run, key: str, field: Any) -> None:
    agent = agent_of(bill(field), {key: 6.0}, {key: 6.0}, on_doubt="review", checkpointer=InMemorySaver())
    request = run(agent, QUESTION, THREAD)["__interrupt__"][0].value
    assert request["choices"]["total"]["approve"] is None
    result = run(agent, Command(resume={"decisions": {"total": {"type": "edit", "value": 5.0}}}), THREAD)
    assert (result["structured_response"].total, result["outcome"]["fields"]["total"]["status"]) == (5.0, "given")


@aliases
def test_an_expected_answer_is_compared_whatever_its_names_are(key: str, field: Any) -> None:
    schema = bill(field)
    case = Case(QUESTION, schema.model_validate({key: 5.0, "pages": 1}))
    assert {each["mark"] for each in evaluate(agent_of(schema, {key: 5.0}), [case]).runs[0]["fields"]} == {"right"}


@aliases
def test_an_unchanged_field_of_an_earlier_answer_needs_no_source(run: Run, key: str, field: Any) -> None:
    schema = bill(field)
    existing = schema.model_validate({key: 7.0, "pages": 1})
    result = run(agent_of(schema, {key: 7.0}, repair="whole"), {**QUESTION, "existing": existing})
    assert result["outcome"]["fields"]["total"]["status"] == "given"


def test_a_field_inside_another_value_may_have_its_own_name_too(run: Run) -> None:
    class ByName(BaseModel):
        model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    schema = bill(Field(validation_alias=AliasPath("sums", "total")), base=ByName)
    assert run(agent_of(schema, {"total": 5.0}), QUESTION)["structured_response"].total == 5.0


class Column(BaseModel):
    type: str
    fields: int = Field(alias="fieldCount")
    metadata: str = Field(default="", alias="meta")
    config: str = ""


def test_fields_may_be_named_as_the_words_of_a_schema(run: Run) -> None:
    reply = {"type": "text", "fieldCount": 2, "meta": "m"}
    agent = create_agent(ScriptedChatModel(replies=[json.dumps(reply)]), [], response_format=PromptedStrategy(Column))
    assert run(agent, {"messages": "Describe it."})["structured_response"] == Column.model_validate(reply)
