"""What a run uses, what it may use, and what is left of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple, cast, get_args

from langchain_core.messages import AIMessage

from answergraph.runtime.argument_checks import check_function, check_prices, is_positive, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.runtime.time_limits import RunClock
from answergraph.state.outcome import Cause, CauseUsage, LimitName, Limits, Prices, Usage

_CountPerCause = Literal["model_calls", "tool_calls", "total_tokens"]
_Count = Literal[_CountPerCause, "input_tokens", "output_tokens"]
_Part = Literal["cached_tokens", "reasoning_tokens"]
PER_CAUSE: tuple[_CountPerCause, ...] = get_args(_CountPerCause)
_COUNTS: tuple[_Count, ...] = get_args(_Count)
PARTS: tuple[tuple[_Part, str, str], ...] = (
    ("cached_tokens", "input_token_details", "cache_read"),
    ("reasoning_tokens", "output_token_details", "reasoning"),
)
"""Counts that are part of others: their names, and where a reply's usage metadata has them."""
_SUMMED: tuple[str, ...] = (*(name for name, _, _ in PARTS), "cost")  # where they are counted at all
_CAUSES = frozenset(get_args(Cause))
SHARED: tuple[str, ...] = (*PER_CAUSE, "cost")  # what a cause has of a usage

NO_USAGE: Usage = Usage(model_calls=0, tool_calls=0, input_tokens=0, output_tokens=0, total_tokens=0, by_cause={})
"""The usage of a new run; never changed in place."""


@dataclass
class Spending:
    """What the calls of a visit have cost, in their order."""

    costs: list[float] = field(default_factory=list)
    unpriced: list[str] = field(default_factory=list)  # names of models


def usage_of(
    replies: Sequence[AIMessage], cause: Cause, *, model_calls: int, tool_calls: int, spending: Spending | None = None
) -> Usage:
    """Return the usage of one model visit and its tool calls; it has several replies if middleware calls the model again."""
    inputs = [token_count(reply.usage_metadata, "input_tokens") for reply in replies]
    outputs = [token_count(reply.usage_metadata, "output_tokens") for reply in replies]
    totals = [token_count(reply.usage_metadata, "total_tokens") for reply in replies]
    each = [max(total, sum(parts)) for total, *parts in zip(totals, inputs, outputs, strict=True)]  # some servers send no total
    usage = Usage(
        model_calls=model_calls,
        tool_calls=tool_calls,
        input_tokens=sum(inputs),
        output_tokens=sum(outputs),
        total_tokens=sum(each),
        by_cause={},
    )
    counts: Any = usage
    # Stored only where there are any: each checkpoint repeats the usage.
    for metadata in [reply.usage_metadata for reply in replies if isinstance(reply.usage_metadata, dict)]:
        for name, group, key in PARTS:
            if group in metadata and (part := token_count(metadata.get(group), key)):
                counts[name] = counts.get(name, 0) + part
    if cause != "turn":
        usage["by_cause"][cause] = CauseUsage(model_calls=min(model_calls, 1), tool_calls=tool_calls, total_tokens=sum(each[:1]))
    if model_calls > 1:
        usage["by_cause"]["retry"] = CauseUsage(model_calls=model_calls - 1, tool_calls=0, total_tokens=sum(each[1:]))
    if spending is not None:
        _add_costs(usage, cause, spending)
    return usage


def _add_costs(usage: Usage, cause: Cause, spending: Spending) -> None:
    usage["cost"] = sum(spending.costs)
    if spending.unpriced:
        usage["unpriced"] = [*spending.unpriced]
    for name, costs in ((cause, spending.costs[:1]), ("retry", spending.costs[1:])):
        if name in usage["by_cause"]:
            usage["by_cause"][name]["cost"] = sum(costs)


def token_count(usage: Any, name: str) -> int:
    """Return a count of a reply's usage metadata, 0 if missing or invalid."""
    value = usage.get(name) if isinstance(usage, dict) else None
    try:
        return max(int(value), 0) if isinstance(value, (int, float, str)) else 0
    except (ValueError, OverflowError):
        return 0


def added(left: Usage, right: Usage) -> Usage:
    causes: dict[str, Any] = {**left["by_cause"]}
    for cause, share in cast("dict[str, Any]", right["by_cause"]).items():
        so_far = causes.get(cause, {})
        causes[cause] = {name: so_far.get(name, 0) + share.get(name, 0) for name in SHARED if name in so_far or name in share}
    counts: Any = {name: left[name] + right[name] for name in _COUNTS}
    for name in _SUMMED:
        if name in left or name in right:
            counts[name] = (left.get(name) or 0) + (right.get(name) or 0)  # type: ignore[operator]  # its keys are those of numbers
    if "unpriced" in left or "unpriced" in right:
        counts["unpriced"] = list(dict.fromkeys([*left.get("unpriced", ()), *right.get("unpriced", ())]))
    return cast("Usage", counts | {"by_cause": causes})


def of_inner_runs(used: Usage, counted: Usage) -> Usage:
    """Return the usage of inner runs that is not counted yet; causes that add-ons have named stay apart."""
    counts = _less(used, counted, (*_COUNTS, *_SUMMED))
    named = {cause: usage for cause, usage in used["by_cause"].items() if cause not in _CAUSES}
    causes = {cause: _less(usage, counted["by_cause"].get(cause, {}), SHARED) for cause, usage in named.items()}
    rest = {name: counts[name] - sum(share.get(name, 0) for share in causes.values()) for name in SHARED if name in counts}
    if any(rest.values()) or not causes:
        causes["inner_run"] = rest
    unpriced = {"unpriced": used["unpriced"]} if "unpriced" in used else {}
    return cast("Usage", counts | unpriced | {"by_cause": causes})


def _less(left: Any, right: Any, names: Sequence[str]) -> dict[str, float]:
    return {name: left[name] - (right.get(name) or 0) for name in names if name in left}


_WORDS_LEFT = {
    "model_calls": "model calls, this one included",
    "tool_calls": "tool calls",
    "total_tokens": "tokens",
    "seconds": "seconds",
    "cost": "in money",
}
_MAX_SECONDS = 1e9  # Python waits for no more than 300 years
_TIMES = ("seconds", "seconds_per_model_call", "seconds_per_tool_call")


class RemainingBudget(NamedTuple):
    """What is left of a budget; ``None`` means no limit."""

    model_calls: int | None
    tool_calls: int | None
    total_tokens: int | None
    cost: float | None = None

    @property
    def is_exhausted(self) -> bool:
        """Whether no model call is left."""
        return 0 in (self.model_calls, self.total_tokens, self.cost)

    def minus(self, usage: Usage) -> RemainingBudget:
        return RemainingBudget(
            model_calls=_rest(self.model_calls, usage["model_calls"]),
            tool_calls=_rest(self.tool_calls, usage["tool_calls"]),
            total_tokens=_rest(self.total_tokens, usage["total_tokens"]),
            cost=None if self.cost is None else max(self.cost - (usage.get("cost") or 0.0), 0.0),
        )

    def split(self, parts: int) -> RemainingBudget:
        model_calls, tool_calls, total_tokens = (None if limit is None else limit // parts for limit in self[:3])
        return RemainingBudget(model_calls, tool_calls, total_tokens, None if self.cost is None else self.cost / parts)


@explains_arguments("UsageLimits(model_calls=10)")
@dataclass(frozen=True, kw_only=True)
class UsageLimits:
    """The limits of a run. Near one, the answer is forced from what is known; past it the run ends ``out_of_budget``.

    Raises:
        AgentSpecError: If a limit is not positive.
    """

    model_calls: int | None = 50
    """Model calls. With 1, the only call must give the answer."""
    tool_calls: int | None = None
    """Executed tool calls; answers do not count. Further calls get the result "not available"."""
    total_tokens: int | None = None
    """Input and output tokens that the model reports. Checked before each call, so the last call may exceed the limit."""
    seconds: float | None = None
    """Wall time of the run. Waiting for a person does not count; a resumed run goes on counting."""
    cost: Decimal | float | None = None
    """US dollars, or the currency of ``prices``. Checked before each call, so the last call may exceed the limit."""
    seconds_per_model_call: float | None = None
    """Then the call is cut, and what had streamed is read."""
    seconds_per_tool_call: float | None = None
    """Then the call is answered "did not finish in time". A tool's ``metadata["seconds_per_tool_call"]`` replaces it."""
    prices: Prices | None = field(default=None, hash=False)
    """Your own prices. What they lack is taken from the package genai-prices, if it is installed."""
    answer_attempts: int = 4
    """Replies that are read as an answer, including the first."""
    reserve_final_answer: bool = True
    """Whether the last model call of the budget must give the answer, without tools; its usual time is kept for it."""
    tell_model: bool = False
    """Whether each request ends with a line that says what is left. It is not stored."""

    def __post_init__(self) -> None:
        for name in ("reserve_final_answer", "tell_model"):
            if not isinstance(getattr(self, name), bool):
                raise AgentSpecError(f"UsageLimits({name}={getattr(self, name)!r}): write True or False.")
        for name in ("model_calls", "tool_calls", "total_tokens"):
            if (limit := getattr(self, name)) is not None and not _is_count(limit):
                raise AgentSpecError(f"UsageLimits({name}={limit!r}): write a whole number of at least 1, or None for no limit.")
        for name in _TIMES:
            limit = getattr(self, name)
            if limit is not None and (isinstance(limit, Decimal) or not is_positive(limit, _MAX_SECONDS)):
                raise AgentSpecError(f"UsageLimits({name}={limit!r}): write a positive number of seconds below 1e9, or None.")
        self._check_money()
        if not _is_count(self.answer_attempts):
            raise AgentSpecError(f"UsageLimits(answer_attempts={self.answer_attempts!r}): write a whole number of at least 1.")

    def _check_money(self) -> None:
        if self.cost is not None and not is_positive(self.cost):
            raise AgentSpecError(f"UsageLimits(cost={self.cost!r}): write a positive amount of money, or None for no limit.")
        if callable(self.prices):
            check_function(f"UsageLimits(prices={shown(self.prices)})", self.prices, "model", "usage")
        elif self.prices is not None:
            check_prices(self.prices)

    @property
    def is_priced(self) -> bool:
        """Whether the cost of calls is counted."""
        return self.cost is not None or self.prices is not None

    @property
    def has_times(self) -> bool:
        return any(getattr(self, name) is not None for name in _TIMES)

    def last_call_by(self, usage: Usage, clock: RunClock | None = None) -> LimitName | None:
        """Return the limit that makes the next model call the last one, given the usage before it."""
        calls = usage["model_calls"]
        if self.model_calls is not None and calls >= self.model_calls - 1:
            return "model_calls"
        # Assumes an average cost per call.
        if self.total_tokens is not None and calls and usage["total_tokens"] * (1 + 2 / calls) > self.total_tokens:
            return "total_tokens"
        if self.cost is not None and calls and (usage.get("cost") or 0.0) * (1 + 2 / calls) > self.cost:
            return "cost"
        return "seconds" if clock is not None and clock.is_last_call else None

    def exhausted_by(self, usage: Usage, clock: RunClock | None = None) -> LimitName | None:
        """Return the limit that leaves no model call; inner runs and the caller's budget count."""
        if self.model_calls is not None and usage["model_calls"] >= self.model_calls:
            return "model_calls"
        if self.total_tokens is not None and self.total_tokens < 1:
            return "total_tokens"
        if self.cost is not None and (usage.get("cost") or 0.0) >= self.cost:
            return "cost"
        return "seconds" if clock is not None and clock.is_over else None

    def remaining(self, usage: Usage) -> RemainingBudget:
        """Return the budget for inner runs, without the call reserved for the final answer."""
        cost = None if self.cost is None else float(self.cost)
        left = RemainingBudget(self.model_calls, self.tool_calls, self.total_tokens, cost).minus(usage)
        return left._replace(model_calls=_rest(left.model_calls, 1)) if self.reserve_final_answer else left

    def capped_by(self, remaining: RemainingBudget, around: UsageLimits | None = None) -> UsageLimits:
        """Return limits lowered to what is left; without prices of their own, they have those of the limits around."""
        pairs = {name: (getattr(self, name), limit) for name, limit in remaining._asdict().items()}
        capped = {name: min((limit for limit in pair if limit is not None), default=None) for name, pair in pairs.items()}
        prices = self.prices if self.prices is not None or around is None else around.prices
        return _CappedLimits(**{**vars(self), **capped, "prices": prices})

    def in_force(self, clock: RunClock | None = None) -> Limits:
        """Return the limits by the names that the usage has."""
        return Limits(
            model_calls=self.model_calls,
            tool_calls=self.tool_calls,
            total_tokens=self.total_tokens,
            seconds=self.seconds if clock is None else clock.seconds,
            cost=None if self.cost is None else float(self.cost),
            answer_attempts=self.answer_attempts,
        )

    def left_in_words(self, usage: Usage, clock: RunClock | None) -> str | None:
        """Return one line that says what is left, ``None`` without limits."""
        left = self.remaining(usage)._asdict()
        if self.model_calls is not None:
            left["model_calls"] = max(self.model_calls - usage["model_calls"], 0)
        left["cost"] = None if left["cost"] is None else f"{left['cost']:.2g} of {self.cost}"
        left["seconds"] = None if clock is None or clock.seconds is None else max(round(clock.left), 0)
        words = [f"{left[name]} {word}" for name, word in _WORDS_LEFT.items() if left[name] is not None]
        return f"Left in this run: {', '.join(words)}." if words else None


class _CappedLimits(UsageLimits):
    def __post_init__(self) -> None:
        # A caller may have nothing left, so zero is allowed here.
        return


def _is_count(limit: object) -> bool:
    return isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1


def _rest(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


NO_LIMITS = UsageLimits(model_calls=None)
"""The default of an agent without a response format."""
