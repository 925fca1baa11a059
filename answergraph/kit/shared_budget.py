"""The budget that an add-on shares with the run around it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Self, cast

from answergraph.runtime.time_limits import clock_of
from answergraph.state.agent_state import RunState
from answergraph.state.budget import InnerRunBudget, current_budget
from answergraph.state.outcome import RunUsage, Usage
from answergraph.state.usage import UsageLimits


@dataclass(frozen=True)
class Budget:
    """What the run around this has left."""

    _around: InnerRunBudget

    @classmethod
    def current(cls) -> Self | None:
        """Return the budget of the run around this; ``None`` outside the nodes and tools of an agent."""
        around = current_budget()
        return None if around is None else cls(around)

    @staticmethod
    @contextmanager
    def sharing(limits: UsageLimits | None, used: RunUsage, parts: int = 1) -> Iterator[None]:
        """Share limits among the runs inside, one of ``parts`` of what is left for each; the run around is charged too.

        Parts run at the same time, so each has all the seconds that are left.
        """
        if limits is None:
            yield
            return
        around = current_budget()
        left = replace(limits, reserve_final_answer=False)
        left = left.capped_by(left.remaining(cast("Usage", used)))
        nothing: RunState = {"messages": []}
        budget = InnerRunBudget(left if around is None else around.capped(left), lambda: nothing, lambda _: parts)
        with budget as shared, _in_time(limits.seconds, used["seconds"]):
            yield
        if around is not None:
            around.charge_usage(shared.used())

    def charge(self, usage: Usage, *, cause: str = "inner_run") -> None:
        """Charge the run for usage of an add-on; ``cause`` is its name in ``outcome["usage"]["by_cause"]``."""
        self._around.charge_usage(usage, cause)

    def capped(self, own: UsageLimits) -> UsageLimits:
        """Return own limits, lowered to what the run has left."""
        return self._around.capped(own)


def _in_time(seconds: float | None, used: float) -> AbstractContextManager[object]:
    if seconds is None:
        return nullcontext()
    clock = clock_of(per_visit=None, seconds=max(seconds - used, 0.0))
    return clock.visiting(clock.ends)
