"""Checkpoint savers that count what they write: memory, SQLite, and PostgreSQL where one is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from benchmarks.peers.graphs import NO_RECURSION_LIMIT, answer_of, build
from benchmarks.played_model import conversation
from benchmarks.rounds import Done
from benchmarks.work import COUNTER, Work


class CountingSerializer(JsonPlusSerializer):
    """LangGraph's serializer, which also counts its bytes; everything that a saver writes goes through it."""

    def __init__(self) -> None:
        """Start at nothing."""
        super().__init__(allowed_msgpack_modules=[("benchmarks.work", "Report")])
        self.written = 0

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialize and count."""
        kind, data = super().dumps_typed(obj)
        self.written += len(data)
        return kind, data


@contextmanager
def savers(postgres_url: str | None) -> Iterator[dict[str, Any]]:
    """Open one saver of each kind, each with a ``CountingSerializer``.

    Args:
        postgres_url: The URL of PostgreSQL; without it there is no PostgreSQL saver.
    """
    with tempfile.TemporaryDirectory() as folder, SqliteSaver.from_conn_string(f"{folder}/checkpoints.db") as sqlite:
        sqlite.serde = CountingSerializer()
        found: dict[str, Any] = {"memory": InMemorySaver(serde=CountingSerializer()), "sqlite": sqlite}
        if postgres_url is None:
            yield found
            return
        with PostgresSaver.from_conn_string(postgres_url) as postgres:
            postgres.setup()
            postgres.serde = CountingSerializer()
            yield {**found, "postgres": postgres}


def runner(system: str, work: Work, saver: Any, **options: Any) -> Callable[[], Done]:
    """Return a function that runs a graph once on a new thread, blocking."""
    graph = build(system, work, checkpointer=saver, **options)
    messages = conversation(work)

    def run() -> Done:
        thread = str(uuid4())
        before = saver.serde.written
        config: Any = {"recursion_limit": NO_RECURSION_LIMIT, "configurable": {"thread_id": thread}}
        result = graph.invoke({"messages": list(messages)}, config)
        written = saver.serde.written - before
        saver.delete_thread(thread)
        return Done(answer_of(result), COUNTER.take(), written)

    return run


@contextmanager
def postgres_server() -> Iterator[str | None]:
    """Start a separate PostgreSQL in a new folder, and yield its URL; ``None`` if it is not installed."""
    programs = _postgres_programs()
    if programs is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp())
    # PostgreSQL refuses to run as root; its installation creates an account.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    data = folder / "data"
    control = [*as_user, str(programs / "pg_ctl"), "-D", str(data)]
    _quietly([*as_user, str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", "bench"])
    try:
        settings = f"-c listen_addresses='' -k {folder} -c fsync=off"
        _quietly([*control, "-w", "-l", str(folder / "log"), "-o", settings, "start"])
        yield f"postgresql://bench@/postgres?host={folder}"
    finally:
        _quietly([*control, "-m", "immediate", "stop"], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def _quietly(command: list[str], *, check: bool = True) -> None:
    subprocess.run(command, check=check, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _postgres_programs() -> Path | None:
    places = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    on_path = shutil.which("pg_ctl")
    found = [*places, *([Path(on_path).resolve().parent] if on_path else [])]
    return next((place for place in found if (place / "initdb").exists()), None)
