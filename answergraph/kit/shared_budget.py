"""The budget that an add-on shares with the run around it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Self, cast

from answergraph.runtime.time_limits import clock_of
from answergraph.state.budget import InnerRunBudget, current_budget
from answergraph.state.outcome import RunUsage, Usage
from answergraph.state.usage import NO_USAGE, RemainingBudget, UsageLimits


class _Shared(InnerRunBudget):
    others: Callable[[Usage], float]

    def _remaining(self, leaving_out: str | None = None) -> RemainingBudget:
        return super()._remaining(leaving_out).minus({**NO_USAGE, "cost": self.others(self.used())})


@dataclass(frozen=True)
class Budget:
    """What the run around this has left."""

    _around: InnerRunBudget

    @classmethod
    def current(cls) -> Self | None:
        """Return the budget of the run around this; ``None`` outside the nodes and tools of an agent."""
        return None if (around := current_budget()) is None else cls(around)

    @staticmethod
    @contextmanager
    def sharing(
        limits: UsageLimits | None, used: RunUsage, parts: int = 1, others: Callable[[Usage], float] = lambda _: 0.0
    ) -> Iterator[Callable[[], Usage]]:
        """Share limits among the runs inside, one of ``parts`` of what is left for each; the run around is charged too.

        Parts run at the same time, so each has all the seconds that are left. ``others`` is told before each call what the runs
        inside have used, and returns what others have taken of the cost; what this yields returns the same as it is told.
        """
        if limits is None:
            yield lambda: NO_USAGE
            return
        around = current_budget()
        whole = replace(limits, reserve_final_answer=False)
        left = whole.capped_by(whole.remaining(cast("Usage", used)))
        shared = _Shared(left if around is None else around.capped(left), lambda: {"messages": []}, lambda _: parts)
        shared.others = others
        clock = None if limits.seconds is None else clock_of(per_visit=None, seconds=max(limits.seconds - used["seconds"], 0.0))
        with shared, nullcontext() if clock is None else clock.visiting(clock.ends):
            yield shared.used
        if around is not None:
            around.charge_usage(shared.used())

    def charge(self, usage: Usage, *, cause: str = "inner_run") -> None:
        """Charge the run for usage of an add-on; ``cause`` is its name in ``outcome["usage"]["by_cause"]``."""
        self._around.charge_usage(usage, cause)

    def capped(self, own: UsageLimits) -> UsageLimits:
        """Return own limits, lowered to what the run has left."""
        return self._around.capped(own)
