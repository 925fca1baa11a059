"""The conversation in the protocol's form, with messages of every role and with later changes."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from answergraph.react_text.react_prompt import READ_AS, conversation_text
from answergraph.state.messages import correction_message

LOG = "I look.\nAction: search\nAction Input: 'x'"


def written(args: dict[str, Any], read_as: dict[str, Any] | None) -> AIMessage:
    metadata = {} if read_as is None else {READ_AS: {"name": "search", "args": read_as}}
    return AIMessage(LOG, tool_calls=[{"name": "search", "args": args, "id": "1"}], response_metadata=metadata)


def result(text: str, call_id: str = "1") -> ToolMessage:
    return ToolMessage(text, tool_call_id=call_id)


ASKED = HumanMessage("Why?")


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([], "Thought:"),
        ([SystemMessage("Be brief."), ASKED], "Question: Why?\nThought:"),
        (
            [ASKED, written({"q": "x"}, {"q": "x"}), result("found")],
            f"Question: Why?\nThought:{LOG}\nObservation: found\nThought:",
        ),
        (
            [ASKED, written({"q": "y"}, {"q": "x"}), result("found")],
            "Question: Why?\nThought:I look.\nAction: search\nAction Input: y\nObservation: found\nThought:",
        ),
        (
            [
                ASKED,
                AIMessage("Two.", tool_calls=[{"name": "a", "args": {}, "id": "1"}, {"name": "b", "args": {"n": 1}, "id": "2"}]),
                result("second", "2"),
                result("first", "1"),
            ],
            "Question: Why?\nThought:Two.\nAction: a\nAction Input: {}\nObservation: first\n"
            'Thought:\nAction: b\nAction Input: {"n": 1}\nObservation: second\nThought:',
        ),
        (
            [ASKED, AIMessage("Because."), correction_message("No JSON.")],
            "Question: Why?\nThought: I now know the final answer\nFinal Answer: Because.\nObservation: No JSON.\nThought:",
        ),
        (
            [ASKED, written({"q": "x"}, {"q": "x"}), result("found"), HumanMessage("Hurry.")],
            f"Question: Why?\nThought:{LOG}\nObservation: found\nQuestion: Hurry.\nThought:",
        ),
        ([ASKED, result("nobody asked")], "Question: Why?\nObservation: nobody asked\nThought:"),
    ],
)
def test_a_conversation_is_written_in_the_form_of_the_protocol(messages: list[BaseMessage], text: str) -> None:
    assert conversation_text(messages) == text


def test_ids_that_come_again_are_told_apart_by_the_turn() -> None:
    step = written({"q": "x"}, {"q": "x"})
    text = conversation_text([ASKED, step, result("one"), step, result("two")])
    assert [line for line in text.split("\n") if line.startswith("Observation")] == ["Observation: one", "Observation: two"]
