"""An answer that is wrong in some fields: only these are asked for again."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, ConfigDict, Field

from answergraph import (
    AgentSpecError,
    AnswerRejected,
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.testing import ScriptedChatModel
from benchmarks.repair import MOST, output_of
from tests.suite.colors import Run


class Line(BaseModel):
    article: str
    pieces: int


class Order(BaseModel):
    customer: str
    city: str = "Berlin"
    lines: list[Line]
    notes: dict[str, str] = Field(default_factory=dict)


ARTICLES = {"tea", "salt"}
WRONG = {"customer": "ada", "city": "Paris", "lines": [{"article": "tea", "pieces": 1}, {"article": "pepper", "pieces": 2}]}
RIGHT = Order.model_validate({**WRONG, "lines": [WRONG["lines"][0], {"article": "salt", "pieces": 2}]})
PATCH = {"changes": [{"path": "lines[1].article", "value": "salt"}]}
ASKED = {"messages": ["Order."]}


def known_articles(answer: Order, state: Any, runtime: Any) -> None:
    wrong = {
        f"lines[{index}].article": f"There is no article {line.article!r}."
        for index, line in enumerate(answer.lines)
        if line.article not in ARTICLES
    }
    if wrong:
        raise AnswerRejected("Use articles of the catalogue.", fields=wrong)


def called(value: Any, name: str = "Order") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": value, "id": f"call-{id(value)}", "type": "tool_call"}])


def said(value: Any) -> AIMessage:
    return AIMessage(json.dumps(value))


def agent_of(*replies: AIMessage, response_format: Any = None, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    options = {"check_answer": known_articles, **options}
    return create_agent(model, response_format=response_format or ToolStrategy(Order), **options), model


STRATEGIES = {
    "tool": (ToolStrategy(Order), called),
    "provider": (ProviderStrategy(Order), said),
    "prompted": (PromptedStrategy(Order), said),
    "json mode": (PromptedStrategy(Order, json_mode=True), said),
    "auto": (AutoStrategy(Order), called),
    "fallback": (FallbackStrategy([ToolStrategy(Order), PromptedStrategy(Order)]), called),
    "deferred": (DeferredStrategy(ToolStrategy(Order)), called),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_patch_repairs_the_answer_in_every_strategy(run: Run, name: str) -> None:
    strategy, write = STRATEGIES[name]
    before = [AIMessage("I have read it.")] if name == "deferred" else []
    agent, _ = agent_of(*before, write(WRONG), write(PATCH), response_format=strategy, repair="patch")
    result = run(agent, ASKED)
    assert result["structured_response"] == RIGHT
    assert [attempt["patch"] for attempt in result["outcome"]["attempts"]] == [False, True]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_whole_answer_is_accepted_where_a_patch_was_asked_for(run: Run, name: str) -> None:
    strategy, write = STRATEGIES[name]
    before = [AIMessage("I have read it.")] if name == "deferred" else []
    agent, _ = agent_of(*before, write(WRONG), write(RIGHT.model_dump()), response_format=strategy, repair="patch")
    result = run(agent, ASKED)
    assert result["structured_response"] == RIGHT
    assert [attempt["patch"] for attempt in result["outcome"]["attempts"]] == [False, False]


def test_a_member_of_a_union_is_repaired(run: Run) -> None:
    class Question(BaseModel):
        text: str

    model = ScriptedChatModel(replies=[said({"schema": "Order", "value": WRONG}), said({"schema": "Order", "value": PATCH})])
    agent = create_agent(model, response_format=ProviderStrategy(Order | Question), check_answer=known_articles, repair="patch")
    assert run(agent, ASKED)["structured_response"] == RIGHT


def test_a_list_is_repaired(run: Run) -> None:
    model = ScriptedChatModel(replies=[said({"value": [1, "two", 3]}), said({"changes": [{"path": "[1]", "value": 2}]})])
    agent = create_agent(model, response_format=ProviderStrategy(list[int]), repair="patch")
    assert run(agent, ASKED)["structured_response"] == [1, 2, 3]


@pytest.mark.parametrize(
    "reply",
    [
        {"changes": [{"path": "/lines/1/article", "value": "salt"}]},
        {"changes": [{"op": "replace", "path": "lines[1].article", "value": "salt"}]},
        {"changes": {"lines[1].article": "salt"}},
        {"changes": {"path": "lines[1].article", "value": "salt"}},
        {"changes": [{"path": "lines[1]", "value": {"article": "salt", "pieces": 2}}]},
        {"changes": [{"path": "", "value": RIGHT.model_dump()}]},
        {"lines": [{}, {"article": "salt"}]},
        {"lines": RIGHT.model_dump()["lines"]},
    ],
)
def test_a_patch_is_read_in_the_forms_that_models_write(run: Run, reply: Any) -> None:
    agent, _ = agent_of(called(WRONG), called(reply), repair="patch")
    result = run(agent, ASKED)
    assert result["structured_response"] == RIGHT
    assert result["outcome"]["attempts"][-1]["patch"]


def test_a_reply_with_only_the_corrected_field_is_an_answer_and_keeps_optional_fields(run: Run) -> None:
    # ``customer`` alone would be no answer, and an answer of both required fields would lose the city.
    wrong = {**RIGHT.model_dump(mode="json"), "customer": 7}
    agent, model = agent_of(called(wrong), called({"customer": "ada"}))
    result = run(agent, ASKED)
    assert result["structured_response"] == RIGHT
    assert len(model.requests) == 2


def test_items_left_out_of_a_part_are_not_dropped(run: Run) -> None:
    agent, model = agent_of(called(WRONG), called({"lines": [{"article": "salt", "pieces": 2}]}), called(PATCH), repair="patch")
    result = run(agent, ASKED)
    assert result["structured_response"] == RIGHT
    assert "2 items in your answer and 1 here" in str(model.requests[-1].messages[-1].content)


def test_a_field_that_does_not_exist_goes_back_and_the_whole_answer_is_asked_for(run: Run) -> None:
    no_field = {"changes": [{"path": "rows[0].article", "value": "salt"}]}
    agent, model = agent_of(called(WRONG), called(no_field), called(RIGHT.model_dump()), repair="patch")
    result = run(agent, ASKED)
    assert result["structured_response"] == RIGHT
    assert "there is no field rows[0].article" in str(model.requests[-1].messages[-1].content)
    properties = [_answer_properties(request) for request in model.requests]
    assert properties == [{"customer", "city", "lines", "notes"}, {"changes"}, {"customer", "city", "lines", "notes"}]


def test_a_patch_is_offered_only_where_it_costs_less(run: Run) -> None:
    long = {**WRONG, "notes": {str(number): "a note of some length" for number in range(30)}}
    for value, offered in ((WRONG, False), (long, True)):
        agent, model = agent_of(called(value), called({**value, "lines": RIGHT.model_dump()["lines"]}))
        run(agent, ASKED)
        assert (_answer_properties(model.requests[1]) == {"changes"}) is offered


def test_repair_can_be_turned_off(run: Run) -> None:
    agent, _ = agent_of(called(WRONG), called({"lines": RIGHT.model_dump()["lines"]}), called(RIGHT.model_dump()), repair="whole")
    result = run(agent, ASKED)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "invalid", "answered"]


def test_an_unknown_way_to_repair_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="repair='fields'"):
        create_agent("offline", response_format=Order, repair="fields")  # type: ignore[call-overload]  # the mistake


def test_the_model_sees_the_wrong_fields_and_the_conversation_only_grows_at_its_end(run: Run) -> None:
    agent, model = agent_of(called(WRONG), called(PATCH), repair="patch")
    run(agent, ASKED)
    first, second = (request.messages for request in model.requests)
    assert second[: len(first)] == first
    text = str(second[-1].content)
    assert text.startswith("Use articles of the catalogue.\n")
    assert "- lines[1].article (now \"pepper\"): There is no article 'pepper'." in text
    assert "lines[0]" not in text


def test_the_stream_shows_the_whole_growing_answer(run: Run) -> None:
    agent, _ = agent_of(called(WRONG), called(PATCH), repair="patch")
    events = [event for event in run.stream(agent, ASKED, stream_mode="custom") if event["attempt"] == 2]
    assert events[-1]["status"] == "accepted"
    assert len(events) > 1
    assert all(event["value"]["city"] == "Paris" for event in events)


def test_another_process_reads_a_patch(run: Run) -> None:
    saver = InMemorySaver()
    config: Any = {"configurable": {"thread_id": "1"}}
    agent, _ = agent_of(called(WRONG), called(PATCH), repair="patch", checkpointer=saver, interrupt_after=["model"])
    run(agent, ASKED, config)
    run(agent, None, config)
    other, _ = agent_of(repair="patch", checkpointer=saver)
    assert run(other, None, config)["structured_response"] == RIGHT


def test_fields_with_aliases_are_repaired(run: Run) -> None:
    class Named(BaseModel):
        model_config = ConfigDict(populate_by_name=True)
        full_name: str = Field(alias="fullName")
        age: int

    def no_x(answer: Named, state: Any, runtime: Any) -> None:
        if answer.full_name == "x":
            raise AnswerRejected("Write the name.", fields=["full_name"])

    replies = [called({"fullName": "x", "age": 3}, "Named"), called({"fullName": "Ada"}, "Named")]
    agent, model = agent_of(*replies, response_format=ToolStrategy(Named), check_answer=no_x, repair="patch")
    result = run(agent, ASKED)
    assert result["structured_response"] == Named(fullName="Ada", age=3)
    assert '"path": "fullName"' in str(model.requests[1].messages[-1].content)


@pytest.mark.parametrize("wrong", MOST)
@pytest.mark.parametrize("by_tool", [True, False])
def test_a_repair_of_a_long_answer_costs_a_fraction_of_it(wrong: int, by_tool: bool) -> None:
    whole, patch = (output_of(wrong, repair, by_tool=by_tool) for repair in ("whole", "auto"))
    assert patch / whole <= MOST[wrong]


class Cell(BaseModel):
    name: str
    number: int
    tags: list[str]


class Table(BaseModel):
    title: str
    cells: list[Cell]
    by_year: dict[str, float]


TEXTS = st.text(max_size=8)
TABLES = st.builds(
    Table,
    title=TEXTS,
    cells=st.lists(st.builds(Cell, name=TEXTS, number=st.integers(-9, 9), tags=st.lists(TEXTS, max_size=2)), max_size=4),
    by_year=st.dictionaries(st.sampled_from(["2024", "q 1", "a.b", "it's"]), st.floats(0, 9), max_size=3),
)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, each in inner for leaf in _leaves(each, (*path, key))]
    return [path]


def _set(value: Any, path: tuple[Any, ...], leaf: Any) -> None:
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = leaf


def _get(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@settings(max_examples=60, deadline=None)
@given(table=TABLES, data=st.data())
def test_a_repaired_answer_is_the_same_everywhere_else(table: Table, data: st.DataObject) -> None:
    right = table.model_dump(mode="json")
    places = data.draw(st.lists(st.sampled_from(_leaves(right)), min_size=1, unique=True))
    wrong = deepcopy(right)
    for place in places:
        _set(wrong, place, {"no": "such value"})
    pointers = ["/" + "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in place) for place in places]
    changes = [{"path": path, "value": _get(right, place)} for path, place in zip(pointers, places, strict=True)]
    model = ScriptedChatModel(replies=[called(wrong, "Table"), called({"changes": changes}, "Table")])
    result = create_agent(model, response_format=ToolStrategy(Table), repair="patch").invoke({"messages": ["Go."]})
    answer = result["structured_response"]
    assert json.dumps(answer and answer.model_dump(mode="json")) == json.dumps(right)
    assert len(result["outcome"]["attempts"][0]["fields"]) == len(places)


def _answer_properties(request: Any) -> set[str]:
    (tool,) = request.tools
    return set(
        tool.tool_call_schema["properties"] if hasattr(tool, "tool_call_schema") else tool["function"]["parameters"]["properties"]
    )
