"""A developer's mistake raises the error of ``mistakes.txt``, word for word, before a model is asked.

Each line of the table is a program, with its message below it. Programs use the public names and those of ``prelude.py``.
"""

from pathlib import Path

import pytest

from answergraph import AgentSpecError
from tests.mistakes.prelude import MODEL, NAMES

MIN_MISTAKES = 100
TABLE = Path(__file__).with_name("mistakes.txt").read_text()
LINES = [line for line in TABLE.splitlines() if line and not line.startswith("#")]
MISTAKES = [(program, message.strip()) for program, message in zip(LINES[::2], LINES[1::2], strict=True)]
ASKS_A_MODEL = ".invoke({'messages': ['Go.']})"
"""The one mistake that is found only when a tool is called."""


@pytest.mark.parametrize(("program", "message"), MISTAKES, ids=[program for program, _ in MISTAKES])
def test_the_error_for_a_mistake_says_what_to_write_instead(program: str, message: str) -> None:
    asked = len(MODEL.requests)
    with pytest.raises(AgentSpecError) as told:
        eval(program, dict(NAMES))  # the programs are lines of ours
    assert str(told.value) == message
    assert len(MODEL.requests) == asked or program.endswith(ASKS_A_MODEL)


def test_the_table_is_large() -> None:
    assert len(MISTAKES) >= MIN_MISTAKES


def test_tools_that_are_not_a_list_raise_a_type_error_as_in_langchain() -> None:
    with pytest.raises(TypeError, match="'ToolNode' object is not iterable"):
        eval("create_agent(MODEL, ToolNode([search]))", dict(NAMES))
