"""The table of a measurement, in Markdown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tests.models.tasks import TASKS

WITH_TOOLS = frozenset(task.name for task in TASKS if task.tools)
HEADS = ("asked by", "valid", "right", "no answer", "raised", "calls per run", "tokens, no tools", "tokens, tools", "s per run")


def table(title: str, results: Sequence[Any]) -> str:
    """Return one row per way of asking, most valid answers first."""
    ways = {each.way: [other for other in results if other.way == each.way] for each in results}
    ordered = sorted(ways.items(), key=lambda pair: -sum(each.valid for each in pair[1]))
    rows = [_row(way, runs) for way, runs in ordered]
    return "\n".join([f"### {title}", "", _line(HEADS), _line("---" for _ in HEADS), *rows, ""])


def _row(way: str, runs: Sequence[Any]) -> str:
    valid = sum(each.valid for each in runs)
    known = [each.right for each in runs if each.right is not None]
    ends = Counter(each.ended for each in runs if not each.valid)
    silent = {end: count for end, count in ends.items() if end.islower()}
    raised = {end: count for end, count in ends.items() if not end.islower()}
    calls = f"{sum(each.model_calls for each in runs) / len(runs):.1f}"
    seconds = f"{sum(each.seconds for each in runs) / len(runs):.0f}"
    name = f"**{way}**" if runs[0].ours else way
    cells = (
        name,
        f"{valid} of {len(runs)}",
        f"{sum(known)} of {len(known)}",
        _counts(silent),
        _counts(raised),
        calls,
        _tokens([each for each in runs if each.task not in WITH_TOOLS]),
        _tokens([each for each in runs if each.task in WITH_TOOLS]),
        seconds,
    )
    return _line(cells)


def _tokens(runs: Sequence[Any]) -> str:
    """Return the tokens of all requests and replies per valid answer."""
    valid = sum(each.valid for each in runs)
    return f"{sum(each.tokens for each in runs) / valid:.0f}" if valid else "-"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {end}" for end, count in sorted(counts.items())) or "0"


def _line(cells: Iterator[str] | Sequence[str] | Any) -> str:
    return "| " + " | ".join(cells) + " |"
