import datetime
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from threading import Barrier
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyarrow import parquet
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph import create_agent
from answergraph.many import MapRun, map_answers
from answergraph.testing import ScriptedChatModel
from tests.answergraph.many.invoices import agent_of, read_number, rows


class Line(BaseModel):
    sku: str
    price: Decimal


class Order(BaseModel):
    when: datetime.date
    kind: Literal["sale", "return"]
    total: float | None
    lines: list[Line]
    stock: dict[str, int]
    note: int | list[str]
    parent: "Order | None" = None


@dataclass
class Point:
    x: float


class Pair(TypedDict):
    left: int


def mapped(answer: Any, response_format: Any) -> MapRun[Any]:
    agent: Any = create_agent(ScriptedChatModel(replies=[json.dumps(answer)]), response_format=response_format)
    return map_answers(agent, [{"id": 1, "body": "x"}], key="id", input="body")


def test_the_answer_is_a_struct_of_the_declared_type() -> None:
    lines = [{"sku": "a", "price": "1.50"}]
    order = {"when": "2026-11-23", "kind": "sale", "total": None, "lines": lines, "stock": {"a": 2}, "note": ["b"]}
    table = mapped(order, Order).to_arrow()
    assert table.schema.field("answer").type == pa.struct(
        [
            ("when", pa.date32()),
            ("kind", pa.string()),
            ("total", pa.float64()),
            ("lines", pa.list_(pa.struct([("sku", pa.string()), ("price", pa.string())]))),
            ("stock", pa.map_(pa.string(), pa.int64())),
            ("note", pa.string()),
            ("parent", pa.string()),
        ]
    )
    (row,) = table.to_pylist()
    assert row["answer"] == {
        "when": datetime.date(2026, 11, 23),
        "kind": "sale",
        "total": None,
        "lines": lines,
        "stock": [("a", 2)],
        "note": '["b"]',
        "parent": None,
    }
    assert (row["key"], row["status"], row["model_calls"], row["cost"]) == ("1", "answered", 1, None)


@pytest.mark.parametrize(
    ("answer", "response_format", "kind"),
    [
        ({"x": 1.5}, Point, pa.struct([("x", pa.float64())])),
        ({"left": 1}, Pair, pa.struct([("left", pa.int64())])),
        (
            {"name": "n"},
            {"title": "T", "type": "object", "properties": {"name": {"type": "string"}}},
            pa.struct([("name", pa.string())]),
        ),
        ({"value": 7}, int, pa.int64()),
        ({"value": ["a"]}, list[str], pa.list_(pa.string())),
        ({"value": "a"}, Literal["a", "b"], pa.string()),
    ],
)
def test_every_kind_of_response_format_has_a_column(answer: Any, response_format: Any, kind: pa.DataType) -> None:
    table = mapped(answer, response_format).to_arrow()
    assert table.schema.field("answer").type == kind
    assert table["answer"].null_count == 0


def test_the_columns_are_those_of_the_type_without_any_answer() -> None:
    agent = agent_of(lambda _: "{}")
    poor = map_answers(agent, rows(3), key="id", input="body").to_arrow()
    none = map_answers(agent, [], key="id", input="body").to_arrow()
    full = map_answers(agent_of(), rows(3), key="id", input="body").to_arrow()
    assert poor.schema == none.schema == full.schema
    assert (poor["answer"].null_count, none.num_rows, full["answer"].null_count) == (3, 0, 0)


def test_a_value_too_large_for_its_column_is_left_out_and_said() -> None:
    (row,) = mapped({"left": 2**70}, Pair).to_arrow().to_pylist()
    assert (row["answer"], row["status"]) == (None, "answered")
    assert "column cannot hold it" in row["reason"]


def test_a_file_is_there_when_it_is_complete(tmp_path: Path) -> None:
    agent = agent_of(lambda text: read_number(text) if "3" not in text else "{}")
    run = map_answers(agent, rows(1200), key="id", input="body", concurrency=64)
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    (tmp_path / f"rows.parquet.partial-{killed.pid}").touch()  # left by a process that was killed
    run.to_parquet(tmp_path / "rows.parquet")
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert (table.num_rows, len(set(table["key"].to_pylist()))) == (1200, 1200)
    assert sum(run.counts().values()) == 1200
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_those_who_write_one_file_at_the_same_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    path, both_have_begun = tmp_path / "rows.parquet", Barrier(2)

    def read(count: int) -> Iterator[dict[str, Any]]:
        both_have_begun.wait(60)
        yield from rows(count)

    def write(count: int) -> None:
        map_answers(agent_of(), read(count), key="id", input="body").to_parquet(path)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, (20, 30)))
    keys = parquet.read_table(path)["key"].to_pylist()
    assert len(set(keys)) == len(keys) in {20, 30}
    assert [each.name for each in tmp_path.iterdir()] == ["rows.parquet"]


WRITES_AND_IS_KILLED = """
import os, signal, sys
from tests.answergraph.many.invoices import agent_of, rows
from answergraph.many import map_answers

def killed():
    yield from rows(3)
    print(*os.listdir(sys.argv[1]))
    os.kill(os.getpid(), signal.SIGKILL)

map_answers(agent_of(), killed(), key="id", input="body").to_parquet(f"{sys.argv[1]}/rows.parquet")
"""


def test_what_a_killed_writer_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", WRITES_AND_IS_KILLED, str(tmp_path)], capture_output=True, text=True, check=False
    )
    (left,) = tmp_path.iterdir()
    assert (killed.returncode, killed.stdout.strip()) == (-signal.SIGKILL, left.name)
    map_answers(agent_of(), rows(3), key="id", input="body").to_parquet(tmp_path / "rows.parquet")
    assert [each.name for each in tmp_path.iterdir()] == ["rows.parquet"]
