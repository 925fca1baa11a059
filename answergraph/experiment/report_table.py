"""Prints the figures as tables: the seed's question first, then quality and cost of the answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from answergraph.experiment.summary import CHECKING, COST, SMALL_SAMPLE_NOTE, TITLE, WORTH, Comparison, Metric, Report, Row

NOTHING = "–"

_Cell = Callable[[Row], str]
_STYLE: Mapping[str, Any] = {"box": box.SIMPLE_HEAD, "show_edge": False, "padding": (0, 1, 0, 0), "pad_edge": False}


def percent(value: float | None) -> str:
    """Return a share in percent, such as ``40 %`` or ``33.3 %``."""
    return NOTHING if value is None else f"{100 * value:.1f}".removesuffix(".0") + " %"


def number(value: float | None) -> str:
    """Return the shortest form of a number, such as ``0.4`` or ``1235``."""
    if value is None:
        return NOTHING
    return f"{value:.0f}" if value >= 1000 else f"{value:.2f}".rstrip("0").rstrip(".")  # noqa: PLR2004 - four digits are enough


def _columns(metrics: Mapping[str, Metric]) -> dict[str, _Cell]:
    return {metric.heading: _figure(name, is_share=metric.is_share) for name, metric in metrics.items()}


def _figure(metric: str, *, is_share: bool) -> _Cell:
    if not is_share:
        return lambda row: number(row.figures[metric])

    def share(row: Row) -> str:
        ends = row.intervals.get(metric)
        return percent(row.figures[metric]) + (f" ({100 * ends[0]:.0f}–{100 * ends[1]:.0f})" if ends else "")

    return share


def _calls(row: Row) -> str:
    return f"[{','.join(map(number, row.validate_calls))}]"


def as_tables(report: Report) -> RenderableType:
    tables = ({"validate calls": _calls, **_columns(CHECKING)}, _columns(WORTH), _columns(COST))
    return Group(
        Text(f"{TITLE}\nModel {report.model}, {report.repeats} repeat{'s' if report.repeats > 1 else ''}", style="bold"),
        *(Text(f"{name}: {value}") for name, value in report.provenance.items()),
        *([Text(report.note, style="bold red")] if report.note else ()),
        *(part for columns in tables for part in ("", _table(report, columns))),
        "",
        comparisons_table(report.comparisons),
        Text(f"\nShares with their 95 % intervals. {SMALL_SAMPLE_NOTE}"),
        *_remarks(report),
    )


def comparisons_table(comparisons: Sequence[Comparison]) -> Table:
    table = Table("tasks validated", "", "against", "", "tasks", "more : less", "p", **_STYLE)
    for each in comparisons:
        cells = [each.setting, percent(each.rates[0]), each.other, percent(each.rates[1])]
        table.add_row(*cells, str(each.test.pairs), f"{each.test.higher} : {each.test.lower}", f"{each.test.p:.3g}")
    return table


def _table(report: Report, columns: dict[str, _Cell]) -> Table:
    # A narrow terminal may wrap headings and calls, but never a setting's name.
    table = Table(**_STYLE)
    table.add_column("setting", no_wrap=True, min_width=max(len(row.setting) for row in report.rows))
    table.add_column("runs", no_wrap=True)
    for heading in columns:
        table.add_column(heading, justify="right", overflow="fold", min_width=max(map(len, heading.split())))
    for row in report.rows:
        cells = [NOTHING for _ in columns] if row.error else [cell(row) for cell in columns.values()]
        table.add_row(row.setting, "error" if row.error else f"{row.finished}/{row.planned}", *cells)
    return table


def _remarks(report: Report) -> Iterator[Text]:
    for row in report.rows:
        if row.error:
            yield Text(f"{row.setting}: error: {row.error}", style="red")
        if row.failed:
            yield Text(f"{row.setting}: {row.failed} of {row.planned} runs failed and are not counted", style="red")
        for note in row.notes:
            yield Text(f"{row.setting}: {note}")
