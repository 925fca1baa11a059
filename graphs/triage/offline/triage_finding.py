"""What a rule of the triage policy concludes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from answergraph.graphs.triage.offline.triage_case_text import CaseText


@dataclass(frozen=True)
class Finding:
    """The conclusion of a rule, and its evidence."""

    misjudged: bool
    """Whether the test's result is wrong: a failure that should be a pass, or a pass that should be a failure."""
    confidence: float
    """From 0 to 1."""
    cause: str | None
    """One of the causes of a misclassification; ``None`` if there is none, or several are possible."""
    explanation: str
    """What happened, in one sentence."""
    quotes: tuple[str, ...]
    """Pieces of what the tools returned."""
    advice: str
    """What to do next."""


TriageRule = Callable[[CaseText], Finding | None]
