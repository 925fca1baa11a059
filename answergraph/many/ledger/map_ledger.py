"""The ledger of a map: which rows are asked by whom, and how each ended.

A row is ``running`` under the lease of an owner, ``done``, or ``again``: done, and wanted once more. Every change is one
transaction that no other one overlaps, so what it reads holds until it writes; two processes never ask for one row at a time.
"""

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answergraph import AgentSpecError
from answergraph.many.ledger.control import is_paused, take_up_again
from answergraph.many.ledger.databases import Execute, database_at
from answergraph.many.ledger.owners import at_work, is_dead, new_owner
from answergraph.many.ledger.rows import COUNTED, End, Group

VERSION = "1"
LEASE_SECONDS = 120.0
"""How long a row belongs to a process that does not renew its lease: then others take it over."""

_TABLES = (
    "CREATE TABLE IF NOT EXISTS answergraph_map (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS answergraph_rows (key TEXT PRIMARY KEY, input TEXT NOT NULL, state TEXT NOT NULL,"
    " owner TEXT NOT NULL, lease DOUBLE PRECISION NOT NULL, status TEXT, field TEXT, rule TEXT, answer TEXT, outcome TEXT,"
    " seconds DOUBLE PRECISION, agent TEXT)",
    "CREATE INDEX IF NOT EXISTS answergraph_rows_input ON answergraph_rows (input)",
    # Who looks at a ledger asks for the rows of a group, and for those that have not ended.
    "CREATE INDEX IF NOT EXISTS answergraph_rows_end ON answergraph_rows (status, field, rule, key)",
    "CREATE INDEX IF NOT EXISTS answergraph_rows_open ON answergraph_rows (state) WHERE state <> 'done'",
    "CREATE TABLE IF NOT EXISTS answergraph_groups"
    " (status TEXT, field TEXT, rule TEXT, count INTEGER NOT NULL, PRIMARY KEY (status, field, rule))",
    "CREATE TABLE IF NOT EXISTS answergraph_requests (request TEXT PRIMARY KEY, file TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS answergraph_usage (name TEXT PRIMARY KEY, amount DOUBLE PRECISION NOT NULL)",
)
_END = "status, field, rule, answer, outcome, seconds"


@dataclass(frozen=True)
class Wanted:
    """A row that shall end, with the agent's input."""

    key: str
    mark: str
    """A short name of the input, equal for equal inputs."""
    input: Mapping[str, object]


@dataclass
class Claims:
    """What a ledger says to wanted rows: each is in one of the three."""

    ours: list[Wanted] = field(default_factory=list)
    """To be asked by us."""
    ended: list[End] = field(default_factory=list)
    elsewhere: list[Wanted] = field(default_factory=list)
    """Asked by another process, or equal to an input that is being asked."""
    changed: list[str] = field(default_factory=list)
    """Keys that had another input when they were asked; they are asked anew."""
    paused: bool = False
    """Whether nothing was taken, since a person wants a pause."""


@dataclass(frozen=True)
class _Known:
    """What the ledger has of a row."""

    key: str
    mark: str
    state: str
    owner: str
    lease: float
    end: tuple[object, ...]

    @property
    def is_held(self) -> bool:
        return self.state == "running" and self.lease > time.time() and not is_dead(self.owner)


class MapLedger:
    """The rows of one map, in a database that processes share.

    Raises:
        AgentSpecError: If it was made for answers of another schema.
    """

    def __init__(self, ledger: str | Path | None, schema: str, *, earlier: Callable[[], str], shares_equal_inputs: bool) -> None:
        """``earlier`` returns the mark that an earlier version gave the schema."""
        self.owner = new_owner()
        self._shares = shares_equal_inputs
        self._database = database_at(ledger)
        with self._database.transaction() as execute:
            for table in _TABLES:
                execute(table, ())
            kept = _kept(execute, "schema", f"{VERSION} {schema}")
        if kept != f"{VERSION} {schema}" and kept != f"{VERSION} {earlier()}":
            raise AgentSpecError(
                f"The ledger {str(ledger)!r} has answers of another schema: name another ledger, or map the agent that made it."
            )

    def claim(self, wanted: Sequence[Wanted], *, asks: bool = True) -> Claims:
        """Take the rows that nobody asks or has asked; with ``asks=False`` nothing is taken."""
        at_work.add(self.owner)
        with self._database.transaction() as execute:
            claims = Claims(paused=asks and is_paused(execute))
            asks = asks and not claims.paused
            known = {each.key: each for each in self._select(execute, "key", [row.key for row in wanted])}
            equal = self._equal_inputs(execute, [row.mark for row in wanted if row.key not in known])
            for row in wanted:
                self._sort(execute, row, known.get(row.key) or equal.get(row.mark), claims, asks=asks)
                if self._shares and claims.ours and claims.ours[-1] is row:
                    equal[row.mark] = _Known(row.key, row.mark, "running", self.owner, time.time() + LEASE_SECONDS, ())
        return claims

    def _sort(self, execute: Execute, row: Wanted, known: _Known | None, claims: Claims, *, asks: bool) -> None:
        has_changed = known is not None and known.key == row.key and known.mark != row.mark
        if has_changed:
            claims.changed.append(row.key)
        if known is not None and known.state == "done" and not has_changed:
            end = End(row.key, *_from_columns(known.end))
            if known.key != row.key and asks:
                self._insert(execute, row, "done", end)
            claims.ended.append(end)
        elif (known is not None and known.is_held) or not asks:
            claims.elsewhere.append(row)
        else:
            if known is not None and known.key == row.key:
                execute(
                    "UPDATE answergraph_rows SET state = 'running', owner = ?, lease = ?, input = ? WHERE key = ?",
                    (self.owner, time.time() + LEASE_SECONDS, row.mark, row.key),
                )
            else:
                self._insert(execute, row, "running", None)
            claims.ours.append(row)

    def _insert(self, execute: Execute, row: Wanted, state: str, end: End | None) -> None:
        columns = (None,) * 6 if end is None else _columns(end)
        execute(
            f"INSERT INTO answergraph_rows (key, input, state, owner, lease, {_END}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (row.key, row.mark, state, self.owner, time.time() + LEASE_SECONDS, *columns),
        )
        if end is not None:
            _count(execute, end.group, 1)

    def _select(self, execute: Execute, column: str, values: Sequence[str]) -> Iterator[_Known]:
        if values:
            marks = ", ".join("?" * len(values))
            sql = f"SELECT key, input, state, owner, lease, {_END} FROM answergraph_rows WHERE {column} IN ({marks})"
            for key, mark, state, owner, lease, *end in execute(sql, values):
                yield _Known(key, mark, state, owner, lease, tuple(end))

    def _equal_inputs(self, execute: Execute, marks: Sequence[str]) -> dict[str, _Known]:
        """Return per input a row that has ended, or else one that somebody asks."""
        if not self._shares:
            return {}
        rows = [known for known in self._select(execute, "input", marks) if known.state == "done" or known.is_held]
        return {known.mark: known for known in sorted(rows, key=lambda known: known.state == "done")}

    def finish(self, ends: Sequence[End], agent: str | None) -> list[End]:
        """Store how rows ended, and return those that were still ours: another process may have taken a row over."""
        stored = []
        with self._database.transaction() as execute:
            for end in ends:
                before = execute(
                    "SELECT status, field, rule FROM answergraph_rows WHERE key = ? AND owner = ? AND state = 'running'",
                    (end.key, self.owner),
                )
                if not before:
                    continue
                stored.append(end)
                if not end.is_stored:
                    self._give_back(execute, end.key)
                    continue
                execute(
                    "UPDATE answergraph_rows SET state = 'done', status = ?, field = ?, rule = ?, answer = ?, outcome = ?,"
                    " seconds = ?, agent = ? WHERE key = ?",
                    (*_columns(end), agent, end.key),
                )
                if before[0][0] is not None:
                    _count(execute, Group(*before[0]), -1)
                _count(execute, end.group, 1)
            for name in COUNTED:
                execute(
                    "INSERT INTO answergraph_usage (name, amount) VALUES (?, ?)"
                    " ON CONFLICT (name) DO UPDATE SET amount = answergraph_usage.amount + excluded.amount",
                    (name, sum(end.usage()[name] for end in ends)),
                )
        return stored

    def renew(self) -> None:
        """Keep our rows that are still being asked."""
        with self._database.transaction() as execute:
            lease = time.time() + LEASE_SECONDS
            execute("UPDATE answergraph_rows SET lease = ? WHERE owner = ? AND state = 'running'", (lease, self.owner))

    def release(self) -> None:
        """Give back what we have taken and not ended."""
        at_work.discard(self.owner)  # also where the database can no longer be written, so that what is taken is free
        with self._database.transaction() as execute:
            self._give_back(execute)

    def _give_back(self, execute: Execute, key: str | None = None) -> None:
        """Give back a row that we have taken, or all."""
        ours = "owner = ? AND state = 'running'" + " AND key = ?" * (key is not None)
        values = [self.owner] if key is None else [self.owner, key]
        # A row that had ended before, and was wanted again, is wanted still.
        execute(f"UPDATE answergraph_rows SET state = 'again' WHERE {ours} AND status IS NOT NULL", values)
        execute(f"DELETE FROM answergraph_rows WHERE {ours}", values)

    def want_again(self, status: Collection[str]) -> None:
        """Mark the rows that ended so as wanted again, and those that a person has asked for.

        Where a killed run has left marks, those are taken up instead.
        """
        values = sorted(status)
        these = f"status IN ({', '.join('?' * len(values))})" if values else "1 = 0"
        with self._database.transaction() as execute:
            marked = f"SELECT 1 FROM answergraph_rows WHERE state = 'again' AND {these} LIMIT 1"
            is_new = bool(values) and not execute(marked, values)
            if is_new:
                execute(f"UPDATE answergraph_rows SET state = 'again' WHERE state = 'done' AND {these}", values)
            if take_up_again(execute) or is_new:
                execute("DELETE FROM answergraph_requests", ())  # they are asked anew

    def keep_file(self, file: str, requests: Sequence[str]) -> None:
        """Remember which requests of a batch are in a file, so that a killed run finds its batches again."""
        with self._database.transaction() as execute:
            for request in requests:
                execute("DELETE FROM answergraph_requests WHERE request = ?", (request,))
                execute("INSERT INTO answergraph_requests (request, file) VALUES (?, ?)", (request, file))

    def files_of(self, requests: Sequence[str]) -> dict[str, str]:
        """Return the files of those requests that are in one."""
        with self._database.transaction() as execute:
            rows = [execute("SELECT request, file FROM answergraph_requests WHERE request = ?", (each,)) for each in requests]
        return {request: file for some in rows for request, file in some}

    def forget_requests(self, requests: Sequence[str]) -> None:
        """Forget the files of some requests."""
        with self._database.transaction() as execute:
            for request in requests:
                execute("DELETE FROM answergraph_requests WHERE request = ?", (request,))

    def groups(self) -> dict[Group, int]:
        """Return how many rows ended alike, without looking at the rows."""
        with self._database.transaction() as execute:
            rows = execute("SELECT status, field, rule, count FROM answergraph_groups WHERE count > 0 ORDER BY count DESC", ())
        return {Group(status, where, rule): count for status, where, rule, count in rows}

    def usage(self) -> dict[str, float]:
        """Return what all rows have used, in all processes."""
        with self._database.transaction() as execute:
            return {name: amount for name, amount in execute("SELECT name, amount FROM answergraph_usage", ())}

    def keep_stop(self, reason: str | None, left: int) -> None:
        """Remember why the last pass left rows for another time, and how many; ``None``: it left none, and a pause is over."""
        with self._database.transaction() as execute:
            execute("DELETE FROM answergraph_map WHERE name = 'stopped'", ())
            if reason is None:
                execute("DELETE FROM answergraph_map WHERE name = 'pause'", ())
            else:
                _kept(execute, "stopped", json.dumps({"reason": reason, "left": left}))

    def agent_changed_to(self, agent: str) -> str | None:
        """Remember who asks; return the agent that asked before if it was another one."""
        with self._database.transaction() as execute:
            before = _kept(execute, "agent", agent)
            execute("UPDATE answergraph_map SET value = ? WHERE name = 'agent'", (agent,))
        return None if before == agent else before


def _kept(execute: Execute, name: str, value: str) -> str:
    """Return the value that is kept under a name; keep this one if there is none."""
    execute("INSERT INTO answergraph_map (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, value))
    kept: str = execute("SELECT value FROM answergraph_map WHERE name = ?", (name,))[0][0]
    return kept


def _count(execute: Execute, group: Group, change: int) -> None:
    execute(
        "INSERT INTO answergraph_groups (status, field, rule, count) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (status, field, rule) DO UPDATE SET count = answergraph_groups.count + excluded.count",
        (*group, change),
    )


def _columns(end: End) -> tuple[object, ...]:
    return (*end.group, end.answer, end.outcome, end.seconds)


def _from_columns(columns: Sequence[Any]) -> tuple[str, str, Group, float]:
    status, where, rule, answer, outcome, seconds = columns
    return answer, outcome, Group(status, where, rule), seconds
