"""A person decides about the doubtful fields of an answer: one interrupt, one resume."""

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

from answergraph import (
    AgentSpecError,
    AnswerRejected,
    Derived,
    Grounded,
    ToolStrategy,
    UsageLimits,
    build_agent_graph,
    create_agent,
)
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

DOCUMENT = "Invoice A-17\npens 12.50\npaper 7.50\nAmount due: 20.00"
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


class Item(BaseModel):
    what: str
    price: float = Field(ge=0, description="Of one, without tax.")


class Invoice(BaseModel):
    """An invoice."""

    number: str
    phone: str | None = None
    items: list[Item]
    total: Annotated[float, Derived("sum(items[].price)", rounding=2)]


def invoice(*, price: float = 12.5, total: float = 20, **fields: Any) -> dict[str, Any]:
    items = [{"what": "pens", "price": price}, {"what": "paper", "price": 7.5}]
    return {"number": "A-17", "phone": None, "items": items, "total": total, **fields}


def called(args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Invoice", "args": args, "id": "1", "type": "tool_call"}])


def reviewed(*replies: Any, schema: Any = Invoice, saver: Any = None, grounded: Any = None, **options: Any) -> Any:
    """Return an agent that answers with each of these, and with the last one from then on."""
    calls = iter([*replies, *[replies[-1]] * 4])
    grounded = GroundedAnswer(sources=Input(), fields="all", on_doubt="review", **(grounded or {}))
    model = ScriptedChatModel(replies=lambda messages: called(next(calls)))
    return create_agent(
        *(model, []),
        response_format=ToolStrategy(schema),
        middleware=[grounded],
        checkpointer=InMemorySaver() if saver is None else saver,
        **options,
    )


def asked(result: Any) -> Any:
    """Return what a person is asked; it is plain JSON."""
    (interrupt,) = result["__interrupt__"]
    assert json.loads(json.dumps(interrupt.value)) == interrupt.value
    return interrupt.value


def decided(**decisions: Any) -> Command[Any]:
    return Command(resume={"decisions": {path.replace("__", "[0]."): each for path, each in decisions.items()}})


def edit(value: Any) -> dict[str, Any]:
    return {"type": "edit", "value": value}


def test_a_person_is_asked_for_the_doubtful_fields_alone(run: Run) -> None:
    request = asked(run(reviewed(invoice(phone="555", price=13)), {"messages": [DOCUMENT]}, THREAD))
    assert (request["type"], request["answer"]) == ("review_answer", invoice(phone="555", price=13))
    # The total is computed from a doubtful price: it may hold once that is decided.
    assert {path: record["status"] for path, record in request["fields"].items()} == {
        "phone": "not_found",
        "items[0].price": "not_found",
    }
    assert request["schema"]["items[0].price"]["minimum"] == 0
    assert request["schema"]["phone"]["default"] is None


def test_the_request_says_what_may_be_decided_and_what_follows(run: Run) -> None:
    request = asked(run(reviewed(invoice(phone="555", price=13)), {"messages": [DOCUMENT]}, THREAD))
    assert request["choices"]["phone"] == {"approve": None, "edit": None, "reject": None, "leave_out": None}
    assert request["choices"]["items[0].price"]["leave_out"] == "items[0].price is required."
    assert request["sums"] == {
        "items[0].price": [
            {
                "value": 13,
                "field": "total",
                "formula": "sum(13.0, 7.5)",
                "computed": "20.5",
                "stands": "20.0",
                "is_equal": False,
            }
        ]
    }


def test_one_resume_decides_all_and_says_that_a_person_did(run: Run) -> None:
    agent = reviewed(invoice(phone="555", price=13, number="B-9"))
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    result = run(agent, decided(phone=edit(None), items__price=edit(12.5), number={"type": "approve"}), THREAD)
    assert result["structured_response"] == Invoice.model_validate(invoice(number="B-9"))
    fields, outcome = result["outcome"]["fields"], result["outcome"]
    assert outcome["status"] == "answered"
    assert {
        path: (fields[path]["status"], fields[path].get("accepted_by")) for path in ("phone", "items[0].price", "number")
    } == {
        "phone": ("given", "person"),
        "items[0].price": ("given", "person"),
        "number": ("given", "person"),
    }
    # What the person wrote is looked up too, and a total of it is computed.
    assert fields["items[0].price"]["evidence"][0]["unit"] == "pens 12.50"
    assert (fields["total"]["status"], fields["items[1].price"]["status"]) == ("derived", "supported")


def test_a_field_that_is_left_out_of_the_decisions_is_approved(run: Run) -> None:
    agent = reviewed(invoice(number="B-9"))
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    result = run(agent, decided(), THREAD)
    assert (result["structured_response"].number, result["outcome"]["fields"]["number"]["status"]) == ("B-9", "given")


def test_a_value_that_does_not_fit_comes_back_at_its_field_and_the_others_stand(run: Run) -> None:
    agent = reviewed(invoice(phone="555", price=13))
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    again = asked(run(agent, decided(phone=edit(None), items__price=edit(-1)), THREAD))
    assert list(again["fields"]) == ["items[0].price"]
    assert "greater than or equal to 0" in again["fields"]["items[0].price"]["problem"]
    assert again["answer"]["phone"] is None
    result = run(agent, decided(items__price=edit("12.5")), THREAD)
    assert result["structured_response"] == Invoice.model_validate(invoice())


def test_a_total_that_does_not_follow_from_what_a_person_set_is_asked_for_next(run: Run) -> None:
    agent = reviewed(invoice(price=13))
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    again = asked(run(agent, decided(items__price=edit(11)), THREAD))
    assert again["fields"]["total"]["problem"] == "20.0: sum(items[].price) is 18.5."
    assert run(agent, decided(total=edit(18.5)), THREAD)["structured_response"].total == 18.5


def test_what_a_check_of_the_developer_turns_down_comes_back_at_its_field(run: Run) -> None:
    def known(answer: Invoice, state: Any, runtime: Any) -> None:
        if answer.number not in {"A-17", "A-18"}:
            raise AnswerRejected("Use a known number.", fields={"number": f"There is no {answer.number!r}."})

    agent = reviewed(invoice(number="B-9"), check_answer=known)
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    again = asked(run(agent, decided(number=edit("C-3")), THREAD))
    assert again["fields"]["number"]["problem"] == "There is no 'C-3'."
    assert run(agent, decided(number=edit("A-18")), THREAD)["structured_response"].number == "A-18"


def test_values_that_do_not_fit_together_come_back_together(run: Run) -> None:
    class Ordered(Invoice):
        @model_validator(mode="after")
        def numbered(self) -> "Ordered":
            if self.phone and self.phone == self.number:
                raise ValueError("a number is no phone")
            return self

    Ordered.__name__ = "Invoice"
    agent = reviewed(invoice(number="B-9", phone="555"), schema=Ordered)
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    again = asked(run(agent, decided(number=edit("7"), phone=edit("7")), THREAD))
    assert set(again["fields"]) == {"number", "phone"}
    assert "a number is no phone" in again["fields"]["phone"]["problem"]


def test_a_field_that_is_turned_down_is_asked_of_the_model_and_what_was_set_stays(run: Run) -> None:
    agent = reviewed(*[invoice(number="B-9", phone="555")] * 2, invoice(phone="556"), repair="whole")
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    result = run(agent, decided(phone=edit("777"), number={"type": "reject", "message": "It stands in line 1."}), THREAD)
    assert "__interrupt__" not in result
    assert result["structured_response"] == Invoice.model_validate(invoice(phone="777"))
    fields = result["outcome"]["fields"]
    assert (fields["phone"]["status"], fields["number"]["status"]) == ("given", "supported")
    assert result["outcome"]["attempts"][-2]["fields"] == {"number": "It stands in line 1."}
    assert any("It stands in line 1." in message.text for message in result["messages"])


def test_a_field_that_stays_doubtful_after_that_is_shown_again(run: Run) -> None:
    agent = reviewed(invoice(number="B-9"))
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    again = asked(run(agent, decided(number={"type": "reject"}), THREAD))
    assert list(again["fields"]) == ["number"]


def test_turning_down_ends_the_run_when_the_model_has_no_attempt_left(run: Run) -> None:
    agent = reviewed(invoice(number="B-9"), limits=UsageLimits(answer_attempts=2))
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    result = run(agent, decided(number={"type": "reject", "message": "No."}), THREAD)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "invalid")
    assert result["outcome"]["reason"] == "A person turned down number: No."


@pytest.mark.parametrize(
    ("resume", "problem"),
    [
        ("yes", "cannot be read"),
        ({"decisions": {"totl": edit(1)}}, "'totl' is not asked for"),
        ({"decisions": {"number": edit("A-17")}, "version": "older"}, "another version"),
        ({"decisions": {"number": {"type": "edit"}}}, None),
        ({"decisions": {"number": "approve"}}, None),
    ],
)
def test_decisions_that_cannot_be_taken_are_asked_for_again(run: Run, resume: Any, problem: str | None) -> None:
    agent = reviewed(invoice(number="B-9"))
    version = asked(run(agent, {"messages": [DOCUMENT]}, THREAD))["version"]
    again = asked(run(agent, Command(resume=resume), THREAD))
    assert (problem or "A decision is") in (again["problem"] if problem else again["fields"]["number"]["problem"])
    assert (again["version"] == version) is (problem is not None)
    good = {"decisions": {"number": edit("A-17")}, "version": again["version"]}
    assert run(agent, Command(resume=good), THREAD)["structured_response"].number == "A-17"


def test_a_new_question_of_the_thread_forgets_what_a_person_set(run: Run) -> None:
    agent = reviewed(invoice(number="B-9"))
    run(agent, {"messages": [DOCUMENT]}, THREAD)
    run(agent, decided(), THREAD)
    assert list(asked(run(agent, {"messages": [f"{DOCUMENT} again"]}, THREAD))["fields"]) == ["number"]


def test_too_little_support_is_put_to_a_person_too(run: Run) -> None:
    class Note(BaseModel):
        total: Annotated[float, Grounded()]
        words: str

    Note.__name__ = "Invoice"
    agent = create_agent(
        ScriptedChatModel(replies=lambda messages: called({"total": 20, "words": "cheap"})),
        response_format=ToolStrategy(Note),
        middleware=[GroundedAnswer(sources=Input(), min_support=0.9, on_doubt="review")],
        checkpointer=InMemorySaver(),
    )
    assert list(asked(run(agent, {"messages": [DOCUMENT]}, THREAD))["fields"]) == ["words"]
    assert run(agent, decided(), THREAD)["outcome"]["support"] == 1.0


def test_a_run_with_a_deadline_waits_for_a_person(run: Run) -> None:
    agent = reviewed(invoice(number="B-9"), limits=UsageLimits(seconds=600))
    assert list(asked(run(agent, {"messages": [DOCUMENT]}, THREAD))["fields"]) == ["number"]
    assert run(agent, decided(number=edit("A-17")), THREAD)["outcome"]["status"] == "answered"


def test_a_review_inside_another_graph_is_resumed_there(run: Run) -> None:
    class State(TypedDict):
        messages: list[AnyMessage]
        structured_response: Any

    graph = StateGraph(State).add_node("reader", reviewed(invoice(number="B-9"), saver=True)).add_edge(START, "reader")
    outer = graph.compile(InMemorySaver())
    assert list(asked(run(outer, {"messages": [DOCUMENT]}, THREAD))["fields"]) == ["number"]
    assert run(outer, decided(number=edit("A-17")), THREAD)["structured_response"].number == "A-17"


def test_a_review_goes_on_in_another_process(tmp_path: Path) -> None:
    def go_on(given: Any) -> Any:
        with SqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
            return reviewed(invoice(number="B-9", phone="555"), saver=saver).invoke(given, THREAD)

    go_on({"messages": [DOCUMENT]})
    assert list(asked(go_on(decided(phone=edit(None), number=edit(7))))["fields"]) == ["number"]
    result = go_on(decided(number=edit("A-17")))
    assert result["structured_response"] == Invoice.model_validate(invoice())


def test_a_review_without_a_checkpointer_is_refused_while_building() -> None:
    grounded = GroundedAnswer(sources=Input(), fields="all", on_doubt="review")
    model = ScriptedChatModel(replies=[])
    with pytest.raises(AgentSpecError, match="checkpointer=InMemorySaver"):
        create_agent(model, response_format=Invoice, middleware=[grounded])
    graph = build_agent_graph(model, response_format=Invoice, middleware=[grounded])
    with pytest.raises(AgentSpecError, match="checkpointer=InMemorySaver"):
        graph.compile()
