"""Selects a rule: before the stages without a judge, after them by all rules in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from answergraph.errors import RuleNotMatched
from answergraph.graphs.add_ons.judge.judging.judgment import JUDGING, Judging, Judgment, StageRecord, no_judgment
from answergraph.graphs.add_ons.judge.judging.tags import tag
from answergraph.graphs.add_ons.judge.rules.rule import Choice, RuleMatch, Rules

NOTHING_TO_JUDGE = "There is nothing to judge: no report, and no message with a text."
ONLY_CANDIDATE = "It is the only condition to choose from."
DECIDED_BY_STATE = "The state decides it."


@dataclass(frozen=True)
class RuleSelection:
    """Selects the rule that holds; ``begin``, ``conclude`` and ``raise_without_match`` are nodes."""

    rules: Rules
    tag_word: str
    output_key: str

    def begin(self, state: Mapping[str, Any], runtime: Runtime) -> dict[str, object]:
        """Decide what needs no judge, and drop the thread's earlier judgment."""
        candidates = self.rules.candidates
        work = judged_work(state)
        decided = self.rules.match_without_judge(facts_of(state, self.output_key), state.get("children") or ())
        judging = Judging(
            work=work,
            candidates=candidates,
            open=decided is None and len(candidates) > 1 and bool(work),
            chosen=candidates[0] if decided is None and len(candidates) == 1 else None,
            stages=[],
        )
        return {JUDGING: judging, self.output_key: None}

    def conclude(self, state: Mapping[str, Any], runtime: Runtime) -> dict[str, object]:
        """Apply all rules in order with the chosen condition, and return the judgment."""
        judging: Judging = state[JUDGING]
        choice = _choice(judging)
        match = self.rules.match(facts_of(state, self.output_key), state.get("children") or (), choice)
        return {self.output_key: self._judgment(judging, choice, match)}

    def raise_without_match(self, state: Mapping[str, Any], runtime: Runtime) -> dict[str, object]:
        judgment: Judgment = state[self.output_key]
        if judgment["index"] is None:
            raise RuleNotMatched(judgment)
        return {}

    def _judgment(self, judging: Judging, choice: Choice | None, match: RuleMatch | None) -> Judgment:
        stages = judging["stages"]
        if match is None:
            return no_judgment(self._no_match(judging, choice), stages)
        rule = self.rules.rules[match.index]
        return Judgment(
            index=match.index,
            step=match.index + 1,
            tag=tag(self.tag_word, match.index + 1),
            label=rule.text,
            method=match.method,
            reason=_reason(stages, choice) if rule.is_semantic else DECIDED_BY_STATE,
            stages=stages,
        )

    def _no_match(self, judging: Judging, choice: Choice | None) -> str:
        if choice is not None:
            return f"{choice.label!r} was chosen, but its when(...) does not hold, and no rule after it does."
        if len(judging["candidates"]) > 1 and not judging["work"]:
            return NOTHING_TO_JUDGE
        if not judging["stages"]:
            return "No rule holds on this state."
        last = judging["stages"][-1]
        return f"No rule matched after all stages; the last one, {last['method']}, said: {last['reason']}"


def judged_work(state: Mapping[str, Any]) -> str:
    """Return the text to judge: the report, else the last AI message with text, else the last message."""
    report = state.get("report")
    if isinstance(report, str) and report.strip():
        return report
    messages: Sequence[AnyMessage] = state.get("messages") or ()
    replies = [message.text for message in messages if isinstance(message, AIMessage) and message.text.strip()]
    last = messages[-1].text.strip() if messages else ""
    return replies[-1] if replies else last


def facts_of(state: Mapping[str, Any], output_key: str) -> dict[str, Any]:
    """Return the names for ``when(...)``: the caller's state keys, overridden by ``facts``."""
    own = {JUDGING, output_key, "messages", "facts"}
    return {**{key: value for key, value in state.items() if key not in own}, **(state.get("facts") or {})}


def _choice(judging: Judging) -> Choice | None:
    if judging["chosen"] is not None:
        return Choice(judging["chosen"], "auto_select")
    last = judging["stages"][-1] if judging["stages"] else None
    if last is None or last["selected"] is None:
        return None
    return Choice(judging["candidates"][last["selected"] - 1], last["method"])


def _reason(stages: Sequence[StageRecord], choice: Choice | None) -> str:
    return stages[-1]["reason"] if stages and choice else ONLY_CANDIDATE
