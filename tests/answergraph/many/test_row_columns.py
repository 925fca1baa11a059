import datetime
import json
import subprocess
import sys
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
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
