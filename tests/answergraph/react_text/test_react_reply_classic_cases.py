"""The parser tests of the classic agent package, case by case, rewritten as data."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from answergraph.react_text.react_reply import MISSING_ACTION, MISSING_INPUT, Action, FinalAnswer, Unreadable, read_reply
from answergraph.react_text.text_tool import TextTool

CASES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "classic_cases.toml").read_text())["replies"]
PAGE = (Path(__file__).parents[3] / "docs" / "react.md").read_text()
MISSING = {"Action:": MISSING_ACTION, "Action Input:": MISSING_INPUT}
TOOLS = [TextTool(name, "", {"text": {"type": "string"}}, ("text",)) for name in ("lookup", "python", "sql")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["of"])
def test_a_reply_is_read_as_the_classic_parser_reads_it_or_as_the_page_says(case: dict[str, Any]) -> None:
    reading = read_reply(case["said"], TOOLS)
    match reading:
        case Action(name=name, args=args):
            assert (name, args) == (case.get("tool"), {"text": case.get("input")})
        case FinalAnswer(text=text):
            assert text == case.get("answer")
        case Unreadable(feedback=feedback) if "unknown" in case:
            assert feedback == f"{case['unknown']} is not a valid tool, try one of [lookup, python, sql]."
        case Unreadable(feedback=feedback):
            assert feedback == MISSING.get(case.get("missing", ""))
    assert "differs" not in case or f"\n| {case['differs']} |" in PAGE
