"""What a run uses: model calls, tool calls and tokens, and what caused them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from typing_extensions import TypedDict

from answergraph.state.messages import begins_new_run, is_correction
from answergraph.state.outcome import Attempt, Cause, CauseUsage, Narrowing, RoundUsage, RunUsage, Usage

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


class Ledger(TypedDict):
    """The run's private account; survives checkpoints and interrupts."""

    run: str
    """The run's own id, by which it is charged to its caller."""
    cause: Cause
    """Why the model is called next."""
    charged: Usage | None
    """How much of what inner runs were charged is in ``usage`` already."""
    usage: Usage
    attempts: list[Attempt]
    held: Any
    """The early answer that waits for its confirmation: ``{"schema", "value"}``, or ``None``."""
    narrowed: list[Narrowing]
    holds: int
    """How often an answer was held in this run."""
    spent: list[str]
    """The rungs of the ladder that the run is done with."""
    seen: int
    """How many messages there were after the last reply."""
    last_id: str | None
    """The id of that reply; if it stands elsewhere now, something else rewrote the history."""
    tools_off: bool
    """Whether the last model call was made with tools off: what it calls all the same is not carried out."""
    final: bool
    """Whether the last model call of the budget has been made."""
    finished: bool
    """Whether the run's outcome stands. Told here and not by the outcome, which a subagent's result may bring along."""


def empty_ledger(charged: Usage | None = None) -> Ledger:
    """Return the ledger of a run that has done nothing yet.

    Args:
        charged: What inner runs of earlier runs of the thread were charged.
    """
    return Ledger(
        run=uuid4().hex,
        cause="turn",
        charged=charged,
        usage=no_usage(),
        attempts=[],
        held=None,
        narrowed=[],
        holds=0,
        spent=[],
        seen=0,
        last_id=None,
        tools_off=False,
        final=False,
        finished=False,
    )


def with_charges(ledger: Ledger, charges: Usage | None) -> Ledger:
    """Return a ledger with what inner runs were charged since it was written.

    Args:
        ledger: The run's ledger.
        charges: What inner runs of the thread were charged so far.
    """
    if charges is None or charges == ledger["charged"]:
        return ledger
    inner = of_inner_runs(charges, since=ledger["charged"] or no_usage())
    return {**ledger, "usage": added(ledger["usage"], inner), "charged": charges}


LEDGER: str = "answergraph_ledger"
"""State key: the run's ``Ledger``."""
RUNNING: str = "answergraph_running"
"""State key: set once the model was called in this execution; never checkpointed, so a resumed run starts without."""

CHARGES: str = "answergraph_charges"
"""State key: what runs inside this thread's runs were charged so far."""


def current_ledger(state: Mapping[str, Any], begins_run: bool | None = None) -> Ledger:
    """Return the ledger of the run, with what inner runs were charged since it was written; an empty one for a new run.

    Args:
        state: The agent's state.
        begins_run: Whether this is a new run; found out if not given.
    """
    stored: Ledger | None = state.get(LEDGER)
    if stored is None:
        ledger = empty_ledger()
    elif starts_run(state) if begins_run is None else begins_run:
        ledger = empty_ledger(stored.get("charged"))
    else:
        # Version 0.1 left fields out of checkpoints that were as in a new ledger.
        ledger = stored if "finished" in stored else {**empty_ledger(), **stored}
    return with_charges(ledger, state.get(CHARGES))


def starts_run(state: Mapping[str, Any]) -> bool:
    """Return whether the next model call is the first one of a run."""
    ledger: Ledger | None = state.get(LEDGER)
    return ledger is None or (not state.get(RUNNING) and (ledger.get("finished", False) or begins_new_run(state["messages"])))
