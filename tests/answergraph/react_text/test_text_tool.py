"""How a tool is shown in the prompt, and how arguments are written as an input."""

from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from answergraph import AgentSpecError
from answergraph.graphs import llm_math_tool
from answergraph.react_text.text_tool import TextTool, text_input
from answergraph.testing import ScriptedChatModel


@tool
def find(text: str, level: Literal["info", "error"] = "error", most: int | None = None, tags: list[str] = []) -> str:  # noqa: B006 - shown as a default
    """Find lines."""
    return text


class DescribedVerdict(BaseModel):
    """A verdict."""

    passed: bool = Field(description="Whether it passed.")
    score: float


@pytest.mark.parametrize(
    ("offered", "line"),
    [
        (
            llm_math_tool(ScriptedChatModel(replies=[])),
            "Calculator(question: str) - Useful for when you need to answer questions about math.",
        ),
        (
            find,
            "find(text: str, level: Literal['info', 'error'] = 'error', most: int | None = None, tags: list[str] = []) - "
            "Find lines. Action Input is a JSON object with the keys text, level, most, tags.",
        ),
        (
            DescribedVerdict,
            "DescribedVerdict(passed: bool, score: float) - A verdict. Action Input is a JSON object of this JSON Schema: "
            '{"type": "object", "properties": {"passed": {"description": "Whether it passed.", "type": "boolean"}, '
            '"score": {"type": "number"}}, "required": ["passed", "score"]}',
        ),
    ],
)
def test_a_tools_line_has_signature_description_and_the_form_of_its_input(offered: Any, line: str) -> None:
    assert TextTool.of(offered).line() == line


def test_a_tool_that_the_provider_runs_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="web_search"):
        TextTool.of({"type": "web_search"})


json_values = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))


@given(st.fixed_dictionaries({"a": json_values, "b": json_values}))
def test_arguments_written_as_an_input_are_read_as_themselves(args: dict[str, Any]) -> None:
    assert TextTool("pair", parameters={"a": {}, "b": {}}, required=("a", "b")).arguments(text_input(args)) == args


@given(st.text())
@example("{}")
@example('{"a": "b"}')
@example('```json\n{"a": "b"}\n```')
@example("{'a': 'b'}")
def test_a_text_written_as_an_input_is_read_as_itself(text: str) -> None:
    found = TextTool("one", parameters={"a": {"type": "string"}}, required=("a",)).arguments(text_input({"a": text}))
    assert found == {"a": text}
