"""Partial answers of parallel agents become one, with the fields in which they differ named."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph import AgentSpecError, AnswerRejected, Key
from answergraph.graphs import create_extractor, merge_answers
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run


class Line(BaseModel):
    sku: str
    price: float | None = None


class Invoice(BaseModel):
    number: str | None = None
    total: float | None = None
    lines: Annotated[list[Line], Key("sku")] = []


class State(TypedDict):
    document: str
    invoice: Annotated[dict[str, Any], merge_answers]


def reader(name: str, **value: Any) -> Any:
    call = {"name": "Invoice", "args": value, "id": "1", "type": "tool_call"}
    return create_extractor(ScriptedChatModel(replies=[AIMessage("", tool_calls=[call])]), Invoice, name=name)


def merged(run: Run, document: str, **readers: dict[str, Any]) -> Any:
    """Run readers side by side in a graph that merges their results."""
    graph: Any = StateGraph(State)
    for name, value in readers.items():
        agent = reader(name, **value)
        graph.add_node(name, lambda state, agent=agent: {"invoice": agent.invoke({"document": state["document"]})})
        graph.add_edge(START, name)
    return run(graph.compile(), {"document": document})["invoice"]


def test_what_one_agent_lacks_is_taken_from_the_other_with_its_evidence(run: Run) -> None:
    head, table = {"number": "A-17"}, {"total": 20, "lines": [{"sku": "P1", "price": 20}]}
    result = merged(run, "Invoice A-17\nP1 20.00\nTotal 20.00", head=head, table=table)
    assert result["structured_response"] == Invoice.model_validate(head | table)
    fields = result["outcome"]["fields"]
    assert {record["status"] for record in fields.values()} == {"supported"}
    assert fields["number"]["evidence"][0]["unit"] == "Invoice A-17"
    assert (result["outcome"]["support"], result["outcome"]["usage"]["model_calls"]) == (1.0, 2)


def test_a_field_in_which_agents_differ_is_disputed_with_every_reading(run: Run) -> None:
    readers = {f"r{number}": {"number": "A-17", "total": total} for number, total in enumerate((20, 30, 20), start=1)}
    result = merged(run, "Invoice A-17: 20.00, before 30.00", **readers)
    total = result["outcome"]["fields"]["total"]
    assert (total["status"], total["problem"]) == ("disputed", "The readings differ: 20.0 (2), 30.0 (1)")
    assert [each["value"] for each in total["readings"]] == [20, 30, 20]
    assert {each["unit"] for each in total["evidence"]} == {"Invoice A-17: 20.00, before 30.00"}
    assert result["structured_response"].total == 20
    assert result["outcome"]["fields"]["number"]["accepted_by"] == "agreement"


def test_items_are_matched_by_their_key(run: Run) -> None:
    one = {"lines": [{"sku": "P1", "price": 1}, {"sku": "P2"}]}
    other = {"lines": [{"sku": "P3", "price": 3}, {"sku": "P2", "price": 2}]}
    result = merged(run, "P1 1.00\nP2 2.00\nP3 3.00", one=one, other=other)
    assert [(line.sku, line.price) for line in result["structured_response"].lines] == [("P1", 1), ("P2", 2), ("P3", 3)]


class AliasedLine(BaseModel):
    sku: str = Field(alias="no")
    price: float


class AliasedOrder(BaseModel):
    lines: Annotated[list[AliasedLine], Key("sku")] = Field(alias="rows")


def test_items_with_an_alias_are_matched_by_their_key() -> None:
    # Their prices are equal the other way round, so the best match would pair the wrong ones.
    one, other = ([{"no": no, "price": price} for no, price in rows] for rows in ([("a", 1), ("b", 2)], [("b", 1), ("c", 2)]))
    with pytest.raises(AnswerRejected) as caught:
        merge_answers(AliasedOrder.model_validate({"rows": one}), AliasedOrder.model_validate({"rows": other}))
    assert list(caught.value.fields) == ["lines[1].price"]


def test_an_agent_without_an_answer_takes_nothing_away() -> None:
    known: Any = {"structured_response": Invoice(number="A-17"), "outcome": {"fields": {}}}
    nothing: Any = {"structured_response": None, "outcome": {"fields": {}}}
    assert merge_answers(known, nothing) is known
    assert merge_answers(nothing, known) is known
    assert merge_answers({}, known) is known


def test_plain_answers_are_merged_and_refused_where_they_differ() -> None:
    @dataclass
    class Point:
        x: int | None = None
        y: int | None = None

    assert merge_answers(Point(x=1), Point(x=1, y=2)) == Point(1, 2)
    assert merge_answers(Invoice(number="A"), Invoice(total=3)) == Invoice(number="A", total=3)
    with pytest.raises(AnswerRejected) as refused:
        merge_answers(Invoice(number="A", total=3), Invoice(number="B"))
    assert refused.value.fields == {"number": "The readings differ: 'A' (1), 'B' (1)"}


@pytest.mark.parametrize(("one", "other"), [(5, 7), (0, 5), (False, True), ("", "b")])
def test_answers_of_one_value_that_differ_are_refused_as_a_whole(one: object, other: object) -> None:
    # 0, False and an empty text are answers too.
    with pytest.raises(AnswerRejected, match="The answers differ about the whole answer;"):
        merge_answers(one, other)
    assert merge_answers(one, one) == one


def test_answers_of_different_types_are_no_parts_of_one() -> None:
    with pytest.raises(AgentSpecError, match="a Invoice and a Line are no parts of one answer"):
        merge_answers(Invoice(number="A-17"), Line(sku="tea"))
