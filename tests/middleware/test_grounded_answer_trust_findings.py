"""Findings of an independent test of whole runs, by number; the checks have tests of their own."""

import json
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import pytest
from langchain.agents.middleware import PIIMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field, computed_field, create_model

from answergraph import AgentSpecError, Quote, ToolStrategy, as_tool, create_agent
from answergraph.evidence import BUNDLE_KEYS, FromTools, answer_bundle, verify_bundle
from answergraph.middleware import AgentMiddleware, GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.fields import places
from tests.suite.replies import calling
from tests.suite.verdicts import Finding

ItemT = TypeVar("ItemT")
LOG = "12:00 the disk of db-7 is full, write to ann@example.org about it"


class Unmarked(BaseModel):
    """A finding that nothing checks."""

    quote: str


@tool
def read_log() -> str:
    """Read a log."""
    return LOG


@tool
def other_log() -> ToolMessage:
    """Read another log, and say that it is the first one."""
    return ToolMessage("the disk of db-9 is broken", name="read_log", tool_call_id="again")


def finding(quote: str, call_id: str) -> AIMessage:
    return calling("Finding", {"quote": quote}, call_id)


def agent_of(replies: list[Any], tools: list[Any], *middleware: Any, answer: Any = Finding, **options: Any) -> Any:
    model = ScriptedChatModel(replies=replies)
    return create_agent(model, tools, response_format=ToolStrategy(answer), middleware=list(middleware), **options)


def helper_of(*replies: Any, grounded: bool) -> Any:
    checks = [GroundedAnswer()] if grounded else []
    inner = agent_of(list(replies), [read_log], *checks, answer=Finding if grounded else Unmarked, name="helper")
    return as_tool(inner, description="Looks into the log.")


def asked(quote: str) -> list[Any]:
    return [calling("helper", {"request": "Look."}, "1"), finding(quote, "2"), finding(quote, "3")]


def test_f3_what_an_agent_says_without_evidence_counts_for_nothing(run: Run) -> None:
    helper = helper_of(calling("Unmarked", {"quote": "the disk of db-7 is quite empty"}, "a"), grounded=False)
    agent = agent_of(asked("the disk of db-7 is quite empty"), [helper], GroundedAnswer())
    assert run(agent, {"messages": ["q"]})["outcome"]["status"] == "invalid"


def test_f3_the_evidence_of_an_agent_leads_to_the_result_of_its_own_tool(run: Run) -> None:
    helper = helper_of(calling("read_log", {}, "in"), finding("the disk of db-7 is full", "a"), grounded=True)
    agent = agent_of(asked("the disk of db-7 is full"), [helper], GroundedAnswer(sources=["helper"]))
    result = run(agent, {"messages": ["q"]}, output_keys=BUNDLE_KEYS)
    assert places(result["outcome"]["fields"]) == {"quote": ["1/in", 6, 30]}
    bundle = json.loads(json.dumps(answer_bundle(result)))
    assert [verdict.holds for verdict in verify_bundle(bundle)] == [True]


def test_f3_a_direct_result_does_not_support_itself(run: Run) -> None:
    @tool(return_direct=True)
    def answer() -> str:
        """Answer."""
        return json.dumps({"quote": "the disk of db-7 is quite empty"})

    agent = agent_of([calling("answer", {}, "1"), finding("the disk of db-7 is quite empty", "2")], [answer], GroundedAnswer())
    assert run(agent, {"messages": ["q"]})["structured_response"] is None


def test_f10_a_message_that_bears_another_tools_name_is_not_of_that_tool(run: Run) -> None:
    replies = [
        calling("other_log", {}, "again"),
        finding("the disk of db-9 is broken", "2"),
        finding("the disk of db-9 is broken", "3"),
    ]
    agent = agent_of(replies, [read_log, other_log], GroundedAnswer(sources=["read_log"]))
    assert run(agent, {"messages": ["q"]})["outcome"]["status"] == "invalid"


class RedactsForTheModel(AgentMiddleware):
    """Redacts what the model is sent, and leaves the conversation as it is."""

    def modify_model_request(self, request: Any) -> Any:
        messages = [
            m.model_copy(update={"content": m.text.replace("ann@example.org", "[REDACTED_EMAIL]")}) for m in request.messages
        ]
        return request.override(messages=messages)


@pytest.mark.parametrize(
    "redacting", [lambda: PIIMiddleware("email", apply_to_tool_results=True), RedactsForTheModel], ids=["state", "model call"]
)
def test_f4_a_quote_of_a_redacted_text_counts_and_nothing_shows_what_was_taken_out(run: Run, redacting: Any) -> None:
    quotes = ["db-7 is full, write to ann or her boss", "is full, write to [REDACTED_EMAIL] about it"]
    replies = [calling("read_log", {}, "1"), finding(quotes[0], "2"), finding(quotes[1], "3")]
    agent = agent_of(replies, [read_log], redacting(), GroundedAnswer())
    result = run(agent, {"messages": ["q"]}, output_keys=BUNDLE_KEYS)
    assert result["outcome"]["status"] == "answered"
    assert "[REDACTED_EMAIL]" in result["outcome"]["fields"]["quote"]["evidence"][0]["unit"]
    bundle = json.dumps(answer_bundle(result))
    assert "ann@example" not in json.dumps(result["outcome"], default=str) + bundle
    told = [m for m in result["messages"] if not (isinstance(m, ToolMessage) and m.tool_call_id == "1")]
    assert "ann@example" not in "".join(message.text for message in told)
    assert [verdict.holds for verdict in verify_bundle(json.loads(bundle))] == [True]


def test_f10_calls_with_one_id_stay_apart(run: Run) -> None:
    texts = iter(["the disk of db-1 is full", "the disk of db-2 is full"])

    @tool
    def look() -> str:
        """Look."""
        return next(texts)

    replies = [calling("look", {}, "call_0"), calling("look", {}, "call_0"), finding("the disk of db-2 is full", "x")]
    result = run(agent_of(replies, [look], GroundedAnswer()), {"messages": ["q"]}, output_keys=BUNDLE_KEYS)
    assert places(result["outcome"]["fields"])["quote"][0] == "call_0#2"
    assert [verdict.holds for verdict in verify_bundle(json.loads(json.dumps(answer_bundle(result))))] == [True]


def test_f10_search_results_and_documents_are_evidence(run: Run) -> None:
    @tool
    def search() -> list[dict[str, Any]]:
        """Search."""
        found = [{"type": "text", "text": "the disk of db-7 is full"}]
        return [{"type": "search_result", "source": "https://x.org", "title": "Disks", "content": found}]

    agent = agent_of([calling("search", {}, "1"), finding("the disk of db-7 is full", "2")], [search], GroundedAnswer())
    assert run(agent, {"messages": ["q"]})["outcome"]["status"] == "answered"


class Pair(NamedTuple):
    quote: Annotated[str, Quote()]


@dataclass
class Box(Generic[ItemT]):
    item: ItemT


def computed() -> type[BaseModel]:
    class Computed(BaseModel):
        @computed_field  # type: ignore[prop-decorator]  # as Pydantic documents it
        @property
        def quote(self) -> Annotated[str, Quote()]:
            return "the disk of db-7 is quite empty"

    return Computed


@pytest.mark.parametrize(
    "declared", [create_model("A", f=Pair), create_model("B", f=dict[Annotated[str, Quote()], int]), computed()]
)
def test_f1_a_mark_that_no_check_reaches_is_refused(declared: Any) -> None:
    with pytest.raises(AgentSpecError, match="Quote"):
        agent_of([], [read_log], GroundedAnswer(), answer=declared)


def test_f1_the_mark_of_a_generic_dataclass_is_checked(run: Run) -> None:
    declared = create_model("Boxed", f=Box[Annotated[str, Quote()]])
    invented = [calling("Boxed", {"f": {"item": "the disk of db-7 is quite empty"}}, call_id) for call_id in "23"]
    result = run(
        agent_of([calling("read_log", {}, "1"), *invented], [read_log], GroundedAnswer(), answer=declared), {"messages": ["q"]}
    )
    assert result["outcome"]["status"] == "invalid"


@pytest.mark.parametrize(
    "annotation",
    [Annotated[str, FromTools()], Annotated[date, Quote()], Annotated[bool, FromTools()]],
    ids=["text", "date", "bool"],
)
def test_f10_a_mark_that_can_never_hold_is_refused(annotation: Any) -> None:
    with pytest.raises(AgentSpecError, match="f"):
        agent_of([], [read_log], GroundedAnswer(), answer=create_model("A", f=annotation))


class Named(BaseModel):
    """An answer whose JSON has other names."""

    model_config = ConfigDict(serialize_by_alias=True)

    quote: Annotated[str, Quote()] = Field(alias="theQuote")


def test_f10_the_bundle_of_an_answer_with_aliases_holds(run: Run) -> None:
    replies = [calling("read_log", {}, "1"), calling("Named", {"theQuote": "the disk of db-7 is full"}, "2")]
    result = run(agent_of(replies, [read_log], GroundedAnswer(), answer=Named), {"messages": ["q"]}, output_keys=BUNDLE_KEYS)
    assert [verdict.holds for verdict in verify_bundle(json.dumps(answer_bundle(result)))] == [True]


@tool(response_format="content_and_artifact")
def own_artifact() -> tuple[str, dict[str, Any]]:
    """Return an artifact whose key is that of an agent's, for something else."""
    return "12:00 all is well", {"supported_by": {"quote": "the disk of db-9 is broken"}}


def test_f3_the_artifact_of_a_tool_that_is_no_agent_supports_nothing(run: Run) -> None:
    replies = [calling("own_artifact", {}, "1"), finding("the disk of db-9 is broken", "2"), finding("12:00 all is well", "3")]
    outcome = run(agent_of(replies, [own_artifact], GroundedAnswer()), {"messages": ["q"]})["outcome"]
    assert [attempt["status"] for attempt in outcome["attempts"]] == ["invalid", "answered"]
