"""Which rule holds: the order in which rules are read, before a judge is asked and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

from answergraph.rules.rule import Rule, parse_rule
from answergraph.state.errors import AgentSpecError

MatchMethod = Literal[
    "aggregate",
    "auto_select",
    "structured_output",
    "phase3_tag",
    "phase1_tag",
    "ai_judge",
    "ai_judge_fallback",
]
"""How the rule that holds was found. ``ai_judge_fallback`` stands in logs of older programs; nothing here writes it."""


@dataclass(frozen=True)
class Choice:
    """The label that was chosen among the candidates, and how it was chosen."""

    label: str
    method: MatchMethod


@dataclass(frozen=True)
class RuleMatch:
    """The rule that holds."""

    index: int
    """Its place among the rules, counted from 0."""
    method: MatchMethod


class Rules:
    """The rules of one decision, in order."""

    def __init__(self, rules: Sequence[str]) -> None:
        """Read the rules; the first one that holds counts.

        Raises:
            AgentSpecError: If there are none, or if one is given twice: the second one could never count.
            RuleSyntaxError: If one is malformed.
        """
        if isinstance(rules, str) or not rules:
            raise AgentSpecError(f"rules are a list of at least one condition, not {rules!r}.")
        self.rules: tuple[Rule, ...] = tuple(map(parse_rule, rules))
        if repeated := [text for text, times in Counter(self.texts).items() if times > 1]:
            raise AgentSpecError(f"The condition {repeated[0]!r} is given twice, so that the second one could never count.")
        self._leading = list(takewhile(lambda rule: not rule.is_semantic, self.rules))

    @property
    def texts(self) -> list[str]:
        """The rules as they were written."""
        return [rule.text for rule in self.rules]

    @property
    def candidates(self) -> list[str]:
        """The labels that a judge chooses from: each once, in the order of the rules."""
        return list(dict.fromkeys(rule.label for rule in self.rules if rule.label is not None))

    def match_without_judge(self, facts: Mapping[str, Any], children: Sequence[str]) -> RuleMatch | None:
        """Return the first rule that holds among those before the first label.

        Raises:
            RuleEvaluationError: If a ``when(...)`` cannot be decided.
        """
        return _first(self._leading, facts, children, None)

    def match(self, facts: Mapping[str, Any], children: Sequence[str], choice: Choice | None) -> RuleMatch | None:
        """Return the first rule of all that holds; a label's method is that of the choice.

        Raises:
            RuleEvaluationError: If a ``when(...)`` cannot be decided.
        """
        return _first(self.rules, facts, children, choice)


def _first(rules: Sequence[Rule], facts: Mapping[str, Any], children: Sequence[str], choice: Choice | None) -> RuleMatch | None:
    chosen = choice.label if choice else None
    for index, rule in enumerate(rules):
        if rule.holds(facts, children, chosen):
            return RuleMatch(index, _method(rule, choice))
    return None


def _method(rule: Rule, choice: Choice | None) -> MatchMethod:
    if rule.aggregate is not None:
        return "aggregate"
    return choice.method if rule.is_semantic and choice else "auto_select"
