"""A real LangGraph server, ``langgraph dev``, on a free loopback port."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.suite import processes

REPOSITORY = Path(__file__).parents[2]
OFFLINE = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "1"}
"""What keeps the server from calling anything outside this machine."""
LINKED = ("answergraph", "graphs", "examples", "tests")
JOBS = 20


def shipped() -> dict[str, Any]:
    """Return the repository's ``langgraph.json``."""
    config: dict[str, Any] = json.loads((REPOSITORY / "langgraph.json").read_text())
    return config


def lay_out(folder: Path, config: Mapping[str, Any]) -> None:
    """Make a folder that a server can be started in: it keeps its state there, not in the repository."""
    (folder / "langgraph.json").write_text(json.dumps(config))
    for name in LINKED:
        (folder / name).symlink_to(REPOSITORY / name)


@contextmanager
def langgraph_dev(
    folder: Path, environment: Mapping[str, str], port: int | None = None, *, reloads: bool = False, crashes: bool = False
) -> Iterator[str]:
    """Run ``langgraph dev`` in a folder; gives its address. Started again there, it takes up what it kept.

    Args:
        folder: Made by ``lay_out``.
        environment: Further environment variables of the server.
        port: A free one by default.
        reloads: Whether the server starts anew when a Python file of the folder changes.
        crashes: Whether it is killed at the end, not asked to end.
    """
    port = port or processes.free_port()
    options = [
        "--no-browser",
        *([] if reloads else ["--no-reload"]),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--n-jobs-per-worker",
        str(JOBS),
    ]
    command = [sys.executable, "-m", "langgraph_cli", "dev", *options]
    # The checkout is what is tested, wherever the package was installed from.
    settings = {**OFFLINE, "PYTHONPATH": str(REPOSITORY), **environment}
    program = processes.start(command, folder, settings, folder / "log")
    try:
        program.wait_until(processes.answers(f"http://127.0.0.1:{port}/ok"))
        yield f"http://127.0.0.1:{port}"
    finally:
        (program.kill if crashes else program.end)()
