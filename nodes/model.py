"""The model node: builds the request, calls the model inside the middleware, reads the reply and records the request."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import Command

from answergraph.asking.model_request import NO_CALLS, ModelRequest, ModelResponse
from answergraph.asking.strategies.run_time_format import RunTimeFormat
from answergraph.asking.strategies.strategy import CALLS_ARE_OVER, NOT_NOW, AnswerRequest
from answergraph.calling.bound_model import BoundModels
from answergraph.calling.model_calls import read_reply
from answergraph.nodes.agent_parts import AgentParts
from answergraph.nodes.endings import deferred, outcome_without_format, without_format
from answergraph.nodes.external_tool import described_name
from answergraph.nodes.layered_response import LayeredResponse
from answergraph.nodes.model_visit import ModelReply, ModelVisit, Readings, answer_request_of
from answergraph.nodes.timed_asking import ask_in_time
from answergraph.reading.reply_reader import Reading
from answergraph.runtime.snapshot import Snapshot
from answergraph.runtime.steps import TIMED_VISIT, Step, has_listener, off_loop
from answergraph.state.agent_state import TOOL_RESULTS, RunState
from answergraph.state.budget import callers_budget
from answergraph.state.ledger import ANSWER_REQUEST, LEDGER, RUNNING, RunLedger, Running
from answergraph.state.messages import (
    CUT_CALL,
    TOOL_TOO_LATE,
    TOOL_UNAVAILABLE,
    failed_call_message,
    malformed_results,
    was_sent_back,
)
from answergraph.state.own_keys import is_traced, marked_if_untraced
from answergraph.state.stop_reasons import how_cut
from answergraph.state.tool_results import shown_update
from answergraph.state.turn import Turn
from answergraph.streaming.answer_events import attempt_number, growing_event
from answergraph.streaming.answer_listener import AnswerListener

ONLY_NOW = "Only {name} can be called now, before anything else."

ModelCall = Callable[[ModelRequest], Step[LayeredResponse]]
"""The model call as a step, plain or wrapped by middleware."""


@dataclass(frozen=True)
class ModelNode:
    """Calls the model once per visit; ``step`` is the node."""

    agent: AgentParts
    wrap: Callable[[ModelCall], ModelCall]
    """Puts the middleware around the call."""
    readings: Readings
    check_tools: Callable[[Collection[str]], None]
    """Raises an error if a middleware relies on a tool that the first call of a run does not have."""
    bound: BoundModels = field(default_factory=BoundModels)

    def step(self, state: RunState, runtime: Runtime[Any]) -> Step[Any]:
        """Call the model with the state's conversation, and return the state update with the commands of middleware."""
        declared = self.agent.format
        if isinstance(declared, RunTimeFormat):
            declared = yield from off_loop(declared.for_call, state, runtime)
        visit = yield from ModelVisit.begin(state, declared, self.agent.limits)
        running = {RUNNING: visit.running or Running(is_traced(), visit.origin)}
        if visit.waits:  # some results are still missing
            outcome = deferred(without_format(visit.ledger, visit.messages, self.agent.limits), visit.waits)
            return running if visit.format.reads_answers else {**running, self.agent.keys.outcome: outcome}
        cleared = self._cleared(visit, state)
        if visit.has_no_call:
            return {**cleared, **self._without_call(visit, state)}
        request: ModelRequest = ModelRequest(
            model=self.agent.model,
            messages=visit.asked_afresh() if visit.ledger.get("asks_afresh") else visit.messages,
            system_message=self.agent.system_message,
            tools=list(self.agent.offered_tools),
            response_format=visit.format.response_format,
            state=state,
            runtime=runtime,
        )
        call: ModelCall = partial(self.call_model, visit)
        wrapped = self.wrap(call)
        visit.is_wrapped = wrapped is not call
        timed = TIMED_VISIT.get()
        asking: Callable[[ModelRequest], Step[LayeredResponse | None]] = wrapped
        if timed is not None:
            asking = partial(ask_in_time, wrapped, visit=visit, timed=timed)
        layered = yield from asking(request)
        if layered is None:
            return {**cleared, **self._without_call(visit, state)}
        # Tool results may have been shown to the model in changed form.
        shown = shown_update(state, visit.sent) if state.get(TOOL_RESULTS) else {}
        update = _without_repeats(cleared | self._update(visit, layered) | shown | running, state)
        if not layered.commands:
            return marked_if_untraced(update, running[RUNNING])
        own = self.agent.keys.no_hook_writes(reads_answers=visit.format.reads_answers)
        return [Command(update=update), *layered.commands_without(own, state)]

    def call_model(self, visit: ModelVisit, request: ModelRequest) -> Step[LayeredResponse]:
        """Call the model itself, inside all middleware, and read its reply.

        Raises:
            ValueError: If middleware added tools that cannot run, needs a missing one, or set an undeclared format.
            Exception: The model's mistake, if ``handle_errors`` raises it.
        """
        if visit.forces_answer or request.tool_choice is not None or request.tools != list(self.agent.offered_tools):
            request = self._with_other_tools(visit, request)
        if self.agent.runs_any_tool and visit.begins_run:
            self.check_tools({tool.name for tool in (*self.agent.offered_tools, *request.tools) if isinstance(tool, BaseTool)})
        visit.sent = request.messages
        listeners = partial(self._listeners, visit, request)
        asking = visit.ask(request, self.bound, listeners, self.agent.name)
        answer_request, message = yield from (asking if visit.purse is None else visit.purse.paid(asking, request.model))
        is_narrowed = len(answer_request.strategy.schemas) < len(answer_request.strategy.all_schemas)
        is_unusual = visit.forces_answer or visit.is_last_call or visit.failed_calls or visit.model_calls > 1
        if is_narrowed or is_unusual or visit.purse is not None:
            message = visit.with_note(message, answer_request.strategy, is_narrowed=is_narrowed)
        reading: Reading | None = None
        seen: Snapshot | None = None
        names = {call["name"] for call in message.tool_calls}
        # A text beside calls of tools is not an answer yet.
        if answer_request.declared and (not names or answer_request.declared & names):
            reading, seen = yield from read_reply(answer_request, message)
        reply = visit.replies[str(message.id)] = ModelReply(message, answer_request, reading, seen, visit.is_wrapped)
        if reading is not None:
            self.readings.put(id(message), reply, message)
        answer = None if reading is None else reading.answer
        return LayeredResponse(ModelResponse(result=[message], structured_response=answer and answer.value))

    def _with_other_tools(self, visit: ModelVisit, request: ModelRequest) -> ModelRequest:
        """Return a request whose tools middleware or the budget takes away; a correction may ask for one, so they are named.

        Raises:
            ValueError: If middleware added tools that cannot run.
        """
        if not self.agent.runs_any_tool:
            self.agent.refuse_unknown_tools(request.tools)
        visit.calls_off = request.tool_choice == "none" and visit.format.reads_answers
        is_over = visit.forces_answer or visit.calls_off
        is_told = visit.ledger.get("asks_afresh") or was_sent_back(visit.messages)
        if (is_over or visit.format.reads_answers) and is_told:
            words = _of_tools_left(self.agent.offered_tools, request, is_over=is_over)
            visit.last_line = "\n\n".join(filter(None, (visit.last_line, words))) or None
        if visit.forces_answer:
            request = request.override(response_format=request.response_format or visit.format.response_format)
        if not is_over:
            return request
        return request.override(tool_choice=NO_CALLS if request.tools else None)

    def _listeners(self, visit: ModelVisit, request: ModelRequest, answer_request: AnswerRequest) -> list[AnswerListener]:
        """Return the listener that reports the growing answer; none if nobody listens to the stream."""
        writer = getattr(request.runtime, "stream_writer", None)
        if writer is None or not answer_request.strategy.schemas or not has_listener(writer):
            return []
        begun = growing_event(self.agent.keys.answer, self.agent.name, attempt_number(visit.ledger))
        return [AnswerListener(writer, answer_request.strategy.schemas, begun, answer_request.repair)]

    def _update(self, visit: ModelVisit, layered: LayeredResponse) -> dict[str, object]:
        """Return the update with the reply, the results of its calls that do not run, the ledger and the answer request."""
        response, declared = layered.response, visit.format
        result: Any = response.result  # what LangChain calls base messages
        turn = Turn({"messages": result}, self.agent.call_names, declared.declared)
        calls_run, not_run = _carried_out(visit, turn)
        has_malformed = any([m.invalid_tool_calls for m in result if isinstance(m, AIMessage)])
        malformed = malformed_results(result, declared.declared) if has_malformed else ()
        ledger = _charged(visit, turn.reply, calls_run, layered)
        # Messages that a middleware changed in place stay changed in the conversation, as in LangChain.
        begun = len(visit.stored)
        is_same = visit.messages[:begun] == visit.stored
        history: list[Any] = visit.messages[begun:] if is_same else [RemoveMessage(id=REMOVE_ALL_MESSAGES), *visit.messages]
        update: dict[str, object] = {"messages": [*history, *result, *malformed, *not_run], LEDGER: ledger}
        if declared.reads_answers or declared.at_run_time:
            update[ANSWER_REQUEST] = answer_request_of(visit, turn.reply, response.structured_response)
        return update if declared.reads_answers else {**update, **self._without_format(visit, response, update)}

    def _cleared(self, visit: ModelVisit, state: RunState) -> dict[str, object]:
        """Clear the results of the thread's earlier run, or of its part before this one."""
        if not visit.begins_run and not visit.ledger.get("pending"):
            return {}
        keys = (self.agent.keys.answer, self.agent.keys.outcome)
        stale = visit.format.reads_answers or any(state.get(key) is not None for key in keys)
        return dict.fromkeys(keys) if stale else {}

    def late(self, state: RunState, error: Exception) -> dict[str, object]:
        """End the run: middleware, or whatever else is around the call, did not end in time."""
        turn = Turn(state)
        ledger: RunLedger = {**turn.run_ledger(begins_run=turn.begins_run), "limit": "seconds"}
        keys = (self.agent.keys.answer, self.agent.keys.outcome) if turn.begins_run and self.agent.format.reads_answers else ()
        return {**dict.fromkeys(keys), **self._ended(ledger, state, state["messages"])}

    def _without_call(self, visit: ModelVisit, state: RunState) -> dict[str, object]:
        """End a run without a model call left, reading its last reply."""
        ledger = visit.ledger if visit.limit is None else {**visit.ledger, "limit": visit.limit}
        if visit.model_calls:
            ledger = {**ledger, "usage": visit.usage(0)}
        return self._ended(ledger, state, visit.messages)

    def _ended(self, ledger: RunLedger, state: RunState, messages: Sequence[BaseMessage]) -> dict[str, object]:
        ledger = {**ledger, "last_call_made": True, "tools_were_off": True}
        if (timed := TIMED_VISIT.get()) is not None:
            ledger["seconds"] = timed.clock.used
        # Before the first call, nobody knows a format that is made at run time, and nothing is left to read.
        if Turn(state, self.agent.call_names).answers:
            return {LEDGER: ledger}
        return {LEDGER: ledger, self.agent.keys.outcome: without_format(ledger, messages, self.agent.limits)}

    def _without_format(self, visit: ModelVisit, response: ModelResponse, made: Mapping[str, Any]) -> dict[str, object]:
        value = response.structured_response
        answer = {} if value is None else {self.agent.keys.answer: value}
        outcome = outcome_without_format(visit, response.result, made, self.agent.call_names, self.agent.limits)
        if outcome is None:
            return answer
        ended: dict[str, object] = {self.agent.keys.outcome: outcome}
        if "pending" in outcome:
            ended[LEDGER] = {**made[LEDGER], "pending": outcome["pending"], "finished": True}
        elif outcome["status"] == "answered":
            ended[self.agent.keys.answer] = None
        return {**ended, **answer}


def _of_tools_left(offered: Sequence[Any], request: ModelRequest, *, is_over: bool) -> str | None:
    """Return what a request says of the tools that it does not let the model call."""
    left = _names_of(request.tools)
    if is_over:
        return CALLS_ARE_OVER if offered else None
    if request.tool_choice in left:
        return ONLY_NOW.format(name=request.tool_choice)
    over = [name for name in _names_of(offered) if name not in left]
    return NOT_NOW.format(names=", ".join(over)) if over else None


def _names_of(tools: Sequence[Any]) -> list[str]:
    named = (each.name if isinstance(each, BaseTool) else described_name(each) for each in tools)
    return [name for name in named if name]


def _carried_out(visit: ModelVisit, turn: Turn) -> tuple[int, list[ToolMessage]]:
    """Return how many calls of a reply run, the first ones, and the results of those that do not."""
    calls = [each for each in turn.calls if each.kind != "answer" and not each.is_malformed]
    if not calls:
        return 0, []
    known_reply = visit.reply_to(turn.reply)
    is_off = visit.calls_off or (known_reply is not None and known_reply.request.strategy.tools_off)
    # Without a response format the calls of a cut reply run, as in LangChain.
    is_cut = visit.format.reads_answers and turn.stop == "truncated"
    running = [] if visit.is_last_call or is_cut or is_off else calls[: visit.tool_calls_left]
    why = _why_not_run(visit, turn.reply if is_cut else None, is_off=is_off)
    # Middleware may have answered some of them.
    return len(running), [failed_call_message(each.call, why) for each in calls[len(running) :] if each.is_open]


def _why_not_run(visit: ModelVisit, cut: AIMessage | None, *, is_off: bool) -> str:
    if cut is not None and not visit.is_last_call:
        return CUT_CALL.format(how_cut=how_cut(cut))
    return TOOL_TOO_LATE if is_off and not visit.forces_answer else TOOL_UNAVAILABLE


def _charged(visit: ModelVisit, reply: AIMessage | None, calls_run: int, layered: LayeredResponse) -> RunLedger:
    """Return the ledger with what the visit used and decided; a run around this one is charged, too."""
    known = visit.ledger["narrowed"]
    ledger: RunLedger = {
        **visit.ledger,
        "finished": False,
        "usage": visit.usage(calls_run),
        "cause": "turn",
        "narrowed": layered.narrowings(visit.format, known) if layered.format_changes else known,
        "last_reply_index": len(visit.messages),
        "last_reply_id": reply.id if reply is not None else None,
        "tools_were_off": visit.forces_answer,
        "last_call_made": visit.is_last_call,
        "used_strategies": visit.used_strategies,
        "seconds": round(monotonic() - visit.origin, 3),
    }
    ledger.pop("pending", None)
    ledger.pop("taken_out", None)
    if visit.limit is not None:
        ledger["limit"] = visit.limit
    if (caller := callers_budget()) is not None:
        caller.charge(ledger)
    return ledger


def _without_repeats(update: dict[str, Any], state: RunState) -> dict[str, object]:
    """Omit unchanged values: each write costs space in every checkpoint."""
    # A value of a middleware may not be comparable.
    is_comparable = update.get(ANSWER_REQUEST, {}).get("middleware_value") is None
    keys = (RUNNING, ANSWER_REQUEST) if is_comparable else (RUNNING,)
    return {key: value for key, value in update.items() if key not in keys or value != state.get(key)}
