"""Handles a reply that cannot be read, by the four forms of the classic ``handle_parsing_errors``."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.exceptions import OutputParserException

HandleParsingErrors = bool | str | Callable[[OutputParserException], str]
"""``True`` tells the model the problem, a string or a callable replaces the words, ``False`` raises the error."""

RAISED = (
    "An output parsing error occurred. In order to pass this error back to the agent and have it try again, pass "
    "`handle_parsing_errors=True` to the ReActTextModel. This is the error: {error}"
)


def observation(handle: HandleParsingErrors, reply: str, feedback: str) -> str:
    """Return the words for the model about a reply that could not be read.

    Raises:
        OutputParserException: If the choice is ``False``.
    """
    if handle is True:
        return feedback
    if isinstance(handle, str):
        return handle
    error = OutputParserException(
        f"Could not parse LLM output: `{reply}`", observation=feedback, llm_output=reply, send_to_llm=True
    )
    if callable(handle):
        return handle(error)
    raise OutputParserException(RAISED.format(error=error)) from error
