"""What becomes of a reply that cannot be read: the four forms of the classic ``handle_parsing_errors``."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.exceptions import OutputParserException

HandleParsingErrors = bool | str | Callable[[OutputParserException], str]
"""``True``: the model is told what is wrong. A string: it is told that. A callable: it is told what that returns. ``False``:
the error is raised."""

RAISED = (
    "An output parsing error occurred. In order to pass this error back to the agent and have it try again, pass "
    "`handle_parsing_errors=True` to the ReActTextModel. This is the error: {error}"
)


def observation(handle: HandleParsingErrors, reply: str, feedback: str) -> str:
    """Return what the model is told about a reply that could not be read.

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
