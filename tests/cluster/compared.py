"""The benchmark's work as two graphs, our agent and LangChain's. A server loads this file by its path: factories only."""

import asyncio
from functools import cache
from typing import Any

from benchmarks.peers.graphs import build, work_tools
from benchmarks.played_model import PlayedModel
from benchmarks.work import Work

WORK = Work(steps=5)
MODEL_SECONDS = 0.05
"""How long the model takes to reply."""


class SlowModel(PlayedModel):
    """A played model that takes its time."""

    async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(MODEL_SECONDS)
        return await super()._agenerate(*args, **kwargs)


@cache
def answergraph() -> Any:
    return _built("answergraph")


@cache
def create_agent() -> Any:
    return _built("create_agent")


def _built(system: str) -> Any:
    return build(system, WORK, tools=work_tools(WORK, awaited=True), model=SlowModel(work=WORK))
