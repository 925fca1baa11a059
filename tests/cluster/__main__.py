"""``make cluster``: servers with their own databases, until Ctrl-C."""

import signal
import sys
import threading
from types import FrameType

from tests.cluster.servers import Cluster, cluster, missing
from tests.suite.langgraph_dev import shipped

READY = "ready"
"""The line that says that everything is ready."""


def tell(running: Cluster) -> None:
    """Say where everything is."""
    lines = [f"server {url}" for url in running.urls]
    print(*lines, f"postgresql {running.database}", f"redis {running.redis.url}", READY, sep="\n", flush=True)


def main() -> int:
    """Run a cluster with the repository's ``langgraph.json`` until the process is asked to end."""
    if lacking := missing():
        print(f"not installed: {', '.join(lacking)}", file=sys.stderr)
        return 2
    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        # Also while the servers start: leaving the cluster's block ends everything that has started.
        if ended.is_set():
            return
        ended.set()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        with cluster(shipped()) as running:
            tell(running)
            ended.wait()
    except KeyboardInterrupt:
        print("ended", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
