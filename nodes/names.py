"""The names of the graph's nodes in drawings, streams and checkpoints."""

from typing import Final

MODEL: Final = "model"
"""Calls the language model once."""

TOOLS: Final = "tools"
"""Runs one tool call; the router sends one task per call."""

NO_ANSWER: Final = "no_answer"
"""Raises ``NoAnswerError`` if there is none; in the graph only with ``on_failure="raise"``."""

STRUCTURED_RESPONSE: Final = "structured_response"
"""Reads, checks and accepts the answer, or sends it back."""
