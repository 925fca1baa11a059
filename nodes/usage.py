"""What a run uses: model calls, tool calls and tokens, and what caused them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from typing_extensions import TypedDict

from answergraph.nodes.messages import is_correction

Cause = Literal["turn", "correction", "confirmation", "final_answer", "retry", "inner_run"]
"""Why something was used: an ordinary turn, a reply sent back, an early answer to be confirmed, the step that asks for the
answer alone, a further call that middleware made in one turn, or an answergraph run inside this one."""


class CauseUsage(TypedDict):
    """What one cause has used so far."""

    model_calls: int
    tool_calls: int
    total_tokens: int


class RoundUsage(TypedDict):
    """What one call of the model has used; zero where the model does not report it."""

    input_tokens: int
    output_tokens: int


class Usage(TypedDict):
    """What the run has used so far, runs inside it included."""

    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    by_cause: dict[Cause, CauseUsage]
    """The causes that used something; in a finished run they add up to the totals. Until then ``turn`` is what others leave."""


class RunUsage(Usage):
    """What a finished run has used."""

    rounds: list[RoundUsage]
    """The replies of the run's own model that its conversation holds, in order."""


_NOTHING = CauseUsage(model_calls=0, tool_calls=0, total_tokens=0)


def no_usage() -> Usage:
    """Return the usage of a run that has done nothing yet."""
    return Usage(model_calls=0, tool_calls=0, input_tokens=0, output_tokens=0, total_tokens=0, by_cause={})


def usage_of(replies: Sequence[AIMessage], cause: Cause, *, model_calls: int, tool_calls: int) -> Usage:
    """Return the usage of one visit of the model.

    Args:
        replies: What the model replied; their ``usage_metadata`` is counted where present.
        cause: Why the model was called.
        model_calls: How often it was called; middleware may call it again.
        tool_calls: Ordinary tool calls that are carried out because of it.

    Returns:
        The usage.
    """
    tokens: list[Mapping[str, Any]] = [reply.usage_metadata or {} for reply in replies]
    each = [entry.get("total_tokens", 0) for entry in tokens]
    usage = Usage(
        model_calls=model_calls,
        tool_calls=tool_calls,
        input_tokens=sum(entry.get("input_tokens", 0) for entry in tokens),
        output_tokens=sum(entry.get("output_tokens", 0) for entry in tokens),
        total_tokens=sum(each),
        by_cause={},
    )
    if cause != "turn":
        share = CauseUsage(model_calls=min(model_calls, 1), tool_calls=tool_calls, total_tokens=sum(each[:1]))
        usage["by_cause"][cause] = share
    if model_calls > 1:
        usage["by_cause"]["retry"] = CauseUsage(model_calls=model_calls - 1, tool_calls=0, total_tokens=sum(each[1:]))
    return usage


def of_run(usage: Usage, messages: Sequence[BaseMessage]) -> RunUsage:
    """Return the usage of a finished run, round by round.

    Args:
        usage: In all.
        messages: The conversation; the run begins where a person spoke last.
    """
    entries: list[Mapping[str, Any]] = []
    for message in reversed(messages):
        if isinstance(message, HumanMessage) and not is_correction(message):
            break
        entries += [message.usage_metadata or {}] if isinstance(message, AIMessage) else []
    rounds = [RoundUsage(input_tokens=e.get("input_tokens", 0), output_tokens=e.get("output_tokens", 0)) for e in entries[::-1]]
    finished: RunUsage = {**usage, "by_cause": _all_causes(usage), "rounds": rounds}
    return finished


def _all_causes(usage: Usage) -> dict[Cause, CauseUsage]:
    named: dict[Cause, CauseUsage] = {cause: share for cause, share in usage["by_cause"].items() if cause != "turn"}
    turn = CauseUsage(
        model_calls=usage["model_calls"] - sum(share["model_calls"] for share in named.values()),
        tool_calls=usage["tool_calls"] - sum(share["tool_calls"] for share in named.values()),
        total_tokens=usage["total_tokens"] - sum(share["total_tokens"] for share in named.values()),
    )
    causes: dict[Cause, CauseUsage] = {"turn": turn}
    return {**causes, **named} if any(turn.values()) else named


def added(left: Usage, right: Usage) -> Usage:
    """Return two usages together; neither is changed."""
    causes = {**left["by_cause"]}
    for cause, more in right["by_cause"].items():
        so_far = causes.get(cause, _NOTHING)
        causes[cause] = CauseUsage(
            model_calls=so_far["model_calls"] + more["model_calls"],
            tool_calls=so_far["tool_calls"] + more["tool_calls"],
            total_tokens=so_far["total_tokens"] + more["total_tokens"],
        )
    return Usage(
        model_calls=left["model_calls"] + right["model_calls"],
        tool_calls=left["tool_calls"] + right["tool_calls"],
        input_tokens=left["input_tokens"] + right["input_tokens"],
        output_tokens=left["output_tokens"] + right["output_tokens"],
        total_tokens=left["total_tokens"] + right["total_tokens"],
        by_cause=causes,
    )


def of_inner_runs(charges: Usage, since: Usage) -> Usage:
    """Return what inner runs were charged since an earlier time, as usage of the run around them.

    Args:
        charges: All that was charged so far.
        since: What was charged by then.
    """
    calls, tools = (charges[name] - since[name] for name in ("model_calls", "tool_calls"))
    tokens = charges["total_tokens"] - since["total_tokens"]
    return Usage(
        model_calls=calls,
        tool_calls=tools,
        input_tokens=charges["input_tokens"] - since["input_tokens"],
        output_tokens=charges["output_tokens"] - since["output_tokens"],
        total_tokens=tokens,
        by_cause={"inner_run": CauseUsage(model_calls=calls, tool_calls=tools, total_tokens=tokens)},
    )
