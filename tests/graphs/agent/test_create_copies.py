"""What the model was shown is no answer when it comes back: placeholders of the example, and the words of a correction."""

import json
from typing import Any, Literal

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field

from answergraph import AnswerRejected, DeferredStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.answergraph.asking.strategies.test_call_or_answer import LocalModel
from tests.suite.colors import Run


class Person(BaseModel):
    name: str
    city: str = Field(description="Where she lives.")
    tags: list[str] = []


RIGHT = {"name": "Ann", "city": "Oslo"}


def asked(run: Run, strategy: Any, *replies: object, question: str = "Who is it?") -> dict[str, Any]:
    texts = [each if isinstance(each, AIMessage) else AIMessage(json.dumps(each)) for each in replies]
    result: dict[str, Any] = run(
        create_agent(ScriptedChatModel(replies=texts), [], response_format=strategy), {"messages": question}
    )
    return result


@pytest.mark.parametrize(
    ("copied", "paths"),
    [
        ({"name": "<string>", "city": "<string, Where she lives.>"}, ["name", "city"]),
        ({"name": "Ann", "city": "<string>"}, ["city"]),
        ({"name": "Ann", "city": "<Where she lives.>"}, ["city"]),
        ({"name": "<String>", "city": "< STRING >"}, ["name", "city"]),
        ({"name": "<name>", "city": "Oslo"}, ["name"]),
        ({"name": "Ann", "city": "Oslo", "tags": ["tall", "..."]}, ["tags[1]"]),
        ({"name": "Ann", "city": "Oslo", "tags": ["tall", "…"]}, ["tags[1]"]),
        ({"name": "string", "city": "String"}, ["name", "city"]),
        ({"name": "[name]", "city": "(string)"}, ["name", "city"]),
        ({"name": "'<string>'", "city": "**<Where she lives.>**"}, ["name", "city"]),
        ({"name": "“<string>”", "city": "<string"}, ["name", "city"]),
        ({"name": "Ann", "city": "where she lives."}, ["city"]),
        ({"name": "Ann", "city": "Where she lives"}, ["city"]),
        ({"name": "<string>, <string>", "city": "In <string, where she lives.>"}, ["name", "city"]),
    ],
)
def test_placeholders_of_the_example_are_asked_for_again(run: Run, copied: dict[str, object], paths: list[str]) -> None:
    result = asked(run, PromptedStrategy(Person), copied, RIGHT)
    assert result["structured_response"] == Person.model_validate(RIGHT)
    first = result["outcome"]["attempts"][0]
    assert first["status"] == "invalid"
    assert [*first["fields"]] == paths
    assert "copied from what you were shown" in first["fields"][paths[0]]


def test_a_run_does_not_end_with_placeholders(run: Run) -> None:
    copied = {"name": "<string>", "city": "<string>"}
    outcome = asked(run, PromptedStrategy(Person), *[copied] * 9)["outcome"]
    assert outcome["status"] == "invalid"
    assert "copied" in outcome["reason"]


def test_an_example_in_a_correction_counts_as_shown(run: Run) -> None:
    cut = AIMessage('{"name": "An', response_metadata={"finish_reason": "length"})
    copied = {"name": "Ann", "city": "<string, Where she lives.>"}
    result = asked(run, ProviderStrategy(Person), cut, copied, RIGHT)
    assert result["outcome"]["attempts"][1]["fields"].keys() == {"city"}


@pytest.mark.parametrize(
    "copied",
    [
        *("Field required", "field required", '"Field required"', "Field required; city: Field required"),
        *("Error: name: Field required; city: Field required", "Please fix your mistakes."),
    ],
)
@pytest.mark.parametrize("strategy", [ProviderStrategy, PromptedStrategy, DeferredStrategy])
def test_the_words_of_a_correction_are_asked_for_again(run: Run, strategy: Any, copied: str) -> None:
    result = asked(run, strategy(Person), {"tags": []}, {"name": copied, "city": "Oslo"}, RIGHT)
    assert result["structured_response"] == Person.model_validate(RIGHT)
    assert [*result["outcome"]["attempts"][-2]["fields"]] == ["name"]


def test_the_words_of_a_correction_are_no_answer_where_the_wrong_answer_is_left_out(run: Run) -> None:
    wrong: dict[str, object] = {"tags": []}
    copied = {"name": "Field required", "city": "Oslo"}
    model = LocalModel(replies=[json.dumps(each) for each in (wrong, wrong, copied)])
    outcome = run(create_agent(model, response_format=Person), {"messages": "Who is it?"})["outcome"]
    assert (outcome["status"], [*outcome["fields"]]) == ("invalid", ["name"])
    assert "copied from what you were shown" in outcome["reason"]


def lives_there(answer: Person, state: Any, runtime: Any) -> None:
    if answer.city == "Rome":
        raise AnswerRejected("She has left the city: name another one, such as Oslo.")


@pytest.mark.parametrize("strategy", [ProviderStrategy, PromptedStrategy, DeferredStrategy])
def test_what_a_check_said_is_asked_for_again_but_not_a_word_of_it(run: Run, strategy: Any) -> None:
    rejected, copied = RIGHT | {"city": "Rome"}, RIGHT | {"name": "She has left the city: name another one, such as Oslo"}
    texts = [json.dumps(each) for each in (rejected, copied, RIGHT)]
    agent: Any = create_agent(ScriptedChatModel(replies=texts), [], response_format=strategy(Person), check_answer=lives_there)
    assert run(agent, {"messages": "Who is it?"})["structured_response"] == Person.model_validate(RIGHT)


def test_what_somebody_else_wrote_is_an_answer(run: Run) -> None:
    for words in ("<string>", "string", "...", "Field required"):
        answer = {"name": words, "city": "Oslo"}
        result = asked(run, PromptedStrategy(Person), {"tags": []}, answer, question=f"It says {words}")
        assert result["structured_response"] == Person.model_validate(answer)


# The header of C++ is ``<string>``; of the 783 recorded replies of small models, none has a placeholder that was not shown.
def test_what_was_not_shown_is_an_answer(run: Run) -> None:
    answer = {"name": "<string>", "city": "Field required", "tags": ["string"]}
    call = AIMessage("", tool_calls=[{"name": "Person", "args": answer, "id": "1"}])
    for strategy, reply in ((ToolStrategy(Person), call), (PromptedStrategy(Person, show="schema"), answer)):
        result = asked(run, strategy, reply)
        assert result["structured_response"] == Person.model_validate(answer)


class Column(BaseModel):
    number: int
    type: Literal["integer", "string"]
    title: str


def test_a_word_for_a_kind_that_is_a_key_or_a_value_of_the_schema_is_an_answer(run: Run) -> None:
    answer = {"number": 1, "type": "string", "title": "integer"}
    result = asked(run, PromptedStrategy(Column), answer)
    assert result["structured_response"] == Column.model_validate(answer)


class Lamp(BaseModel):
    state: str = Field(description="one of: sold out, not in the stock")
    colour: str = Field(description="light red")


def test_words_of_a_description_are_answers(run: Run) -> None:
    answer = {"state": "not in the stock", "colour": "light red"}
    assert asked(run, PromptedStrategy(Lamp), answer)["structured_response"] == Lamp.model_validate(answer)


class Tag(BaseModel):
    kind: Literal["<b>"]
    mark: Literal["<b>", "<i>"]
    html: str


def test_values_that_look_like_placeholders_are_answers(run: Run) -> None:
    answer = {"kind": "<b>", "mark": "<i>", "html": "<p>Hello.</p>"}
    assert asked(run, PromptedStrategy(Tag), answer)["structured_response"] == Tag.model_validate(answer)
