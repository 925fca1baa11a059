import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from answergraph import AgentGraph, AgentSpecError
from answergraph.many import ArrowMap
from tests.answergraph.many.invoices import Invoice, agent_of, rows

BUILT: list[int] = []


def counted_agent() -> AgentGraph[Invoice | None]:
    BUILT.append(1)
    return agent_of()


TABLE = pa.Table.from_pylist([*rows(30), {"id": "poor", "body": "no number"}, {"id": "k1", "body": "Invoice 1"}])


def test_a_table_becomes_a_table_with_a_row_for_each_row_in_its_order() -> None:
    extract = ArrowMap(agent_of, key="id", input="body")
    table = extract(TABLE)
    assert table.schema == extract.schema
    assert table["key"].to_pylist() == TABLE["id"].to_pylist()
    numbers = [answer and answer["number"] for answer in table["answer"].to_pylist()]
    assert numbers == [*range(30), None, 1]
    assert table["status"].to_pylist() == ["answered"] * 30 + ["invalid", "answered"]


def test_it_can_be_pickled_and_builds_the_agent_once_in_a_process() -> None:
    extract = pickle.loads(pickle.dumps(ArrowMap("tests.answergraph.many.test_arrow_map:counted_agent", key="id", input="body")))
    for start in (0, 10, 20):
        assert extract(TABLE.slice(start, 10)).num_rows == 10
    assert BUILT == [1]


def test_an_empty_table_keeps_its_columns() -> None:
    extract = ArrowMap(agent_of, key="id", input="body")
    assert extract(TABLE.slice(0, 0)) == extract.schema.empty_table()


@pytest.mark.parametrize("place", ["no_such_module:agent", "tests.suite:missing", "nonsense", "tests.suite.colors:Run"])
def test_an_agent_that_cannot_be_built_is_an_error(place: str) -> None:
    with pytest.raises(AgentSpecError):
        ArrowMap(place, key="id", input="body")(TABLE)


@pytest.mark.program
def test_a_process_of_another_engine_gives_the_same_rows(tmp_path: Path) -> None:
    extract = ArrowMap("tests.answergraph.many.invoices:agent_of", key="id", input="body")
    (tmp_path / "extract").write_bytes(pickle.dumps(extract))
    with pa.OSFile(str(tmp_path / "rows"), "wb") as sink, pa.ipc.new_file(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    worker = (
        "import pickle, sys, pyarrow as pa; from pathlib import Path; folder = Path(sys.argv[1])\n"
        "table = pickle.loads((folder / 'extract').read_bytes())(pa.ipc.open_file(folder / 'rows').read_all())\n"
        "with pa.OSFile(str(folder / 'answers'), 'wb') as sink, pa.ipc.new_file(sink, table.schema) as writer:\n"
        "    writer.write_table(table)"
    )
    subprocess.run([sys.executable, "-c", worker, str(tmp_path)], check=True, timeout=120, cwd=Path(__file__).parents[3])
    answers = pa.ipc.open_file(tmp_path / "answers").read_all()
    assert answers.drop_columns(["seconds"]) == extract(TABLE).drop_columns(["seconds"])
