"""The table of a measurement, in Markdown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from answergraph.kit.intervals import wilson
from tests.models.tasks import TASKS
from tests.models.ways import BARE

WITH_TOOLS = frozenset(task.name for task in TASKS if task.tools)
HEADS = (
    *("asked by", "valid", "right", "no answer", "raised", "calls per run", "tokens, no tools"),
    *("right tool run", "right, tools", "tokens, tools", "tokens per right, tools", "s per run"),
)
MAX_TOKENS_RATIO = 1.2
"""The tokens per valid answer of a bare schema, by those of the leanest peer that did the same work."""


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
    with_tools = _with_tools(runs, True)
    cells = (
        name,
        f"{valid} of {len(runs)}{_interval([each.valid for each in runs], runs)}",
        f"{sum(known)} of {len(known)}{_interval(known, [each for each in runs if each.right is not None])}",
        _counts(silent),
        _counts(raised),
        calls,
        _figure(tokens_of(_with_tools(runs, False))),
        f"{_tool_runs(runs)} of {len(with_tools)}" if with_tools else "-",
        f"{_right(with_tools)} of {sum(each.right is not None for each in with_tools)}" if with_tools else "-",
        _figure(tokens_of(with_tools)),
        _figure(tokens_per_right(with_tools)),
        seconds,
    )
    return _line(cells)


def _interval(marks: Sequence[bool], runs: Sequence[Any]) -> str:
    """Return the 95 % interval of a rate; the runs of one task are no independent trials."""
    if not marks:
        return ""
    low, high = wilson(sum(marks) / len(marks), len({each.task for each in runs}))
    return f" ({low:.0%} to {high:.0%})".replace("%", " %", 1).replace("%)", " %)")


def tokens_of(runs: Sequence[Any]) -> float | None:
    """Return the tokens of all requests and replies per valid answer."""
    valid = sum(each.valid for each in runs)
    return sum(each.tokens for each in runs) / valid if valid else None


def tokens_per_right(runs: Sequence[Any]) -> float | None:
    """Return the tokens per right answer of the runs whose right answer is known."""
    known = [each for each in runs if each.right is not None]
    return sum(each.tokens for each in known) / _right(known) if _right(known) else None


def _right(runs: Sequence[Any]) -> int:
    return sum(bool(each.right) for each in runs)


def those_ahead(results: Sequence[Any]) -> Iterator[str]:
    """Where a bare schema brings fewer valid answers than another way, on the runs that both have."""
    for model, of_way in _by_way(results):
        bare = {_run(each): each.valid for each in of_way.get(BARE, ())}
        for way, theirs in of_way.items():
            valid = {_run(each): each.valid for each in theirs}
            both = bare.keys() & valid.keys()
            mine, others = sum(bare[run] for run in both), sum(valid[run] for run in both)
            if mine < others:
                yield f"on {model} a bare schema has {mine} valid answers, {way} {others}, of {len(both)}"


def _by_way(results: Sequence[Any]) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    for model in dict.fromkeys(each.model for each in results):
        of_way: dict[str, list[Any]] = {}
        for each in results:
            if each.model == model:
                of_way.setdefault(each.way, []).append(each)
        yield model, of_way


def _run(result: Any) -> tuple[str, int]:
    return result.task, result.seed


def those_leaner(results: Sequence[Any]) -> Iterator[str]:
    """Where a bare schema takes more than ``MAX_TOKENS_RATIO`` times the tokens of a peer on the tasks that both have run.

    With tools only a peer counts that ran tools in as many runs: the others were spared the work (decision 14).
    """
    for (model, every), tools in product(_by_way(results), (False, True)):
        of_way = {way: runs for way, each in every.items() if (runs := _with_tools(each, tools))}
        for way, theirs in of_way.items():
            mine = [each for each in of_way.get(BARE, ()) if _run(each) in set(map(_run, theirs))]
            both = (tokens_of(mine), tokens_of(theirs))
            is_same_work = not theirs[0].ours and (not tools or _tool_runs(theirs) >= max(_tool_runs(mine), 1))
            if is_same_work and both[0] and both[1] and both[0] > MAX_TOKENS_RATIO * both[1]:
                kind = "with tools" if tools else "without tools"
                yield f"on {model} a bare schema takes {both[0]:.0f} tokens per valid answer {kind}, {way} {both[1]:.0f}"


def _with_tools(runs: Sequence[Any], tools: bool) -> list[Any]:
    return [each for each in runs if (each.task in WITH_TOOLS) is tools]


def _tool_runs(runs: Sequence[Any]) -> int:
    return sum(each.tool_calls > 0 for each in runs)


def _figure(number: float | None) -> str:
    return "-" if number is None else f"{number:.0f}"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {end}" for end, count in sorted(counts.items())) or "0"


def _line(cells: Iterator[str] | Sequence[str] | Any) -> str:
    return "| " + " | ".join(cells) + " |"
