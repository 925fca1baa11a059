"""Scripted agents and their answers, for the tests of this folder."""

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph import ToolStrategy, create_agent
from answergraph.middleware import InputAgentState
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search


class Verdict(BaseModel):
    """Whether the test passed."""

    passed: bool
    score: int = Field(ge=0, le=10)


class Missing(BaseModel):
    """What is missing for a verdict."""

    facts: list[str]


@dataclass
class Place:
    """A place."""

    city: str


class Route(TypedDict):
    """A route."""

    to: str


@tool(return_direct=True)
def lookup(key: str) -> str:
    """Look an answer up."""
    return '{"passed": true, "score": 7}' if key == "good" else "nothing there"


def call(name: str, args: dict[str, Any], call_id: str = "1") -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def calls(*tool_calls: dict[str, Any], text: str = "") -> AIMessage:
    return AIMessage(text, tool_calls=list(tool_calls))


GOOD = {"passed": True, "score": 7}
BAD = {"passed": True, "score": 70}
QUESTION: InputAgentState = {"messages": [HumanMessage("Did it pass?")]}


def good(call_id: str) -> AIMessage:
    return calls(call("Verdict", GOOD, call_id))


def bad(number: int) -> AIMessage:
    """Return a wrong answer, another one for each number."""
    return calls(call("Verdict", {**BAD, "score": 70 + number}, f"b{number}"))


def agent_of(*replies: Any, tools: Any = (search,), **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, list(tools), **{"response_format": ToolStrategy(Verdict), **options}), model


def every_call_is_answered(messages: list[Any]) -> bool:
    asked = {c["id"] for m in messages if isinstance(m, AIMessage) for c in [*m.tool_calls, *m.invalid_tool_calls]}
    return asked == {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
