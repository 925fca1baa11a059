"""The state of a judge as plain JSON: input, a record per stage, and the result."""

from typing import Annotated, Any, Literal, NotRequired, get_type_hints

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import Field
from typing_extensions import TypedDict

from answergraph.graphs.add_ons.graph_schemas import GraphSchemas, graph_schemas
from answergraph.graphs.add_ons.judge.rules.rule import MatchMethod

JUDGING = "judging"
"""State key of the judgment in progress."""

StageName = Literal["structured_output", "phase3_tag", "ai_judge", "phase1_tag"]
"""The ways to ask, and ``phase1_tag``, which reads a tag in the work."""

StageStatus = Literal["matched", "no_match", "error", "out_of_budget"]
"""``"matched"``: chose a valid condition; ``"no_match"``: did not; ``"error"``: raised; ``"out_of_budget"``: had no call left."""


class StageRecord(TypedDict):
    """The record of one stage."""

    method: StageName
    status: StageStatus
    selected: int | None
    """The number of the condition in the table, counted from 1; ``None`` without a match."""
    reason: str
    """The model's reason, or why there is no match."""
    strategy: str | None
    """The strategy of the request, ``None`` for plain text."""
    response: str
    """The model's reply, tool calls as JSON."""
    usage: dict[str, Any] | None
    """The tokens reported by the model."""
    evidence: list[list[int]] | None
    """The spans of the reason's quotes in the stripped work, in characters; only if quotes are required."""


class Judging(TypedDict):
    """A judgment in progress."""

    work: str
    candidates: list[str]
    open: bool
    """Whether a judge must be asked."""
    chosen: str | None
    """The only label, chosen without a judge."""
    stages: list[StageRecord]


class JudgeInput(TypedDict):
    """The input of a judge."""

    messages: NotRequired[Annotated[list[AnyMessage], add_messages]]
    """A conversation; its last AI message is judged if there is no report."""
    # As annotations, which go into a judge's own schemas.
    report: NotRequired[Annotated[str, Field(description="The text to judge.")]]
    facts: NotRequired[Annotated[dict[str, Any], Field(description="Values that when(...) reads by name.")]]
    children: NotRequired[Annotated[list[str], Field(description="The labels of parallel children, for all(...) and any(...).")]]


class Judgment(TypedDict):
    """The rule that holds, and why."""

    index: int | None
    """The index of the rule; ``None`` if none holds."""
    step: int | None
    """The number of the rule, from 1."""
    tag: str | None
    """The same as a tag, ``[STEP:1]``."""
    label: str | None
    """The rule as it was written."""
    method: MatchMethod | None
    """How it was found."""
    reason: str
    """One sentence for a person: the judge's reason, or why no rule holds."""
    stages: list[StageRecord]
    """A record per visited stage."""


class JudgeResult(TypedDict):
    """The result of a judge."""

    judgment: Judgment


def no_judgment(reason: str, stages: list[StageRecord]) -> Judgment:
    return Judgment(index=None, step=None, tag=None, label=None, method=None, reason=reason, stages=stages)


def judge_schemas(output_key: str, own: type[object] | None) -> GraphSchemas:
    """Return the schemas of a judge, with the caller's keys; it gives out only the judgment, so that it changes no other key."""
    further = get_type_hints(own, include_extras=True) if own is not None else {}
    output: dict[str, object] = {output_key: NotRequired[Judgment]}
    inputs = {**get_type_hints(JudgeInput, include_extras=True), **further}
    inputs.pop(output_key, None)
    state = {**inputs, JUDGING: NotRequired[Judging], **output}
    return graph_schemas("Judge", state, inputs, output)


JudgmentMatchMethod = Literal["aggregate", "auto_select", "structured_output", "tag_fallback", "ai_judge"]
"""The method names for logs."""

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
    """Return the name of a method for logs.

    Args:
        method: The method of a ``Judgment``.

    Returns:
        ``tag_fallback`` for both ways of reading a tag, ``ai_judge`` for both judging calls, the method itself otherwise.

    Example:
        >>> judgment_match_method("phase3_tag")
        'tag_fallback'
    """
    return _IN_LOGS[method]
