"""A separate PostgreSQL server for the suite: on a free loopback port, with its data in a temporary folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.suite.processes import free_port

USER = "postgres"
"""Who runs the server if the suite is run by root, whom PostgreSQL refuses; and the name of its superuser."""

_numbers = count(1)


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL server and its data."""

    folder: Path
    port: int

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def initialize(self) -> None:
        data = str(self.folder / "data")
        _run(
            "initdb", "--pgdata", data, "--username", USER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"
        )

    def start(self) -> None:
        data = str(self.folder / "data")
        # What it stores is thrown away, so it need not survive a crash of the machine.
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories= -c fsync=off"
        _run("pg_ctl", "start", "--wait", "--pgdata", data, "--log", str(self.folder / "log"), "--options", options)

    def create(self, name: str) -> str:
        """Make an empty database; gives its URL."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
        return self.url(name)

    def kill(self) -> None:
        """End it at once, as a crash would: at its next start it recovers."""
        _run("pg_ctl", "stop", "--wait", "--pgdata", str(self.folder / "data"), "--mode", "immediate")

    def stop(self) -> None:
        _run("pg_ctl", "stop", "--wait", "--pgdata", str(self.folder / "data"), "--mode", "fast")


@contextmanager
def private_postgres() -> Iterator[Cluster]:
    """Run a server of our own, with its data in a folder that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="answergraph-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, USER, USER)
    cluster = Cluster(folder, free_port())
    try:
        cluster.initialize()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[Cluster]:
    """Start a server for the tests of this session; skip them where PostgreSQL is not installed."""
    if not is_installed():
        pytest.skip("PostgreSQL's server is not installed (Debian's package postgresql)")
    with private_postgres() as cluster:
        yield cluster


def is_installed() -> bool:
    """Return whether there is a server to start."""
    return _program("pg_ctl") is not None


@pytest.fixture
def postgres_database(postgres_cluster: Cluster) -> str:
    """Return the URL of a new, empty database."""
    return postgres_cluster.create(f"test_{next(_numbers)}")


def _program(name: str) -> str | None:
    # Debian keeps the server's programs out of the path, one folder per version.
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name, path=os.pathsep.join([*map(str, debian), os.environ.get("PATH", "")]))


def _run(program: str, *arguments: str) -> None:
    user = USER if os.geteuid() == 0 else None
    command = [_program(program) or program, *arguments]
    # No pipe: the server would keep it open, and the call would wait for it.
    subprocess.run(
        command,
        check=True,
        user=user,
        group=user and pwd.getpwnam(user).pw_gid,
        extra_groups=None if user is None else [],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        timeout=120,
    )
