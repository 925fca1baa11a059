"""A long source costs what its length says: work and memory grow with the text, and one more field costs little."""

import tracemalloc
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from answergraph import Grounded, Quote, check_evidence
from answergraph.evidence import FromTools, ToolRun
from tests.suite.function_calls import calls_of

TEXT = "the total of März was paid — in “full” by ACME-Tools, see `src/main.py` and **note** // # x² ﬁle naïve"
FIELDS: dict[str, tuple[Any, Any]] = {
    "text": ("words that stand nowhere", Grounded()),
    "number": (Decimal("31415.926"), Grounded()),
    "labelled": (Decimal("31415.926"), Grounded(label="total")),
    "day": (date(1931, 2, 3), Grounded()),
    "quote": ("This sentence stands nowhere in the whole of the text.", Quote()),
    "of_tools": (Decimal("31415.926"), FromTools()),
}


def text_of(lines: int) -> str:
    random = Random(lines)

    def line() -> str:
        day, month = random.randrange(28), random.randrange(13)
        words = " ".join(random.choices(TEXT.split(" "), k=9))
        return f"{' ' * random.randrange(6)}{words} {random.randrange(10**4)}, {day}.{month}.2024"

    return "\n".join(line() for _ in range(lines))


def checked(text: str, *names: str) -> None:
    marks = {name: FIELDS[name][1] for name in names}
    fields = check_evidence({name: FIELDS[name][0] for name in names}, [ToolRun("1", "read", {}, (text,))], marks=marks).fields
    assert {record["status"] for record in fields.values()} == {"not_found"}


@pytest.mark.parametrize("name", FIELDS)
def test_a_text_four_times_as_long_costs_four_times_as_much(name: str) -> None:
    checked(text_of(10), name)  # names of months and words of size are read once
    short, long = text_of(500), text_of(2_000)
    assert calls_of(lambda: checked(long, name), in_c=True) < 4.4 * calls_of(lambda: checked(short, name), in_c=True)


@pytest.mark.parametrize("cells", ["row\t5\t7\n", "row\t5\n\n\n", "5\t", "5 a "])
@pytest.mark.parametrize("label", ["weight", "count"])
def test_a_label_is_looked_for_once_above_all_rows(cells: str, label: str) -> None:
    def checked_rows(rows: int) -> None:
        run = ToolRun("1", "read", {}, (f"name\tcount\tother\n{cells * rows}",))
        check_evidence({"n": 7}, [run], marks={"n": Grounded(label=label)})
        check_evidence({"n": 5}, [run], marks={"n": Grounded(label="weight")})

    checked_rows(10)
    assert calls_of(lambda: checked_rows(1_600), in_c=True) < 4.6 * calls_of(lambda: checked_rows(400), in_c=True)


def test_a_row_below_a_hundred_others_has_the_head_of_its_column() -> None:
    head, rows = "name\tcount\tother\n", "row\t5\t7\n" * 100
    run = ToolRun("1", "read", {}, (f"{head}{rows}row\t8\t9\n\n{'x' * 400}\n\na\tb\tc\n{rows}row\t4\t3",))
    answer = {"below": 8, "beside": 9, "other": 4}
    fields = check_evidence(answer, [run], marks=dict.fromkeys(answer, Grounded(label="count"))).fields
    assert {name: record["status"] for name, record in fields.items()} == {
        "below": "supported", "beside": "unsupported", "other": "unsupported",
    }  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_a_character_costs_few_calls_and_bytes(name: str) -> None:
    text = text_of(1_000)
    checked(text, name)
    assert calls_of(lambda: checked(text, name), in_c=True) < 4 * len(text)
    tracemalloc.start()
    checked(text, name)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 120 * len(text)
