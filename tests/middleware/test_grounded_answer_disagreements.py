"""Sources that disagree about a value: the model is told once, and the outcome lists both places."""

from base64 import b64encode
from decimal import Decimal
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel

from answergraph import Grounded, ToolStrategy, UsageLimits, create_agent
from answergraph.evidence import BUNDLE_KEYS, answer_bundle, verify_bundle
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


class Invoice(BaseModel):
    """An invoice."""

    total: Annotated[Decimal | None, Grounded(label="total", min_items=0)] = None
    day: Annotated[str, Grounded(label="day", min_items=0)] = ""


@tool
def read(name: str) -> str:
    """Read a file."""
    return {"invoice": "Total: 5.00\nDay: 3 May", "order": "Total: 7.00"}[name]


READING = AIMessage(
    "", tool_calls=[{"name": "read", "args": {"name": name}, "id": name, "type": "tool_call"} for name in ("invoice", "order")]
)


def answer(**fields: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Invoice", "args": fields, "id": f"{fields}", "type": "tool_call"}])


def asked(run: Run, *replies: AIMessage, limits: UsageLimits | None = None, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=[READING, *replies])
    agent = create_agent(
        model,
        [read],
        response_format=ToolStrategy(Invoice),
        middleware=[GroundedAnswer(**options)],
        limits=limits or UsageLimits(),
        checkpointer=InMemorySaver() if options.get("on_doubt") == "review" else None,
    )
    return run(agent, {"messages": ["What is the total?"]}, THREAD, output_keys=BUNDLE_KEYS), model


def test_the_model_is_told_what_each_source_says_and_may_stand_by_its_value(run: Run) -> None:
    result, model = asked(run, answer(total="5"), answer(total="5"))
    told = model.requests[-1].messages[-1].text
    assert "- total: 5: the sources disagree: read (invoice) says 'Total: 5.00', read (order) says 'Total: 7.00'." in told
    assert "not supported" not in told
    outcome, record = result["outcome"], result["outcome"]["fields"]["total"]
    assert (outcome["status"], result["structured_response"].total, outcome["support"]) == ("answered", 5, 0.0)
    assert (record["status"], record["problem"]) == ("ambiguous", None)
    assert [place["source"]["id"] for place in (*record["evidence"], *record["others"])] == ["invoice", "order"]
    assert [attempt["status"] for attempt in outcome["attempts"]] == ["invalid", "answered"]


def test_the_model_may_give_the_other_value_and_is_not_asked_again(run: Run) -> None:
    result, _ = asked(run, answer(total="5"), answer(total="7"))
    record = result["outcome"]["fields"]["total"]
    assert (result["structured_response"].total, record["status"], record["evidence"][0]["source"]["id"]) == (
        7,
        "ambiguous",
        "order",
    )


def test_a_value_of_no_source_is_refused_all_the_same(run: Run) -> None:
    result, _ = asked(run, answer(total="5"), *[answer(total="9")] * 3)
    assert (result["outcome"]["status"], result["outcome"]["fields"]["total"]["status"]) == ("invalid", "not_found")


def test_a_model_that_cannot_be_asked_again_is_not_refused(run: Run) -> None:
    for limits in (UsageLimits(answer_attempts=1), UsageLimits(model_calls=2)):
        result, _ = asked(run, answer(total="5"), limits=limits)
        record = result["outcome"]["fields"]["total"]
        assert (result["outcome"]["status"], record["status"], record["problem"]) == ("answered", "ambiguous", None)


def test_a_doubtful_field_is_left_out_where_the_model_cannot_be_asked_again(run: Run) -> None:
    result, _ = asked(run, answer(total="9", day="3 May"), limits=UsageLimits(answer_attempts=1), on_doubt="omit")
    assert (result["outcome"]["status"], result["structured_response"]) == ("answered", Invoice(day="3 May"))


def test_what_the_sources_disagree_about_is_not_left_out(run: Run) -> None:
    result, _ = asked(run, answer(total="5", day="4 May"), answer(total="5", day="4 May"), on_doubt="omit")
    assert (result["structured_response"], result["outcome"]["fields"]["total"]["status"]) == (
        Invoice(total=Decimal(5)),
        "ambiguous",
    )


def test_a_demanded_share_counts_it_as_unsupported(run: Run) -> None:
    result, _ = asked(run, *[answer(total="5")] * 4, min_support=0.9)
    assert result["outcome"]["status"] == "invalid"
    assert "Not supported: total." in result["outcome"]["attempts"][-1]["error"]


def test_a_person_decides_where_a_share_is_demanded(run: Run) -> None:
    model = ScriptedChatModel(replies=[READING, *[answer(total="5")] * 2])
    grounded = GroundedAnswer(min_support=1, on_doubt="review")
    agent = create_agent(
        model, [read], response_format=ToolStrategy(Invoice), middleware=[grounded], checkpointer=InMemorySaver()
    )
    waiting = run(agent, {"messages": ["What is the total?"]}, THREAD)["__interrupt__"][0].value
    assert [place["unit"] for place in waiting["fields"]["total"]["others"]] == ["Total: 7.00"]
    result = run(agent, Command(resume={"decisions": {"total": {"type": "edit", "value": "7"}}}), THREAD)
    assert (result["structured_response"].total, result["outcome"]["fields"]["total"]["status"]) == (7, "given")


def test_two_files_of_one_message_are_two_sources_by_name(run: Run) -> None:
    def file(name: str, text: str) -> dict[str, Any]:
        data = b64encode(text.encode()).decode()
        return {"type": "file", "mime_type": "text/plain", "base64": data, "extras": {"filename": name}}

    model = ScriptedChatModel(replies=[answer(total="5")] * 2)
    agent = create_agent(model, response_format=ToolStrategy(Invoice), middleware=[GroundedAnswer(sources=Input())])
    files = [file("invoice.txt", "Total: 5.00"), file("order.txt", "Total: 7.00")]
    record = run(agent, {"messages": [HumanMessage(["Extract it.", *files])]})["outcome"]["fields"]["total"]
    assert "invoice.txt says 'Total: 5.00', order.txt says 'Total: 7.00'" in model.requests[-1].messages[-1].text
    assert (record["status"], record["others"][0]["source"]["title"]) == ("ambiguous", "order.txt")


def test_a_saved_answer_of_sources_that_disagree_holds_and_says_so(run: Run) -> None:
    result, _ = asked(run, answer(total="5"), answer(total="5"))
    (verdict,) = [each for each in verify_bundle(answer_bundle(result)) if each.path == "total"]
    assert (verdict.holds, verdict.reason) == (True, "invoice, characters 7 to 11; another value at order, characters 7 to 11")
