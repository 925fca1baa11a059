"""How an agent is called: what LangGraph would drop without a word, or word without the place, is refused."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from difflib import get_close_matches
from typing import Any, TypeVar, cast, get_args

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command, StreamMode

from answergraph.runtime.argument_checks import one_of, shown
from answergraph.runtime.errors import AgentSpecError

ChunkT = TypeVar("ChunkT")

_LIKE_A_MODE = 0.8
"""Minimum similarity of a misspelt stream mode, of 1."""

_NOTHING_WAITS = (
    "Nothing is stored under {thread}, so nothing waits for this Command. Pass the config of the run that waits, and the "
    "checkpointer that stored it."
)


def check_call(config: object, modes: Iterable[object]) -> None:
    """Raise ``AgentSpecError`` for a config that is none, and for a misspelt stream mode."""
    if not isinstance(config, Mapping | None):
        raise AgentSpecError(f"config={shown(config)} is not a dict; write config={{'configurable': {{'thread_id': '1'}}}}.")
    for mode in modes:
        # Transformers have modes of their own.
        if isinstance(mode, str) and get_close_matches(mode, get_args(StreamMode), 1, _LIKE_A_MODE):
            one_of("stream_mode", StreamMode, mode)


def check_thread(*configs: Any) -> None:
    """Raise ``AgentSpecError`` if none of the configs names the thread that a run is stored under."""
    for config in filter(None, configs):
        configurable = config.get("configurable") or {}
        if not isinstance(configurable, Mapping):
            break
        if "thread_id" in configurable or "thread_id" in config:  # LangChain reads a name there too
            return
    raise AgentSpecError(
        "The agent has a checkpointer, and the config names no thread to store the run under; write "
        "config={'configurable': {'thread_id': '1'}}, or leave out the checkpointer."
    )


def check_resumed(input: object, config: RunnableConfig | None, saver: object) -> None:
    """Raise ``AgentSpecError`` if a command resumes a thread of which nothing is stored: LangGraph would begin a run."""
    if config is not None and _resumes(input, config) and isinstance(saver, BaseCheckpointSaver):
        _check_stored(saver.get_tuple(config), config)


async def resumed_chunks(
    chunks: AsyncIterator[ChunkT], input: object, config: RunnableConfig | None, saver: object
) -> AsyncIterator[ChunkT]:
    """Yield the chunks of a resumed run; raise ``AgentSpecError`` as ``check_resumed`` does."""
    if config is not None and _resumes(input, config) and isinstance(saver, BaseCheckpointSaver):
        _check_stored(await saver.aget_tuple(config), config)
    async with aclosing(cast("AsyncGenerator[ChunkT]", chunks)):
        async for chunk in chunks:
            yield chunk


def _resumes(input: object, config: RunnableConfig) -> bool:
    has_thread = "thread_id" in config.get("configurable", {})
    return isinstance(input, Command) and has_thread and input.resume is not None and not input.goto and not input.update


def _check_stored(stored: object, config: RunnableConfig) -> None:
    if stored is None:
        raise AgentSpecError(_NOTHING_WAITS.format(thread=config.get("configurable")))
