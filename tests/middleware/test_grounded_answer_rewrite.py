"""A quote marked with ``rewrite=True`` becomes the passage of the result, word for word."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field, RootModel

from answergraph import Quote, ToolStrategy, create_agent
from answergraph.evidence import BUNDLE_KEYS, answer_bundle, verify_bundle
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

LOG = "12:00 the disk of \x1b[31mdb-7\x1b[0m is full\n12:01 the server\n      has stopped, said “Ann”"
Passage = Annotated[str, Quote(rewrite=True)]


@dataclass
class Inner:
    quote: Passage


class Found(RootModel[list[Passage]]):
    """What was found."""


class Report(BaseModel):
    """A report."""

    quotes: Annotated[list[str], Quote(rewrite=True)]
    named: dict[str, Inner]
    root: Found
    literal: Annotated[str, Quote()]


@tool
def read_log() -> str:
    """Read a log."""
    return LOG


def agent_of(schema: Any, *answers: dict[str, Any]) -> Any:
    calls = [("read_log", {}), *((schema.__name__, answer) for answer in answers)]
    replies = [AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"{n}"}]) for n, (name, args) in enumerate(calls)]
    model = ScriptedChatModel(replies=replies)
    return create_agent(model, [read_log], response_format=ToolStrategy(schema), middleware=[GroundedAnswer()])


def test_the_field_has_the_exact_passage_and_the_bundle_holds(run: Run) -> None:
    answer = {
        "quotes": ["The disk of db-7 is full.", "the server has stopped"],
        "named": {"a b": {"quote": '"said "Ann""'}},
        "root": ["the disk … is full"],
        "literal": "the server has stopped",
    }
    result = run(agent_of(Report, answer), {"messages": ["q"]}, output_keys=BUNDLE_KEYS)
    report = result["structured_response"]
    assert report.quotes == ["the disk of \x1b[31mdb-7\x1b[0m is full", "the server\n      has stopped"]
    assert report.named == {"a b": Inner("said “Ann”")}
    assert report.root.root == ["the disk … is full"]
    assert report.literal == "the server has stopped"
    bundle = json.loads(json.dumps(answer_bundle(result)))
    assert [verdict for verdict in verify_bundle(bundle) if not verdict.holds] == []


class Short(BaseModel):
    """A short one."""

    quote: Annotated[str, Field(max_length=24), Quote(rewrite=True)]


def test_a_passage_that_does_not_fit_the_type_is_sent_back(run: Run) -> None:
    quotes = ["the server has stopped", "12:00 the disk of"]
    result = run(agent_of(Short, *({"quote": quote} for quote in quotes)), {"messages": ["q"]})
    assert result["structured_response"] == Short(quote="12:00 the disk of")
    first = result["outcome"]["attempts"][0]
    assert first["status"] == "invalid"
    assert "at most 24 characters" in str(first["error"])
