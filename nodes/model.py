"""The model node: builds the request, has the middleware and the model answer it, and records what was offered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, SystemMessage, ToolCall
from langchain_core.tools import BaseTool
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import Command

from answergraph.models.bound_model import BoundModels
from answergraph.nodes.endings import out_of_budget
from answergraph.nodes.layered_response import LayeredResponse
from answergraph.nodes.model_visit import Exchange, Turn, begin_turn
from answergraph.response_format.model_request import ModelRequest, ModelResponse
from answergraph.response_format.providers.refusals import TOOL_CALLING, refuses_format, refuses_tools, remember_refusal
from answergraph.response_format.reading.reply_reader import Offer, diagnose
from answergraph.response_format.strategies.declared_format import Offers
from answergraph.response_format.strategies.run_time_format import RunTimeOffers
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import OFFER, AnswerKeys, OfferRecord
from answergraph.state.budget import UsageLimits, calling_account
from answergraph.state.ledger import LEDGER, RUNNING, Ledger
from answergraph.state.messages import (
    answered_ids,
    as_received,
    cut_call_message,
    last_turn,
    malformed_call_message,
    unanswered,
    unavailable_call_message,
)
from answergraph.state.outcome import Narrowing
from answergraph.streaming.answer_events import attempt_number
from answergraph.streaming.answer_listener import AnswerListener, growing_event
from answergraph.streaming.stream_listeners import has_listener

ModelCall = Callable[[ModelRequest[Any]], Step[LayeredResponse]]
"""The call of the model as a step: the plain one, or one wrapped by middleware."""

UNKNOWN_TOOLS = """
Middleware added tools that the agent doesn't know how to execute.

Unknown tools: {unknown}
Registered tools: {registered}

Pass them to `create_agent(tools=[...])`, set them as `tools` on the middleware, or run them yourself in `wrap_tool_call`:
`return handler(request.override(tool=my_dynamic_tool))`.
""".strip()


@dataclass(frozen=True)
class ModelNode:
    """Calls the model once per visit; ``step`` is the node."""

    model: BaseChatModel
    tools: tuple[BaseTool | dict[str, Any], ...]
    system_message: SystemMessage | None
    offers: Offers | RunTimeOffers
    wrap: Callable[[ModelCall], ModelCall]
    """Puts the middleware around the call."""
    limits: UsageLimits
    keys: AnswerKeys
    agent_name: str | None
    runs_any_tool: bool
    """Whether a ``wrap_tool_call`` hook may run tools the agent does not know."""
    bound: BoundModels = field(default_factory=BoundModels)

    def step(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> Step[Any]:
        """Call the model with the state's conversation.

        Args:
            state: The agent's state.
            runtime: LangGraph's runtime.

        Returns:
            The state update, in a list with the commands of middleware if there are any.
        """
        turn = begin_turn(state)
        offers = self.offers.for_call(state, runtime)
        exchange = Exchange.begin(turn.ledger, offers, self.limits)
        cleared = self._cleared(turn, offers, state)
        if exchange.has_no_call:
            return {**cleared, **self._without_call(turn, offers)}
        call = self.wrap(partial(self.call_model, exchange))
        layered: LayeredResponse = yield from call(self._request(turn, offers, state, runtime))
        update = _without_repeats({**cleared, **self._update(turn, exchange, layered)}, state)
        return [Command(update=update), *_checked(layered.commands)] if layered.commands else update

    def call_model(self, exchange: Exchange, request: ModelRequest[Any]) -> Step[LayeredResponse]:
        """Call the model itself, inside all middleware.

        Args:
            exchange: Takes note of what was offered.
            request: The request as middleware left it.

        Returns:
            The reply and the answer it holds, not committed to anything yet.

        Raises:
            ValueError: If middleware added tools nobody can run, or a format that was not declared.
        """
        self._refuse_unknown_tools(request)
        if exchange.asks:
            declared = request.response_format or exchange.offers.response_format
            request = request.override(tools=[], tool_choice=None, response_format=declared)
        offer, message = yield from self._reply(exchange, request)
        message = as_received(message, self.agent_name)
        preview = offer.preview(message) if offer.declared else None
        exchange.note(message, offer, preview)
        return LayeredResponse(ModelResponse(result=[message], structured_response=preview))

    def _reply(self, exchange: Exchange, request: ModelRequest[Any]) -> Step[tuple[Offer, AIMessage]]:
        """Ask on the best rung of the ladder, and on the next one where the provider refuses the request."""
        while True:
            offer = exchange.offers.make(request, exchange.spent, asks=exchange.asks)
            asked = request.override(tools=[], tool_choice=None) if offer.strategy.tools_off else request
            if offer.is_sole and not asked.tools:
                asked = offer.strategy.forced(asked)
            try:
                bound = self.bound.bind(asked, offer.strategy)
                listeners = yield from self._listeners(exchange, offer, request)
                message: AIMessage = yield bound.call(asked, listeners)
            except Exception as error:
                # Whatever the provider's client raises; what is not about the format is raised on.
                if offer.is_last or not refuses_format(error, offer.strategy.schema_names):
                    raise
                remember_refusal(asked.model, offer.strategy.name, beside_tools=bool(asked.tools))
                if refuses_tools(error):
                    remember_refusal(asked.model, TOOL_CALLING, beside_tools=False)
                exchange.spent.append(offer.rung)
            else:
                exchange.calls += 1
                return replace(offer, dialect=bound.dialect, note=bound.note), message

    def _listeners(self, exchange: Exchange, offer: Offer, request: ModelRequest[Any]) -> Step[list[AnswerListener]]:
        """Return what tells how the answer grows; without a listener the call is made as if there were no such stream."""
        writer = getattr(request.runtime, "stream_writer", None)
        if writer is None or not offer.strategy.schemas or not (yield from has_listener(writer)):
            return []
        begun = growing_event(self.keys.answer, self.agent_name, attempt_number(exchange.ledger))
        return [AnswerListener(writer, offer.strategy.schemas, begun)]

    def _request(self, turn: Turn, offers: Offers, state: Mapping[str, Any], runtime: Runtime[Any]) -> ModelRequest[Any]:
        return ModelRequest(
            model=self.model,
            messages=turn.messages,
            system_message=self.system_message,
            tools=list(self.tools),
            response_format=offers.response_format,
            state=state,
            runtime=runtime,
        )

    def _update(self, turn: Turn, exchange: Exchange, layered: LayeredResponse) -> dict[str, Any]:
        response, offers = layered.response, exchange.offers
        message, _ = last_turn(response.result)
        is_cut = not exchange.final and _is_cut(message, offers)
        room = 0 if exchange.final or is_cut else exchange.tool_calls_left
        calls = _ordinary_calls(message, offers)
        carried_out = calls[:room]
        # Middleware may have answered some of them.
        waiting = unanswered(calls[len(carried_out) :], response.result)
        not_run = map(cut_call_message if is_cut else unavailable_call_message, waiting)
        narrowed = offers.narrowings(layered.reformats, turn.ledger["narrowed"])
        ledger = self._charged(turn, exchange, message, len(carried_out), narrowed)
        history: list[Any] = [RemoveMessage(id=REMOVE_ALL_MESSAGES), *turn.messages] if turn.repaired else []
        update: dict[str, Any] = {
            "messages": [*history, *response.result, *_malformed_calls(response.result, offers), *not_run],
            LEDGER: ledger,
            RUNNING: True,
        }
        if offers.reads_answers or offers.at_run_time:
            update[OFFER] = _offer_record(exchange, message, response)
        return update if offers.reads_answers else {**update, **self._without_format(turn, response, ledger)}

    def _cleared(self, turn: Turn, offers: Offers, state: Mapping[str, Any]) -> dict[str, Any]:
        """Clear what an earlier run of the thread left; an agent without a format writes no keys of its own."""
        keys = (self.keys.answer, self.keys.outcome)
        stale = offers.reads_answers or any(state.get(key) is not None for key in keys)
        return dict.fromkeys(keys) if turn.begins_run and stale else {}

    def _charged(
        self, turn: Turn, exchange: Exchange, message: AIMessage | None, carried_out: int, narrowed: list[Narrowing]
    ) -> Ledger:
        ledger = replace_ledger(
            turn.ledger,
            usage=exchange.usage(carried_out),
            cause="turn",
            narrowed=narrowed,
            seen=len(turn.messages),
            last_id=message.id if message is not None else None,
            tools_off=exchange.asks,
            final=exchange.final,
            spent=exchange.spent,
        )
        if (caller := calling_account()) is not None:
            caller.charge(ledger)
        return ledger

    def _without_call(self, turn: Turn, offers: Offers) -> dict[str, Any]:
        """End a run that may not call its model once more: what stands is read, nothing is asked."""
        final = replace_ledger(turn.ledger, final=True, tools_off=True)
        if offers.reads_answers:
            return {LEDGER: final}
        return {LEDGER: final, self.keys.outcome: out_of_budget(final, turn.messages)}

    def _without_format(self, turn: Turn, response: ModelResponse[Any], ledger: Ledger) -> dict[str, Any]:
        update: dict[str, Any] = {}
        if response.structured_response is not None:
            update[self.keys.answer] = response.structured_response
        if ledger["final"] or ledger["tools_off"]:
            update[self.keys.outcome] = out_of_budget(ledger, [*turn.messages, *response.result])
        return update

    def _refuse_unknown_tools(self, request: ModelRequest[Any]) -> None:
        if self.runs_any_tool or request.tools == list(self.tools):
            return
        registered = {tool.name for tool in self.tools if isinstance(tool, BaseTool)}
        unknown = [tool.name for tool in request.tools if isinstance(tool, BaseTool) and tool.name not in registered]
        if unknown:
            raise ValueError(UNKNOWN_TOOLS.format(unknown=unknown, registered=sorted(registered)))


def _without_repeats(update: dict[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what stands in the state already: each write costs a place in every checkpoint."""
    given = update.get(OFFER, {}).get("given")
    # A value that a middleware gave may not be comparable.
    settled = (RUNNING,) if given is not None else (RUNNING, OFFER)
    return {key: value for key, value in update.items() if key not in settled or value != state.get(key)}


def replace_ledger(ledger: Ledger, **changes: Any) -> Ledger:
    """Return a ledger with other values; the one in the state is never changed in place."""
    changed: Ledger = {**ledger, **changes}  # type: ignore[typeddict-item]  # the keys are checked at the call sites
    return changed


def _ordinary_calls(message: AIMessage | None, offers: Offers) -> list[ToolCall]:
    return [call for call in message.tool_calls if call["name"] not in offers.declared] if message else []


def _is_cut(message: AIMessage | None, offers: Offers) -> bool:
    # Without a response format the calls of a cut reply run, as in LangChain.
    return offers.reads_answers and message is not None and diagnose(message) == "truncated"


def _malformed_calls(result: list[BaseMessage], offers: Offers) -> Iterator[BaseMessage]:
    # Malformed calls of answer tools are an answer attempt and left to the ``structured_response`` node.
    done = answered_ids(result)
    for message in result:
        for call in message.invalid_tool_calls if isinstance(message, AIMessage) else ():
            if call.get("id") and call["id"] not in done and call.get("name") not in offers.declared:
                yield malformed_call_message(call)


def _offer_record(exchange: Exchange, message: AIMessage | None, response: ModelResponse[Any]) -> OfferRecord:
    offers = exchange.offers
    offer, preview = exchange.of(message) or (offers.restore(None), None)
    of_model = message is not None and message.id in exchange.replies
    value = response.structured_response
    if value is None or value is preview:
        return offers.record(offer, of_model=of_model, valid=preview is not None, given=None)
    schema = next((s for s in offer.strategy.schemas if s.holds(value)), None)
    given = {"schema": schema and schema.name, "value": schema.dump(value) if schema else value}
    return offers.record(offer, of_model=of_model, valid=schema is not None, given=given)


def _checked(commands: tuple[Command[Any], ...]) -> tuple[Command[Any], ...]:
    for command in commands:
        for name in ("goto", "resume", "graph"):
            if getattr(command, name):
                raise NotImplementedError(
                    f"Command {name} is not yet supported in wrap_model_call middleware. "
                    "Use the jump_to state field with before_model/after_model hooks instead."
                )
    return commands
