"""``make map-bench``: rows that fail in ten ways, kills at random instants, memory, and the cost beside a bare asyncio loop."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.http_server import served
from benchmarks.many.server import FAILURES, PASSING, failure_of

EXPECTED = {
    "cut": "truncated",
    "refusal": "refused",
    "invalid": "invalid",
    "wrong_type": "invalid",
    "empty": "empty",
    "poison": "unanswered",
}
"""How the rows end whose failure does not pass."""
SERVER = "benchmarks.many.server"


def command(program: str, url: str, rows: int, *options: str) -> list[str]:
    """Return the command of a worker."""
    return [sys.executable, "-m", "benchmarks.many.workers", program, "--url", url, "--rows", str(rows), *options]


def figures(program: str, url: str, rows: int, *options: str) -> dict[str, Any]:
    """Run a worker to its end, and return its figures."""
    done = subprocess.run(command(program, url, rows, *options), check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def killed(rows: int, kills: int, folder: Path, *, workers: int = 1, longest: float = 20.0) -> dict[str, Any]:
    """Map rows that fail, kill the processes at random instants, then let one come to its end; return what there is then."""
    options = ("--ledger", str(folder / "run.db"), "--out", str(folder / "rows.parquet"))
    began, done = time.monotonic(), 0
    with served(SERVER, "--fails") as url:
        while done < kills:
            started = [subprocess.Popen(command("map", url, rows, *options)) for _ in range(workers)]
            with suppress(subprocess.TimeoutExpired):
                started[0].wait(random.uniform(2.0, longest))
            for process in started:
                done += process.poll() is None
                process.send_signal(signal.SIGKILL)
                process.wait()
            if all(process.returncode == 0 for process in started):
                break
        last = figures("map", url, rows, *options)
    return {
        "kills": done,
        "seconds": time.monotonic() - began,
        "peak_mb": last["peak_mb"],
        **checked(folder / "rows.parquet", rows),
    }


def checked(path: Path, rows: int) -> dict[str, Any]:
    """Return how many rows of a file are missing, doubled or not as they should be."""
    from pyarrow import parquet  # noqa: PLC0415 - an optional dependency

    table = parquet.read_table(path)
    keys = Counter(table["key"].to_pylist())
    wrong = sum(
        not _is_right(int(key), status, answer)
        for key, status, answer in zip(*(table[name].to_pylist() for name in ("key", "status", "answer")), strict=True)
    )
    lost = rows - len(keys)
    return {"rows": table.num_rows, "lost": lost, "doubled": table.num_rows - len(keys), "wrong": wrong}


def _is_right(number: int, status: str, answer: dict[str, Any] | None) -> bool:
    failure = failure_of(number)
    if failure is None or failure in PASSING:
        return status == "answered" and answer == {"number": number, "kind": "odd" if number % 2 else "even"}
    return status == EXPECTED[failure] and answer is None


def beside_a_loop(rows: int, *options: str, workers: int = 1) -> dict[str, float]:
    """Return throughput and CPU per row of a map, as ratios to a bare loop on the same server: the median of three."""
    ratios: list[tuple[float, float, float]] = []
    for _ in range(3):
        with served(SERVER, *options) as url, tempfile.TemporaryDirectory() as folder:
            bare = figures("bare", url, rows)
            shared = ["--ledger", str(Path(folder) / "run.db")]
            started = [
                subprocess.Popen(command("map", url, rows, *shared), stdout=subprocess.PIPE, text=True) for _ in range(workers)
            ]
            ours = [json.loads(process.communicate()[0]) for process in started]
        cpu = sum(each["cpu_seconds"] for each in ours)
        ratios.append((bare["seconds"] / max(each["seconds"] for each in ours), cpu / bare["cpu_seconds"], rows / cpu))
    throughput, cpu, rate = (sorted(each)[1] for each in zip(*ratios, strict=True))
    of_the_loop = {"throughput_of_the_loop": round(throughput, 2), "cpu_of_the_loop": round(cpu, 2)}
    return {**of_the_loop, "rows_per_second_of_a_core": round(rate)}


def of_ray(program: str, rows: int, out: Path) -> dict[str, Any]:
    """Let a program of Ray's ask for rows that fail; return its last line and its seconds."""
    began = time.monotonic()
    with served(SERVER, "--fails") as url:
        command = [sys.executable, "-m", f"benchmarks.many.{program}", "--rows", str(rows), "--out", str(out)]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "ANSWERGRAPH_MAP_URL": url}
        )
    return {"a process": done.stdout.split("\n")[-2], "seconds": round(time.monotonic() - began, 1)}


def on_ray(rows: int, folder: Path) -> dict[str, Any]:
    """Map rows that fail on a cluster of four processes, one of which is killed; return what there is then."""
    return {**of_ray("on_ray", rows, folder / "rows.parquet"), **checked(folder / "rows.parquet", rows)}


def stage_of_ray(rows: int, folder: Path) -> dict[str, Any]:
    """Ask for the same rows by Ray Data's own stage, with no process killed; return what there is then."""
    from pyarrow import parquet  # noqa: PLC0415 - an optional dependency

    ended = of_ray("ray_stage", rows, folder / "rows.parquet")
    table = parquet.read_table(folder / "rows.parquet")
    errors = [error for error in table["error"].to_pylist() if error]
    return {**ended, "rows": table.num_rows, "with a reading": rows - len(errors), "with an error": len(errors)}


def memory(sizes: Sequence[int]) -> dict[str, float]:
    """Return the peak of a process by the number of rows, in megabytes."""
    with served(SERVER) as url, tempfile.TemporaryDirectory() as folder:
        return {
            f"{size:,} rows": figures("map", url, size, "--ledger", f"{folder}/{size}.db", "--out", f"{folder}/{size}.parquet")[
                "peak_mb"
            ]
            for size in sizes
        }


def main() -> None:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--parts", nargs="+", default=["kills", "memory", "slow", "fast"])
    arguments = parser.parse_args()
    parts: dict[str, Any] = {
        "kills": lambda folder: killed(arguments.rows, arguments.kills, folder),
        "memory": lambda _: memory((arguments.rows // 100, arguments.rows // 10)),
        "ray": lambda folder: {"answergraph": on_ray(arguments.rows, folder), "its stage": stage_of_ray(arguments.rows, folder)},
        "slow": lambda _: beside_a_loop(1_280, "--seconds", "1"),
        "fast": lambda _: {"one process": beside_a_loop(5_000), "three processes": beside_a_loop(5_000, workers=3)},
    }
    print(f"failures: {', '.join(FAILURES)}, one per cent of the rows each")  # noqa: T201 - what is measured is printed
    for name in arguments.parts:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps({name: parts[name](Path(folder))}), flush=True)  # noqa: T201 - what is measured is printed


if __name__ == "__main__":
    main()
