"""What a run may use: its own limits, and where it runs inside another run, what its caller has left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from answergraph.nodes.errors import AgentSpecError
from answergraph.nodes.usage import Usage


class Room(NamedTuple):
    """What is left of a budget; ``None`` for no limit."""

    model_calls: int | None
    tool_calls: int | None
    total_tokens: int | None

    @property
    def is_spent(self) -> bool:
        """Whether there is no room for one more call of a model."""
        return self.model_calls == 0 or self.total_tokens == 0

    def beside(self, others: Usage) -> Room:
        """Return what is left beside what others use of it."""
        return Room(
            model_calls=_rest(self.model_calls, others["model_calls"]),
            tool_calls=_rest(self.tool_calls, others["tool_calls"]),
            total_tokens=_rest(self.total_tokens, others["total_tokens"]),
        )

    def shared(self, parts: int) -> Room:
        """Return one of several equal parts."""
        return Room(*(None if limit is None else limit // parts for limit in self))


@dataclass(frozen=True)
class UsageLimits:
    """What a run may use before it ends with status ``out_of_budget``.

    Raises:
        AgentSpecError: If a limit is zero, negative or no whole number.
    """

    model_calls: int | None = 50
    """Calls of the model. With 1, the one call is the final answer."""
    tool_calls: int | None = None
    """Ordinary tool calls that are carried out; further ones are answered "not available"."""
    total_tokens: int | None = None
    """Tokens in and out, as far as the model reports them; a call in progress may exceed it."""
    answer_attempts: int = 4
    """Replies read as an answer, the first included."""
    reserve_final_answer: bool = True
    """Whether the last model call of the budget is made with the answer forced and tools off."""

    def __post_init__(self) -> None:
        """Refuse limits that no run could keep."""
        if not isinstance(self.reserve_final_answer, bool):
            raise AgentSpecError(f"UsageLimits(reserve_final_answer={self.reserve_final_answer!r}): say True or False.")
        for name in ("model_calls", "tool_calls", "total_tokens"):
            limit = getattr(self, name)
            if limit is not None and not _is_count(limit):
                raise AgentSpecError(f"UsageLimits({name}={limit!r}): a limit is at least 1, or None for none.")
        if not _is_count(self.answer_attempts):
            raise AgentSpecError(f"UsageLimits(answer_attempts={self.answer_attempts!r}): a limit is at least 1, a whole number.")

    def leave_one_call(self, usage: Usage) -> bool:
        """Return whether the next model call is the last one the budget has.

        Args:
            usage: What was used before that call.
        """
        last_model_call = self.model_calls is not None and usage["model_calls"] >= self.model_calls - 1
        # A further call costs about what an average one did.
        per_call = usage["total_tokens"] // max(usage["model_calls"], 1)
        few_tokens_left = self.total_tokens is not None and usage["total_tokens"] + 2 * per_call > self.total_tokens
        return last_model_call or (few_tokens_left and usage["model_calls"] > 0)

    def leave_no_call(self, usage: Usage) -> bool:
        """Return whether the budget has no model call left: runs inside this one used it up, or its caller left it none."""
        no_model_call = self.model_calls is not None and usage["model_calls"] >= self.model_calls
        return no_model_call or (self.total_tokens is not None and self.total_tokens < 1)

    def tool_calls_left(self, usage: Usage) -> int | None:
        """Return how many tool calls may still be carried out, ``None`` for any number."""
        return None if self.tool_calls is None else max(self.tool_calls - usage["tool_calls"], 0)

    def left(self, usage: Usage) -> Room:
        """Return what is left for runs inside this one; the call of the reserved final answer is kept back."""
        kept = 1 if self.reserve_final_answer else 0
        return Room(
            model_calls=_rest(self.model_calls, usage["model_calls"] + kept),
            tool_calls=_rest(self.tool_calls, usage["tool_calls"]),
            total_tokens=_rest(self.total_tokens, usage["total_tokens"]),
        )

    def within(self, room: Room) -> UsageLimits:
        """Return these limits, none of them beyond what there is room for."""
        return _SharedLimits(
            model_calls=_smaller(self.model_calls, room.model_calls),
            tool_calls=_smaller(self.tool_calls, room.tool_calls),
            total_tokens=_smaller(self.total_tokens, room.total_tokens),
            answer_attempts=self.answer_attempts,
            reserve_final_answer=self.reserve_final_answer,
        )


class _SharedLimits(UsageLimits):
    def __post_init__(self) -> None:
        # What a caller has left may be nothing.
        return


def _is_count(limit: Any) -> bool:
    return isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1


def _rest(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


def _smaller(own: int | None, other: int | None) -> int | None:
    return min((limit for limit in (own, other) if limit is not None), default=None)


NO_LIMITS = UsageLimits(model_calls=None)
"""The default of an agent without a response format."""
