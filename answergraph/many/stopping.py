"""When a map stops asking: limits of all rows together, and failures in a row."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import cast

from answergraph import AgentSpecError, UsageLimits
from answergraph.kit import Budget
from answergraph.many.ledger.control import PAUSED
from answergraph.many.ledger.rows import BY_PAUSE, COUNTED, NO_USAGE, NOT_ASKED, End
from answergraph.types import RunUsage, Usage


@dataclass
class Share:
    """What the runs of a row have used of a purse, and what is left for them."""

    cost: float = 0.0
    calls: int = 0
    left: float = 0.0


class Purse:
    """The money of all rows: what any of them has spent, in all processes, counts before each call of the others.

    What a call costs is known when it has ended. Until then one of each row under way counts as calls have cost on average.
    """

    def __init__(self, limits: UsageLimits, elsewhere: Callable[[], float]) -> None:
        """``elsewhere`` returns what other processes have spent, and earlier passes."""
        # Inside a limit of cost every agent counts what it costs, and refuses a model without a known price.
        self._limits = UsageLimits(model_calls=None, cost=limits.cost, prices=limits.prices)
        self._elsewhere = elsewhere
        self._lock = Lock()
        self._rows, self._cost, self._calls = 0, 0.0, 0

    @contextmanager
    def share(self) -> Iterator[Share]:
        """Let the runs of a row spend what is left."""
        share = Share()
        self._rows += 1
        try:
            with Budget.sharing(self._limits, cast("RunUsage", NO_USAGE), others=partial(self._of_others, share)) as used:
                yield share
            self._of_others(share, used())
        finally:
            self._rows -= 1

    def _of_others(self, share: Share, used: Usage) -> float:
        cost, calls = used.get("cost") or 0.0, used["model_calls"]
        with self._lock:
            self._cost, self._calls = self._cost + cost - share.cost, self._calls + calls - share.calls
            expected = (self._rows - 1) * self._cost / max(self._calls, 1)
            of_others = round(self._elsewhere() + self._cost - cost + expected, 9)  # sums in another order are equal
            share.cost, share.calls, share.left = cost, calls, float(self._limits.cost or 0) - of_others - cost
        return of_others


class Stopping:
    """Says how many rows may be asked for, and why no more.

    Args:
        limits: Of all rows together; ``None`` for none.
        stop_after: Rows in a row without an answer; ``None``: the map goes on whatever happens.
        used: Returns what all rows have used, in all processes.
        tries_first: Whether few rows are asked until an answer has come; a batch may take a day.
    """

    def __init__(
        self,
        limits: UsageLimits | None,
        stop_after: int | None,
        used: Callable[[], Mapping[str, float]],
        *,
        tries_first: bool = True,
    ) -> None:
        self._limits = limits_of(limits)
        self._stop_after = stop_after
        self._used_by_all = used
        self._used: Mapping[str, float] = used() if self._limits else {}
        self._tries_first = tries_first
        self._began = time.monotonic()
        self._measured = 0  # rows that say what a row uses: one that failed without any usage does not
        self._own_use = dict.fromkeys(COUNTED, 0.0)
        self._elsewhere = self._used.get("cost", 0.0)
        self._is_spent = False
        self.purse = Purse(limits, lambda: self._elsewhere) if limits and "cost" in self._limits else None
        self._in_a_row = 0
        self._answers = 0
        self._failing = ""
        self.is_paused = False
        """Whether nothing more is asked since a person wants so."""

    def note(self, ends: list[End]) -> None:
        """Count what ended."""
        for end in ends:
            has_answer = end.group.status in {"answered", "abstained"}
            self._in_a_row = 0 if has_answer else self._in_a_row + end.is_stored
            self._is_spent = self._is_spent or not end.is_stored
            self._answers += has_answer
            if self._stop_after is not None and self._in_a_row >= self._stop_after and not self._failing:
                reason = end.parsed_outcome()["reason"]
                self._failing = f"{self._in_a_row} rows in a row ended without an answer. The last: {end.group.status}: {reason}"
            usage = end.usage()
            self._measured += has_answer or any(usage.values())
            self._own_use = {name: amount + usage[name] for name, amount in self._own_use.items()}
        if self._limits:
            self._used = self._used_by_all()
            self._elsewhere = self._used.get("cost", 0.0) - self._own_use["cost"]

    @property
    def reason(self) -> str | None:
        """Why nothing more is asked, ``None`` while the map goes on."""
        if self._failing or self.is_paused:
            return self._failing or PAUSED
        used = {**self._used, "seconds": time.monotonic() - self._began}
        reached = (name for name, limit in self._limits.items() if used.get(name, 0) >= limit)
        if (name := next(reached, "cost" if self._is_spent else None)) is None:
            return None
        how = "is reached" if used[name] >= self._limits[name] else "leaves too little for a row"
        return f"The limit {name}={self._limits[name]:g} of all rows {how} ({used[name]:.6g})."

    def room(self, at_once: int, under_way: int) -> int:
        """Return how many rows may be begun beside those under way."""
        room = at_once - under_way
        if self._stop_after is not None and self._tries_first and (not self._answers or 2 * self._in_a_row >= self._stop_after):
            # Before the first answer, and when many have failed, no more is spent than it takes to know.
            room = min(room, self._stop_after - self._in_a_row - under_way)
        if self._tries_first and self._limits.keys() & set(COUNTED):
            # What a row uses is known by few at first: of more at once, many would be left unfinished where it is more.
            room = min(room, max(2 * self._measured, 1) - under_way)
        for name, limit in self._limits.items():
            average = self._own_use.get(name, 0) / self._measured if self._measured else name == "model_calls"
            if average:
                room = min(room, int((limit - self._used.get(name, 0)) / average) - under_way)
        return max(room, 0 if under_way else 1)

    def not_asked(self, key: str) -> End:
        """Return the end of a row that is left for another time; it is not stored."""
        reason = self.reason
        return End.without_outcome(key, BY_PAUSE if reason == PAUSED else NOT_ASKED, f"Not asked: {reason}")


def limits_of(limits: UsageLimits | None) -> dict[str, float]:
    """Return the limits of all rows that are set.

    Raises:
        AgentSpecError: If a limit is one of a single run.
    """
    if limits is None:
        return {}
    values, defaults = vars(limits), vars(UsageLimits())
    of_a_run = [name for name, value in values.items() if name not in {*COUNTED, "seconds", "prices"} and value != defaults[name]]
    if of_a_run:
        raise AgentSpecError(f"limits= of a map is for all rows together, and {of_a_run[0]} is a run's: give it to the agent.")
    set_limits = {name: float(values[name]) for name in (*COUNTED, "seconds") if values.get(name) is not None}
    # 50 calls is the default of one run, and is not meant for all rows where another limit is.
    if set_limits.get("model_calls") == defaults["model_calls"] and len(set_limits) > 1:
        del set_limits["model_calls"]
    return set_limits
