"""Several Aegra servers over one PostgreSQL and one Redis, all of them private to this run and on loopback."""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.suite import postgres, processes, redis
from tests.suite.langgraph_dev import OFFLINE, REPOSITORY, lay_out

ENVIRONMENT = REPOSITORY / ".venv-cluster"
"""Where ``make cluster-env`` installs Aegra, which needs Python 3.12 or newer."""
DEPLOYED: dict[str, Any] = yaml.safe_load((REPOSITORY / "examples" / "server" / "compose.yaml").read_text())
"""What a team deploys; these servers have its settings, and the command of its image."""
IMAGE = (REPOSITORY / "examples" / "server" / "Dockerfile").read_text()
COMMAND: list[str] = json.loads(re.findall(r"^CMD (.*)$", IMAGE, re.M)[0])
DATABASE = "aegra"
OF_THIS_MACHINE = frozenset({"DATABASE_URL", "REDIS_URL", "AEGRA_CONFIG", "OPENAI_API_KEY", "ANSWERGRAPH_MODELS"})
SETTINGS = {
    **{name: value for name, value in DEPLOYED["x-server"]["environment"].items() if name not in OF_THIS_MACHINE},
    # A dead server is noticed within these seconds; Aegra's own are 30, 10 and 15.
    "LEASE_DURATION_SECONDS": "9",
    "HEARTBEAT_INTERVAL_SECONDS": "3",
    "REAPER_INTERVAL_SECONDS": "3",
}


@dataclass(frozen=True)
class Server:
    """One server process and its address."""

    url: str
    program: processes.Program


@dataclass(frozen=True)
class Cluster:
    """Servers and what they share."""

    servers: list[Server]
    postgres: postgres.Cluster
    redis: redis.Redis

    @property
    def database(self) -> str:
        """The URL of the database."""
        return self.postgres.url(DATABASE)

    @property
    def urls(self) -> list[str]:
        """The addresses of the servers."""
        return [server.url for server in self.servers]


def missing() -> list[str]:
    """Return what has to be installed before a cluster can be started."""
    needed = {
        "PostgreSQL's server (Debian's package postgresql)": postgres.is_installed(),
        "Redis (Debian's package redis-server)": redis.is_installed(),
        "Aegra (make cluster-env)": (ENVIRONMENT / "bin" / "aegra").exists(),
    }
    return [what for what, is_there in needed.items() if not is_there]


@contextmanager
def cluster(config: Mapping[str, Any], settings: Mapping[str, str] | None = None, count: int = 2) -> Iterator[Cluster]:
    """Start databases, migrate, start servers; end all of them afterwards.

    Args:
        config: A ``langgraph.json``.
        settings: Further environment variables of the servers.
        count: How many servers.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="answergraph-cluster-")))
        lay_out(folder, config)
        database = stack.enter_context(postgres.private_postgres())
        broker = stack.enter_context(redis.private_redis(folder))
        shared = {"DATABASE_URL": database.create(DATABASE), "REDIS_URL": broker.url, "PYTHONPATH": str(REPOSITORY)}
        environment = {**OFFLINE, **SETTINGS, **shared, **(settings or {})}
        _migrate(folder, environment)
        # One after the other: the first one makes the checkpointer's tables, and two at once fail over each other's.
        servers = [_start(stack, folder, environment, number) for number in range(count)]
        yield Cluster(servers, database, broker)


def _migrate(folder: Path, environment: Mapping[str, str]) -> None:
    log = folder / "migrations.log"
    program = processes.start([str(ENVIRONMENT / "bin" / "aegra"), "db", "upgrade"], folder, environment, log)
    if program.process.wait(timeout=120) != 0:
        raise RuntimeError(f"the migrations failed:\n{log.read_text()}")


def _start(stack: ExitStack, folder: Path, environment: Mapping[str, str], number: int) -> Server:
    port = processes.free_port()
    here = {"python": str(ENVIRONMENT / "bin" / "python"), "0.0.0.0": "127.0.0.1", "2026": str(port)}
    command = [here.get(part, part) for part in COMMAND]
    configured = {**environment, "AEGRA_CONFIG": str(folder / "langgraph.json"), "HOST": "127.0.0.1", "PORT": str(port)}
    program = processes.start(command, folder, configured, folder / f"server-{number}.log")
    stack.callback(program.end)
    program.wait_until(processes.answers(f"http://127.0.0.1:{port}/health"))
    return Server(f"http://127.0.0.1:{port}", program)
