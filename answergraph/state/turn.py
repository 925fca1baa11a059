"""The turn: the model's last reply, what followed it, and the records of its call, each read from the state once.

Nodes and routers take a ``Turn``; nothing else looks back through the messages, and nothing else sorts the calls of a reply.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import Any, Literal, NamedTuple

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from answergraph.state.agent_state import JumpTo, RunState
from answergraph.state.ledger import AnswerRequestRecord, RunLedger, Running, empty_ledger, with_inner_usage
from answergraph.state.messages import has_failed, is_correction, of_run
from answergraph.state.older_records import answer_request_of_0_1, ledger_of_today
from answergraph.state.outcome import PendingCall, Status
from answergraph.state.stop_reasons import diagnose, is_paused

CallKind = Literal["answer", "external", "tool"]
"""An answer of a declared schema; a call that is carried out elsewhere; any other, which the ``tools`` node answers."""


@dataclass(frozen=True)
class CallNames:
    """The names that sort the calls of a reply; the same for every turn of an agent."""

    answers: frozenset[str] = frozenset()
    """The answer schemas; empty without a response format, or if it is made at run time."""
    at_run_time: bool = False
    """Whether the response format is made at run time: the record of each call has its names."""
    external: frozenset[str] = frozenset()
    returns_directly: Mapping[str, bool] = field(default_factory=dict)
    """Per tool of the agent, whether its result ends the run."""
    reviewed: frozenset[str] = frozenset()
    """The answers that a person approves before they count."""

    @cached_property
    def any_returns_directly(self) -> bool:
        """Whether there is a tool whose result ends the run."""
        return any(self.returns_directly.values())


class Call(NamedTuple):
    """A call of a reply."""

    kind: CallKind
    call: Any
    """The call as the message has it."""
    is_open: bool
    """Whether no tool message has answered it."""
    is_malformed: bool


NO_NAMES = CallNames()


class Turn:
    """The last reply of the model, for one visit of a node or router: a hook may change it before the next visit."""

    __slots__ = (
        *("after", "answers", "calls", "done", "index", "jump"),
        *("ledger", "messages", "names", "removed", "reply", "request", "running", "state"),
    )

    def __init__(
        self, state: RunState, names: CallNames = NO_NAMES, answers: frozenset[str] | None = None, at: int | None = None
    ) -> None:
        """Read the last reply, or the one at a place of the conversation; -1 for none.

        Pass ``answers`` if the format of the call is known; otherwise its record has their names.
        """
        self.state = state
        self.names = names
        self.messages = state.get("messages") or []
        self.reply: AIMessage | None = None
        index = len(self.messages) if at is None else at + 1
        while index > 0 and self.reply is None:
            index -= 1
            message = self.messages[index]
            self.reply = message if isinstance(message, AIMessage) else None
        self.index = index
        """The place of the reply, if there is one."""
        self.after = self.messages if self.reply is None else self.messages[index + 1 :]
        """The messages that follow it."""
        self.done: set[str] = set()
        """The ids of the calls that have a result."""
        for message in self.after:
            if isinstance(message, ToolMessage):
                self.done.add(message.tool_call_id)
        self._read_records(state, answers)
        self.calls: list[Call] = [] if self.reply is None else _calls_of(self.reply, self.done, self.answers, names.external)
        """The calls of the reply in its order, malformed ones last."""

    def _read_records(self, state: RunState, answers: frozenset[str] | None) -> None:
        self.jump: JumpTo | None = state.get("jump_to")
        """Where a hook asked to go."""
        self.running: Running | None = state.get("answergraph_running")
        """The execution; ``None`` before it has called the model."""
        stored: Any = state.get("answergraph_ledger")
        self.ledger: RunLedger | None = stored
        """The account of the run; ``None`` before the first run of a thread."""
        # One version has written all attempts of a ledger.
        if stored is not None and ("last_call_made" not in stored or "problems" in next(iter(stored.get("attempts", ())), ())):
            self.ledger = ledger_of_today(stored, empty_ledger())
        self.removed: list[PendingCall] = [] if stored is None else stored.get("taken_out", [])
        """The calls that hooks removed from the reply."""
        record: Any = state.get("answergraph_offer")
        self.request: AnswerRequestRecord | None = record
        """The record of the request for the answer."""
        if record is not None and "has_next_strategy" not in record:
            self.request = answer_request_of_0_1(record)
        self.answers = self.names.answers if answers is None else answers
        """The answer schemas declared for this call of the model; empty if it was asked for none."""
        if self.names.at_run_time and answers is None and self.request is not None:
            self.answers = frozenset(self.request["declared"])

    @property
    def begins_run(self) -> bool:
        """Whether the next model call is the first one of a run."""
        if self.ledger is None:
            return True
        # A deferred run continues with the results of its calls, unless a user message arrives.
        is_finished = self.ledger["finished"] and not self.ledger.get("pending")
        return not self.running and (is_finished or self.is_over)

    @property
    def is_over(self) -> bool:
        """Whether the user wrote after the reply, which begins a new run; also without a reply."""
        if self.reply is None:
            return True
        return any(isinstance(message, HumanMessage) and not is_correction(message) for message in self.after)

    def run_ledger(self, *, begins_run: bool) -> RunLedger:
        """Return the account of this run with recent inner usage: the stored one, or that of a new run."""
        ledger = self.ledger
        if ledger is None or begins_run:
            ledger = empty_ledger(None if ledger is None else ledger.get("inner_usage_counted"))
        if self.running is not None:
            ledger = {**ledger, "seconds": round(monotonic() - self.running.origin, 3)}
        return with_inner_usage(ledger, self.state.get("answergraph_charges"))

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.run_ledger(begins_run=self.begins_run)["run"]

    @property
    def waits_for(self) -> list[PendingCall]:
        """The calls of a deferred run that have no result yet."""
        pending = self.ledger.get("pending") if self.ledger is not None else None
        if not pending:
            return []
        done = {message.tool_call_id for message in self.messages if isinstance(message, ToolMessage)}
        return [call for call in pending if call["id"] not in done]

    def open(self, *kinds: CallKind, malformed: bool = False) -> list[Any]:
        """Return the calls of some kinds that have no result yet; with ``malformed``, also those that could not be parsed."""
        return [each.call for each in self.calls if each.is_open and each.kind in kinds and (malformed or not each.is_malformed)]

    @property
    def stop(self) -> Status | None:
        """Why the reply cannot hold an answer; ``None`` if it may."""
        return None if self.reply is None else diagnose(self.reply)

    @property
    def is_paused(self) -> bool:
        """Whether a tool of the provider paused the turn."""
        return self.reply is not None and not self.reply.tool_calls and is_paused(self.reply)

    @property
    def is_last_word(self) -> bool:
        """Whether the reply is read whatever it calls: the budget's last call, tools were off, or the model refused."""
        if self.ledger is not None and (self.ledger["last_call_made"] or self.ledger["tools_were_off"]):
            return True
        if self.request is not None and self.request.get("tools_off"):
            return True
        return bool(self.answers) and self.reply is not None and diagnose(self.reply) == "refused"

    @property
    def is_answer(self) -> bool:
        """Whether the reply has an answer, of the model or a middleware, or is a text that may be one."""
        if self.request is not None and self.request["middleware_value"] is not None:
            return True
        # A hook that limits tool calls answers every call; only a person's decision on the answer overrides it.
        if any(each.kind == "answer" and each.call["name"] not in self.names.reviewed for each in self.calls):
            return True
        return all(each.is_malformed for each in self.calls) and not self.is_newly_malformed

    @property
    def is_newly_malformed(self) -> bool:
        """Whether calls could not be parsed, other ones than in the reply before: asking again may help."""
        malformed = _malformed(self.reply)
        return bool(malformed) and malformed != _malformed(self.earlier)

    @property
    def repeats_cut_calls(self) -> bool:
        """Whether this reply and the one before are calls cut at the token limit: asking again is useless."""
        if self.reply is None or not self.reply.tool_calls or self.stop != "truncated":
            return False
        earlier = self.earlier
        return earlier is not None and bool(earlier.tool_calls) and diagnose(earlier) == "truncated"

    @property
    def earlier(self) -> AIMessage | None:
        """The reply before this one."""
        return next((each for each in reversed(self.messages[: self.index]) if isinstance(each, AIMessage)), None)

    @property
    def direct_results(self) -> list[ToolMessage]:
        """The results of a turn that called only tools that return directly, which ends the run; otherwise none.

        If a call was redirected to another tool, the name on the result counts.
        """
        direct = self.names.returns_directly
        if self.reply is None:
            return []
        results = {m.tool_call_id: m for m in self.after if isinstance(m, ToolMessage) and m.name in direct}
        names = [results[c["id"]].name if c["id"] in results else c["name"] for c in self.reply.tool_calls]
        direct_names = [name for name in names if name in direct]
        return list(results.values()) if direct_names and all(direct[str(name)] for name in direct_names) else []

    def is_without_result_of(self, calls: int) -> bool:
        """Return whether all of the run's counted ``calls`` of tools failed; ``False`` if a hook removed one's result."""
        run = of_run(self.messages)
        results = [each for each in run if isinstance(each, ToolMessage) and each.name not in self.answers]
        return len(results) >= calls and all(map(has_failed, results))

    @property
    def elsewhere(self) -> list[PendingCall]:
        """The calls that are carried out elsewhere: open external ones, and those of others that a hook removed."""
        waiting = as_pending(self.open("external")) if self.names.external else []
        if not self.removed:
            return waiting
        known = {call["id"] for call in waiting}.union(self.done)
        own = self.names.returns_directly.keys() | self.answers
        return [*waiting, *(call for call in self.removed if call["name"] not in own and call["id"] not in known)]

    @property
    def has_lost_all_calls(self) -> bool:
        """Whether a hook removed all calls from the reply; the model is not asked again then."""
        return bool(self.removed) and not (self.reply and self.reply.tool_calls)

    @property
    def is_left_to_others(self) -> bool:
        """Whether the model is not asked again: calls are carried out elsewhere, or a hook removed all of them."""
        return self.has_lost_all_calls or bool(self.elsewhere)


def as_pending(calls: Sequence[Any]) -> list[PendingCall]:
    return [PendingCall(id=str(call["id"]), name=call["name"], args=call["args"]) for call in calls]


def _malformed(reply: AIMessage | None) -> list[tuple[object, object]]:
    """Return the names and arguments of the calls that could not be parsed."""
    return [] if reply is None else [(call.get("name"), call.get("args")) for call in reply.invalid_tool_calls]


def _calls_of(reply: AIMessage, done: Collection[str], answers: Collection[str], external: Collection[str]) -> list[Call]:
    """Return the calls of a reply in its order, malformed ones last; ``done`` has the ids of those that have a result."""
    calls: list[Call] = []
    for call in reply.tool_calls:
        name = call["name"]
        others: CallKind = "external" if name in external else "tool"
        kind: CallKind = "answer" if name in answers else others
        calls.append(Call(kind, call, call["id"] not in done, False))
    for malformed in reply.invalid_tool_calls:
        kind = "answer" if malformed.get("name") in answers else "tool"
        calls.append(Call(kind, malformed, malformed.get("id") not in done, True))
    return calls
