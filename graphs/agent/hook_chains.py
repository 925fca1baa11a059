"""The middleware hooks as chains of nodes, with named ends for the graph builder."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, get_args

from langgraph.graph import StateGraph

from answergraph.graphs.agent.agent_state_graph import AgentStateGraph
from answergraph.graphs.agent.routing import RoutingFacts, TurnRouter, route_jump
from answergraph.middleware.stack import Hook, HookName, MiddlewareStack
from answergraph.nodes.names import MODEL, STRUCTURED_RESPONSE, TOOLS
from answergraph.state.turn import CallNames


@dataclass(frozen=True)
class Link:
    """One hook and where the graph goes after it."""

    hook: Hook
    next: str
    end: str
    """Where a jump to the end leads."""

    def facts(self, facts: RoutingFacts) -> RoutingFacts:
        """Return the routing facts of this hook; after the answer, a jump to the end reads nothing."""
        return facts if self.end == STRUCTURED_RESPONSE else replace(facts, reads_answers=False, names=CallNames())


class HookChains:
    """The four chains. Without middleware every end is the node itself, so "no hooks" is not a special case."""

    def __init__(self, stack: MiddlewareStack, *, reads_answers: bool, last: str) -> None:
        """Chain the hooks of a stack; ``last`` is the node after the last hook."""
        self._hooks = {name: stack.hooks(name) for name in get_args(HookName)}
        before_agent, before_model = self._hooks["before_agent"], self._hooks["before_model"]
        # The first middleware's hooks come last.
        after_model, after_agent = self._hooks["after_model"][::-1], self._hooks["after_agent"][::-1]
        self.turn_start = _first(before_model, MODEL)
        """The first node of a turn of the loop."""
        self.start = _first(before_agent, self.turn_start)
        """The first node of a run."""
        self.turn_end = _first(after_model[::-1], MODEL)
        """The last node of a turn's model part."""
        self.jumps_at_turn_end = after_model[-1].can_jump_to if after_model else ()
        self.finish = _first(after_agent, last)
        """The next node of a finished run."""
        end = STRUCTURED_RESPONSE if reads_answers else self.finish
        self._links = [
            *_line(before_agent, self.turn_start, end),
            *_line(before_model, MODEL, end),
            # The edges of the turn's end say why the turn ended: the graph builder adds them.
            *_line(after_model[:-1], self.turn_end, end),
            *_line(after_agent, last, last),
        ]
        self._after_model = _first(after_model, "")

    def add_nodes(self, graph: AgentStateGraph) -> None:
        """Add one node per hook, named ``<middleware>.<hook>``."""
        for hook in chain.from_iterable(self._hooks.values()):
            graph.add_hook(hook.node_name, hook.step, hook.trace_policy, hook.may_write)

    def add_edges(self, graph: StateGraph[Any, Any], facts: RoutingFacts) -> None:
        """Connect the hooks with each other and the model; the graph builder connects the ends."""
        if self._after_model:
            graph.add_edge(MODEL, self._after_model)
        for link in self._links:
            if link.hook.can_jump_to:
                route = TurnRouter(route_jump, link.facts(facts), name=f"after {link.hook.node_name}")
                graph.add_conditional_edges(link.hook.node_name, route, self._destinations(link))
            else:
                graph.add_edge(link.hook.node_name, link.next)

    def _destinations(self, link: Link) -> dict[object, str]:
        jumps = link.hook.can_jump_to
        again = MODEL if link.hook.node_name == self.turn_start else self.turn_start
        destinations: dict[object, str] = {"go_on": link.next}
        if "end" in jumps:
            destinations["read_answer" if link.end == STRUCTURED_RESPONSE else "finish"] = link.end
        if "tools" in jumps:
            destinations["call_tools"] = TOOLS
        if "tools" in jumps or "model" in jumps:
            destinations["ask_again"] = again
        return destinations


def _first(hooks: list[Hook], otherwise: str) -> str:
    return hooks[0].node_name if hooks else otherwise


def _line(hooks: list[Hook], last: str, end: str) -> Iterator[Link]:
    for hook, following in zip(hooks, [*(hook.node_name for hook in hooks[1:]), last], strict=False):
        yield Link(hook, following, end)
