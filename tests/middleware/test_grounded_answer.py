"""An answer is accepted only if the run's tool results support its claims."""

from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph import Abstention, AgentSpecError, Quote, ToolStrategy, create_agent
from answergraph.evidence import FromTools, ToolRun
from answergraph.middleware import AgentMiddleware, GroundedAnswer, ModelResponse
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.fields import places
from tests.suite.replies import calling

LOG = "12:00:01 INFO  start\n12:00:02 ERROR the disk “sda”\n      is not full after 1.5 s\n12:00:03 INFO  done"


class QuotedVerdict(BaseModel):
    """A verdict."""

    passed: bool = True
    quotes: Annotated[list[str], Quote()]


class Timing(BaseModel):
    """A time."""

    ms: Annotated[float, FromTools(units={"ms": 1, "s": 1000})]


@tool
def read_log(path: str) -> str:
    """Read a log."""
    return LOG


@tool
def other(path: str) -> str:
    """Read something else."""
    return "the other tool says that all is well"


@tool
def broken(path: str) -> str:
    """Fail."""
    raise ToolException(f"cannot open the file {path} for reading")


broken.handle_tool_error = True
QUESTION: dict[str, Any] = {"messages": ["Is the disk of the server really full?"]}
GOOD = "the disk 'sda' is not full"


def reading(name: str = "read_log", call_id: str = "log", path: str = "app") -> AIMessage:
    return calling(name, {"path": path}, call_id)


def verdict(*quotes: str, call_id: str = "v") -> AIMessage:
    return calling("QuotedVerdict", {"quotes": list(quotes)}, call_id)


def agent_of(*replies: Any, grounded: GroundedAnswer | None = None, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    options = {"response_format": ToolStrategy(QuotedVerdict), "middleware": [grounded or GroundedAnswer()], **options}
    return create_agent(model, [read_log, other, broken], **options), model


def test_a_quote_is_accepted_and_its_span_cuts_it_out_of_the_stored_message(run: Run) -> None:
    agent, _ = agent_of(reading(), verdict(GOOD))
    result = run(agent, QUESTION)
    assert result["structured_response"].quotes == [GOOD]
    assert list(places(result["outcome"]["fields"])) == ["quotes[0]"]
    call_id, start, end = places(result["outcome"]["fields"])["quotes[0]"]
    assert (call_id, result["messages"][2].text[start:end]) == ("log", "the disk “sda”\n      is not full")


def test_an_invented_quote_is_sent_back_with_the_field_the_item_and_the_nearest_passage(run: Run) -> None:
    agent, _ = agent_of(reading(), verdict(GOOD, "the disk 'sda' is now full"), verdict(GOOD, call_id="w"))
    result = run(agent, QUESTION)
    feedback = result["messages"][4].text
    assert "- quotes[1]: \"the disk 'sda' is now full\": it is in no tool result word for word." in feedback
    assert "The nearest passage, in the result of read_log (log): 'the disk “sda”\\n      is not full'" in feedback
    assert "quotes[0]" not in feedback
    assert result["outcome"]["status"] == "answered"


@pytest.mark.parametrize(
    "quote",
    [
        "Is the disk of the server really full?",  # the user's question
        "I have looked and the disk is fine",  # the model's own words
        "all is well",  # of another tool, see sources
        "the disk 'sda' is full",
        "disk 'sda' is not full after 1",
        "INFO start 12:00:03 INFO done",
        "",
        "   ",
    ],
)
def test_a_quote_from_anything_but_a_source_is_never_accepted(run: Run, quote: str) -> None:
    first = AIMessage("I have looked and the disk is fine", tool_calls=reading().tool_calls)
    replies = [first, reading("other", "o"), verdict(quote), verdict(quote, call_id="w")]
    agent, _ = agent_of(*replies, grounded=GroundedAnswer(sources="read_log"))
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "invalid")
    assert places(result["outcome"]["fields"]) == {}


def test_the_models_words_do_not_count_where_a_tool_repeats_them(run: Run) -> None:
    @tool
    def search(query: str) -> str:
        """Search."""
        return f"No results found for {query}. The index holds 12 files."

    claimed = "the disk is perfectly fine"
    replies = [calling("search", {"query": claimed}, "s"), verdict(claimed), verdict(f"found for {claimed}", call_id="w")]
    replies.append(verdict("The index holds 12 files", call_id="x"))
    agent = create_agent(
        ScriptedChatModel(replies=[*replies]), [search], response_format=QuotedVerdict, middleware=[GroundedAnswer()]
    )
    result = run(agent, QUESTION)
    assert result["structured_response"].quotes == ["The index holds 12 files"]
    assert [a["error"] and "only repeats the tool's arguments" in a["error"] for a in result["outcome"]["attempts"]] == [
        True,
        True,
        None,
    ]


def test_the_receipt_of_a_rejected_answer_is_not_evidence(run: Run) -> None:
    wrong = "the disk is certainly broken"
    agent, _ = agent_of(reading(), verdict(wrong), verdict(wrong, call_id="w"))
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"


def test_an_error_is_not_evidence(run: Run) -> None:
    quote = "cannot open the file"
    agent, _ = agent_of(reading("broken"), verdict(quote), verdict(quote, call_id="w"))
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"


def test_sources_may_be_a_function_of_the_call(run: Run) -> None:
    def only_app(call: ToolRun) -> bool:
        return bool(call.args["path"] == "app")

    replies = [reading(path="sys"), verdict(GOOD), reading(call_id="log2"), verdict(GOOD, call_id="w")]
    agent, _ = agent_of(*replies, grounded=GroundedAnswer(sources=only_app))
    assert places(run(agent, QUESTION)["outcome"]["fields"])["quotes[0]"][0] == "log2"


@pytest.mark.parametrize("quotes", [[], [""], [GOOD, " "]])
def test_an_empty_or_blank_field_is_unsupported(run: Run, quotes: list[str]) -> None:
    agent, _ = agent_of(reading(), verdict(*quotes), verdict(*quotes, call_id="w"))
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"


def test_the_minimum_number_of_quotes_is_in_the_schema_on_the_wire(run: Run) -> None:
    agent, model = agent_of(reading(), verdict(GOOD))
    run(agent, QUESTION)
    shown = model.requests[0].tools[-1]["function"]["parameters"]["properties"]["quotes"]
    assert shown["minItems"] == 1
    assert "word for word" in shown["description"]


@pytest.mark.parametrize(("ms", "status"), [(1500, "answered"), (1.5, "invalid"), (-1500, "invalid"), (1510, "invalid")])
def test_a_number_counts_by_its_value_in_the_units_declared(run: Run, ms: float, status: str) -> None:
    replies = [reading(), calling("Timing", {"ms": ms}, "t"), calling("Timing", {"ms": ms}, "u")]
    agent, _ = agent_of(*replies, response_format=ToolStrategy(Timing))
    result = run(agent, QUESTION)
    assert result["outcome"]["status"] == status
    if status == "answered":
        call_id, start, end = places(result["outcome"]["fields"])["ms"]
        assert (call_id, LOG[start:end]) == ("log", "1.5")


def test_results_of_an_earlier_turn_are_not_evidence(run: Run) -> None:
    replies = [reading(), verdict(GOOD), verdict(GOOD, call_id="w"), verdict(GOOD, call_id="x")]
    agent, _ = agent_of(*replies, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    assert run(agent, QUESTION, config)["outcome"]["status"] == "answered"
    assert run(agent, {"messages": [HumanMessage("Sure?")]}, config)["outcome"]["status"] == "invalid"


class Invents(AgentMiddleware[Any, Any, Any]):
    """Replaces the model's answer with another value."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return self._invented(handler(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return self._invented(await handler(request))

    def _invented(self, response: Any) -> ModelResponse[Any]:
        return ModelResponse(result=response.result, structured_response=QuotedVerdict(quotes=["made up from nothing"]))


def test_a_middleware_cannot_put_an_unsupported_value_in_the_answers_place(run: Run) -> None:
    agent, _ = agent_of(verdict(GOOD), verdict(GOOD, call_id="w"), middleware=[GroundedAnswer(), Invents()])
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"


def test_results_of_parallel_calls_all_count_but_never_together(run: Run) -> None:
    both = AIMessage("", tool_calls=[*reading().tool_calls, *reading("other", "o").tool_calls])
    spliced = "12:00:03 INFO done the other tool says that all is well"
    agent, _ = agent_of(both, verdict(spliced), verdict(GOOD, "the other tool says that all is well", call_id="w"))
    result = run(agent, QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]
    assert [span[0] for span in places(result["outcome"]["fields"]).values()] == ["log", "o"]


class Row(TypedDict):
    """A row."""

    quote: Annotated[str, Quote()]


@pytest.mark.parametrize(
    "declared",
    [
        Row,
        list[Row],
        list[Annotated[str, Quote()]],
        Annotated[list[str], Quote()],
        dict[str, Annotated[str, Quote()]],
        QuotedVerdict | Row,
    ],
    ids=str,
)
def test_a_declared_type_whose_values_do_not_show_their_marks_is_refused(declared: Any) -> None:
    with pytest.raises(AgentSpecError, match="do not carry their type"):
        agent_of(response_format=ToolStrategy(declared))


def test_the_models_of_a_declared_list_are_checked(run: Run) -> None:
    wrong, right = ([{"quotes": [quote]}] for quote in ("the disk 'sda' is full", GOOD))
    replies = [reading(), *(calling("list_QuotedVerdict", {"value": value}, f"v{len(str(value))}") for value in (wrong, right))]
    agent, _ = agent_of(*replies, response_format=ToolStrategy(list[QuotedVerdict]))
    outcome = run(agent, QUESTION)["outcome"]
    assert [attempt["status"] for attempt in outcome["attempts"]] == ["invalid", "answered"]
    assert list(places(outcome["fields"])) == ["[0].quotes[0]"]


@pytest.mark.parametrize("abstain", [QuotedVerdict, Abstention(missing=["x"])])
def test_an_abstention_is_a_class_derived_from_abstention(abstain: Any) -> None:
    with pytest.raises(AgentSpecError, match="write abstain=Abstention"):
        GroundedAnswer(abstain=abstain)
