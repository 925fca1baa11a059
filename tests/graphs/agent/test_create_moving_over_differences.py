"""The exact results of programs that intentionally differ after moving over."""

import uuid
from typing import Any, NamedTuple

import pytest

import answergraph
from tests.graphs.agent.langchain_programs import DIFFERENT
from tests.graphs.agent.moving_over.programs import INTENDED_DIFFERENCES

PROGRAMS = {**DIFFERENT, **INTENDED_DIFFERENCES}


class Ended(NamedTuple):
    """The visible result of one input."""

    messages: str
    """Their types."""
    told: str
    """The beginning of one of the texts."""
    value: Any
    """The answer as plain data; ``-`` if the result has none."""
    status: str
    """The status of the outcome; ``-`` if there is none."""


ADA = {"name": "Ada", "age": 36}
RECEIPT = "Returning structured response: name='Ada' age=36"

OURS = {
    "an answer beside a tool call": [
        Ended("human ai tool tool ai tool", "Your answer is held back: you called tools", ADA, "answered")
    ],
    "prose instead of an answer": [
        Ended("human ai human ai tool", "Give your answer by calling the tool Contact.", ADA, "answered")
    ],
    "the same invalid answer forever": [Ended("human ai tool ai tool", "Error: Failed to parse", None, "invalid")],
    "a json schema that is not met": [Ended("human ai tool ai tool", "Error: Failed to parse", {"n": 1}, "answered")],
    "malformed tool arguments": [Ended("human ai tool ai", "Tool call search with id 1 could not be executed", "-", "-")],
    "two equal answers": [Ended("human ai tool tool", RECEIPT, ADA, "answered")],
    "an answer that was cut": [Ended("human ai tool ai tool", "Your reply was cut at the token limit.", ADA, "answered")],
    "json in a fence": [Ended("human ai", "```json", ADA, "answered")],
    "a tool that names the state's keys": [
        Ended("human ai tool ai", "answergraph_ledger answergraph_running messages", "-", "-")
    ],
    "a text in the model's place, no answer": [Ended("human ai human ai", "Error: Native structured output", None, "unanswered")],
    "an answer left out by narrowing": [
        Ended("human ai tool ai tool", "Error: Failed to parse structured output for tool 'Contact'", {"title": "t"}, "answered")
    ],
    "an answer that a person turns down": [
        Ended("human ai", "question", None, "-"),
        Ended("human ai tool ai", "User rejected the tool call for `Contact`", None, "-"),
    ],
    "a receipt seen by hooks": [Ended("human ai tool", RECEIPT, ADA, "answered")],
    "a refusal": [Ended("human ai", "question", None, "refused")],
    "an email address in an answer": [
        Ended("human ai", '{"title": "[REDACTED_EMAIL]"}', {"title": "[REDACTED_EMAIL]"}, "answered")
    ],
    "a call left without a result": [Ended("human ai tool ai", "Tool call search with id 1 was not carried out", "-", "-")],
    "a choice of tools beside a format": [Ended("human ai", '{"name": "Ada"', ADA, "answered")],
}


def test_every_intended_difference_is_documented() -> None:
    assert OURS.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("name", OURS)
def test_an_intended_difference_is_as_documented(run: Any, name: str) -> None:
    _, program = PROGRAMS[name]
    agent = program.build(answergraph.create_agent)
    config = {"configurable": {"thread_id": str(uuid.uuid4())}}
    for given, ours in zip(program.inputs, OURS[name], strict=True):
        result = run(agent, given, config)
        texts = [message.text for message in result["messages"]]
        told = next((ours.told for text in texts if text.startswith(ours.told)), str(texts))
        types = " ".join(message.type for message in result["messages"])
        assert Ended(types, told, _value(result), _status(result)) == ours


def _value(result: dict[str, Any]) -> Any:
    value = result.get("structured_response", "-")
    return value.model_dump() if hasattr(value, "model_dump") else value


def _status(result: dict[str, Any]) -> str:
    return str((result.get("outcome") or {}).get("status", "-"))
