"""The ``structured_response`` node: the only place where an answer is validated, accepted or sent back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage, ToolCall, ToolMessage
from langgraph.runtime import Runtime

from answergraph.nodes.answer_checks import AnswerCheck, check_answer
from answergraph.nodes.answer_review import reviewed_message
from answergraph.nodes.corrections import HELD, NEXT_FORM, NEXT_RUNG, NOT_RUN, UNKNOWN_TOOL, _correction, _error_text, tool_result
from answergraph.nodes.endings import _ONCE
from answergraph.nodes.tools import ToolCallStep
from answergraph.response_format.reading.reply_reader import Offer, Reading, repeats_cut_calls
from answergraph.response_format.strategies.declared_format import Offers
from answergraph.response_format.strategies.run_time_format import RunTimeOffers
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import OFFER, AnswerKeys
from answergraph.state.budget import UsageLimits, calling_account
from answergraph.state.errors import AnswerRejected
from answergraph.state.ledger import LEDGER, RUNNING, Ledger, current_ledger, of_run
from answergraph.state.messages import begins_new_run, correction_message, direct_results, last_turn, unanswered
from answergraph.state.outcome import AnswerAccepted, Attempt, Cause, EndStrategy, Outcome, Status

NOTHING_SAID = AnswerAccepted()


@dataclass(frozen=True)
class StructuredResponseNode:
    """Reads the reply that stands, accepts it or sends it back; ``step`` is the node."""

    offers: Offers | RunTimeOffers
    limits: UsageLimits
    keys: AnswerKeys
    return_direct: Mapping[str, bool]
    """Per tool of the agent: whether its result ends the run."""
    end_strategy: EndStrategy
    """What an answer beside tool calls counts for."""
    has_tools: bool
    """Whether there is a ``tools`` node."""
    checks: tuple[AnswerCheck, ...]
    """The user's own checks of a valid answer."""
    reviewed: frozenset[str]
    """The answers that a person is asked about."""
    wrap_reviewed: Callable[[ToolCallStep], ToolCallStep]
    """Puts the middleware that asks around an answer's call."""

    def step(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> Step[dict[str, Any]]:
        """Read the reply.

        Args:
            state: The agent's state.
            runtime: LangGraph's runtime.

        Returns:
            The state update: with an outcome if the run ends, with corrections if the model is asked again.

        Raises:
            Exception: What is wrong with the answer, where ``handle_errors`` says raise.
        """
        offers = self.offers.for_reply(state, runtime)
        if not offers.declared:
            # A format made at run time may be none.
            return {LEDGER: {**current_ledger(state, begins_run=False), "finished": True}}
        reply = self._reply(state, offers)
        if self.reviewed and reply.message is not None:
            message = yield from reviewed_message(reply.message, self.reviewed & offers.declared, self.wrap_reviewed, state)
            reply = replace(reply, message=message)
        reading = self._read(reply)
        if reading.status == "answered" and self._is_held(reply, reading):
            return self._hold(reply, reading)
        reading, accepted = self._checked(reading, state, runtime)
        if reading.status == "answered":
            return self._finish(reply, reading, "abstained" if accepted.abstained else "answered", reading.reason, accepted)
        if reading.error is not None and reply.raises(reading.error):
            raise reading.error
        if reading.feedback is not None and self._waits_for_tools(reply):
            # Nothing is decided: the answer is read again with the results of the tools called beside it.
            return {}
        ending = self._ending(reply, reading)
        return self._ask_again(reply, reading) if ending is None else self._finish(reply, reading, *ending)

    def _reply(self, state: Mapping[str, Any], offers: Offers) -> Reply:
        message, after = last_turn(state["messages"])
        if not state.get(RUNNING) and begins_new_run(state["messages"]):
            # The model was not called in this run: what it said last was the answer to something else.
            message, after = None, []
        record = state.get(OFFER) if message is not None else None
        ledger = current_ledger(state, begins_run=False)
        offer = offers.restore(record)
        message, after = reply_that_stands(message, after, state["messages"], offer, ledger)
        direct = direct_results(message, after, self.return_direct)
        return Reply(
            conversation=state["messages"],
            message=message,
            after=after,
            offer=offer,
            given=record and record["given"],
            of_model=bool(record and record["of_model"]),
            ledger=ledger,
            asks=state.get("jump_to") != "end" and not direct and not ledger["final"],
            direct=direct[-1] if direct else None,
        )

    def _read(self, reply: Reply) -> Reading:
        if reply.message is None:
            return Reading("unanswered", "The run was ended before the model gave an answer.")
        if reply.given is not None:
            return reply.offer.read_given(reply.given, reply.message)
        if reply.direct is not None:
            return reply.offer.read_text(reply.direct.text, reply.message)
        return reply.offer.read(reply.message)

    def _checked(self, reading: Reading, state: Mapping[str, Any], runtime: Runtime[Any]) -> tuple[Reading, AnswerAccepted]:
        if reading.status != "answered":
            return reading, NOTHING_SAID
        try:
            return reading, check_answer(self.checks, reading, state, runtime)
        except AnswerRejected as rejection:
            return reading.rejected(rejection.feedback), NOTHING_SAID

    def _is_held(self, reply: Reply, reading: Reading) -> bool:
        if self.end_strategy != "defer" or not reply.came_beside_tools or not reply.asks or reply.given is not None:
            return False
        confirmed = reply.ledger["held"] == _recorded(reading)
        return not confirmed and reply.ledger["holds"] < self.limits.answer_attempts

    def _waits_for_tools(self, reply: Reply) -> bool:
        """Return whether tools called beside an early answer may run after all, now that a check does not accept it."""
        may_run = self.end_strategy == "early" and self.has_tools and reply.asks and not reply.ledger["tools_off"]
        return may_run and any(call["name"] not in reply.offer.declared for call in reply.pending)

    def _hold(self, reply: Reply, reading: Reading) -> dict[str, Any]:
        ledger: Ledger = {**reply.ledger, "held": _recorded(reading), "holds": reply.ledger["holds"] + 1, "cause": "confirmation"}
        return {"messages": in_order(reply, answer_results(reply, reading, HELD)), LEDGER: ledger}

    def _ending(self, reply: Reply, reading: Reading) -> tuple[Status, str] | None:
        """Return how the run ends, ``None`` if the model is asked again."""
        attempts = reply.ledger["attempts"]
        spent = reply.ledger["final"] or not reply.asks or len(attempts) + 1 >= self.limits.answer_attempts
        stuck = reply.offer.is_last or (reading.status in _ONCE and reply.offer.strategy.is_attempt)
        if reading.status != "refused" and not spent and not (stuck and self._repeats(reply, reading)):
            return None
        called_on = reply.ledger["tools_off"] and reading.status == "unanswered"
        if reading.status != "refused" and (reply.ledger["final"] or called_on):
            return "out_of_budget", f"The run's budget is spent. {reading.reason}"
        return reading.status, reading.reason

    def _repeats(self, reply: Reply, reading: Reading) -> bool:
        attempts = reply.ledger["attempts"]
        if reading.status in _ONCE:
            return repeats_cut_calls(reply.conversation) or any(attempt["status"] == reading.status for attempt in attempts)
        if not attempts or attempts[-1]["status"] != reading.status:
            return False
        # A reply without an answer is the same mistake in any words; an answer is judged by what is wrong with it.
        return reading.status != "invalid" or attempts[-1]["error"] == _error_text(reading)

    def _steps_down(self, reply: Reply, reading: Reading) -> bool:
        """Return whether the next ask is made on the next rung: the constraint was ignored, or a mistake repeated."""
        if reply.offer.is_last:
            return False
        if not reply.offer.strategy.is_attempt:
            return True
        # With two attempts left the next rung gets one, whatever the mistakes were.
        nearly_spent = len(reply.ledger["attempts"]) + 2 >= self.limits.answer_attempts
        return reading.status == "unanswered" or (reading.status == "invalid" and (nearly_spent or self._repeats(reply, reading)))

    def _ask_again(self, reply: Reply, reading: Reading) -> dict[str, Any]:
        steps_down = self._steps_down(reply, reading)
        text = _correction(reading, reply.offer.strategy)
        if steps_down:
            text = f"{text}\n{NEXT_FORM}" if reading.status == "invalid" else NEXT_RUNG
        results = answer_results(reply, reading, text)
        corrections = in_order(reply, [*results, *self._other_calls(reply)])
        if not results:
            corrections.append(correction_message(text))
        spent = [*reply.ledger["spent"], reply.offer.rung] if steps_down else reply.ledger["spent"]
        cause: Cause = "correction" if reply.offer.strategy.is_attempt else "final_answer"
        ledger: Ledger = {**reply.ledger, "attempts": _with_attempt(reply, reading), "spent": spent, "cause": cause}
        return {"messages": corrections, LEDGER: ledger}

    def _finish(
        self, reply: Reply, reading: Reading, status: Status, reason: str, accepted: AnswerAccepted = NOTHING_SAID
    ) -> dict[str, Any]:
        answered = reading.status == "answered" and reading.schema is not None
        receipt = reply.offer.strategy.receipt(reading.value) if answered else _error_text(reading)
        attempts = _with_attempt(reply, reading)
        if (caller := calling_account()) is not None:
            caller.charge(reply.ledger)
        outcome = Outcome(
            status=status,
            reason=reason,
            strategy=reply.offer.strategy.name,
            schema=reading.schema.name if answered and reading.schema is not None else None,
            attempts=attempts,
            narrowed=reply.ledger["narrowed"],
            evidence={path: list(span) for path, span in accepted.evidence.items()},
            usage=of_run(reply.ledger["usage"], reply.conversation),
        )
        return {
            "messages": in_order(reply, [*answer_results(reply, reading, receipt), *self._other_calls(reply)]),
            self.keys.answer: reading.value if answered else None,
            self.keys.outcome: outcome,
            LEDGER: {**reply.ledger, "attempts": attempts, "finished": True},
        }

    def _other_calls(self, reply: Reply) -> list[ToolMessage]:
        """Answer the calls that no tool will: beside an early answer, or of tools that do not exist."""
        names = ", ".join(reply.offer.strategy.schema_names)
        text = NOT_RUN if self.has_tools else UNKNOWN_TOOL
        return [
            tool_result(call, text.format(name=call["name"], names=names), status="error")
            for call in reply.pending
            if call["name"] not in reply.offer.declared
        ]


def _recorded(reading: Reading) -> Any:
    return None if reading.schema is None else {"schema": reading.schema.name, "value": reading.schema.dump(reading.value)}


def _with_attempt(reply: Reply, reading: Reading) -> list[Attempt]:
    if reading.status != "answered" and not reply.offer.strategy.is_attempt:
        return reply.ledger["attempts"]
    attempt = Attempt(
        strategy=reply.offer.strategy.name,
        schema=reading.meant if reading.schema is None else reading.schema.name,
        status=reading.status,
        error=None if reading.status == "answered" else _error_text(reading),
        repairs=list(reading.repairs),
        note=reply.offer.note,
    )
    return [*reply.ledger["attempts"], attempt]


@dataclass(frozen=True)
class Reply:
    """What stands to be read when the node is visited."""

    conversation: Sequence[AnyMessage]
    message: AIMessage | None
    after: Sequence[AnyMessage]
    """What follows the message: the results of its tools."""
    offer: Offer
    given: Any
    ledger: Ledger
    of_model: bool
    """Whether the message is the model's own."""
    asks: bool
    """Whether the model may be asked again."""
    direct: ToolMessage | None
    """The result of a ``return_direct`` tool, which is read in place of the message."""

    def raises(self, error: Exception) -> bool:
        """Return whether an error is raised: a mistake of the model's that ``handle_errors`` says is not sent back."""
        return self.of_model and self.asks and self.offer.strategy.raises(error)

    @property
    def pending(self) -> list[ToolCall]:
        """The message's calls that have no tool message yet."""
        return [] if self.message is None else unanswered(self.message.tool_calls, self.after)

    @property
    def came_beside_tools(self) -> bool:
        """Whether tools were called in the same message as the answer and have run since."""
        calls = [] if self.message is None else [*self.message.tool_calls, *self.message.invalid_tool_calls]
        return any(call["name"] not in self.offer.declared for call in calls) and self.direct is None


def reply_that_stands(
    message: AIMessage | None, after: Sequence[AnyMessage], messages: Sequence[AnyMessage], offer: Offer, ledger: Ledger
) -> tuple[AIMessage | None, Sequence[AnyMessage]]:
    """Return the message to read: the last one, or the model's answer where a hook has had the last word after it."""
    if message is None or message.id == ledger["last_id"]:
        return message, after
    own = messages[ledger["seen"]] if ledger["seen"] < len(messages) else None
    if isinstance(own, AIMessage) and own.id == ledger["last_id"] and offer.read(own).status == "answered":
        return own, messages[ledger["seen"] + 1 :]
    return message, after


def in_order(reply: Reply, results: list[ToolMessage]) -> list[Any]:
    """Put results right behind their calls: what a hook added in between is taken out and comes after them."""
    between = [message for message in reply.after if not isinstance(message, ToolMessage)]
    if not results or not between:
        return list(results)
    moved = [message.model_copy(update={"id": None}) for message in between]
    return [*(RemoveMessage(id=str(message.id)) for message in between), *results, *moved]


def answer_results(reply: Reply, reading: Reading, text: str) -> list[ToolMessage]:
    """Answer the reply's answer calls, but for those that a hook has answered already."""
    return [tool_result(call, text) for call in unanswered(reading.calls, reply.after)]
