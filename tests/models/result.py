"""One way of asking, on one task: how it ended, and what it cost."""

import time
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tests.models.recording_proxy import RecordingProxy, Run, Settings
from tests.models.task import Task
from tests.models.tasks import LOG, Diagnosis
from tests.models.ways import Way


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
    """How many calls of the right tools have a result."""
    tokens: int
    seconds: float
    broken: list[str] = field(default_factory=list)
    """The invariants that did not hold."""
    seed: int = Settings.seed


def ran(proxy: RecordingProxy, model: str, way: Way, task: Task, seed: int = Settings.seed) -> Result:
    """Ask a model for one task, and return how it ended."""
    began = time.monotonic()
    answer, ended, result = None, "", None
    with proxy.new_run(Settings(seed=seed), way.samples) as run:
        try:
            result = way.ask(task, proxy.url)
        except Exception as error:  # noqa: BLE001 - a peer may raise anything; it is what is counted
            ended = type(error).__name__
    if way.ours and result is not None:
        answer, ended = result.get("structured_response"), result["outcome"]["status"]
    elif not ended:
        answer, ended = result, "None" if result is None else "answered"
    valid = answer is not None and _is_valid(task, answer)
    return Result(
        model=model,
        way=way.name,
        ours=way.ours,
        task=task.name,
        valid=valid,
        right=None if task.right is None else valid and _plain(answer) == _plain(task.right),
        ended=run.refused or ended,
        model_calls=len(run.exchanges),
        tool_calls=_tools_run(task, run),
        tokens=run.tokens,
        seconds=round(time.monotonic() - began, 1),
        broken=_broken(task, answer, valid, ended, run, result) if way.ours else [],
        seed=seed,
    )


def _broken(task: Task, answer: Any, valid: bool, ended: str, run: Run, result: Any) -> list[str]:
    """The invariants of this library that a run did not keep."""
    typed = result is not None and (answer is not None) == (ended == "answered") and bool(result["outcome"]["reason"])
    quoted = not isinstance(answer, Diagnosis) or _is_quoted(answer.quote)
    held = {
        f"a typed end, not {ended}": typed or bool(run.refused),
        "a valid answer": answer is None or valid,
        "the budget": run.refused != "requests",
        "a true quote": quoted,
    }
    return [name for name, holds in held.items() if not holds]


def _is_valid(task: Task, answer: Any) -> bool:
    adapter: TypeAdapter[Any] = TypeAdapter(task.type)
    if isinstance(answer, Diagnosis) and not _is_quoted(answer.quote):
        return False
    try:
        adapter.validate_json(adapter.dump_json(answer, warnings=False))
    except (ValidationError, ValueError):
        return False
    return True


def _is_quoted(quote: str) -> bool:
    """Return whether a quote is in the log, but for the case of its first letter and what ends it (docs/evidence-rules.md)."""
    words = quote.strip().rstrip(".,…")
    return any(each in LOG for each in (quote, words, words[:1].swapcase() + words[1:]))


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _tools_run(task: Task, run: Run) -> int:
    """Return how many calls of the right tools have a result; answers and their corrections are tool messages, too."""
    messages: list[dict[str, Any]] = run.exchanges[-1]["request"].get("messages", []) if run.exchanges else []
    done = {message.get("tool_call_id") for message in messages if message["role"] == "tool"}
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    return sum(call["id"] in done and call["function"]["name"] in task.right_tools for call in calls)
