"""What is said to a model when something was wrong with its reply."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolCall, ToolMessage

from answergraph.response_format.reading.reply_reader import Reading
from answergraph.response_format.strategies.strategy import Strategy


def tool_result(call: ToolCall, text: str, **fields: Any) -> ToolMessage:
    """Answer one call."""
    return ToolMessage(text, name=call["name"], tool_call_id=call["id"], **fields)


HELD = (
    "Your answer is held back: you called tools in the same message, and their results have come since. "
    "Look at them, then give your answer again, changed if need be."
)
NEXT_RUNG = "Give your final answer now, in the form you are asked for."
NEXT_FORM = "When you give your answer, give it in the form you are asked for."
"""Beside what is wrong with an answer, which may be that a tool was to be called first."""
NOT_RUN = "Tool {name} was not run: an answer stood beside the call."
UNKNOWN_TOOL = "Error: {name} is not a valid tool, try one of [{names}]."


def _correction(reading: Reading, strategy: Strategy[Any]) -> str:
    if reading.feedback is not None:
        return reading.feedback
    if reading.error is not None:
        return strategy.feedback(reading.error)
    if reading.status == "truncated":
        return f"Your reply was cut at the token limit. Be brief. {strategy.request_text()}"
    return strategy.request_text()


def _error_text(reading: Reading) -> str:
    if reading.feedback is not None:
        return reading.feedback
    return reading.reason if reading.error is None else str(reading.error)
