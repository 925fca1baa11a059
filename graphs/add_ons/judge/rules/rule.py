"""A rule: a label for a judge to choose, ``when(...)`` on the state, or ``all(...)`` and ``any(...)`` over parallel children."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any, Literal, cast

from answergraph import AgentSpecError
from answergraph.errors import RuleSyntaxError
from answergraph.graphs.add_ons.judge.rules.rule_parser import RuleReader
from answergraph.graphs.add_ons.judge.rules.when_expression import Expression, Facts

MAX_RULE_CHARACTERS = 2_000

MatchMethod = Literal[
    "aggregate", "auto_select", "structured_output", "phase3_tag", "phase1_tag", "ai_judge", "ai_judge_fallback"
]
"""How the rule was found. ``ai_judge_fallback`` is only in logs of older programs."""

_FUNCTION = re.compile(r"\s*(all|any|when|ai)\s*\(")
_GUARD = re.compile(r"&&\s*(all|any|when|ai)\s*\(")
_STRAY_WHEN = re.compile(r"\bwhen\(")


class ChildLabels(tuple[str, ...]):
    """The labels of parallel children, in order; their set is made once for all rules of a decision."""

    @cached_property
    def different(self) -> frozenset[str]:
        return frozenset(self)


@dataclass(frozen=True)
class Aggregate:
    """A condition on the labels of parallel children."""

    kind: Literal["all", "any"]
    labels: tuple[str, ...]

    def holds(self, children: Sequence[str]) -> bool:
        """Compare with the children's labels, in the children's order; without children nothing holds.

        ``all`` with one label: every child has it; with several: the children have just these, in order. ``any``: some child has
        one of them.
        """
        labels = children if isinstance(children, ChildLabels) else ChildLabels(children)
        if self.kind == "any":
            return not labels.different.isdisjoint(self.labels)
        return labels.different == {*self.labels} if len(self.labels) == 1 else labels == self.labels


@dataclass(frozen=True)
class Rule:
    """One rule, read from its text."""

    text: str
    """As it was written, with single spaces."""
    label: str | None = None
    """The label for a judge, ``None`` if none is needed."""
    aggregate: Aggregate | None = None
    guard: Expression | None = None
    """The condition of ``when(...)``."""
    names: tuple[str, ...] = ()  # the state names it reads

    @property
    def is_semantic(self) -> bool:
        return self.label is not None  # a judge decides it

    def holds(self, facts: Mapping[str, Any] | Facts, children: Sequence[str], chosen: str | None) -> bool:
        if self.label is not None and self.label != chosen:
            return False
        if self.aggregate is not None and not self.aggregate.holds(children):
            return False
        return self.guard is None or self.guard.holds(facts if isinstance(facts, Facts) else Facts(facts))


def parse_rule(text: str) -> Rule:
    """Read a rule, such as ``tests pass``, ``when(failed == 0)`` or ``any("rejected", "error") && when(visits.review < 3)``.

    Raise ``RuleSyntaxError`` with the position if it is malformed.
    """
    if not isinstance(text, str) or not text.strip():
        raise RuleSyntaxError(str(text), 0, "a rule is a non-empty string")
    if len(text) > MAX_RULE_CHARACTERS:
        raise RuleSyntaxError(f"{text[:40]}…", MAX_RULE_CHARACTERS, f"a rule has at most {MAX_RULE_CHARACTERS} characters")
    function = _FUNCTION.match(text)
    if function is None:
        return _semantic(text)
    if function[1] == "ai":
        raise RuleSyntaxError(text, function.start(1), "there is no ai(...); write the condition as a plain label")
    reader = RuleReader(text, function.end())
    if function[1] == "when":
        guard = _closed(reader)
        return Rule(_spaced(text), guard=guard, names=tuple(reader.names))
    aggregate, guarded = _aggregate(reader, function[1]), _guard(reader)
    return Rule(_spaced(text), aggregate=aggregate, guard=guarded, names=tuple(reader.names))


def _semantic(text: str) -> Rule:
    guard = _GUARD.search(text)
    if guard is None:
        stray = _STRAY_WHEN.search(text)
        if stray:
            raise RuleSyntaxError(text, stray.start(), "when(...) must be alone or after '&&'")
        return Rule(_spaced(text), label=_spaced(text))
    left = text[: guard.start()]
    if guard[1] != "when":
        raise RuleSyntaxError(text, guard.start(1), f"{guard[1]}(...) must come first; after '&&' use when(...)")
    if not left.strip():
        raise RuleSyntaxError(text, guard.start(), "a label is missing before '&&'")
    if "&&" in left:
        raise RuleSyntaxError(text, left.index("&&"), "a rule has at most two clauses, a label and when(...)")
    reader = RuleReader(text, guard.end())
    return Rule(_spaced(text), label=_spaced(left), guard=_closed(reader), names=tuple(reader.names))


def _aggregate(reader: RuleReader, kind: str) -> Aggregate:
    labels = [_spaced(reader.string())]
    while reader.accept(","):
        labels.append(_spaced(reader.string()))
    reader.expect(")")
    for label in labels:
        # A label must be a valid rule of a child.
        parse_rule(label)
    # Guaranteed by the caller's pattern.
    return Aggregate(cast(Literal["all", "any"], kind), tuple(labels))


def _guard(reader: RuleReader) -> Expression | None:
    if reader.peek().kind == "end":
        return None
    reader.expect("&&")
    if reader.peek().text != "when":
        reader.fail("only when(...) may follow '&&'")
    reader.take()
    reader.expect("(")
    return _closed(reader)


def _closed(reader: RuleReader) -> Expression:
    condition = reader.truth()
    reader.expect(")")
    if reader.peek().kind != "end":
        reader.fail("a rule ends with its when(...)")
    return condition


def _spaced(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Choice:
    """The label that was chosen among the candidates, and how it was chosen."""

    label: str
    method: MatchMethod


@dataclass(frozen=True)
class RuleMatch:
    """The rule that holds."""

    index: int
    method: MatchMethod


class Rules:
    """The rules of one decision, in order."""

    def __init__(self, rules: Sequence[str]) -> None:
        """Read the rules; raise ``AgentSpecError`` for none or a repeated one, ``RuleSyntaxError`` for a malformed one."""
        # A set has no order, and of a mapping only the keys would be read.
        if isinstance(rules, str | Mapping | Set) or not rules:
            raise AgentSpecError(f"rules are a list of at least one condition, not {rules!r}.")
        self.rules: tuple[Rule, ...] = tuple(map(parse_rule, rules))
        if repeated := [text for text, times in Counter(self.texts).items() if times > 1]:
            raise AgentSpecError(f"The condition {repeated[0]!r} is given twice; the second one could never hold.")
        self._leading = list(takewhile(lambda rule: not rule.is_semantic, self.rules))

    @property
    def texts(self) -> list[str]:
        return [rule.text for rule in self.rules]

    @property
    def candidates(self) -> list[str]:
        """The labels that a judge chooses from: each once, in the order of the rules."""
        return list(dict.fromkeys(rule.label for rule in self.rules if rule.label is not None))

    def match_without_judge(self, facts: Mapping[str, object], children: Sequence[str]) -> RuleMatch | None:
        """Return the first rule that holds among those before the first label."""
        return _first(self._leading, facts, children, None)

    def match(self, facts: Mapping[str, Any], children: Sequence[str], choice: Choice | None) -> RuleMatch | None:
        """Return the first rule that holds; the method of a label is that of the choice."""
        return _first(self.rules, facts, children, choice)


def _first(
    rules: Sequence[Rule], facts: Mapping[str, object], children: Sequence[str], choice: Choice | None
) -> RuleMatch | None:
    chosen, decided_on, labels = choice.label if choice else None, Facts(facts), ChildLabels(children)
    for index, rule in enumerate(rules):
        if rule.holds(decided_on, labels, chosen):
            return RuleMatch(index, _method(rule, choice))
    return None


def _method(rule: Rule, choice: Choice | None) -> MatchMethod:
    if rule.aggregate is not None:
        return "aggregate"
    return choice.method if rule.is_semantic and choice else "auto_select"
