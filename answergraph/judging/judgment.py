"""The state of a judge, as plain JSON: its input, a record of each stage, and its result, the rule that holds."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, get_type_hints

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import Field
from typing_extensions import TypedDict

from answergraph.response_format.storage.state_schemas import typed_dict
from answergraph.rules.rule import MatchMethod
from answergraph.state.agent_state import StateSchemas

JUDGING = "judging"
"""State key: how far the judgment has come."""

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


class Judging(TypedDict):
    """How far a judgment has come."""

    work: str
    """The text to judge."""
    candidates: list[str]
    """The labels to choose from."""
    open: bool
    """Whether a judge has to be asked."""
    chosen: str | None
    """The label that is taken because it is the only one."""
    stages: list[StageRecord]


class JudgeInput(TypedDict):
    """The input of a judge."""

    messages: NotRequired[Annotated[list[AnyMessage], add_messages]]
    """A conversation; its last AI message is judged where there is no report."""
    # Said in the annotations, which go into a judge's own schemas.
    report: NotRequired[Annotated[str, Field(description="The text to judge.")]]
    facts: NotRequired[Annotated[dict[str, Any], Field(description="Values that when(...) reads by name.")]]
    children: NotRequired[Annotated[list[str], Field(description="The labels of parallel children, for all(...) and any(...).")]]


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


def no_judgment(reason: str, stages: list[StageRecord]) -> Judgment:
    """Return the judgment that no rule holds."""
    return Judgment(index=None, step=None, tag=None, label=None, method=None, reason=reason, stages=stages)


def judge_schemas(output_key: str, own: type[Any] | None) -> StateSchemas:
    """Return the schemas of a judge, with the keys of the caller's own ``TypedDict``.

    The output is the judgment alone, so that a judge inside another graph changes nothing else.
    """
    further = get_type_hints(own, include_extras=True) if own is not None else {}
    output: dict[str, Any] = {output_key: NotRequired[Judgment]}
    given = {**get_type_hints(JudgeInput, include_extras=True), **further}
    given.pop(output_key, None)
    state = {**given, JUDGING: NotRequired[Judging], **output}
    return StateSchemas(
        state=typed_dict("JudgeState", state), input=typed_dict("JudgeInput", given), output=typed_dict("JudgeOutput", output)
    )


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
