"""How runs end: the tables that decide what happens after a reply, with a response format and without, and the outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime

from answergraph.answers.answer import Answer
from answergraph.nodes.model_visit import CurrentReply, ModelVisit
from answergraph.patches.changes import json_path_in
from answergraph.reading.reply_reader import Reading
from answergraph.runtime.errors import NoAnswerError
from answergraph.runtime.steps import TIMED_VISIT
from answergraph.state.agent_state import AnswerKeys, RunState
from answergraph.state.budget import callers_budget
from answergraph.state.field_path import json_at
from answergraph.state.field_record import FieldRecord, support_of
from answergraph.state.ledger import LEDGER, RunLedger, of_run
from answergraph.state.outcome import AnswerAccepted, Attempt, LimitName, Outcome, PendingCall, Status
from answergraph.state.turn import CallNames, Turn
from answergraph.state.usage import UsageLimits

NO_FORMAT = "The run has no response format: its answer is the last message."
DEFERRED = "The run waits for the results of {names}."
ASKED_ONCE = ("truncated", "empty")
"""After these at most one further call is made."""
ENDED_BY_ATTEMPTS = ("truncated", "empty", "invalid", "unanswered")
LIMIT_WORDS: Mapping[LimitName, str] = {
    "model_calls": "model calls",
    "tool_calls": "tool calls",
    "total_tokens": "tokens",
    "seconds": "seconds",
    "cost": "in the currency of its prices",
    "answer_attempts": "answer attempts",
}
MAX_PROBLEMS = 50
"""Maximum recorded problems of an attempt: a list may have one per item."""

Action = Literal["accept", "confirm", "raise", "run_tools", "defer", "ask_again", "ask_next_strategy", "end"]


@dataclass(frozen=True)
class EndingFacts:
    """The facts that decide how a run continues."""

    status: Status
    """The reading's status, after the checks."""
    attempts_left: int
    """Answer attempts, this reply included; at least 1."""
    repeats: bool = False
    """Whether the last attempt was the same mistake."""
    has_next_strategy: bool = False
    is_attempt: bool = True
    """Whether the strategy counts a reply without an answer as an attempt; the free part of a deferred strategy does not."""
    keeps_tools: bool = False
    """Whether the next strategy would take away tools that the correction asks for: by a check, or while schemas are withheld."""
    is_held: bool = False
    """Whether the provider enforces the schema; such a strategy asks again after a cut reply."""
    may_ask: bool = True
    """Whether the model may be called again: not after a jump to the end, a direct result or the last call."""
    last_call_made: bool = False
    tools_were_off: bool = False
    needs_confirmation: bool = False
    """Whether the answer came beside tool calls, and the model has not confirmed it after their results."""
    is_raised: bool = False
    """Whether ``handle_errors`` raises the error."""
    waits_elsewhere: bool = False
    """Whether the reply has external calls."""
    tools_wait: bool = False
    """Whether tools beside a rejected early answer may still run."""


class Ending(NamedTuple):
    """What happens after a reply was read."""

    action: Action
    status: Status | None = None
    """How the run ends, for ``end``."""


def decide(facts: EndingFacts) -> Ending:
    """Return what happens next.

    The first line that holds decides:

    ============================================================ ===============================================
    the reading                                                  the run
    ============================================================ ===============================================
    answered, beside tools whose results the model has not seen  confirm
    unconfirmed or wrong, and external calls are waiting         defer
    answered                                                     accept
    wrong, and ``handle_errors`` says raise                      raise
    rejected, with tools waiting beside it                       run_tools
    refused                                                      end: refused
    may ask, attempts left, no hopeless repetition               ask_again, or ask_next_strategy
    the last call was made; or unanswered though tools were off  end: out_of_budget
    anything else                                                end: its own status
    ============================================================ ===============================================
    """
    if facts.status == "answered":
        unconfirmed: Action = "defer" if facts.waits_elsewhere else "confirm"
        return Ending(unconfirmed if facts.needs_confirmation else "accept")
    if facts.is_raised:
        return Ending("raise")
    if facts.tools_wait:
        return Ending("run_tools")
    if facts.waits_elsewhere and facts.status != "refused":
        return Ending("defer")
    if facts.status != "refused" and facts.may_ask and facts.attempts_left > 1 and not _is_hopeless(facts):
        return Ending("ask_next_strategy" if _steps_down(facts) else "ask_again")
    is_out_of_budget = facts.last_call_made or (facts.tools_were_off and facts.status == "unanswered")
    return Ending("end", "out_of_budget" if is_out_of_budget and facts.status != "refused" else facts.status)


def _is_hopeless(facts: EndingFacts) -> bool:
    """Return whether the mistake is repeated and no other strategy is left."""
    return facts.repeats and (not facts.has_next_strategy or (facts.status in ASKED_ONCE and facts.is_attempt))


def _steps_down(facts: EndingFacts) -> bool:
    """Return whether the next strategy asks: this one was ignored, its mistake repeated, or the attempts are nearly spent."""
    if not facts.has_next_strategy or facts.keeps_tools:
        return facts.has_next_strategy and facts.repeats
    # With two attempts left, the next strategy gets one.
    is_spent = facts.repeats or facts.attempts_left <= 2  # noqa: PLR2004 - this reply, and one more
    is_ignored = facts.status == "unanswered" or (facts.status == "truncated" and not facts.is_held)
    return not facts.is_attempt or is_ignored or (facts.status == "invalid" and is_spent)


def repeats(reading: Reading, ledger: RunLedger, turn: Turn) -> bool:
    """Return whether the last attempt was the same mistake."""
    attempts = ledger["attempts"]
    if reading.status in ASKED_ONCE:
        return turn.repeats_cut_calls or any(attempt["status"] == reading.status for attempt in attempts)
    if not attempts or attempts[-1]["status"] != reading.status:
        return False
    # Replies without an answer are the same mistake; answers are compared by value.
    return reading.status != "invalid" or ledger.get("last_mistake") == reading.mistake


def outcome_without_format(
    visit: ModelVisit, result: Sequence[BaseMessage], update: Mapping[str, Any], names: CallNames, limits: UsageLimits
) -> Outcome | None:
    """Return the outcome of a run without a response format after a call of the model; ``None`` if none is written.

    Such a run ends with a message, and has an outcome only for what the message does not say. The first line that holds decides:

    ================================================================================= =============
    after the call                                                                    the run
    ================================================================================= =============
    the last call of the budget was made, or tools were off                           out_of_budget
    calls are carried out elsewhere                                                   deferred
    the format made at run time is ``None``, and no tool whose result goes on is called answered
    anything else                                                                     no outcome
    ================================================================================= =============
    """
    ledger, conversation = update[LEDGER], [*visit.messages, *result]
    if ledger["last_call_made"] or ledger["tools_were_off"]:
        return without_format(ledger, conversation, limits)
    if not names.external and not visit.format.at_run_time:
        return None
    turn = Turn({"messages": update["messages"]}, names)
    if names.external and (waiting := turn.elsewhere):
        return deferred(without_format(ledger, conversation, limits), waiting)
    if visit.format.at_run_time and all(names.returns_directly.get(each.call["name"]) for each in turn.calls):
        return without_format(ledger, conversation, limits, status="answered")
    return None


def without_format(
    ledger: RunLedger, messages: Sequence[BaseMessage], limits: UsageLimits, *, status: Status = "out_of_budget"
) -> Outcome:
    """Return the outcome of a run without a response format, or what the outcomes of all runs have in common."""
    timed = TIMED_VISIT.get()
    # A visit that did not end in time noted no limits, though a run around this one may have ended it.
    usage, allowed = of_run(ledger, messages), ledger.get("limits") or limits.in_force(timed and timed.clock)
    limit = ledger.get("limit") if status == "out_of_budget" else None
    if status in ENDED_BY_ATTEMPTS and usage["answer_attempts"] >= allowed["answer_attempts"]:
        limit = "answer_attempts"
    return Outcome(
        status=status,
        reason=NO_FORMAT if status == "answered" else _spent(limit, usage, allowed),
        strategy=None,
        schema=None,
        attempts=ledger["attempts"],
        narrowed=ledger["narrowed"],
        fields={},
        support=None,
        limit=limit,
        usage=usage,
        limits=allowed,
    )


def _spent(limit: LimitName | None, usage: Any, allowed: Any) -> str:
    """Return in one sentence which limit ended the run."""
    if limit is None:
        return "The model did not answer in time."
    used = usage[limit] or 0
    rest = ", and the rest is too little for another call" if used < allowed[limit] else ""
    return f"The run's budget is spent: {used} of {allowed[limit]} {LIMIT_WORDS[limit]}{rest}."


def deferred(outcome: Outcome, waiting: list[PendingCall]) -> Outcome:
    """Return the outcome of a run that waits for calls."""
    reason = DEFERRED.format(names=", ".join(repr(call["name"]) for call in waiting))
    return {**outcome, "status": "deferred", "reason": reason, "schema": None, "pending": waiting}


def outcome_of(
    reply: CurrentReply, reading: Reading, status: Status, attempts: list[Attempt], accepted: AnswerAccepted, limits: UsageLimits
) -> Outcome:
    """Return the outcome of a run, and charge the outer run."""
    if (caller := callers_budget()) is not None:
        caller.charge(reply.ledger)
    answer = reading.answer if reading.status == "answered" else None
    fields = {**(accepted.fields or reading.fields)}
    if answer is not None:
        fields = {path: _with_reader(path, record, reply, answer) for path, record in fields.items()}
    ended = without_format({**reply.ledger, "attempts": attempts}, reply.turn.messages, limits, status=status)
    return {
        **ended,
        "reason": f"{ended['reason']} {reading.reason}" if status == "out_of_budget" else reading.reason,
        "strategy": reply.request.strategy.name,
        "schema": answer.schema.name if answer else None,
        "fields": fields,
        "support": support_of(fields) if fields else None,
    }


def _with_reader(path: str, record: FieldRecord, reply: CurrentReply, answer: Answer) -> FieldRecord:
    """Return the record of an accepted field with what it was accepted by: the first answer, or the repair of an answer."""
    if record["status"] == "given":
        return record
    attempts, before = reply.ledger["attempts"], reply.ledger.get("repair")
    wrong = [each for attempt in attempts for each in attempt["fields"]]
    is_repaired = any(path == each or path.startswith((f"{each}.", f"{each}[")) for each in wrong)
    if attempts and before is not None and not is_repaired:
        # The JSON of an answer has the aliases of its fields.
        was, now = (json_at(data, json_path_in(data, path, answer.value) or path) for data in (before["value"], answer.data))
        is_repaired = was != now
    return {"accepted_by": "repair" if is_repaired else "first_answer", **record}


def raise_without_answer(state: RunState, runtime: Runtime[Any], *, keys: AnswerKeys) -> dict[str, object]:
    """Raise if the run has no answer: the ``no_answer`` node, in the graph only with ``on_failure="raise"``.

    A separate last node: an exception loses only its own node's writes, so the checkpoint keeps messages and outcome.
    A run that was ended by its deadline raises too, so this takes its time.

    Raises:
        NoAnswerError: If the outcome is neither ``answered`` nor ``abstained``, and the run does not wait for calls either.
    """
    outcome: Any = state.get(keys.outcome)
    if outcome is not None and outcome["status"] not in ("answered", "abstained", "deferred"):
        raise NoAnswerError(outcome)
    return {}


def with_attempt(reply: CurrentReply, reading: Reading) -> list[Attempt]:
    """Return the run's attempts, including this reply if it is one."""
    if reading.status != "answered" and not (reply.request.is_attempt or reading.counts):
        return reply.ledger["attempts"]
    wrong = ((path, record["problem"]) for path, record in reading.fields.items() if record["problem"] is not None)
    attempt = Attempt(
        strategy=reply.request.strategy.name,
        schema=reading.meant if reading.answer is None else reading.answer.schema.name,
        status=reading.status,
        error=None if reading.status == "answered" else reading.error_text,
        fields=dict(islice(wrong, MAX_PROBLEMS)),
        patch=reading.patch is not None,
        check=reading.check,
        message_id=None if reply.message is None else reply.message.id,
        repairs=list(reading.repairs),
        note=reply.request.note,
    )
    return [*reply.ledger["attempts"], attempt]
