"""Whatever of an agent is changed, a replay names the step and the place where its run goes another way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from answergraph import AnswerRejected, ProviderStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.testing import Difference, ScriptedChatModel, Tape, replay, use_tape
from tests.suite.verdicts import CaseVerdict


@tool
def look_up(case: str) -> str:
    """Look a case up."""
    return f"{case} passed."


@tool
def list_cases() -> str:
    """List the cases."""
    return "A-17"


def call(name: str, args: dict[str, Any], call_id: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call_id}])


def agent_of(*replies: Any, **changes: Any) -> Any:
    options: dict[str, Any] = {
        "tools": [look_up, list_cases],
        "response_format": ToolStrategy(CaseVerdict),
        "system_prompt": "Be exact.",
    }
    return create_agent(**{"model": ScriptedChatModel(replies=list(replies)), **options, **changes})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the file of a tape with one run of two model calls."""
    with use_tape(tmp_path / "verdict.jsonl"):
        agent_of(call("look_up", {"case": "A-17"}, "1"), call("CaseVerdict", {"passed": True, "case": "A-17"}, "2")).invoke(
            {"messages": "Did A-17 pass?"}
        )
    return tmp_path / "verdict.jsonl"


class DescribedVerdict(BaseModel):
    passed: bool = Field(description="Whether the case passed.")
    case: str


DescribedVerdict.__name__ = "CaseVerdict"


class Warm(ScriptedChatModel):
    """A model that is made with one of LangChain's standard parameters."""

    temperature: float | None = None


class Hurried(AgentMiddleware):
    """Asks the model to hurry."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request.override(messages=[*request.messages, HumanMessage("Hurry.")]))


def has_no_letter(answer: CaseVerdict, state: Any, runtime: Any) -> None:
    if answer.case.startswith("A"):
        raise AnswerRejected("Write the case without its letter.", fields=["case"])


SHORT = look_up.model_copy(update={"description": "Look up."})
CHANGES: dict[str, tuple[dict[str, Any], tuple[int, str, str | None]]] = {
    "prompt": ({"system_prompt": "Be brief."}, (1, "message", "1")),
    "schema": ({"response_format": ToolStrategy(DescribedVerdict)}, (1, "tool", "CaseVerdict")),
    "tool text": ({"tools": [SHORT, list_cases]}, (1, "tool", "look_up")),
    "tool order": ({"tools": [list_cases, look_up]}, (1, "tool", "look_up")),
    "strategy": ({"response_format": ProviderStrategy(CaseVerdict)}, (1, "tool", "CaseVerdict")),
    "check": ({"check_answer": has_no_letter}, (3, "message", "6")),
    "limit": ({"limits": UsageLimits(model_calls=1)}, (1, "setting", "tool_choice")),
    "middleware": ({"middleware": [Hurried()]}, (1, "message", "3")),
    "model": ({"model": ScriptedChatModel(replies=[], model_name="gpt-4.1")}, (1, "setting", "model")),
    "model setting": ({"model": Warm(replies=[], temperature=0.5)}, (1, "setting", "temperature")),
}


@pytest.mark.parametrize("place", CHANGES)
def test_a_change_of_the_agent_is_named_with_its_step_and_place(path: Path, place: str) -> None:
    changes, expected = CHANGES[place]
    difference = replay(path, agent_of(**changes)).difference
    assert isinstance(difference, Difference)
    assert (difference.step, difference.what, difference.field) == expected


def test_a_changed_reply_is_named_by_the_field_that_becomes_another(path: Path) -> None:
    tape = Tape.load(path)
    replies = [record for record in tape.records if record["kind"] == "reply"]
    replies[-1]["message"]["$message"]["data"]["tool_calls"][0]["args"]["passed"] = False
    tape.save(path)
    difference = replay(path, agent_of()).difference
    assert difference is not None
    assert (difference.step, difference.what, difference.field) == (2, "field", "passed")


def test_the_same_agent_has_no_difference(path: Path) -> None:
    assert replay(path, agent_of()).difference is None


def test_what_a_model_was_given_is_not_compared_with_a_tape_that_does_not_know_it(path: Path) -> None:
    tape = Tape.load(path)
    for record in tape.records:
        record.pop("model_settings", None)
    tape.save(path)
    model = Warm(replies=[], temperature=0.5)
    assert replay(path, agent_of(model=model)).difference is None
