"""The middleware hooks as chains of nodes, with named ends for the graph builder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from langgraph.graph import StateGraph

from answergraph.graphs.agent.agent_state_graph import AgentStateGraph
from answergraph.graphs.agent.routing import RoutingFacts, route_jump
from answergraph.middleware.stack import Hook, HookName, MiddlewareStack
from answergraph.nodes.names import MODEL, STRUCTURED_RESPONSE, TOOLS
from answergraph.runtime.steps import Router


@dataclass(frozen=True)
class Link:
    """One hook and where the graph goes after it."""

    hook: Hook
    next: str
    end: str
    """Where a jump to the end leads."""

    def facts(self, facts: RoutingFacts) -> RoutingFacts:
        """Return the routing facts of this hook; after the answer, a jump to the end reads nothing."""
        return facts if self.end == STRUCTURED_RESPONSE else replace(facts, answers=frozenset(), at_run_time=False)


@dataclass(frozen=True)
class HookChains:
    """The four chains. Without middleware every end is the node itself, so "no hooks" is not a special case."""

    stack: MiddlewareStack
    reads_answers: bool
    """Whether a run ends through ``structured_response``."""
    last: str
    """The node after the last hook."""

    @cached_property
    def start(self) -> str:
        """The first node of a run."""
        return _first(self._chain("before_agent"), self.turn_start)

    @cached_property
    def turn_start(self) -> str:
        """The first node of a turn of the loop."""
        return _first(self._chain("before_model"), MODEL)

    @cached_property
    def turn_end(self) -> str:
        """The last node of a turn's model part; the first middleware's hook comes last."""
        return _first(self._chain("after_model"), MODEL)

    @cached_property
    def finish(self) -> str:
        """The next node of a finished run."""
        chain = self._chain("after_agent")
        return chain[-1].node_name if chain else self.last

    @property
    def jumps_at_turn_end(self) -> tuple[str, ...]:
        """The declared jumps of the hook at the end of a turn."""
        chain = self._chain("after_model")
        return chain[0].can_jump_to if chain else ()

    def add_nodes(self, graph: AgentStateGraph) -> None:
        """Add one node per hook, named ``<middleware>.<hook>``."""
        for name in ("before_agent", "before_model", "after_model", "after_agent"):
            for hook in self._chain(name):
                graph.add_hook(hook.node_name, hook.step, hook.trace_policy)

    def add_edges(self, graph: StateGraph[Any, Any, Any, Any], facts: RoutingFacts) -> None:
        """Connect the hooks with each other and the model; the graph builder connects the ends."""
        if self.turn_end != MODEL:
            graph.add_edge(MODEL, self._chain("after_model")[-1].node_name)
        for link in self._links():
            if link.hook.can_jump_to:
                route = Router(partial(_route_after_hook, facts=link.facts(facts)), name=f"after {link.hook.node_name}")
                graph.add_conditional_edges(link.hook.node_name, route, self._destinations(link))
            else:
                graph.add_edge(link.hook.node_name, link.next)

    def _chain(self, name: HookName) -> list[Hook]:
        return self.stack.hooks(name)

    def _links(self) -> Iterator[Link]:
        end = STRUCTURED_RESPONSE if self.reads_answers else self.finish
        before_agent, before_model = self._chain("before_agent"), self._chain("before_model")
        yield from _line(before_agent, self.turn_start, end)
        yield from _line(before_model, MODEL, end)
        # The chain's last node is the turn's end, whose edges say why the turn ended.
        yield from list(_line(self._chain("after_model")[::-1], "", end))[:-1]
        yield from _line(self._chain("after_agent")[::-1], self.last, self.last)

    def _destinations(self, link: Link) -> dict[Any, str]:
        jumps = link.hook.can_jump_to
        again = MODEL if link.hook.node_name == self.turn_start else self.turn_start
        destinations: dict[Any, str] = {"go_on": link.next}
        if "end" in jumps:
            destinations["read_answer" if link.end == STRUCTURED_RESPONSE else "finish"] = link.end
        if "tools" in jumps:
            destinations["call_tools"] = TOOLS
        if "tools" in jumps or "model" in jumps:
            destinations["ask_again"] = again
        return destinations


def _route_after_hook(state: Any, facts: RoutingFacts) -> Any:
    return route_jump(state.get("jump_to"), state, facts)


def _first(chain: list[Hook], otherwise: str) -> str:
    return chain[0].node_name if chain else otherwise


def _line(chain: list[Hook], last: str, end: str) -> Iterator[Link]:
    following = [hook.node_name for hook in chain[1:]]
    for hook, next_node in zip(chain, [*following, last], strict=False):
        yield Link(hook, next_node, end)
