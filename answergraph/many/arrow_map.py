"""The map as a function of Arrow tables, for engines that exist: Ray Data, Daft, DuckDB, Spark."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Any

from answergraph import AgentGraph, AgentSpecError
from answergraph.kit import explains_arguments, require_extra
from answergraph.many.ledger.agent_door import AgentDoor, agent_at
from answergraph.many.map_run import map_answers


@explains_arguments('ArrowMap("app:agent", key="id", input="text")')
@dataclass(frozen=True)
class ArrowMap:
    """Map an agent over the rows of an Arrow table; can be pickled, and builds the agent once in each worker.

    The engine schedules, retries and stores; there is no ledger, and a table that is given twice is asked for twice.

    Args:
        agent: ``"module:name"`` of a graph or of a factory without arguments, or such a factory.
        key: The column that names a row.
        input: The column with the text.
        concurrency: Rows at a time in one worker, at most.

    Example:
        >>> import pyarrow as pa
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel
        >>> def agent():
        ...     return create_agent(ScriptedChatModel(replies=['{"value": 7}']), response_format=int)
        >>> extract = ArrowMap(agent, key="id", input="body")
        >>> extract(pa.table({"id": ["a"], "body": ["seven"]}))["answer"].to_pylist()
        [7]
    """

    agent: str | Callable[[], AgentGraph]
    _: KW_ONLY
    key: str
    input: str
    concurrency: int = 16

    def __call__(self, table: Any) -> Any:
        """Return a row for each row of a ``pyarrow.Table``, in its order, with the columns of ``MapRun.to_arrow``."""
        columns = _columns(self.agent)
        for name in (self.key, self.input):
            if (count := table.schema.names.count(name)) != 1:
                raise AgentSpecError(
                    f"ArrowMap(…, key=, input=): {count or 'none'} of the table's columns is named {name!r}. "
                    f"It has {', '.join(table.schema.names)}; write the name of one."
                )
        # Not by key: what an engine hands over may hold a key twice, and each of its rows shall have one.
        rows = ({"number": number, "text": text} for number, text in enumerate(table[self.input].to_pylist()))
        run = map_answers(columns.door.agent, rows, key="number", input="text", concurrency=self.concurrency, stop_after=None)
        answers = columns.table(sorted(run, key=lambda row: int(row.key)))
        return answers.set_column(0, answers.schema.field(0), table[self.key].cast("string"))

    @property
    def schema(self) -> Any:
        """The ``pyarrow.Schema`` of what it returns."""
        return _columns(self.agent).schema


@cache
def _columns(agent: str | Callable[[], AgentGraph]) -> Any:
    """Build an agent, once in each process."""
    require_extra("many", "pyarrow")
    from answergraph.many.row_columns import RowColumns  # noqa: PLC0415 - an optional dependency

    return RowColumns(AgentDoor(agent_at(agent)))
