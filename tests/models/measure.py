"""A small real model over every strategy, beside the peers: ``make test-model``.

Asserted are invariants of every run of this library (a typed end, a valid answer, the budget, true quotes, no exception) and
two ratchets: a bare schema brings at least as many valid answers as every explicit strategy and as the best peer, and takes at
most 1.2 times the tokens per valid answer of the leanest peer that did the same work.
"""

import argparse
import importlib
import importlib.metadata
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from answergraph.models import forget_refusals
from tests.models.recording_proxy import RecordingProxy, Settings
from tests.models.report import table, those_ahead, those_leaner
from tests.models.result import Result, ran
from tests.models.serve import weights
from tests.models.task import Task
from tests.models.tasks import HELD_OUT, QUICK, TASKS
from tests.models.ways import ways

RESULTS = Path("benchmarks/results/models.jsonl")
"""One result a line, so that a measurement that was interrupted can go on."""
TRANSCRIPTS = RESULTS.with_suffix(".transcripts.jsonl")
"""What each run sent and got, but for the tasks that are held out."""

MODELS = {"smol": "SmolLM2 135M Q4_1", "qwen": "Qwen2.5 Coder 0.5B Q4_K_M", "gemma": "Gemma 3 270M Q4_K_M"}


def main() -> int:
    options = _options()
    names = [name for name in options.models if _is_there(name)]
    if not names:
        print("Skipped: the engine or the weights are not installed (docs/models.md says which packages bring them).")
        return 0
    tasks = [task for task in TASKS if _is_wanted(task, options)]
    deadline = time.monotonic() + options.minutes * 60
    kept = _kept(options.resume)
    results = [result for name in names for result in _measured(name, tasks, options, deadline, kept)]
    return _verdict(results, options, len(tasks))


def _is_wanted(task: Task, options: Any) -> bool:
    if options.tasks or options.quick:
        return task.name in (options.tasks or QUICK)
    return options.only is None or bool(task.tools) is (options.only == "tools")


def _kept(resume: bool) -> dict[tuple[str, str, str, int], Result]:
    """Return the results of the last measurement by model, way, task and seed, and none of them unless it is to go on."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    lines = RESULTS.read_text("utf-8").splitlines() if resume and RESULTS.exists() else []
    RESULTS.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    results = [Result(**json.loads(line)) for line in lines]
    return {(each.model, each.way, each.task, each.seed): each for each in results}


def _measured(
    model: str, tasks: Sequence[Task], options: Any, deadline: float, kept: dict[tuple[str, str, str, int], Result]
) -> Iterator[Result]:
    with model_server(model) as url, proxy_of(url) as proxy:
        missing = 0
        for seed, way, task in itertools.product(options.seeds, ways(options.ways), tasks):
            if task is tasks[0]:
                forget_refusals()  # what one way was refused is not known to the next
            if task.tools and not way.has_tools:
                continue
            result = kept.get((model, way.name, task.name, seed))
            if result is None and time.monotonic() > deadline:
                missing += 1
                continue
            if result is None:
                result = ran(proxy, model, way, task, seed)
                _keep(result, proxy)
            yield result
        if missing:
            print(f"The time is over: {missing} runs of {MODELS[model]} are not measured.")


def _keep(result: Result, proxy: RecordingProxy) -> None:
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result)) + "\n")
    if result.task not in HELD_OUT:
        with TRANSCRIPTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(result), "exchanges": proxy.run.exchanges}) + "\n")
    print(_line(result), flush=True)


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="make test-model", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="eight tasks on SmolLM2")
    parser.add_argument(
        "--models", nargs="*", default=["smol"], choices=list(MODELS), help="make model-env-NAME brings the others"
    )
    parser.add_argument("--tasks", nargs="*", help="names of tasks")
    parser.add_argument("--only", choices=["tools", "text"], help="the tasks with tools, or those without")
    parser.add_argument("--ways", nargs="*", help="names of strategies and peers, or 'three samples'")
    parser.add_argument("--seeds", nargs="*", type=int, default=[Settings.seed], help="each run once per seed, such as 7 8 9")
    parser.add_argument("--minutes", type=float, default=90, help="no run begins later")
    parser.add_argument("--resume", action="store_true", help="keep what the last measurement has, and measure the rest")
    parser.add_argument("--write", type=Path, help="put the table into this page")
    return parser.parse_args()


def _is_there(name: str) -> bool:
    try:
        importlib.import_module("xllamacpp")
        return weights(name).exists()
    except ImportError as error:
        print(f"{MODELS[name]} is left out: {error}")
        return False


@contextmanager
def model_server(name: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.models.serve", name]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@contextmanager
def proxy_of(url: str) -> Iterator[RecordingProxy]:
    proxy = RecordingProxy(url)
    try:
        yield proxy
    finally:
        proxy.close()


def _line(result: Result) -> str:
    mark = ("right" if result.right else "valid") if result.valid else result.ended
    broken = f"  BROKEN: {result.broken}" if result.broken else ""
    calls = f"{result.model_calls} calls, {result.tool_calls} of tools"
    return f"{result.model:5} {result.way:20} {result.task:14} {result.seed:2} {mark:24} {calls} {result.seconds:6.1f} s{broken}"


def _verdict(results: list[Result], options: Any, tasks: int) -> int:
    head = f"{datetime.now(UTC):%Y-%m-%d}, {tasks} tasks, seeds {', '.join(map(str, options.seeds))}, {_versions()}."
    text = (
        head
        + "\n\n"
        + "\n".join(table(MODELS[name], [each for each in results if each.model == name]) for name in options.models)
    )
    print("\n" + text)
    if options.write:
        _put_into(options.write, text)
    broken = [f"{each.way}, {each.task}: {', '.join(each.broken)}" for each in results if each.broken]
    behind = list(those_ahead(results))
    dearer = list(those_leaner(results))
    named = (("Broken", broken), ("Behind", behind), ("Dearer", dearer))
    print(*(f"{name}: {each}" for name, found in named for each in found), sep="\n")
    return 1 if broken or behind or dearer else 0


def _put_into(page: Path, text: str) -> None:
    before, begin, rest = page.read_text("utf-8").partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of the table -->\n")
    page.write_text(f"{before}{begin}\n{text.strip()}\n\n{end}{after}", "utf-8")


def _versions() -> str:
    packages = ("xllamacpp", "langchain-openai", "openai-agents", "pydantic-ai-slim", "langchain")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)


if __name__ == "__main__":
    sys.exit(main())
