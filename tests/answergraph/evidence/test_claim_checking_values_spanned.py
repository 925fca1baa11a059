"""Values in tables whose heads span several columns or rows, as HTML says it, or as Markdown leaves the covered cells empty."""

import time

import pytest

from answergraph import Grounded, check_evidence
from answergraph.evidence import ToolRun

HTML = """<table><tr><th rowspan="2">City</th><th colspan="2">2024</th><th colspan=2>2023</th></tr>
<tr><th>Net</th><th>Gross</th><th>Net</th><th>Gross</th></tr>
<tr><td rowspan=2>Rome</td><td>spring</td><td>50</td><td>60</td><td>70</td></tr>
<tr><td>autumn</td><td>51</td><td>61</td><td>71</td></tr>
<tr><td>Oslo</td><td>spring</td><td>52</td><td>62</td><td>72</td></tr></table>"""
WIDE = """<table><tr><th rowspan="2">City</th><th colspan="2">2024</th><th colspan=2>2023</th></tr>
<tr><th>Net</th><th>Gross</th><th>Net</th><th>Gross</th></tr>
<tr><td>Rome</td><td>50</td><td>60</td><td>70</td><td>80</td></tr>
<tr><td>Oslo</td><td>51</td><td>61</td><td>71</td><td>81</td></tr></table>"""
MARKDOWN = """|      | 2024 |       | 2023 |       |
|------|------|-------|------|-------|
| City | Net  | Gross | Net  | Gross |
| Rome | 50   | 60    | 70   | 80    |
| Oslo | 51   | 61    | 71   | 81    |"""


def is_accepted(value: int, text: str, label: str) -> bool:
    report = check_evidence({"value": value}, [ToolRun("1", "page", {}, (text,))], marks={"value": Grounded(label=label)})
    return report.fields["value"]["problem"] is None


@pytest.mark.parametrize("text", [WIDE, f"# Report\n\n{WIDE}\n\nmore", f"<html><body>{WIDE}</body></html>", MARKDOWN])
def test_a_head_covers_the_columns_that_it_spans(text: str) -> None:
    columns = {(2024, "Net"): (50, 51), (2024, "Gross"): (60, 61), (2023, "Net"): (70, 71), (2023, "Gross"): (80, 81)}
    for (year, kind), values in columns.items():
        for value in values:
            assert [is_accepted(value, text, label) for label in (str(year), kind)] == [True, True], value
            other = {"Net": "Gross", "Gross": "Net"}[kind]
            assert [is_accepted(value, text, label) for label in (str(4047 - year), other)] == [False, False], value


@pytest.mark.parametrize(("value", "city"), [(50, "Rome"), (71, "Rome"), (52, "Oslo")])
def test_a_cell_beside_several_rows_names_each_of_them(value: int, city: str) -> None:
    assert is_accepted(value, HTML, city)
    assert not is_accepted(value, HTML, {"Rome": "Oslo", "Oslo": "Rome"}[city])


def test_an_empty_head_above_values_belongs_to_no_other() -> None:
    table = "| Item | Price |  | Total |\n|---|---|---|---|\n| pens | 5 | 6 | 7 |\n| ink | 15 | 16 | 17 |"
    assert [is_accepted(value, table, "Price") for value in (5, 15, 6, 16, 17)] == [True, True, False, False, False]


@pytest.mark.parametrize(
    "text",
    [
        "<table><tr><td rowspan=999 colspan=999>a</td></tr>" + "<tr><td>5</td></tr>" * 2_000 + "</table>",
        "<table>" * 10_000 + "<td>5</td>" + "</table>" * 10_000,
        "<table><tr>" + "<td>" + " " * 200_000 + "5</td></tr></table>",
        "<table><tr><td colspan=999>5" * 5_000 + "</table>",
    ],
)
def test_no_table_makes_a_value_slow(text: str) -> None:
    started = time.process_time()
    assert not is_accepted(6, text, "b")
    assert time.process_time() - started < 2
