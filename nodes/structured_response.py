"""The ``structured_response`` node: the only place where an answer is accepted or sent back."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.runtime import Runtime

from answergraph.answers.storage.answer_channel import AnswerCodec
from answergraph.asking.strategies.auto_strategy import with_tools_again
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.asking.strategies.run_time_format import RunTimeFormat
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.nodes.agent_parts import AgentParts
from answergraph.nodes.answer_checks import Checked, charged, check_answer, reviewed_message
from answergraph.nodes.corrections import CONFIRM_ANSWER, NOT_RUN, UNKNOWN_TOOL, asking_for, correction, repair_after, sent_back
from answergraph.nodes.endings import Ending, EndingFacts, decide, deferred, outcome_of, repeats, with_attempt, without_format
from answergraph.nodes.model_visit import CurrentReply, Readings
from answergraph.nodes.tools import ToolCallStep
from answergraph.reading.reply_reader import Reading, ReplyReader
from answergraph.runtime.steps import MAX_CHARACTERS_ON_LOOP, TIMED_VISIT, Step, has_listener, off_loop
from answergraph.state.agent_state import TOOL_RESULTS, RunState
from answergraph.state.ledger import LEDGER, RunLedger, StoredValue
from answergraph.state.messages import correction_message, without_cut_text
from answergraph.state.outcome import AnswerAccepted, Outcome, Status
from answergraph.state.own_keys import marked_if_untraced
from answergraph.state.turn import Turn
from answergraph.streaming.answer_events import AnswerEvent, attempt_number, growing_event, why_rejected

NOTHING_SAID = AnswerAccepted()
NO_TOOL_CALLED, NO_CALL_SUCCEEDED = "No tool was called.", "No call of a tool succeeded."


@dataclass(frozen=True)
class StructuredResponseNode:
    """Reads the current reply and accepts it or sends it back; ``step`` is the node."""

    agent: AgentParts
    codec: AnswerCodec
    """Makes the JSON form of an accepted answer."""
    wrap_reviewed: Callable[[ToolCallStep], ToolCallStep]
    """Puts the middleware that asks a person around an answer's call."""
    readings: Readings

    def step(self, state: RunState, runtime: Runtime[Any]) -> Step[dict[str, object]]:
        """Read the reply, and return an update with an outcome if the run ends, with corrections if the model is asked again.

        Raises:
            Exception: The error of the answer, if ``handle_errors`` raises it.
        """
        declared = self.agent.format
        if isinstance(declared, RunTimeFormat):
            declared = yield from off_loop(declared.for_reply, state, runtime)
        if not declared.declared:  # made at run time, it may be none
            return {LEDGER: {**Turn(state).run_ledger(begins_run=False), "finished": True}}
        reply = self._current_reply(state, declared)
        if reply.message is not None and (names := self.agent.reviewed_answers & declared.declared):
            message = yield from reviewed_message(reply.message, names, self.wrap_reviewed, state)
            reply = replace(reply, message=message)
        reading = yield from off_loop(self._read, reply, when=TIMED_VISIT.get() is not None)  # a validator may hang
        needs_confirmation = self._needs_confirmation(reply, reading)
        accepted = NOTHING_SAID
        if self.agent.checks and reading.status == "answered" and not needs_confirmation:
            check = partial(self._checked, reply=reply, state=state, at=runtime)
            if self.agent.reviews:
                from answergraph.nodes.answer_review import reviewed  # noqa: PLC0415 - few agents ask a person

                reply, reading, accepted = yield from reviewed(reply, reading, check, self._is_for_a_person)
            else:
                reading, accepted = yield from check(reading, reply.ledger)
            reply = replace(reply, ledger=charged(reply.ledger))
        ending = decide(self._facts(reply, reading, needs_confirmation=needs_confirmation))
        update = yield from off_loop(self._act, ending, reply, reading, accepted, when=TIMED_VISIT.get() is not None)
        # Without an update nothing is decided: the answer is read again.
        if update and (ending.action != "defer" or reading.calls) and has_listener(runtime.stream_writer):
            runtime.stream_writer(self._event(reply, reading, update))
        return marked_if_untraced(update, reply.turn.running)

    def _checked(self, reading: Reading, ledger: RunLedger, reply: CurrentReply, state: Any, at: Runtime[Any]) -> Step[Checked]:
        # Checks search these results for evidence.
        lengths = accumulate(len(str(result)) for result in (state.get(TOOL_RESULTS) or {}).get("results", ()))
        is_long = any(characters > MAX_CHARACTERS_ON_LOOP for characters in lengths)
        # Where the model will not be asked again, a check may accept what it would have asked about.
        is_last = decide(self._facts(reply, reading.rejected("", {}, None), needs_confirmation=False)).action == "end"
        seen = {**state, LEDGER: {**ledger, "last_call_made": is_last}}
        return (yield from check_answer(self.agent.checks, reading, seen, at, in_thread=is_long))

    def _is_for_a_person(self, reply: CurrentReply, reading: Reading) -> bool:
        """Return whether a check still rejects the answer after the model was asked again, or cannot be asked."""
        action = decide(self._facts(reply, reading, needs_confirmation=False)).action
        return reading.status == "invalid" and (action == "end" or (action.startswith("ask_") and bool(reply.ledger["attempts"])))

    def late(self, state: RunState, error: Exception) -> dict[str, object]:
        """End the run: a check did not end in time."""
        ledger: RunLedger = {**Turn(state).run_ledger(begins_run=False), "limit": "seconds", "finished": True}
        outcome = without_format(ledger, state["messages"], self.agent.limits)
        return {self.agent.keys.answer: None, self.agent.keys.outcome: outcome, LEDGER: ledger}

    def _event(self, reply: CurrentReply, reading: Reading, update: Mapping[str, Any]) -> AnswerEvent:
        keys, message = self.agent.keys, reply.message
        outcome: Outcome | None = update.get(keys.outcome)
        answer = None if outcome is None or outcome["schema"] is None else reading.answer
        return {
            **growing_event(keys.answer, self.agent.name, attempt_number(reply.ledger), message.id if message else None),
            "status": "accepted" if answer else "rejected",
            "schema": answer.schema.name if answer else None,
            "value": deepcopy(answer.data) if answer else None,  # who gets the event may change it
            "reason": None if answer else why_rejected(outcome, update[LEDGER]),
        }

    def _act(self, ending: Ending, reply: CurrentReply, reading: Reading, accepted: AnswerAccepted) -> dict[str, object]:
        match ending.action:
            case "accept":
                status: Status = "abstained" if accepted.abstained else "answered"
                receipt = reply.request.strategy.receipt(None if reading.answer is None else reading.answer.value)
                return self._finish(reply, reading, receipt, status, accepted)
            case "confirm":
                return self._confirm(reply, reading)
            case "defer":
                return self._defer(reply, reading)
            case "raise" if reading.error is not None:
                raise reading.error
            case "run_tools":
                return {}  # the answer is read again with the results of the tools beside it
            case "end" if ending.status is not None:
                return self._finish(reply, reading, reading.error_text, ending.status)
        return self._ask(reply, reading, in_next_form=ending.action == "ask_next_strategy")

    def _current_reply(self, state: RunState, declared: DeclaredFormat) -> CurrentReply:
        names = self.agent.call_names
        turn = Turn(state, names, declared.declared)
        if not turn.running and turn.is_over:
            # The model was not called in this run: its last reply answers something else.
            turn = Turn(state, names, declared.declared, at=-1)
        record = turn.request if turn.reply is not None else None
        ledger = turn.run_ledger(begins_run=False)
        request = declared.restore(record)
        if (repair := ledger.get("repair")) is not None:
            request = declared.repairing(request, repair)
        if (
            turn.reply is not None
            and turn.reply.id != ledger["last_reply_id"]
            and self._was_answered_before(turn, ledger, request)
        ):
            turn = Turn(state, names, declared.declared, at=ledger["last_reply_index"])
        direct = turn.direct_results if names.any_returns_directly else []
        elsewhere = turn.elsewhere if names.external or turn.removed else []
        waiting = {call["id"] for call in elsewhere}
        has_lost_all = bool(turn.removed) and turn.has_lost_all_calls
        return CurrentReply(
            turn=turn,
            message=turn.reply,
            pending=[call for call in turn.open("answer", "external", "tool") if call["id"] not in waiting],
            elsewhere=[] if direct else elsewhere,
            request=request,
            ledger=ledger,
            of_model=record is not None and record["of_model"],
            may_ask=not (turn.jump == "end" or direct or has_lost_all or ledger["last_call_made"]),
            direct=direct[-1] if direct else None,
            middleware_value=record and record["middleware_value"],
        )

    def _was_answered_before(self, turn: Turn, ledger: RunLedger, request: AnswerRequest) -> bool:
        """Return whether the model's own reply holds an answer, and a hook wrote a message after it."""
        own = next(iter(turn.messages[ledger["last_reply_index"] :]), None)
        if not isinstance(own, AIMessage) or own.id != ledger["last_reply_id"]:
            return False
        return self._reading_of(own, request).status == "answered"

    def _read(self, reply: CurrentReply) -> Reading:
        if reply.message is None:
            return Reading("unanswered", "The run was ended before the model gave an answer.")
        if reply.middleware_value is not None:
            return ReplyReader(reply.request).read_middleware_value(reply.middleware_value, reply.message)
        if reply.elsewhere and not any(call["name"] in reply.request.declared for call in reply.message.tool_calls):
            return Reading("unanswered", "The model called tools.")
        if reply.direct is not None:
            return ReplyReader(reply.request).read_text(reply.direct.text, reply.message)
        return self._reading_of(reply.message, reply.request)

    def _reading_of(self, message: AIMessage, request: AnswerRequest) -> Reading:
        """Return the model node's reading if still valid, else a new one."""
        known = self.readings.get(id(message))
        if known is not None and known.reading is not None and known.stands(request):
            return known.reading
        return ReplyReader(request).read(message)

    def _needs_confirmation(self, reply: CurrentReply, reading: Reading) -> bool:
        may_confirm = self.agent.end_strategy == "defer" and (reply.may_ask or bool(reply.elsewhere))
        if reading.status != "answered" or not may_confirm or reply.direct is not None or reply.middleware_value is not None:
            return False
        calls = [] if reply.message is None else [*reply.message.tool_calls, *reply.message.invalid_tool_calls]
        if reply.request.strategy.tools_off or (
            not reply.elsewhere and all(call["name"] in reply.request.declared for call in calls)
        ):
            return False
        unconfirmed = reply.ledger.get("unconfirmed")
        is_confirmed = unconfirmed is not None and reading.is_answer(unconfirmed["schema"], unconfirmed["value"])
        return not is_confirmed and reply.ledger["confirmations_asked"] < self.agent.limits.answer_attempts

    def _facts(self, reply: CurrentReply, reading: Reading, *, needs_confirmation: bool) -> EndingFacts:
        ledger, strategy, is_withheld = reply.ledger, reply.request.strategy, reply.request.withheld is not None
        held = reading.status == "invalid" and reply.is_wrong_in_form(reading)  # then no other strategy holds more
        is_raised = reading.error is not None and reply.of_model and reply.may_ask and strategy.raises(reading.error)
        return EndingFacts(
            status=reading.status,
            attempts_left=max(self.agent.limits.answer_attempts - len(ledger["attempts"]), 1),
            repeats=reply.was_asked_afresh if held else reading.status != "answered" and repeats(reading, ledger, reply.turn),
            has_next_strategy=reply.request.has_next_strategy and not held,
            is_attempt=strategy.is_attempt or reading.counts or is_withheld,
            keeps_tools=(is_withheld or reading.feedback is not None) and not strategy.is_attempt,
            is_held=strategy.is_held,
            may_ask=reply.may_ask,
            last_call_made=ledger["last_call_made"],
            tools_were_off=ledger["tools_were_off"],
            needs_confirmation=needs_confirmation,
            is_raised=is_raised,
            waits_elsewhere=bool(reply.elsewhere),
            tools_wait=reading.feedback is not None and self._tools_wait(reply),
        )

    def _tools_wait(self, reply: CurrentReply) -> bool:
        if self.agent.end_strategy != "early" or not self.agent.has_tools or not reply.may_ask or reply.ledger["tools_were_off"]:
            return False
        return any(call["name"] not in reply.request.declared for call in reply.pending)

    def _confirm(self, reply: CurrentReply, reading: Reading) -> dict[str, object]:
        answer = reading.answer
        ledger: RunLedger = {
            **reply.ledger,
            "unconfirmed": StoredValue(schema=answer.schema.name, value=answer.data) if answer else None,
            "confirmations_asked": reply.ledger["confirmations_asked"] + 1,
            "cause": "confirmation",
        }
        return {"messages": reply.in_order(sent_back(reply.results(reading, CONFIRM_ANSWER))), LEDGER: ledger}

    def _ask(self, reply: CurrentReply, reading: Reading, *, in_next_form: bool) -> dict[str, object]:
        afresh = reply.may_ask_afresh(reading) and repeats(reading, reply.ledger, reply.turn)
        repair = None if afresh else repair_after(reading, reply.ledger, self.agent.repair)
        results = reply.results(reading, text := correction(reading, reply.request, repair, in_next_form=in_next_form))
        corrections = reply.in_order(sent_back([*results, *self._other_calls(reply, reply.pending)]))
        if not results and not reply.elsewhere:
            cut = reply.message if reading.status == "truncated" else None
            corrections += [*([without_cut_text(cut)] if cut and not cut.tool_calls else []), correction_message(text)]
        used, is_attempt = reply.ledger["used_strategies"], reply.request.is_attempt or reading.counts
        used = used if reading.feedback is None else with_tools_again(used, reply.request.strategy_id)
        ledger: RunLedger = {
            **reply.ledger,
            "attempts": with_attempt(reply, reading),
            "last_mistake": reading.mistake if is_attempt else reply.ledger.get("last_mistake"),
            "used_strategies": [*used, reply.request.strategy_id] if in_next_form else used,
            "cause": "correction" if is_attempt else "final_answer",
        }
        return {"messages": corrections, LEDGER: asking_for(ledger, repair, reading if afresh else None, text)}

    def _defer(self, reply: CurrentReply, reading: Reading) -> dict[str, object]:
        """End the run until the results of its calls are sent; an answer beside them is held, or sent back."""
        update: dict[str, Any] = {LEDGER: reply.ledger}
        if reading.status == "answered":
            update = self._confirm(reply, reading)
        elif reading.calls:
            update = self._ask(reply, reading, in_next_form=False)
        ledger = {**update[LEDGER], "pending": reply.elsewhere, "finished": True}
        outcome = outcome_of(reply, reading, "deferred", ledger["attempts"], NOTHING_SAID, self.agent.limits)
        ended = {self.agent.keys.answer: None, self.agent.keys.outcome: deferred(outcome, reply.elsewhere)}
        return {**update, **ended, LEDGER: ledger}

    def _finish(
        self, reply: CurrentReply, reading: Reading, receipt: str, status: Status, accepted: AnswerAccepted = NOTHING_SAID
    ) -> dict[str, object]:
        answer = reading.answer if reading.status == "answered" else None
        attempts, calls = with_attempt(reply, reading), reply.ledger["usage"]["tool_calls"]
        not_run = [*reply.pending, *reply.elsewhere] if answer else reply.pending
        ledger: RunLedger = {**reply.ledger, "attempts": attempts, "finished": True}
        ledger.pop("repair", None)
        ledger.pop("given", None)
        outcome = outcome_of(reply, reading, status, attempts, accepted, self.agent.limits)
        if status == "answered" and self.agent.has_tools and reply.turn.is_without_result_of(calls):
            outcome["reason"] += f" {NO_CALL_SUCCEEDED if calls else NO_TOOL_CALLED}"
        return {
            "messages": reply.in_order([*reply.results(reading, receipt), *self._other_calls(reply, not_run)]),
            self.agent.keys.answer: self.codec.to_write(answer.value, answer) if answer else None,
            self.agent.keys.outcome: outcome,
            LEDGER: ledger,
        }

    def _other_calls(self, reply: CurrentReply, calls: Sequence[Any]) -> list[ToolMessage]:
        """Answer the calls that no tool will run: beside an early answer, or of unknown tools."""
        names = ", ".join(reply.request.strategy.schema_names)
        text = NOT_RUN if self.agent.has_tools or reply.elsewhere else UNKNOWN_TOOL
        return [
            ToolMessage(text.format(name=name, names=names), name=name, tool_call_id=call["id"], status="error")
            for call in calls
            if (name := call["name"]) not in reply.request.declared
        ]
