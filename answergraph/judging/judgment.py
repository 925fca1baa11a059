"""The result of a judge, as plain JSON: the rule that holds, how it was found, and a record of each stage."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from answergraph.rules.rule_matching import MatchMethod

StageName = Literal["structured_output", "phase3_tag", "ai_judge", "phase1_tag"]
"""The ways to ask, and ``phase1_tag``, which asks nothing and reads the work itself."""

StageStatus = Literal["matched", "no_match", "error", "out_of_budget"]
"""``"matched"``: a condition; ``"no_match"``: no valid one; ``"error"``: an exception; ``"out_of_budget"``: no call was left."""


class StageRecord(TypedDict):
    """The record of one stage."""

    method: StageName
    status: StageStatus
    selected: int | None
    """The number of the condition in the table, counted from 1; ``None`` without a match."""
    reason: str
    """The model's justification, or why there is no match."""
    strategy: str | None
    """How the provider was asked, ``None`` where for a plain text."""
    response: str
    """The model's reply, tool calls as JSON."""
    usage: dict[str, Any] | None
    """The tokens as the model reports them."""
    evidence: list[list[int]] | None
    """Where the work, without white space around it, has what the reason quotes: start and end of each, in characters. Only
    where quotes were asked for."""


class Judgment(TypedDict):
    """The rule that holds, and why."""

    index: int | None
    """The rule's place among the rules, counted from 0; ``None`` if none holds."""
    step: int | None
    """The same, counted from 1."""
    tag: str | None
    """The same as a tag, ``[STEP:1]``."""
    label: str | None
    """The rule as it was written."""
    method: MatchMethod | None
    """How it was found."""
    reason: str
    """One sentence for a person: the judge's reason, or why no rule holds."""
    stages: list[StageRecord]
    """One record for each stage that was visited."""


JudgmentMatchMethod = Literal["aggregate", "auto_select", "structured_output", "tag_fallback", "ai_judge"]
"""How a log names the method."""

_IN_LOGS: dict[MatchMethod, JudgmentMatchMethod] = {
    "aggregate": "aggregate",
    "auto_select": "auto_select",
    "structured_output": "structured_output",
    "phase3_tag": "tag_fallback",
    "phase1_tag": "tag_fallback",
    "ai_judge": "ai_judge",
    "ai_judge_fallback": "ai_judge",
}


def judgment_match_method(method: MatchMethod) -> JudgmentMatchMethod:
    """Return the name under which a log keeps a method.

    Args:
        method: The method of a ``Judgment``.

    Returns:
        ``tag_fallback`` for both ways of reading a tag, ``ai_judge`` for both judging calls, the method itself otherwise.

    Example:
        >>> judgment_match_method("phase3_tag")
        'tag_fallback'
    """
    return _IN_LOGS[method]
