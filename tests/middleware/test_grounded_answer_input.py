"""The caller's own messages as a source, coverage of all fields, and what becomes of doubtful ones."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import AfterValidator, BaseModel, Field, RootModel, SecretStr, create_model

from answergraph import AgentSpecError, Grounded, Quote, ToolStrategy, create_agent
from answergraph.graphs import create_extractor
from answergraph.middleware import AgentMiddleware, GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

DOCUMENT = "Invoice A-17, 3.5.2026\nAmount due: 1,250.00 EUR"
GOOD: dict[str, Any] = {"number": "A-17", "day": "2026-05-03", "total": "1250.00"}


class Invoice(BaseModel):
    """An invoice."""

    number: str
    day: date
    total: Decimal
    buyer: str | None = None


class Marked(BaseModel):
    """One field of an invoice."""

    total: Annotated[Decimal, Grounded(label="amount due")]
    note: str = ""


@tool
def search(word: str) -> str:
    """Search."""
    return "The buyer is Grace Hopper."


def answer(*, named: str = "Invoice", **fields: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": named, "args": fields, "id": f"call_{len(str(fields))}", "type": "tool_call"}])


def extractor(*replies: Any, schema: type[BaseModel] = Invoice, tools: Any = (), **options: Any) -> Any:
    grounded = GroundedAnswer(**{"sources": Input(), "fields": "all", **options})
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, list(tools), response_format=ToolStrategy(schema), middleware=[grounded])


def test_the_document_in_the_callers_message_is_a_source(run: Run) -> None:
    result = run(extractor(answer(**GOOD)), {"messages": [HumanMessage(DOCUMENT, id="doc")]})
    assert result["structured_response"] == Invoice(number="A-17", day=date(2026, 5, 3), total=Decimal("1250.00"))
    total = result["outcome"]["fields"]["total"]
    assert (total["status"], total["evidence"][0]["unit"]) == ("supported", "Amount due: 1,250.00 EUR")
    assert total["evidence"][0]["source"] == {"kind": "input", "id": "doc", "name": "input"}
    assert result["outcome"]["support"] == 1.0


def test_a_value_that_the_model_made_up_is_asked_for_again(run: Run) -> None:
    agent = extractor(answer(**GOOD, buyer="Ada"), answer(**GOOD))
    result = run(agent, {"messages": [DOCUMENT]})
    assert result["structured_response"].buyer is None
    assert "stands in no source" in result["outcome"]["attempts"][0]["fields"]["buyer"]


def test_the_models_own_words_are_no_source(run: Run) -> None:
    turns = [HumanMessage("Who is the buyer?"), AIMessage("The buyer is Ada."), HumanMessage(DOCUMENT)]
    result = run(extractor(*[answer(**GOOD, buyer="Ada")] * 4), {"messages": turns})
    assert result["outcome"]["status"] == "invalid"
    assert result["outcome"]["fields"]["buyer"]["status"] == "not_found"


def test_a_summary_that_replaces_the_document_is_no_source(run: Run) -> None:
    class Summarises(AgentMiddleware):
        def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
            return {"messages": [HumanMessage("Summary: the buyer is Ada.", id=state["messages"][0].id)]}

    model = ScriptedChatModel(replies=[answer(**GOOD, buyer="Ada")] * 4)
    grounded = GroundedAnswer(sources=Input(), fields="all")
    agent = create_agent(model, [], response_format=ToolStrategy(Invoice), middleware=[Summarises(), grounded])
    assert run(agent, {"messages": [DOCUMENT]})["outcome"]["fields"]["buyer"]["status"] == "not_found"


def test_only_the_document_of_this_turn_counts(run: Run) -> None:
    agent = create_agent(
        ScriptedChatModel(replies=[answer(**GOOD), *[answer(**GOOD)] * 4]),
        [],
        response_format=ToolStrategy(Invoice),
        middleware=[GroundedAnswer(sources=Input(), fields="all")],
        checkpointer=InMemorySaver(),
    )
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    assert run(agent, {"messages": [DOCUMENT]}, thread)["outcome"]["status"] == "answered"
    assert run(agent, {"messages": ["And the invoice B-9?"]}, thread)["outcome"]["status"] == "invalid"


def test_a_tool_and_the_input_are_sources_together(run: Run) -> None:
    searching = AIMessage("", tool_calls=[{"name": "search", "args": {"word": "buyer"}, "id": "s", "type": "tool_call"}])
    agent = extractor(searching, answer(**GOOD, buyer="Grace Hopper"), tools=[search], sources=[Input(), "search"])
    fields = run(agent, {"messages": [DOCUMENT]})["outcome"]["fields"]
    assert [fields[path]["evidence"][0]["source"]["kind"] for path in ("number", "buyer")] == ["input", "tool"]


def test_a_text_file_in_a_content_block_is_a_source(run: Run) -> None:
    block = {"type": "file", "mime_type": "text/plain", "base64": "SW52b2ljZSBBLTE3LCAzLjUuMjAyNiwgdG90YWwgMTI1MC4wMA=="}
    message = HumanMessage([{"type": "text", "text": "Extract it."}, block])
    assert run(extractor(answer(**GOOD)), {"messages": [message]})["outcome"]["support"] == 1.0


def test_a_doubtful_field_may_have_its_default(run: Run) -> None:
    agent = extractor(answer(**GOOD, buyer="Ada"), answer(**GOOD, buyer="Ada"), on_doubt="omit")
    result = run(agent, {"messages": [DOCUMENT]})
    assert (result["structured_response"].buyer, result["outcome"]["status"]) == (None, "answered")
    assert list(result["outcome"]["fields"]) == ["number", "day", "total"]


def test_a_doubtful_field_without_a_default_is_refused(run: Run) -> None:
    agent = extractor(*[answer(**{**GOOD, "number": "B-9"})] * 4, on_doubt="omit")
    assert run(agent, {"messages": [DOCUMENT]})["outcome"]["status"] == "invalid"


def test_a_share_of_support_can_be_demanded(run: Run) -> None:
    replies = [answer(named="Marked", total="1250.00", note="cheap"), answer(named="Marked", total="1250.00")]
    agent = extractor(*replies, schema=Marked, fields="marked", min_support=0.9)
    result = run(agent, {"messages": [DOCUMENT]})
    assert (result["structured_response"].note, result["outcome"]["support"]) == ("", 1.0)
    assert "at least 90%" in result["outcome"]["attempts"][0]["error"]


def test_no_source_at_all_is_refused_while_building() -> None:
    with pytest.raises(AgentSpecError, match=r"sources=Input\(\)"):
        create_agent(ScriptedChatModel(replies=[]), [], response_format=Marked, middleware=[GroundedAnswer()])


@pytest.mark.parametrize("options", [{"fields": "some"}, {"min_support": 2}, {"on_doubt": "ask"}, {"sources": []}])
def test_an_argument_that_cannot_work_is_refused(options: Any) -> None:
    with pytest.raises(AgentSpecError):
        GroundedAnswer(**options)


class Required(BaseModel):
    number: str
    items: list[Marked] = []


@pytest.mark.parametrize(
    ("schema", "options"),
    [(Marked, {"fields": "marked"}), ({"title": "T", "type": "object", "properties": {"a": {"type": "string"}}}, {})],
)
def test_leaving_out_is_refused_where_no_checked_field_has_a_default(schema: Any, options: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"on_doubt='omit'.* could leave nothing out"):
        extractor(schema=schema, on_doubt="omit", **options)
    assert extractor(schema=Required, on_doubt="omit")


@pytest.mark.parametrize("kind", [timedelta, timedelta | None, list[bytes], dict[str, timedelta], SecretStr, complex])
def test_checking_all_fields_is_refused_where_no_source_can_show_one(kind: Any) -> None:
    schema = create_model("Job", name=(str, ...), limits=(kind, ...))
    with pytest.raises(AgentSpecError, match=r"Job\.limits(\[\])?: fields='all' checks it, but no source can show"):
        extractor(schema=schema)


def test_a_value_that_only_a_run_shows_to_be_none_that_can_be_looked_up_is_refused(run: Run) -> None:
    schema = create_model("Job", limit=(Annotated[timedelta, AfterValidator(lambda limit: limit)], ...))
    result = run(extractor(*[answer(named="Job", limit="PT1H")] * 4, schema=schema), {"messages": ["limit: PT1H"]})
    assert (result["outcome"]["status"], result["outcome"]["fields"]["limit"]["status"]) == ("invalid", "unsupported")


class Note(BaseModel):
    words: Annotated[str, Quote(rewrite=True)]


def test_a_quote_that_a_person_wrote_stays_as_it_is(run: Run) -> None:
    agent = create_agent(
        ScriptedChatModel(replies=[answer(named="Note", words="Amount overdue: 9 EUR")] * 2),
        response_format=ToolStrategy(Note),
        middleware=[GroundedAnswer(sources=Input(), on_doubt="review")],
        checkpointer=InMemorySaver(),
    )
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    run(agent, {"messages": [DOCUMENT]}, thread)
    decisions = {"words": {"type": "edit", "value": "Nothing of the kind."}}
    result = run(agent, Command(resume={"decisions": decisions}), thread)
    assert (result["structured_response"].words, result["outcome"]["fields"]["words"]["status"]) == (
        "Nothing of the kind.",
        "given",
    )


def test_an_answer_that_is_one_value_is_put_to_a_person_as_a_whole(run: Run) -> None:
    agent = create_agent(
        ScriptedChatModel(replies=[answer(named="Total", value="9 EUR")] * 2),
        response_format=ToolStrategy(create_model("Total", __base__=RootModel[str])),
        middleware=[GroundedAnswer(sources=Input(), fields="all", on_doubt="review")],
        checkpointer=InMemorySaver(),
    )
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    (asked,) = run(agent, {"messages": [DOCUMENT]}, thread)["__interrupt__"]
    assert list(asked.value["fields"]) == [""]
    result = run(agent, Command(resume={"decisions": {"": {"type": "edit", "value": "1,250.00 EUR"}}}), thread)
    assert result["structured_response"].root == "1,250.00 EUR"


def test_a_field_says_whether_the_first_answer_or_a_repair_was_accepted(run: Run) -> None:
    result = run(
        extractor(answer(**GOOD, buyer="Ada"), answer(**{**GOOD, "total": "1250.0"}, buyer="EUR")), {"messages": [DOCUMENT]}
    )
    said = {path: record["accepted_by"] for path, record in result["outcome"]["fields"].items()}
    assert said == {"number": "first_answer", "day": "first_answer", "total": "repair", "buyer": "repair"}


def test_a_repaired_field_with_an_alias_says_so_too(run: Run) -> None:
    class Aliased(BaseModel):
        unit_price: float = Field(alias="unitPrice")
        buyer: str

    replies = [answer(named="Aliased", unitPrice="much", buyer="EUR"), answer(named="Aliased", unitPrice=1250, buyer="EUR")]
    agent = create_extractor(ScriptedChatModel(replies=replies), Aliased)
    fields = run(agent, {"document": "1,250.00 EUR"})["outcome"]["fields"]
    assert {path: record["accepted_by"] for path, record in fields.items()} == {"unit_price": "repair", "buyer": "first_answer"}
