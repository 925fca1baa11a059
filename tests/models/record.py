"""Records replies of a real model to the requests of real strategies, and labels them: ``make replies``.

The file has the form of ``tests/models/replies``: one JSON a line with request, reply, finish reason and tokens. Equal exchanges
are kept once, and at most some of each kind, so that a file stays small; a native tool call needs no reading and is left out.
"""

import argparse
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from answergraph.models import forget_refusals
from tests.models.label import write_labels
from tests.models.measure import MODELS, model_server, proxy_of
from tests.models.recording_proxy import Settings
from tests.models.tasks import HELD_OUT, TASKS
from tests.models.ways import STRATEGIES, our_way

TEMPERATURES = (0.0, 0.7, 1.2)
MAX_OF_A_KIND = 2
"""Replies to one task that are kept for each way on the wire: with tools or without, and the response format."""


def main() -> int:
    options = _options()
    with ExitStack() as stack:
        if options.transcripts:
            rows = _thinned(_measured(options.transcripts))
        else:
            url = options.url or stack.enter_context(model_server(options.model))
            rows = _thinned(_recorded(stack.enter_context(proxy_of(url)), options))
    options.file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    print(f"{len(rows)} exchanges in {options.file}: {dict(write_labels(options.file))}")
    print("Read the labels before you commit them.")
    return 0


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="make replies", description=__doc__)
    parser.add_argument("file", type=Path, help="the .jsonl to write")
    parser.add_argument("--model", default="smol", choices=list(MODELS), help="the model to start")
    parser.add_argument("--url", help="a running server that speaks OpenAI's protocol, without /v1")
    parser.add_argument("--transcripts", type=Path, nargs="*", help="take the replies of measurements instead of asking")
    parser.add_argument("--tasks", nargs="*", help="names of tasks")
    parser.add_argument("--minutes", type=float, default=20)
    return parser.parse_args()


def _recorded(proxy: Any, options: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield exchanges with their task, one temperature after the other, until the time is over."""
    deadline = time.monotonic() + options.minutes * 60
    tasks = [task for task in TASKS if task.name not in HELD_OUT and task.name in (options.tasks or [task.name])]
    for temperature, task, way in itertools.product(TEMPERATURES, tasks, STRATEGIES):
        if time.monotonic() > deadline:
            return
        forget_refusals()
        with proxy.new_run(Settings(temperature=temperature)) as run:
            our_way(STRATEGIES[way])(task, proxy.url)
        print(f"{temperature} {way} {task.name}: {len(run.exchanges)} exchanges", flush=True)
        yield from ((task.name, exchange) for exchange in run.exchanges if _is_text(exchange["reply"]))


def _measured(files: list[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the exchanges of measurements with their task; tasks that are held out have none."""
    for run in (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()):
        yield from ((run["task"], exchange) for exchange in run["exchanges"] if _is_text(exchange["reply"]))


def _is_text(reply: dict[str, Any] | None) -> bool:
    return reply is not None and not reply.get("tool_calls")


def _thinned(recorded: Iterator[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    seen: set[str] = set()
    kinds: Counter[str] = Counter()
    kept = []
    for task, row in recorded:
        request = row["request"]
        known = json.dumps([task, row["reply"].get("content"), [tool["function"]["name"] for tool in request.get("tools", ())]])
        form = request.get("response_format", {})
        is_held = form.get("json_schema", {}).get("name") == "call"
        kind = json.dumps([task, is_held or form.get("type"), bool(request.get("tools"))])
        kinds[kind] += known not in seen
        if known not in seen and kinds[kind] <= MAX_OF_A_KIND:
            kept.append({**row, "request": {**request, "messages": _short(request["messages"])}})
        seen.add(known)
    return kept


def _short(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Role and content alone, as the first corpus has them."""
    return [{"content": message.get("content"), "role": message["role"]} for message in messages]


if __name__ == "__main__":
    sys.exit(main())
