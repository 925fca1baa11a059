"""How an agent is called: what LangGraph would drop without a word, or word without the place, is refused."""

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Mapping, Set
from contextlib import aclosing
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, TypeVar, cast, get_args

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.constants import END, START
from langgraph.types import Command, Durability, StateSnapshot, StreamMode

from answergraph.answers.schemas.json_names import fields_of_type
from answergraph.graphs.agent.signature import CONFIG_KEYS, RUN_OPTIONS, AgentArguments
from answergraph.runtime.argument_checks import one_of, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant
from answergraph.runtime.recent_cache import MAX_KEPT
from answergraph.state.own_keys import check_spelling

ChunkT = TypeVar("ChunkT")

_ELSEWHERE = frozenset({"limits", "response_format", "system_prompt", "thread_id"})
"""What newcomers write into the input."""

_LIKE_A_MODE = 0.8
"""Minimum similarity of a misspelt stream mode, of 1."""

_NOTHING_WAITS = (
    "Nothing is stored under {thread}, so nothing waits for this Command. Pass the config of the run that waits, and the "
    "checkpointer that stored it."
)

_HAS_ENDED = "The run of this thread has ended, so nothing waits for this Command. Write {'messages': […]} for another turn."


def check_call(config: object, options: Mapping[str, Any], modes: Iterable[object], schema: object) -> None:
    """Raise ``AgentSpecError`` for what LangGraph would drop of a call: keys, arguments, modes and a context of another type."""
    if (durability := options.get("durability")) is not None:
        one_of("durability", Durability, durability)
    _check_config(config)
    for name in options.keys() - RUN_OPTIONS:
        raise AgentSpecError(f"A run of the agent has no argument {name!r}.{_meant_by(name)}")
    for mode in modes:
        # Transformers have modes of their own.
        if isinstance(mode, str) and get_close_matches(mode, get_args(StreamMode), 1, _LIKE_A_MODE):
            one_of("stream_mode", StreamMode, mode)
    if (context := options.get("context")) is not None and (fields := _fields_of(schema)):
        _check_context(context, schema, fields)


def check_keys(given: Collection[Any], known: Collection[str]) -> None:
    """Raise ``AgentSpecError`` for a key of the input that is like one of the state, or that belongs elsewhere."""
    check_spelling("The input has", given, known)
    for name in _ELSEWHERE.intersection(given).difference(known):
        raise AgentSpecError(f"The input has {name!r}, which is no key of the agent's state.{_meant_by(name)}")


def _check_config(config: object) -> None:
    if not isinstance(config, Mapping | None):
        raise AgentSpecError(f"config={shown(config)} is not a dict; write config={{'configurable': {{'thread_id': '1'}}}}.")
    if config and "context" in config:
        raise AgentSpecError("The config has 'context', which nothing reads; write invoke(…, context=…).")
    _check_keys("config", config or {}, CONFIG_KEYS)
    if config and not isinstance(limit := config.get("recursion_limit", 1), int):
        raise AgentSpecError(f"The config has recursion_limit={limit!r}; write a whole number.")


def _meant_by(name: str) -> str:
    """Return where an argument is given that a run does not take."""
    if name in {"response_format", "output_key", *AgentArguments.__annotations__}:
        one = ", and for one per run response_format=FromContext()" if name == "response_format" else ""
        return f" Write create_agent({name}=…){one}."
    if name in {"thread", "thread_id"}:
        return " Write config={'configurable': {'thread_id': '1'}}."
    return f" Write config={{{name!r}: …}}." if name in CONFIG_KEYS else meant(name, RUN_OPTIONS)


def _check_context(context: object, schema: Any, fields: Set[str]) -> None:
    if isinstance(context, Mapping):
        _check_keys("context", context, fields)
    # An object of another class may have the same attributes.
    elif isinstance(context, str | int | float | list | tuple | Set):
        written = f"{{{', '.join(f'{name!r}: …' for name in fields)}}}"
        raise AgentSpecError(f"context={shown(context)} is no {shown(schema)}; write context={written}.")


def _check_keys(what: str, given: Mapping[Any, object], known: Set[str]) -> None:
    """Raise ``AgentSpecError`` for a key that is like one that is missing; others may be those of outer graphs."""
    check_spelling(f"The {what} has", given.keys() - known, known - given.keys(), f"the {what}")


@lru_cache(maxsize=MAX_KEPT)
def _fields_of(schema: Any) -> Set[str]:
    aliases = [field.validation_alias for field in getattr(schema, "model_fields", {}).values()]
    # A name in JSON may be like a field's own.
    return frozenset() if any(aliases) else fields_of_type(schema).keys()


def check_written(what: str, update: object, graph: Any, config: RunnableConfig | None = None) -> None:
    """Raise ``AgentSpecError`` for a misspelt key that somebody outside writes; LangGraph drops it."""
    if isinstance(update, Mapping) and not (config or {}).get("configurable", {}).get("checkpoint_ns"):
        check_spelling(what, update, graph.builder.schemas[graph.builder.state_schema])


def check_command(command: Command[Any], graph: Any) -> None:
    """Raise ``AgentSpecError`` for a caller's command that writes a misspelt key, or goes to no node."""
    check_written("The Command has", command.update, graph)
    for goto in command.goto if isinstance(command.goto, list | tuple) else [command.goto]:
        if isinstance(goto, str) and goto and goto not in {*graph.nodes, END}:
            nodes = sorted(set(graph.nodes) - {START})
            raise AgentSpecError(f"Command(goto={goto!r}): there is no such node.{meant(goto, nodes)} The nodes are {nodes!r}.")


def check_input(input: object, *, goes_on: bool) -> None:
    """Raise ``AgentSpecError`` for an input that is no dict; ``None`` continues a stored run, if there may be one."""
    if isinstance(input, str | list | BaseMessage):
        raise AgentSpecError(f"The input {shown(input)} is not a dict; write {{'messages': …}} around it.")
    if input is None and not goes_on:
        raise AgentSpecError("The input None continues a stored run, and the agent has no checkpointer; write {'messages': […]}.")


def check_thread(*configs: Any) -> None:
    """Raise ``AgentSpecError`` if none of the configs names the thread that a run is stored under."""
    for config in filter(None, configs):
        configurable = config.get("configurable") or {}
        if not isinstance(configurable, Mapping):
            break
        if any(each.get("thread_id") is not None for each in (configurable, config)):  # LangChain reads a name there too
            return
    raise AgentSpecError(
        "The agent has a checkpointer, and the config names no thread to store the run under; write "
        "config={'configurable': {'thread_id': '1'}}, or leave out the checkpointer."
    )


def check_resumed(input: object, config: RunnableConfig | None, graph: Any) -> None:
    """Raise ``AgentSpecError`` if a command resumes a thread where nothing waits: LangGraph would do nothing, or begin a run."""
    if config is not None and _resumes(input, config) and isinstance(graph.checkpointer, BaseCheckpointSaver):
        _check_waits(graph.get_state(config), config)


async def resumed_chunks(
    chunks: AsyncIterator[ChunkT], input: object, config: RunnableConfig | None, graph: Any
) -> AsyncIterator[ChunkT]:
    """Yield the chunks of a resumed run; raise ``AgentSpecError`` as ``check_resumed`` does."""
    if config is not None and _resumes(input, config) and isinstance(graph.checkpointer, BaseCheckpointSaver):
        _check_waits(await graph.aget_state(config), config)
    async with aclosing(cast("AsyncGenerator[ChunkT]", chunks)):
        async for chunk in chunks:
            yield chunk


def _resumes(input: object, config: RunnableConfig) -> bool:
    configurable = config.get("configurable", {})
    is_named = "thread_id" in configurable and not configurable.get("checkpoint_ns")
    return isinstance(input, Command) and is_named and input.resume is not None and not input.goto and not input.update


def _check_waits(stored: StateSnapshot, config: RunnableConfig) -> None:
    if stored.created_at is None:
        raise AgentSpecError(_NOTHING_WAITS.format(thread=config.get("configurable")))
    if not stored.next:
        raise AgentSpecError(_HAS_ENDED)
