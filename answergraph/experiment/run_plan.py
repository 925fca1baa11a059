"""Runs an experiment: several runs concurrently, none twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, messages_to_dict

from answergraph.experiment.journal import HowMade, Journal, Record, RunKey
from answergraph.experiment.measurement import measure
from answergraph.experiment.seed_experiment import Task
from answergraph.experiment.settings import Setting

PARAMETERS = ("temperature", "top_p", "top_k", "max_tokens", "seed", "reasoning_effort")
"""The recorded settings of a model, by LangChain's names."""


@dataclass(frozen=True)
class RunPlan:
    """The runs of an experiment."""

    model_name: str
    settings: Sequence[Setting]
    """Each runs every task."""
    tasks: Sequence[Task]
    repeats: int = 1
    base_url: str | None = None
    """The model's address, if not the provider's own."""

    def runs(self) -> Iterator[Run]:
        """Yield the runs, repeat by repeat, so that an interrupted experiment holds whole repeats."""
        for repeat in range(1, self.repeats + 1):
            for task in self.tasks:
                for setting in self.settings:
                    yield Run(self._key(setting, task, repeat), setting, task)

    def _key(self, setting: Setting, task: Task, repeat: int) -> RunKey:
        parts = [self.model_name, self.base_url, setting.fingerprint, task.question, version("answergraph")]
        # The address may hold a password: only its hash is stored.
        configuration = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
        return RunKey(self.model_name, configuration, setting.name, task.id, repeat)


@dataclass(frozen=True)
class Run:
    """One task in one setting."""

    key: RunKey
    setting: Setting
    task: Task


async def run_all(
    plan: RunPlan, model: BaseChatModel, journal: Journal, *, concurrency: int, done: Callable[[], None] = lambda: None
) -> dict[RunKey, Exception]:
    """Make the runs that the journal does not hold yet, and return the errors of failed ones in the plan's order.

    The journal gets each run as it finishes; failed runs are repeated next time. ``done`` is called after each run, and for
    each run already in the journal. Raise ``AgentSpecError`` before any run if the model does not support a setting.
    """
    agents = {setting.name: setting.agent(model) for setting in plan.settings}
    waiting: list[Run] = []
    for run in plan.runs():
        if run.key in journal.records:
            done()
        else:
            waiting.append(run)
    failed: dict[RunKey, Exception] = {}
    left = iter(waiting)

    async def work() -> None:
        for run in left:
            try:
                record = await _record(agents[run.setting.name], run, model)
            except Exception as error:  # noqa: BLE001 - every provider has error classes of its own; one failed run must not end the others
                failed[run.key] = error
            else:
                journal.add(record)
            done()

    workers = [asyncio.ensure_future(work()) for _ in range(min(concurrency, len(waiting)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
    return {run.key: failed[run.key] for run in waiting if run.key in failed}


async def _record(agent: Any, run: Run, model: BaseChatModel) -> Record:
    state = await agent.ainvoke({"messages": [("user", run.task.question)]})
    return Record(run.key, measure(run.setting, run.task, state), _how_made(state["messages"], model))


def _how_made(messages: Sequence[AnyMessage], model: BaseChatModel) -> HowMade:
    served = {message.response_metadata.get("model_name") for message in messages if isinstance(message, AIMessage)}
    return HowMade(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("answergraph"),
        served=sorted(str(name) for name in served if name),
        parameters={name: value for name in PARAMETERS if (value := getattr(model, name, None)) is not None},
        transcript=messages_to_dict(messages),
    )
