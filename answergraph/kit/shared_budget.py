"""The budget that an add-on shares with the run around it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from answergraph.state.agent_state import RunState
from answergraph.state.budget import InnerRunBudget, current_budget
from answergraph.state.outcome import Usage
from answergraph.state.usage import UsageLimits


@dataclass(frozen=True)
class Budget:
    """What the run around this has left."""

    _around: InnerRunBudget

    @classmethod
    def current(cls) -> Budget | None:
        """Return the budget of the run around this; ``None`` outside the nodes and tools of an agent."""
        around = current_budget()
        return None if around is None else cls(around)

    @staticmethod
    @contextmanager
    def sharing(limits: UsageLimits | None, used: Usage, parts: int = 1) -> Iterator[None]:
        """Share limits among the runs inside, one of ``parts`` of what is left for each; the run around is charged too."""
        if limits is None:
            yield
            return
        around = current_budget()
        left = replace(limits, reserve_final_answer=False)
        left = left.capped_by(left.remaining(used))
        nothing: RunState = {"messages": []}
        with InnerRunBudget(left if around is None else around.capped(left), lambda: nothing, lambda _: parts) as shared:
            yield
        if around is not None:
            around.charge_usage(shared.used())

    def charge(self, usage: Usage, *, cause: str = "inner_run") -> None:
        """Charge the run for usage of an add-on; ``cause`` is its name in ``outcome["usage"]["by_cause"]``."""
        self._around.charge_usage(usage, cause)

    def capped(self, own: UsageLimits) -> UsageLimits:
        """Return own limits, lowered to what the run has left."""
        return self._around.capped(own)
