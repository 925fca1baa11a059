"""The budget that an add-on shares with the run around it."""

from __future__ import annotations

from dataclasses import dataclass

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

    def charge(self, usage: Usage) -> None:
        """Charge the run for usage of an add-on; it counts as ``inner_run`` in the outcome."""
        self._around.charge_usage(usage)

    def capped(self, own: UsageLimits) -> UsageLimits:
        """Return own limits, lowered to what the run has left."""
        return self._around.capped(own)
