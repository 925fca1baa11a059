"""The recorder in use: one per process, at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from answergraph.runtime import steps
from answergraph.runtime.errors import AgentSpecError

_LOCK = threading.Lock()


@contextmanager
def recorded_by(recorder: steps.Recorder) -> Iterator[None]:
    """Let a recorder take part in the runs of a block, on every thread and loop.

    Raises:
        AgentSpecError: If another one is in use.
    """
    with _LOCK:
        if steps.recorder is not None:
            raise AgentSpecError("Another tape is in use: one process records or plays one tape at a time.")
        steps.recorder = recorder
    try:
        yield
    finally:
        steps.recorder = None
