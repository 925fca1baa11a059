"""The map on Ray Data: a local cluster of four processes, one of which is killed. It needs ``pip install 'ray[data]'``."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import ray

from answergraph.many import ArrowMap
from benchmarks.many.workers import documents

_PROCESSES = 4
_TASK = "ray::MapBatches"
"""How Ray names a process that is in a task of ours."""


def kill_one(killed: Event, after_seconds: float) -> None:
    """Kill one process of the cluster while it asks."""
    while not killed.wait(0.2):
        processes = subprocess.run(["pgrep", "-f", f"^{_TASK}"], check=False, capture_output=True, text=True).stdout.split()
        if len(processes) == _PROCESSES:
            killed.wait(after_seconds)
            with suppress(ProcessLookupError):
                os.kill(int(processes[0]), signal.SIGKILL)
                killed.set()


def main() -> None:
    """Map the rows into a Parquet file, and print whether a process was killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    ray.init(num_cpus=_PROCESSES, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    killed = Event()
    Thread(target=kill_one, args=(killed, 1.0), daemon=True).start()
    extract = ArrowMap("benchmarks.many.workers:agent_of_environment", key="id", input="body", concurrency=16)
    rows = ray.data.from_items(list(documents(arguments.rows)), override_num_blocks=4 * _PROCESSES)
    table = rows.map_batches(extract, batch_format="pyarrow", batch_size=None).to_arrow_refs()
    from pyarrow import concat_tables, parquet  # noqa: PLC0415 - an optional dependency

    parquet.write_table(concat_tables(ray.get(table)), Path(arguments.out))
    sys.stdout.write(f"{'killed' if killed.is_set() else 'not killed'}\n")


if __name__ == "__main__":
    main()
