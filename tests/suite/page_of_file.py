"""The page of a file: ``answergraph page FILE``, on a free loopback port."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.suite import processes
from tests.suite.langgraph_dev import REPOSITORY


@contextmanager
def page_of_file(file: Path, *options: str) -> Iterator[str]:
    """Run ``answergraph page`` for a file; gives its address."""
    port = processes.free_port()
    command = [sys.executable, "-m", "answergraph", "page", str(file), "--port", str(port), "--no-browser", *options]
    program = processes.start(command, file.parent, {"PYTHONPATH": str(REPOSITORY)}, file.with_suffix(".log"))
    try:
        program.wait_until(processes.answers(f"http://127.0.0.1:{port}/opened"))
        yield f"http://127.0.0.1:{port}"
    finally:
        program.end()
