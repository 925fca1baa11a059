"""The corrections sent to a model."""

from typing import Any
from uuid import uuid4

from langchain_core.messages import ToolMessage

from answergraph.asking.strategies.strategy import Strategy
from answergraph.reading.reply_reader import Reading
from answergraph.state.messages import CORRECTION_ID_PREFIX

CONFIRM_ANSWER = (
    "Your answer is held back: you called tools in the same message, and their results have come since. "
    "Look at them, then give your answer again, changed if need be."
)
CUT = "Your reply was cut at the token limit. Be brief."
BE_BRIEF = "Be brief. Like this: {example}"
"""After a cut, to a model whose provider holds it to the schema: the fewer tokens, the better a small model follows."""
ANSWER_IN_NEXT_FORM = "Give your final answer now, in the form you are asked for."
WROTE_SCHEMA = "You wrote the schema back. Write the values in place of it, like this: {example}"
CORRECT_IN_NEXT_FORM = "When you give your answer, give it in the form you are asked for."
"""Follows the problem of an answer, which may be a missing tool call."""
NOT_RUN = "Tool {name} was not run: an answer stood beside the call."
UNKNOWN_TOOL = "Error: {name} is not a valid tool, try one of [{names}]."


def correction(reading: Reading, strategy: Strategy[Any], *, in_next_form: bool) -> str:
    """Return the correction for a model; ``in_next_form`` if the next strategy asks."""
    if reading.is_echo:
        return WROTE_SCHEMA.format(example=strategy.example())
    if in_next_form and reading.status != "invalid":
        return f"{CUT} {ANSWER_IN_NEXT_FORM}" if reading.status == "truncated" else ANSWER_IN_NEXT_FORM
    text = _what_is_wrong(reading, strategy)
    return f"{text}\n{CORRECT_IN_NEXT_FORM}" if in_next_form else text


def sent_back(results: list[ToolMessage]) -> list[ToolMessage]:
    """Return replacement results for tool calls, recognisable by their ids."""
    return [result.model_copy(update={"id": f"{CORRECTION_ID_PREFIX}{uuid4()}"}) for result in results]


def _what_is_wrong(reading: Reading, strategy: Strategy[Any]) -> str:
    if reading.feedback is not None:
        return reading.feedback
    if reading.error is not None:
        return strategy.feedback(reading.error)
    if reading.status == "truncated":
        return BE_BRIEF.format(example=strategy.example()) if strategy.is_held else f"{CUT} {strategy.request_text()}"
    return strategy.request_text()
