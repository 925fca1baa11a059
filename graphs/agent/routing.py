"""Exit conditions: one pure function per conditional edge. A router says why; the builder's mapping says where."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, ToolCall
from langgraph.types import Send

from answergraph.nodes.external_tool import calls_elsewhere, has_lost_all_calls
from answergraph.nodes.names import TOOLS
from answergraph.state.ledger import ANSWER_REQUEST, answer_request_record, stored_ledger, taken_out
from answergraph.state.messages import direct_results, last_turn, pending_tool_calls, repeats_malformed_calls, unanswered
from answergraph.state.outcome import EndStrategy
from answergraph.state.stop_reasons import diagnose, is_paused, repeats_cut_calls

Reason = Literal["call_tools", "read_answer", "ask_again", "finish", "go_on"]
"""The reasons of routers, shown on the drawn edges."""


@dataclass(frozen=True)
class RoutingFacts:
    """Facts about the agent for the routers.

    Attributes:
        answers: The names of the declared answer schemas; empty without a response format, or if it is made at run time.
        at_run_time: Whether the response format is made at run time.
        has_tools: Whether there is a ``tools`` node.
        return_direct: Per tool, whether its result ends the run.
        external: The names of the external tools.
        reviewed: The answers that a person approves before they count.
        end_strategy: How to treat an answer beside tool calls.
        jumps: Where hooks after the model may jump.
    """

    answers: frozenset[str] = frozenset()
    at_run_time: bool = False
    has_tools: bool = False
    return_direct: Mapping[str, bool] = field(default_factory=dict)
    external: frozenset[str] = frozenset()
    reviewed: frozenset[str] = frozenset()
    end_strategy: EndStrategy = "defer"
    jumps: frozenset[str] = frozenset({"tools", "model", "end"})

    @cached_property
    def any_returns_directly(self) -> bool:
        """Whether there is a tool whose result ends the run."""
        return any(self.return_direct.values())

    @property
    def reads_answers(self) -> bool:
        """Whether there is a ``structured_response`` node."""
        return bool(self.answers) or self.at_run_time

    @property
    def tools_follow_answers(self) -> bool:
        """Whether tools may still run after an early answer beside them was rejected."""
        return self.has_tools and self.end_strategy == "early"

    def names(self, state: Mapping[str, Any]) -> Collection[str]:
        """Return the names of the answer schemas declared for the last call of the model."""
        return (state.get(ANSWER_REQUEST) or {}).get("declared", ()) if self.at_run_time else self.answers

    def sends(self, calls: Sequence[ToolCall], answers: Collection[str]) -> list[Send]:
        """Return one task per call of a tool that runs here; an interrupt in one keeps the results of the others."""
        return [Send(TOOLS, [call]) for call in calls if call["name"] not in answers and call["name"] not in self.external]

    def is_left_to_others(self, message: AIMessage | None, after: Sequence[AnyMessage], state: Mapping[str, Any]) -> bool:
        """Return whether external calls of the last reply are waiting, or a hook removed all of its calls."""
        if not self.external and not taken_out(state):
            return False
        own = {*self.return_direct, *self.names(state)}
        return has_lost_all_calls(message, state) or bool(calls_elsewhere(message, after, state, self.external, own))

    def ending(self, state: Mapping[str, Any]) -> Reason:
        """Return how a run ends: with a response format, through ``structured_response``."""
        return "read_answer" if self.names(state) else "finish"


def route_after_model(state: Mapping[str, Any], facts: RoutingFacts) -> Reason | list[Send]:
    """Route when the model and the hooks after it are done.

    In this order:

    1. A hook asked to jump: as asked.
    2. There is no AI message: the run ends.
    3. The budget's last call was made, tools were off, or the model refused: the reply is read.
    4. Tools were called: ``call_tools``, one ``Send`` per call, unless a valid answer beside them ends the run early.
    5. The reply holds an answer, or a text that may be one: ``read_answer``.
    6. Calls are external, or a hook removed all calls from the reply: the run ends.
    7. Every call has a result, arguments were cut or malformed for the first time, or the provider paused the turn for a tool
       of its own: ``ask_again``.
    8. Nothing was called: the run ends.
    """
    if state.get("jump_to") in facts.jumps:
        return route_jump(state, facts)
    messages = state["messages"]
    message, after = last_turn(messages)
    answers = facts.names(state)
    if message is None or _is_last_word(message, state, answers):
        return "read_answer" if answers else "finish"
    waiting = unanswered(message.tool_calls, after)
    sends = facts.sends(waiting, answers) if facts.has_tools else []
    if sends and not _ends_early(waiting, state, facts):
        return sends
    if answers and not is_paused(message) and (waiting or _holds_answer(message, state, facts)):
        return "read_answer"
    is_left = facts.is_left_to_others(message, after, state)
    if (_is_at_work(message, waiting, messages) and not is_left) or (answers and is_paused(message)):
        return "ask_again"
    return facts.ending(state)


def route_after_tools(state: Mapping[str, Any], facts: RoutingFacts) -> Reason:
    """Route when a tool call is done.

    In this order:

    1. Every tool of the turn returns directly: the run ends; with a response format, the result is read first.
    2. There is an answer beside the calls: ``read_answer``.
    3. Calls beside them are external: the run ends.
    4. Otherwise the model continues: ``ask_again``.
    """
    message, after = last_turn(state["messages"])
    if facts.any_returns_directly and direct_results(message, after, facts.return_direct):
        return facts.ending(state)
    calls, names = [] if message is None else [*message.tool_calls, *message.invalid_tool_calls], facts.names(state)
    if unanswered([call for call in calls if call["name"] in names], after):
        return "read_answer"
    return facts.ending(state) if facts.is_left_to_others(message, after, state) else "ask_again"


def route_after_structured_response(state: Mapping[str, Any], facts: RoutingFacts) -> Reason | list[Send]:
    """Route when a reply was read.

    In this order:

    1. The run has an outcome: ``finish``. The answer's key does not suffice: it is ``None`` while the model is asked again.
    2. Tools beside a rejected early answer wait: ``call_tools``.
    3. Otherwise: ``ask_again``.
    """
    ledger = stored_ledger(state)
    if ledger is not None and ledger["finished"]:
        return "finish"
    return (facts.tools_follow_answers and _waiting(state, facts)) or "ask_again"


def route_jump(state: Mapping[str, Any], facts: RoutingFacts) -> Reason | list[Send]:
    """Route as a hook asked: to the model, to waiting tools, or to the end; ``go_on`` if it did not ask."""
    jump = state.get("jump_to")
    if jump == "end":
        return "read_answer" if facts.reads_answers else "finish"
    if jump == "model":
        return "ask_again"
    if jump == "tools" and facts.has_tools:
        return _waiting(state, facts) or "ask_again"
    return "go_on"


def _waiting(state: Mapping[str, Any], facts: RoutingFacts) -> list[Send]:
    return facts.sends(pending_tool_calls(state["messages"]), facts.names(state))


def _is_at_work(message: AIMessage, waiting: list[ToolCall], messages: list[AnyMessage]) -> bool:
    is_answered = bool(message.tool_calls) and not waiting and not repeats_cut_calls(messages)
    return is_answered or _has_new_malformed_calls(message, messages)


def _is_last_word(message: AIMessage, state: Mapping[str, Any], answers: Collection[str]) -> bool:
    ledger = stored_ledger(state)
    if ledger is not None and (ledger["last_call_made"] or ledger["tools_were_off"]):
        return True
    record = answer_request_record(state)
    if record is not None and record.get("tools_off"):
        return True
    return bool(answers) and diagnose(message) == "refused"


def _ends_early(waiting: list[ToolCall], state: Mapping[str, Any], facts: RoutingFacts) -> bool:
    if facts.end_strategy != "early":
        return False
    record = answer_request_record(state)
    if record is None or not record["valid"]:
        return False
    return any(call["name"] in facts.names(state) for call in waiting)


def _holds_answer(message: AIMessage, state: Mapping[str, Any], facts: RoutingFacts) -> bool:
    record = answer_request_record(state)
    if record is not None and record["middleware_value"] is not None:
        return True
    # A hook that limits tool calls answers every call; only a person's decision on the answer overrides it.
    counting = frozenset(facts.names(state)) - facts.reviewed
    if any(call.get("name") in counting for call in [*message.tool_calls, *message.invalid_tool_calls]):
        return True
    return not message.tool_calls and not _has_new_malformed_calls(message, state["messages"])


def _has_new_malformed_calls(message: AIMessage, messages: list[AnyMessage]) -> bool:
    return bool(message.invalid_tool_calls) and not repeats_malformed_calls(messages)
