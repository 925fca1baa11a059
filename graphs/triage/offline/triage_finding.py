"""The conclusion of a triage rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from answergraph.graphs.triage.offline.triage_case_text import CaseText


@dataclass(frozen=True)
class Finding:
    """The conclusion of a rule, and its evidence."""

    misjudged: bool
    """Whether the test's result is wrong."""
    confidence: float
    """From 0 to 1."""
    cause: str | None
    """The cause of a wrong result; ``None`` if there is none or it is ambiguous."""
    explanation: str
    """The explanation, in one sentence."""
    quotes: tuple[str, ...]
    """Quotes of tool results."""
    advice: str
    """The recommended action."""


TriageRule = Callable[[CaseText], Finding | None]
