"""The two databases that a ledger can be in, behind one small interface; the SQL is written with ``?``."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import finalize

from answergraph import AgentSpecError

Execute = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""Runs a statement and returns its rows."""

_WRITER_SECONDS = 60.0  # to wait for another one
_LOCK_NUMBER = 7_163_214_005  # of the lock that ledgers take in PostgreSQL; any number that nobody else takes


class SQLiteDatabase:
    """A SQLite file; the empty name is a temporary file that is removed when it is closed."""

    def __init__(self, path: str) -> None:
        if os.path.exists(path) and not os.access(path, os.W_OK):  # SQLite would leave files beside it that stay read-only
            raise AgentSpecError(f"The ledger {path!r} cannot be opened: it may not be written.")
        if os.path.isdir(path) or not os.access(os.path.dirname(path) or os.curdir, os.W_OK if path else os.F_OK):
            raise AgentSpecError(f"The ledger {path!r} cannot be opened: name a file in a folder that exists and may be written.")
        try:
            self._connection = sqlite3.connect(path, timeout=_WRITER_SECONDS, isolation_level=None, check_same_thread=False)
            finalize(self, self._connection.close)  # of a pass that its caller leaves in the middle
            # Readers and a writer at once, and no wait for the disk at each commit: after a kill nothing is lost, after a power
            # cut at most the last rows, which are asked again.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
        except sqlite3.Error as error:
            raise AgentSpecError(f"The ledger {path!r} cannot be opened: {error}.") from error
        self._path = path
        self._lock = Lock()

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        with self._lock, _explained(sqlite3.Error, repr(self._path)):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._execute
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite has ended it itself where a disk is full
                    self._connection.execute("ROLLBACK")
                raise

    def _execute(self, sql: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        return self._connection.execute(sql, values).fetchall()


class PostgreSQLDatabase:
    """A PostgreSQL database by its URL; ``?options=-csearch_path=NAME`` puts several ledgers into one."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: PLC0415 - an optional dependency
        except ImportError as error:
            raise AgentSpecError(f"A ledger in PostgreSQL needs psycopg: pip install 'psycopg[binary]' ({error}).") from error
        try:
            self._connection: Any = psycopg.connect(url, autocommit=True)
            finalize(self, self._connection.close)
        except psycopg.Error as error:
            raise AgentSpecError(f"The ledger's database cannot be reached: {error}.") from error
        self._errors: type[Exception] = psycopg.Error
        self._lock = Lock()

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        with self._lock, _explained(self._errors, "in PostgreSQL"), self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK_NUMBER])
            yield self._execute

    def _execute(self, sql: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        cursor = self._connection.execute(sql.replace("?", "%s"), values)
        return cursor.fetchall() if cursor.description else []


Database = SQLiteDatabase | PostgreSQLDatabase
"""In both one transaction of a ledger runs at a time, whatever the number of processes."""


@contextmanager
def _explained(errors: type[Exception], location: str) -> Iterator[None]:
    try:
        yield
    except errors as error:
        raise AgentSpecError(
            f"The ledger {location} cannot be used: {error}. What it has is kept; mend that and start again, or name another."
        ) from error


def database_at(location: str | Path | None) -> Database:
    """Open the database of a ledger: a SQLite file, a ``postgresql://`` URL, or for ``None`` a temporary file."""
    if isinstance(location, str) and location.startswith(("postgresql://", "postgres://")):
        return PostgreSQLDatabase(location)
    if isinstance(location, str) and "://" in location:
        raise AgentSpecError(f"ledger={location!r}: write a path of a SQLite file, or a URL postgresql://…")
    return SQLiteDatabase("" if location is None else str(location))
