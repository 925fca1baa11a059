"""The usage of several runs together."""

from collections.abc import Sequence
from typing import Any

from answergraph.types import RunUsage, Usage

PER_CAUSE = ("model_calls", "tool_calls", "total_tokens", "cost")


def sum_of(usages: Sequence[Usage] | Sequence[RunUsage]) -> Usage:
    """Return the sum of usages; a number that one of them does not know is ``None``."""
    total: Any = {"model_calls": 0, "tool_calls": 0, "input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    for usage in usages:
        for name, count in usage.items():
            if isinstance(count, int | float) and total.get(name, 0) is not None:
                total[name] = total.get(name, 0) + count
            elif count is None:
                total[name] = None
    return {**total, "by_cause": {}}  # type: ignore[typeddict-item]  # its keys are those of a usage


def usage_by_round(usages: Sequence[tuple[int, RunUsage]]) -> RunUsage:
    """Return the usage of an ensemble: what the first agents used, and the next ones, by cause; time at once counts once."""
    causes = {"turn": [usage for index, usage in usages if index == 0], "escalation": [usage for index, usage in usages if index]}
    by_cause: Any = {}
    for cause, each in causes.items():
        total: Any = sum_of(each)
        by_cause |= {cause: {name: total[name] for name in PER_CAUSE if total.get(name) is not None}} if each else {}
    seconds = [max(usage["seconds"] for at, usage in usages if at == index) for index in dict(usages)]
    unpriced = list(dict.fromkeys(name for _, usage in usages for name in usage["unpriced"]))
    whole: Any = {**sum_of([usage for _, usage in usages]), "by_cause": by_cause, "seconds": sum(seconds), "unpriced": unpriced}
    return {**whole, "rounds": [each for _, usage in usages for each in usage["rounds"]]}  # type: ignore[typeddict-item]  # as above
