"""Asks a model: the one loop that calls it, for the model node and for everyone else.

A way of asking that the client or the provider refuses is followed by the next one. An error that contains a reply, such as a
sample that failed the provider's grammar, is read as that reply. Calls that the model wrote as text become tool calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage

from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.providers.failed_samples import malformed_calls_in, reply_in
from answergraph.asking.providers.refusals import TOOL_CALLING, cannot_be_bound, objection_in, remember_refusal
from answergraph.asking.strategies.auto_strategy import FREE
from answergraph.asking.strategies.call_or_answer import note_calls
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.calling.bound_model import BoundModel, BoundModels
from answergraph.calling.timed_model_call import call_in_time
from answergraph.reading.calls_from_text import with_calls
from answergraph.reading.filled_schema import with_copies
from answergraph.reading.received_reply import as_received
from answergraph.reading.reply_reader import Reading, ReplyReader
from answergraph.runtime.snapshot import Snapshot
from answergraph.runtime.steps import MAX_CHARACTERS_ON_LOOP, TIMED_VISIT, Step, off_loop
from answergraph.state.ledger import Repair
from answergraph.state.outcome import Attempt

Listeners = Callable[[AnswerRequest], Sequence[BaseCallbackHandler]]
"""Returns the callback handlers of a call beside those of the run."""


@dataclass(kw_only=True)
class ModelCalls:
    """The calls that lead to one reply: another strategy, and a retry by middleware, go on with their counts."""

    format: DeclaredFormat
    used_strategies: list[str] = field(default_factory=list)
    """The ids of strategies that the run no longer uses."""
    forces_answer: bool = True
    """Whether the answer is forced and tools are off."""
    skips_calls: bool = False
    """Whether a model that writes its calls under a schema is asked for the answer at once, although tools are on."""
    streams: bool = True
    """Whether the reply may be streamed. OpenAI's client drops a refusal that is streamed, so after an empty reply it is not."""
    repair: Repair | None = None
    """The answer that is repaired."""
    model_calls: int = 0
    failed_calls: list[str] = field(default_factory=list)
    """The types of the errors that calls raised."""
    waited: float = 0.0
    """The seconds between failed calls and the next ones."""
    failed_at: float | None = None
    """The monotonic time of the last failed call in seconds; ``None`` after the next one began."""
    last_line: str | None = None
    """A line at the end of each request, which is not stored."""
    attempts: Sequence[Attempt] = ()
    """The run's answers so far, which were sent back."""

    def ask(
        self,
        request: ModelRequest,
        models: BoundModels,
        listeners: Listeners,
        agent_name: str | None = None,
    ) -> Step[tuple[AnswerRequest, AIMessage]]:
        """Ask with the best strategy, and with the next one if it is refused; return the request that was met and the reply.

        Raises:
            Exception: The error of the client, if it contains no reply and no other strategy is left.
        """
        while True:
            answer_request = self.format.request(
                request, self.used_strategies, answer_only=self.forces_answer or self.skips_calls
            )
            answer_request = answer_request if self.repair is None else self.format.repairing(answer_request, self.repair)
            to_send = answer_request.strategy.to_send(request)
            try:
                bound = models.bind(to_send, answer_request.strategy)
            except Exception as error:
                if not self._can_bind_otherwise(answer_request, to_send, error):
                    raise
                continue
            handlers = listeners(answer_request)
            if self.failed_at is not None:
                self.waited, self.failed_at = self.waited + monotonic() - self.failed_at, None
            try:
                timed, call = TIMED_VISIT.get(), partial(bound.call, to_send, streams=self.streams, last_line=self.last_line)
                message: BaseMessage
                message = (
                    (yield call(handlers)) if timed is None else (yield from call_in_time(call, handlers, to_send.model, timed))
                )
            except Exception as error:  # noqa: BLE001 - clients raise errors of any class
                contained = self._reply_in(error, answer_request, to_send)
                if contained is None:
                    continue
                message = contained
            self.model_calls += 1
            reply = as_received(message, agent_name)
            if bound.tools_in_text or bound.prompt or self.last_line or self.attempts or self.used_strategies:
                reply = self._noted(reply, bound, answer_request, to_send)
            is_same = (answer_request.dialect, answer_request.note) == (bound.dialect, bound.note)
            return answer_request if is_same else replace(answer_request, dialect=bound.dialect, note=bound.note), reply

    def _noted(self, reply: AIMessage, bound: BoundModel, answer_request: AnswerRequest, sent: ModelRequest) -> AIMessage:
        """Return a reply with the calls that it wrote as text, and a note of what it copied."""
        if bound.tools_in_text:
            reply = with_calls(reply, bound.tools_in_text, answer_request.strategy, sent)
            if answer_request.strategy_id == FREE:
                note_calls(sent.model, reply)
        shown = "\n".join(filter(None, (bound.prompt, self.last_line)))
        if answer_request.declared and (shown or self.attempts or self.used_strategies):
            reply = with_copies(reply, answer_request.strategy, sent.messages, shown, self.attempts)
        return reply

    def _reply_in(self, error: Exception, answer_request: AnswerRequest, sent: ModelRequest) -> AIMessage | None:
        """Return the reply that an error contains, ``None`` to ask in another way; raise the error if there is no other."""
        self.failed_calls.append(type(error).__name__)
        reply = reply_in(error, sent.model) if answer_request.declared else malformed_calls_in(error, sent.tools)
        if reply is None:
            self.failed_at = monotonic()
            if not self._can_ask_otherwise(answer_request, sent, error):
                raise error
        return reply

    def _can_bind_otherwise(self, refused: AnswerRequest, sent: ModelRequest, error: Exception) -> bool:
        """Return whether another strategy is left after the client rejected this one."""
        if not refused.has_next_strategy or not cannot_be_bound(error):
            return False
        if isinstance(error, NotImplementedError):
            remember_refusal(sent.model, TOOL_CALLING, beside_tools=False)
        self.used_strategies.append(refused.strategy_id)
        return True

    def _can_ask_otherwise(self, refused: AnswerRequest, sent: ModelRequest, error: Exception) -> bool:
        """Remember a provider's refusal, and return whether another strategy is left."""
        strategy, has_idle_tools = refused.strategy, bool(sent.tools) and sent.tool_choice is NO_CALLS
        objection = objection_in(error, sent.model, [*strategy.schema_names, strategy.format_name], len(sent.tools))
        if objection is None or not (has_idle_tools or refused.has_next_strategy):
            return False
        strategy.remember_refusal(sent, objection)
        if (objection.beside_tools or not refused.has_next_strategy) and has_idle_tools and not strategy.to_send(sent).tools:
            # Ask the same without tools, which are off anyway.
            return True
        if refused.has_next_strategy:
            self.used_strategies.append(refused.strategy_id)
        return refused.has_next_strategy


def read_reply(answer_request: AnswerRequest, reply: AIMessage) -> Step[tuple[Reading, Snapshot]]:
    """Read the answer of a reply; return the reading, and a snapshot of what was read.

    Raises:
        Exception: The model's mistake, if ``handle_errors`` raises it.
    """
    seen = Snapshot(reply)
    # A validator of the user's may hang.
    is_slow = TIMED_VISIT.get() is not None or seen.is_longer_than(MAX_CHARACTERS_ON_LOOP)
    reading = yield from off_loop(ReplyReader(answer_request).read, reply, when=is_slow)
    if reading.error is not None and answer_request.strategy.raises(reading.error):
        raise reading.error
    return reading, seen
