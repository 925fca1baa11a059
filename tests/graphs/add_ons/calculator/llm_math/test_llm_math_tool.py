"""The calculator tool: its question to the model, and its reading of the reply."""

from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from answergraph.graphs import llm_math_tool
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

BLOCK = "```text\n100 * 0.2\n```\n"


def asked(run: Run, reply: str, question: str = "20% of 100") -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=[reply])
    return run(llm_math_tool(model), {"question": question}), model


def test_the_expression_of_the_text_block_is_evaluated(run: Run) -> None:
    answer, model = asked(run, BLOCK)
    assert answer == "Answer: 20.0"
    (request,) = model.requests
    assert request.kwargs["stop"] == ["```output"]
    assert request.messages[0].text.endswith("Question: 20% of 100\n")
    assert "```text\n37593 * 67\n```" in request.messages[0].text


def test_braces_in_a_question_are_only_text(run: Run) -> None:
    _, model = asked(run, BLOCK, "{x} and {0}")
    assert model.requests[0].messages[0].text.endswith("Question: {x} and {0}\n")


@pytest.mark.parametrize(
    "reply",
    [
        f'{BLOCK}...numexpr.evaluate("100 * 0.2")...\n```output\n19\n```\nAnswer: 19\n',
        f"Let me see.\n\n{BLOCK}",
        "```python\n100 * 0.2\n```",
        "```\n100 * 0.2\n```",
        "```text\n100 * 0.2\n",
        "Answer: 20.0",
        "That is easy. Answer: 20.0",
    ],
)
def test_a_reply_in_another_form_is_read_where_it_is_evident(run: Run, reply: str) -> None:
    assert asked(run, reply)[0] == "Answer: 20.0"


def test_reading_a_caret_as_power_is_reported(run: Run) -> None:
    assert asked(run, "```text\n2^10\n```")[0] == "Answer: 1024 (^ was read as power)"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("```text\n1/0\n```", "'1/0' cannot be evaluated: division by zero. Please try again"),
        ("```text\n9**9**9\n```", "the result is too large"),
        ("```text\n__import__('os')\n```", "not arithmetic on numbers"),
        ("I cannot say.", "wrote no expression: 'I cannot say.'"),
        ("", "wrote no expression"),
    ],
)
def test_an_expression_that_cannot_be_evaluated_is_reported_to_the_model(run: Run, reply: str, why: str) -> None:
    calculator = llm_math_tool(ScriptedChatModel(replies=[reply]))
    call = {"name": "Calculator", "args": {"question": "?"}, "id": "1", "type": "tool_call"}
    result: ToolMessage = run(calculator, call)
    assert result.status == "error"
    assert why in result.text
