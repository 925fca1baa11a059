"""Exit conditions: one pure function of the turn per conditional edge. A router says why; the builder's mapping says where."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.types import Send

from answergraph.nodes.names import TOOLS
from answergraph.state.outcome import EndStrategy
from answergraph.state.turn import NO_NAMES, CallNames, Turn

Reason = Literal["call_tools", "read_answer", "ask_again", "finish", "go_on"]
"""The reasons of routers, shown on the drawn edges."""


@dataclass(frozen=True)
class RoutingFacts:
    """Facts about the agent for the routers."""

    names: CallNames = NO_NAMES
    """What the names of calls mean, for the turn."""
    has_tools: bool = False
    """Whether there is a ``tools`` node."""
    reads_answers: bool = False
    """Whether there is a ``structured_response`` node."""
    end_strategy: EndStrategy = "defer"
    jumps: Collection[str] = frozenset({"tools", "model", "end"})
    """Where hooks after the model may jump."""

    @property
    def tools_follow_answers(self) -> bool:
        """Whether tools may still run after an early answer beside them was rejected."""
        return self.has_tools and self.end_strategy == "early"


Route = Callable[[Turn, RoutingFacts], Reason | list[Send]]


class TurnRouter(Runnable[object, object]):
    """A conditional edge: reads the turn once, and routes it. Untraced, because a function costs a traced call per visit."""

    def __init__(self, route: Route, facts: RoutingFacts, *, name: str) -> None:
        self.name: str = name
        self._route = route
        self._facts = facts

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        return self._route(Turn(input, self._facts.names), self._facts)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        return self._route(Turn(input, self._facts.names), self._facts)


def route_after_model(turn: Turn, facts: RoutingFacts) -> Reason | list[Send]:
    """Route when the model and the hooks after it are done.

    In this order:

    1. A hook asked to jump: as asked, but not to a model that may not be asked any more.
    2. There is no reply, or it is the last word: the run ends.
    3. Tools were called: ``call_tools``, one ``Send`` per call, unless a valid answer beside them ends the run early.
    4. The provider paused the turn of an agent with a response format for a tool of its own: ``ask_again``.
    5. The reply holds an answer, or a text that may be one: ``read_answer``.
    6. Every call has a result and is not cut again, or arguments are malformed for the first time, and no calls are carried out
       elsewhere: ``ask_again``.
    7. Nothing is left to do here: the run ends.
    """
    if turn.jump in facts.jumps and (jump := route_jump(turn, facts)) != "go_on":
        return jump
    if turn.reply is None or turn.is_last_word:
        return _ending(turn)
    if facts.has_tools and not _ends_early(turn, facts) and (sends := _sends(turn)):
        return sends
    waits = any(call.is_open and not call.is_malformed for call in turn.calls)
    if turn.answers and turn.is_paused:
        return "ask_again"
    if turn.answers and (waits or turn.is_answer):
        return "read_answer"
    is_answered = bool(turn.reply.tool_calls) and not waits and not turn.repeats_cut_calls
    is_at_work = is_answered or turn.is_newly_malformed
    return "ask_again" if is_at_work and not turn.is_left_to_others else _ending(turn)


def route_after_tools(turn: Turn, facts: RoutingFacts) -> Reason:
    """Route when a tool call is done.

    In this order:

    1. Every tool of the turn returns directly: the run ends; with a response format, the result is read first.
    2. There is an answer beside the calls: ``read_answer``.
    3. Calls beside them are carried out elsewhere: the run ends.
    4. Otherwise the model continues: ``ask_again``.
    """
    if facts.names.any_returns_directly and turn.direct_results:
        return _ending(turn)
    if turn.open("answer", malformed=True):
        return "read_answer"
    return _ending(turn) if turn.is_left_to_others else "ask_again"


def route_after_structured_response(turn: Turn, facts: RoutingFacts) -> Reason | list[Send]:
    """Route when a reply was read.

    In this order:

    1. The run has an outcome: ``finish``. The answer's key does not suffice: it is ``None`` while the model is asked again.
    2. Tools beside a rejected early answer wait: ``call_tools``.
    3. Otherwise: ``ask_again``.
    """
    if turn.ledger is not None and turn.ledger["finished"]:
        return "finish"
    return (facts.tools_follow_answers and _sends(turn)) or "ask_again"


def route_jump(turn: Turn, facts: RoutingFacts) -> Reason | list[Send]:
    """Route as a hook asked: to the model, to waiting tools, or to the end; ``go_on`` if it did not ask or may not."""
    may_ask = turn.ledger is None or not turn.ledger["last_call_made"]
    match turn.jump:
        case "end":
            return "read_answer" if facts.reads_answers else "finish"
        case "model" if may_ask:
            return "ask_again"
        case "tools" if facts.has_tools:
            # A hook that always jumps would go round without a call of the model.
            return _sends(turn) or ("ask_again" if may_ask else "go_on")
    return "go_on"


def _ending(turn: Turn) -> Reason:
    """Return how a run ends: with a response format, through ``structured_response``."""
    return "read_answer" if turn.answers else "finish"


def _sends(turn: Turn) -> list[Send]:
    """Return one task per call of a tool that runs here; an interrupt in one keeps the results of the others."""
    return [Send(TOOLS, [call]) for call in turn.open("tool")]


def _ends_early(turn: Turn, facts: RoutingFacts) -> bool:
    if facts.end_strategy != "early" or turn.request is None or not turn.request["valid"]:
        return False
    return bool(turn.open("answer"))
