"""Several agents of one schema, compared field by field."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import MessagesState, StateGraph
from pydantic import BaseModel

from answergraph import AgentSpecError, AnswerRejected, ToolStrategy, UsageLimits, create_agent
from answergraph.graphs import create_ensemble, create_extractor
from answergraph.kit import AnswerAccepted
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run


class Line(BaseModel):
    article: str
    price: float


class Invoice(BaseModel):
    number: str
    total: float | None = None
    lines: list[Line] = []


def invoice(number: str = "A 1", total: Any = 12, *lines: tuple[str, float]) -> dict[str, Any]:
    return {"number": number, "total": total, "lines": [{"article": article, "price": price} for article, price in lines]}


def called(value: Any) -> AIMessage:
    usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return AIMessage("", tool_calls=[{"name": "Invoice", "args": value, "id": "1"}], usage_metadata=usage)


def reader(*values: Any, **options: Any) -> Any:
    """Return an agent that answers with these values, one after the other."""
    replies = [value if isinstance(value, AIMessage) else called(value) for value in values]
    return create_agent(ScriptedChatModel(replies=replies), response_format=ToolStrategy(Invoice), **options)


def patch(**values: Any) -> dict[str, Any]:
    return {"changes": [{"path": path, "value": value} for path, value in values.items()]}


ASKED: dict[str, Any] = {"messages": ["Read it."]}


def test_readings_that_mean_the_same_agree(run: Run) -> None:
    one = invoice("A 1", 12, ("tea", 5), ("salt", 7))
    other = invoice(" a  1", 12.0, ("Salt", 7.0), ("TEA", 5.0))
    result = run(create_ensemble([reader(one), reader(other)]), ASKED)
    assert result["structured_response"] == Invoice.model_validate(one)
    assert {record["accepted_by"] for record in result["outcome"]["fields"].values()} == {"agreement"}


def test_only_the_disputed_field_is_asked_of_the_next_agent(run: Run) -> None:
    judge = ScriptedChatModel(replies=[called(patch(total=13))])
    agents = [reader(invoice(total=12)), reader(invoice(total=13))]
    result = run(create_ensemble(agents, then=[create_agent(judge, response_format=ToolStrategy(Invoice))]), ASKED)
    assert result["structured_response"].total == 13
    total = result["outcome"]["fields"]["total"]
    assert total["accepted_by"] == "escalation"
    assert total["readings"] == [
        {"reader": "reader_1", "value": 12.0},
        {"reader": "reader_2", "value": 13.0},
        {"reader": "then_1", "value": 13.0},
    ]
    assert result["outcome"]["fields"]["number"]["accepted_by"] == "agreement"
    asked = "\n".join(message.text for message in judge.requests[0].messages)
    assert "- total: reader_1 read 12.0; reader_2 read 13.0" in asked
    assert "- number" not in asked


def test_what_the_next_agent_changes_beside_the_disputed_field_does_not_count(run: Run) -> None:
    agents = [reader(invoice(total=12)), reader(invoice(total=13))]
    result = run(create_ensemble(agents, then=[reader(patch(total=13, number="B 9"))]), ASKED)
    assert result["structured_response"] == Invoice(number="A 1", total=13)


def test_the_next_agent_is_not_asked_if_all_agree(run: Run) -> None:
    model = ScriptedChatModel(replies=[])
    nobody = create_agent(model, response_format=ToolStrategy(Invoice))
    result = run(create_ensemble([reader(invoice()), reader(invoice())], then=[nobody]), ASKED)
    assert result["outcome"]["status"] == "answered"
    assert model.requests == []


def test_without_a_majority_the_answer_is_refused_or_the_field_left_out(run: Run) -> None:
    for on_doubt, answer in (("refuse", None), ("omit", Invoice(number="A 1"))):
        agents = [reader(invoice(total=value)) for value in (12, 13, 14)]
        ensemble = create_ensemble(agents, on_doubt=on_doubt)  # type: ignore[arg-type]  # one of the two
        result = run(ensemble, ASKED)
        assert result["structured_response"] == answer
        assert result["outcome"]["fields"]["total"]["status"] == "disputed"
        assert result["outcome"]["status"] == ("answered" if answer else "invalid")


def test_a_required_field_cannot_be_left_out(run: Run) -> None:
    ensemble = create_ensemble([reader(invoice("A")), reader(invoice("B"))], on_doubt="omit")
    result = run(ensemble, ASKED)
    assert result["structured_response"] is None
    assert "number" in result["outcome"]["reason"]


def test_one_agent_asked_three_times_votes(run: Run) -> None:
    agent = create_agent(
        ScriptedChatModel(replies=[called(invoice(total=value)) for value in (12, 13, 12)]), response_format=ToolStrategy(Invoice)
    )
    result = run(create_ensemble([agent] * 3), ASKED)
    assert result["structured_response"].total == 12


def test_an_item_that_only_one_reader_has_is_in_doubt(run: Run) -> None:
    one, other = invoice("A 1", 12, ("tea", 5)), invoice("A 1", 12, ("tea", 5), ("salt", 7))
    result = run(create_ensemble([reader(one), reader(other)]), ASKED)
    assert result["outcome"]["reason"] == "The readers leave lines[1] in doubt."
    ensemble = create_ensemble([reader(one), reader(other), reader(other)])
    assert run(ensemble, ASKED)["structured_response"] == Invoice.model_validate(other)


def test_what_stands_in_a_source_is_found_wherever_a_reader_has_the_item(run: Run) -> None:
    def finds_tea(answer: Invoice, state: Any, runtime: Any) -> AnswerAccepted:
        found = {f"lines[{number}].article" for number, line in enumerate(answer.lines) if line.article == "tea"}
        status = {path: "supported" if path in found else "not_found" for path in ("lines[0].article", "lines[1].article")}
        return AnswerAccepted({path: {"status": each, "evidence": [], "problem": None} for path, each in status.items()})  # type: ignore[typeddict-item]  # one of two

    one, other = invoice("A 1", 12, ("tea", 5), ("salt", 7)), invoice("A 1", 12, ("salt", 7), ("tea", 5))
    agents = [reader(value, check_answer=finds_tea) for value in (one, other)]
    fields = run(create_ensemble(agents), ASKED)["outcome"]["fields"]
    assert (fields["lines[0].article"]["status"], "accepted_by" in fields["lines[0].article"]) == ("supported", True)
    assert (fields["lines[1].article"]["status"], "accepted_by" in fields["lines[1].article"]) == ("not_found", False)


def test_an_item_that_the_majority_has_not_is_left_out_and_the_places_after_it_stay_right(run: Run) -> None:
    one = invoice("A 1", 12, ("pepper", 1), ("tea", 5))
    others = [invoice("A 1", 12, ("tea", price)) for price in (5, 6, 7)]
    agents = [reader(value) for value in (one, *others)]
    result = run(create_ensemble(agents, then=[reader({"changes": []})], agree=2), ASKED)
    assert result["structured_response"] == Invoice.model_validate(others[0])
    assert {path for path in result["outcome"]["fields"] if path.startswith("lines")} == {"lines[0].article", "lines[0].price"}


def test_the_next_agent_is_asked_for_a_typed_reason(run: Run) -> None:
    cut = AIMessage("", response_metadata={"finish_reason": "length"})
    for reply, reason in ((AIMessage("no idea"), "unanswered"), (cut, "truncated")):
        small = reader(reply, limits=UsageLimits(model_calls=1))
        result = run(create_ensemble([small], then=[reader(invoice())]), ASKED)
        assert result["structured_response"] == Invoice(number="A 1", total=12), reason
        assert result["outcome"]["usage"]["by_cause"]["escalation"]["model_calls"] == 1


def test_another_reason_ends_the_run(run: Run) -> None:
    small = reader(AIMessage("no idea"), limits=UsageLimits(answer_attempts=1, reserve_final_answer=False))
    result = run(create_ensemble([small], then=[reader(invoice())], when={"truncated"}), ASKED)
    assert result["structured_response"] is None
    assert result["outcome"]["status"] == "unanswered"


def test_a_field_that_the_own_check_doubts_goes_on(run: Run) -> None:
    def doubts_total(answer: Invoice, state: Any, runtime: Any) -> AnswerAccepted:
        status = "not_found" if answer.total == 12 else "supported"
        return AnswerAccepted({"total": {"status": status, "evidence": [], "problem": None}})  # type: ignore[typeddict-item]  # one of two

    small = reader(invoice(total=12), check_answer=doubts_total)
    large = reader(patch(total=14), check_answer=doubts_total)
    result = run(create_ensemble([small], then=[large]), ASKED)
    assert result["structured_response"].total == 14
    assert result["outcome"]["fields"]["total"]["status"] == "supported"
    assert result["outcome"]["support"] == 0.5


def doubted(reader: Any, **statuses: str) -> Any:
    """Return a check that finds these statuses."""

    def check(answer: Invoice, state: Any, runtime: Any) -> AnswerAccepted:
        return AnswerAccepted({path: {"status": each, "evidence": [], "problem": None} for path, each in statuses.items()})  # type: ignore[typeddict-item]  # as they are

    return reader(invoice(), check_answer=check)


@pytest.mark.parametrize(
    ("statuses", "standing"),
    [
        ({"total": "not_found"}, True),  # a number has no other words
        ({"total": "unsupported"}, False),
        ({"number": "ambiguous"}, True),
        ({"number": "not_found"}, False),
    ],
)
def test_different_agents_that_agree_settle_what_no_check_could_find(run: Run, statuses: dict[str, Any], standing: bool) -> None:
    ((path, status),) = statuses.items()
    result = run(create_ensemble([doubted(reader, **statuses) for _ in range(2)]), ASKED)
    record = result["outcome"]["fields"][path]
    assert (record["status"], "accepted_by" in record) == (status, standing)
    assert (result["structured_response"] is not None) == standing
    # Named, the status goes on as it does of one reader.
    strict = run(create_ensemble([doubted(reader, **statuses) for _ in range(2)], when={status}), ASKED)
    assert strict["structured_response"] is None


def test_samples_of_one_agent_settle_nothing(run: Run) -> None:
    agent = doubted(lambda *values, **options: reader(*values * 2, **options), total="not_found")
    assert run(create_ensemble([agent] * 2), ASKED)["structured_response"] is None


def test_all_agents_draw_from_one_budget(run: Run) -> None:
    def never(answer: Any, state: Any, runtime: Any) -> None:
        raise AnswerRejected("Again.")

    stubborn = [reader(*(invoice(total=value) for value in range(9)), check_answer=never) for _ in range(2)]
    result = run(create_ensemble(stubborn, then=[reader(invoice())], agree=1, limits=UsageLimits(model_calls=5)), ASKED)
    assert result["outcome"]["usage"]["model_calls"] <= 5
    assert result["outcome"]["usage"]["by_cause"]["turn"] == {"model_calls": 4, "tool_calls": 0, "total_tokens": 60}
    assert result["outcome"]["usage"]["unpriced"] == []
    assert result["structured_response"] == Invoice(number="A 1", total=12)


@pytest.mark.parametrize("limits", [None, UsageLimits(model_calls=9)])
def test_an_agent_that_calls_an_ensemble_pays_for_it(run: Run, limits: UsageLimits | None) -> None:
    ensemble = create_ensemble([reader(invoice()), reader(invoice())], limits=limits)

    @tool
    def read(document: str) -> str:
        """Read an invoice."""
        return str(ensemble.invoke({"messages": [document]})["structured_response"])

    call = AIMessage("", tool_calls=[{"name": "read", "args": {"document": "Read it."}, "id": "1"}])
    outer: Any = create_agent(ScriptedChatModel(replies=[call, '{"number": "A 1"}']), [read], response_format=Invoice)
    usage = run(outer, ASKED)["outcome"]["usage"]
    assert usage["by_cause"]["inner_run"]["model_calls"] == 2


def test_a_run_that_was_stopped_continues_without_asking_again(run: Run) -> None:
    config: Any = {"configurable": {"thread_id": "1"}}
    models = [ScriptedChatModel(replies=[called(invoice(total=value))]) for value in (12, 13)]
    agents = [create_agent(model, response_format=ToolStrategy(Invoice)) for model in models]
    ensemble = create_ensemble(agents, then=[reader(patch(total=13))], checkpointer=InMemorySaver())
    with pytest.raises(GraphRecursionError):
        run(ensemble, ASKED, config | {"recursion_limit": 3})
    assert run(ensemble, None, config)["structured_response"].total == 13
    assert [len(model.requests) for model in models] == [1, 1]


def test_a_second_run_of_a_thread_forgets_the_readings_before(run: Run) -> None:
    config: Any = {"configurable": {"thread_id": "1"}}
    agents = [reader(invoice(total=1), invoice(total=2)), reader(invoice(total=1), invoice(total=2))]
    ensemble = create_ensemble(agents, checkpointer=InMemorySaver())
    run(ensemble, ASKED, config)
    result = run(ensemble, ASKED, config)
    assert result["structured_response"].total == 2
    assert len(result["outcome"]["fields"]["total"]["readings"]) == 2


def test_an_ensemble_is_a_node_of_another_graph_and_shows_its_agents(run: Run) -> None:
    class State(MessagesState):
        structured_response: Any

    ensemble = create_ensemble([reader(invoice(), name="small"), reader(invoice(), name="other")], name="both")
    assert [name for name, _ in ensemble.get_subgraphs()] == ["small", "other"]
    graph = StateGraph(State).add_node("both", ensemble).add_edge("__start__", "both").compile()
    assert run(graph, ASKED)["structured_response"] == Invoice(number="A 1", total=12)


def test_the_graph_is_drawn_with_its_reasons() -> None:
    ensemble = create_ensemble([reader(), reader()], then=[reader(name="good")])
    edges = {(edge.source, edge.data, edge.target) for edge in ensemble.get_graph().edges}
    assert {("compare", "ask_1", "good"), ("compare", "finish", "__end__"), ("good", None, "compare")} <= edges


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: create_ensemble([reader()]), "needs two agents"),
        (lambda: create_ensemble([]), "needs two"),
        (lambda: create_ensemble([reader(), create_agent("offline", response_format=int)]), "give them one schema"),
        (lambda: create_ensemble([reader(), create_agent("offline")]), "response_format"),
        (lambda: create_ensemble([reader(), reader()], agree=3), "agree=3"),
        (lambda: create_ensemble([reader(), reader()], when={"wrong"}), "'wrong'"),  # type: ignore[arg-type]  # the mistake
        (lambda: create_ensemble([reader(), reader()], on_doubt="ask"), "on_doubt='ask'"),  # type: ignore[arg-type]  # the mistake
    ],
)
def test_what_cannot_be_built_is_refused(build: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        build()


def test_what_other_readers_read_is_no_source(run: Run) -> None:
    document = {"document": "Invoice A-17. Net 1,050.00. Amount due: 1,250.00"}
    agents: list[Any] = []
    for reply in (invoice("A-17", 999), invoice("A-17", 1250), patch(total=999), patch(total=999)):
        model = ScriptedChatModel(replies=[called(reply)] * 9)
        agents.append(create_extractor(model, Invoice, limits=UsageLimits(answer_attempts=1)))
    outcome = run(create_ensemble(agents[:2], then=agents[2:], agree=2), document)["outcome"]
    assert [attempt["status"] for attempt in outcome["attempts"]] == ["invalid", "answered", "invalid", "invalid"]
