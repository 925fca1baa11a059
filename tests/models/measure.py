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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from answergraph.models import forget_refusals
from tests.models.recording_proxy import RecordingProxy, Run
from tests.models.report import table, those_leaner
from tests.models.serve import weights
from tests.models.tasks import LOG, QUICK, TASKS, Diagnosis, Task
from tests.models.ways import BARE, ways

WITHOUT_TOOLS = "instructor"
"""A peer that calls no tools: the tasks with tools are left out."""
MAX_TIER_SECONDS = 90 * 60
RESULTS = Path("benchmarks/results/models.jsonl")
"""One result a line, so that a measurement that was interrupted can go on."""

MODELS = {"smol": "SmolLM2 135M Q4_1", "qwen": "Qwen2.5 Coder 0.5B Q4_K_M"}


@dataclass(frozen=True)
class Result:
    """How one way of asking did one task."""

    model: str
    way: str
    ours: bool
    task: str
    valid: bool
    right: bool | None
    ended: str
    """``answered``, a status of the outcome, ``None``, or the name of an exception."""
    model_calls: int
    tool_calls: int
    tokens: int
    seconds: float
    broken: list[str] = field(default_factory=list)
    """The invariants that did not hold."""


def main() -> int:
    options = _options()
    names = [name for name in options.models if _is_there(name)]
    if not names:
        print("Skipped: the engine or the weights are not installed (docs/models.md says which packages bring them).")
        return 0
    wanted = options.tasks or (QUICK if options.quick else [task.name for task in TASKS])
    tasks = [task for task in TASKS if task.name in wanted]
    deadline = time.monotonic() + MAX_TIER_SECONDS
    kept = _kept(options.resume)
    results = [result for name in names for result in _measured(name, tasks, options.ways, deadline, kept)]
    return _verdict(results, options, len(tasks))


def _kept(resume: bool) -> dict[tuple[str, str, str], Result]:
    """Return the results of the last measurement by model, way and task, and none of them unless it is to go on."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    lines = RESULTS.read_text("utf-8").splitlines() if resume and RESULTS.exists() else []
    RESULTS.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    results = [Result(**json.loads(line)) for line in lines]
    return {(each.model, each.way, each.task): each for each in results}


def _measured(
    model: str,
    tasks: Sequence[Task],
    wanted: Sequence[str] | None,
    deadline: float,
    kept: dict[tuple[str, str, str], Result],
) -> Iterator[Result]:
    with model_server(model) as url, proxy_of(url) as proxy:
        for (way, ours, ask), task in itertools.product(ways(wanted), tasks):
            if time.monotonic() > deadline:
                print(f"The time is over: {way} on {task.name} and what follows is not measured.")
                return
            if task is tasks[0]:
                forget_refusals()  # what one way was refused is not known to the next
            if task.tools and way.startswith(WITHOUT_TOOLS):
                continue
            result = kept.get((model, way, task.name)) or ran(proxy, model, way, task, ours, ask)
            if (model, way, task.name) not in kept:
                _keep(result)
            yield result


def _keep(result: Result) -> None:
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result)) + "\n")
    print(_line(result), flush=True)


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="make test-model", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="eight tasks on SmolLM2")
    parser.add_argument("--models", nargs="*", default=["smol"], choices=list(MODELS), help="qwen needs make model-env-qwen")
    parser.add_argument("--tasks", nargs="*", help="names of tasks")
    parser.add_argument("--ways", nargs="*", help="names of strategies and peers")
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


def ran(proxy: RecordingProxy, model: str, way: str, task: Task, ours: bool, ask: Callable[[Task, str], Any]) -> Result:
    began = time.monotonic()
    answer, ended, result = None, "", None
    with proxy.new_run() as run:
        try:
            result = ask(task, proxy.url)
        except Exception as error:  # noqa: BLE001 - a peer may raise anything; it is what is counted
            ended = type(error).__name__
    if ours and result is not None:
        answer, ended = result.get("structured_response"), result["outcome"]["status"]
    elif not ended:
        answer, ended = result, "None" if result is None else "answered"
    valid = answer is not None and _is_valid(task, answer)
    return Result(
        model=model,
        way=way,
        ours=ours,
        task=task.name,
        valid=valid,
        right=None if task.right is None else valid and _plain(answer) == _plain(task.right),
        ended=run.refused or ended,
        model_calls=len(run.exchanges),
        tool_calls=_tools_run(task, run),
        tokens=run.tokens,
        seconds=round(time.monotonic() - began, 1),
        broken=_broken(task, answer, valid, ended, run, result) if ours else [],
    )


def _broken(task: Task, answer: Any, valid: bool, ended: str, run: Run, result: Any) -> list[str]:
    """The invariants of this library that a run did not keep."""
    typed = result is not None and (answer is not None) == (ended == "answered") and bool(result["outcome"]["reason"])
    quoted = not isinstance(answer, Diagnosis) or answer.quote in LOG
    held = {
        f"a typed end, not {ended}": typed or bool(run.refused),
        "a valid answer": answer is None or valid,
        "the budget": run.refused != "requests",
        "a true quote": quoted,
    }
    return [name for name, holds in held.items() if not holds]


def _is_valid(task: Task, answer: Any) -> bool:
    adapter: TypeAdapter[Any] = TypeAdapter(task.type)
    if isinstance(answer, Diagnosis) and answer.quote not in LOG:
        return False
    try:
        adapter.validate_json(adapter.dump_json(answer, warnings=False))
    except (ValidationError, ValueError):
        return False
    return True


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _tools_run(task: Task, run: Run) -> int:
    """Return how many calls of the task's tools have a result; answers and their corrections are tool messages, too."""
    messages: list[dict[str, Any]] = run.exchanges[-1]["request"].get("messages", []) if run.exchanges else []
    done = {message.get("tool_call_id") for message in messages if message["role"] == "tool"}
    names = {tool.__name__ for tool in task.tools}
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    return sum(call["id"] in done and call["function"]["name"] in names for call in calls)


def _line(result: Result) -> str:
    mark = "valid" if result.valid else result.ended
    broken = f"  BROKEN: {result.broken}" if result.broken else ""
    return (
        f"{result.model:5} {result.way:20} {result.task:14} {mark:28} {result.model_calls} calls {result.seconds:6.1f} s{broken}"
    )


def _verdict(results: list[Result], options: Any, tasks: int) -> int:
    head = f"{datetime.now(UTC):%Y-%m-%d}, {tasks} tasks, {_versions()}."
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


def those_ahead(results: list[Result]) -> Iterator[str]:
    """Where a bare schema brings fewer valid answers than another way, on the tasks that both have run."""
    for model in {each.model for each in results}:
        of_way: dict[str, dict[str, bool]] = {}
        for each in results:
            if each.model == model:
                of_way.setdefault(each.way, {})[each.task] = each.valid
        bare = of_way.get(BARE, {})
        for way, valid in of_way.items():
            both = bare.keys() & valid.keys()
            mine, theirs = sum(bare[task] for task in both), sum(valid[task] for task in both)
            if mine < theirs:
                yield f"on {model} a bare schema has {mine} valid answers, {way} {theirs}, of {len(both)}"


def _put_into(page: Path, text: str) -> None:
    before, begin, rest = page.read_text("utf-8").partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of the table -->\n")
    page.write_text(f"{before}{begin}\n{text.strip()}\n\n{end}{after}", "utf-8")


def _versions() -> str:
    packages = ("xllamacpp", "langchain-openai", "openai-agents", "pydantic-ai-slim", "langchain")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)


if __name__ == "__main__":
    sys.exit(main())
