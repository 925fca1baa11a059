"""What a developer gets wrong is told in the very words of ``mistakes.txt``, before a model is asked.

The table has one program a line, and below it the message. Programs name what is in the doors and in ``prelude.py``.
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
"""The one mistake that shows when a tool is called."""


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
