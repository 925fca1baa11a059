"""The compiled agent, which is what callers invoke. What LangGraph would drop of a call without a word is refused.

So is what LangGraph refuses without saying where.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Set
from contextlib import aclosing
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, TypeVar, cast, get_args

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.constants import END, START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Durability, StateSnapshot, StreamMode

from answergraph.answers.schemas.json_names import fields_of_type
from answergraph.graphs.agent.signature import CONFIG_KEYS, RUN_OPTIONS, AgentArguments
from answergraph.patches.existing import with_existing
from answergraph.runtime.argument_checks import one_of, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant
from answergraph.runtime.recent_cache import MAX_KEPT
from answergraph.runtime.steps import TIMED_VISIT
from answergraph.runtime.time_limits import with_clock
from answergraph.state.agent_state import PRIVATE_KEYS
from answergraph.state.ledger import EXISTING
from answergraph.state.own_keys import check_spelling, without_keys
from answergraph.state.usage import UsageLimits

ChunkT = TypeVar("ChunkT")

_MODES = frozenset({None, *get_args(StreamMode)})
_ELSEWHERE = frozenset({"limits", "response_format", "system_prompt", "thread_id"})
"""What newcomers write into the input."""

_LIKE_A_MODE = 0.8
"""Minimum similarity of a misspelt stream mode, of 1."""

_NOTHING_WAITS = (
    "Nothing is stored under {thread}, so nothing waits for this Command. Pass the config of the run that waits, and the "
    "checkpointer that stored it."
)

_HAS_ENDED = "The run of this thread has ended, so nothing waits for this Command. Write {'messages': […]} for another turn."


class CompiledAgent(CompiledStateGraph[Any, Any]):
    """A compiled agent. The input and commands of callers cannot write its own keys."""

    def stream(self, input: object, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        if isinstance(input, Command):
            _check_resumed(input, config, self)
        return super().stream(*self._checked(input, config, options), **options)

    def astream(self, input: object, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        chunks = super().astream(*self._checked(input, config, options), **options)
        return _resumed_chunks(chunks, input, config, self) if isinstance(input, Command) else chunks

    def update_state(self, config: RunnableConfig, values: Any, *args: Any, **options: Any) -> RunnableConfig:
        _check_written("The update has", values, self, config)
        return super().update_state(config, values, *args, **options)

    async def aupdate_state(self, config: RunnableConfig, values: Any, *args: Any, **options: Any) -> RunnableConfig:
        _check_written("The update has", values, self, config)
        return await super().aupdate_state(config, values, *args, **options)

    def _with_clock(self, config: RunnableConfig | None) -> RunnableConfig:
        """Start the clock of a run; it ends before the visit of the node around it."""
        builder: Any = self.builder
        limits: UsageLimits = builder.limits
        return with_clock(
            config,
            seconds=limits.seconds,
            per_model_call=limits.seconds_per_model_call,
            per_tool_call=limits.seconds_per_tool_call,
            per_visit=self.step_timeout,
            keeps_reserve=limits.reserve_final_answer,
        )

    def _checked(self, input: object, config: Any, options: Mapping[str, object]) -> tuple[Any, RunnableConfig | None]:
        """Return what LangGraph is called with; raise ``AgentSpecError`` for what it would drop."""
        builder: Any = self.builder
        modes = mode if isinstance(mode := options.get("stream_mode"), list | tuple) else (mode,)
        has_saver = isinstance(self.checkpointer, BaseCheckpointSaver)
        is_plain = isinstance(config, Mapping | None) and CONFIG_KEYS.issuperset(config or ()) and RUN_OPTIONS.issuperset(options)
        is_plain = is_plain and isinstance((config or {}).get("recursion_limit", 1), int) and _MODES.issuperset(modes)
        if has_saver or not is_plain or options.get("context") is not None:
            _check_call(config, options, modes, builder.context_schema)
            if has_saver and not _is_inside_a_run():
                _check_thread(self.config, config)
        is_timed = builder.has_times or self.step_timeout is not None or TIMED_VISIT.get() is not None
        agent_input = _read_input(input, self, has_saver=has_saver)
        return agent_input, self._with_clock(config) if is_timed else config


def _read_input(input: object, graph: Any, *, has_saver: bool) -> object:
    """Return an input without the agent's own keys; raise ``AgentSpecError`` if the agent would read nothing of it."""
    builder = graph.builder
    if isinstance(input, dict):
        if EXISTING in input and EXISTING not in builder.channels:
            input = with_existing(input, builder.codec.schemas, builder.repair)
        if not input.keys() <= builder.channels.keys():
            _check_input_keys(input, builder)
        return input if PRIVATE_KEYS.isdisjoint(input) else without_keys(input, builder.keys.own)
    if isinstance(input, Command):
        _check_command(input, graph)
        return without_keys(input, builder.keys.own)
    _check_input(input, goes_on=has_saver or _is_inside_a_run())
    return input


def _is_inside_a_run() -> bool:
    try:
        get_config()
    except RuntimeError:
        return False
    return True


def _check_call(config: object, options: Mapping[str, Any], modes: Iterable[object], schema: object) -> None:
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


def _check_input_keys(input: Mapping[str, object], builder: Any) -> None:
    """Raise ``AgentSpecError`` if no key is read, or if one is like a key of the state or belongs elsewhere."""
    known = list(builder.schemas[builder.input_schema])
    if builder.channels.keys().isdisjoint(input):
        names = " ".join(f"{name!r} is not a key of the agent's state.{meant(name, known)}" for name in input)
        raise AgentSpecError(f"The agent reads nothing of its input: {names} Its keys: {', '.join(known)}.")
    if _is_inside_a_run():
        return  # the input is another graph's state
    check_spelling("The input has", input, known)
    for name in _ELSEWHERE.intersection(input).difference(known):
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
        example = f"{{{', '.join(f'{name!r}: …' for name in fields)}}}"
        raise AgentSpecError(f"context={shown(context)} is no {shown(schema)}; write context={example}.")


def _check_keys(what: str, values: Mapping[Any, object], known: Set[str]) -> None:
    """Raise ``AgentSpecError`` for a key that is like one that is missing; others may be those of outer graphs."""
    check_spelling(f"The {what} has", values.keys() - known, known - values.keys(), f"the {what}")


@lru_cache(maxsize=MAX_KEPT)
def _fields_of(schema: Any) -> Set[str]:
    aliases = [field.validation_alias for field in getattr(schema, "model_fields", {}).values()]
    # A name in JSON may be like a field's own.
    return frozenset() if any(aliases) else fields_of_type(schema).keys()


def _check_written(what: str, update: object, graph: Any, config: RunnableConfig | None = None) -> None:
    """Raise ``AgentSpecError`` for a misspelt key that somebody outside writes; LangGraph drops it."""
    if isinstance(update, Mapping) and not (config or {}).get("configurable", {}).get("checkpoint_ns"):
        check_spelling(what, update, graph.builder.schemas[graph.builder.state_schema])


def _check_command(command: Command[Any], graph: Any) -> None:
    """Raise ``AgentSpecError`` for a caller's command that writes a misspelt key, or goes to no node."""
    _check_written("The Command has", command.update, graph)
    for goto in command.goto if isinstance(command.goto, list | tuple) else [command.goto]:
        if isinstance(goto, str) and goto and goto not in {*graph.nodes, END}:
            nodes = sorted(set(graph.nodes) - {START})
            raise AgentSpecError(f"Command(goto={goto!r}): there is no such node.{meant(goto, nodes)} The nodes are {nodes!r}.")


def _check_input(input: object, *, goes_on: bool) -> None:
    """Raise ``AgentSpecError`` for an input that is no dict; ``None`` continues a stored run, if there may be one."""
    if isinstance(input, str | list | BaseMessage):
        raise AgentSpecError(f"The input {shown(input)} is not a dict; write {{'messages': …}} around it.")
    if input is None and not goes_on:
        raise AgentSpecError("The input None continues a stored run, and the agent has no checkpointer; write {'messages': […]}.")


def _check_thread(*configs: Any) -> None:
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


def _check_resumed(input: Command[str], config: RunnableConfig | None, graph: Any) -> None:
    """Raise ``AgentSpecError`` if a command resumes a thread where nothing waits: LangGraph would do nothing, or begin a run."""
    if config is not None and _resumes(input, config, graph):
        _check_waits(graph.get_state(config), config)


async def _resumed_chunks(
    chunks: AsyncIterator[ChunkT], input: Command[str], config: RunnableConfig | None, graph: Any
) -> AsyncIterator[ChunkT]:
    """Yield the chunks of a resumed run; raise ``AgentSpecError`` as ``_check_resumed`` does."""
    if config is not None and _resumes(input, config, graph):
        _check_waits(await graph.aget_state(config), config)
    async with aclosing(cast("AsyncGenerator[ChunkT]", chunks)):
        async for chunk in chunks:
            yield chunk


def _resumes(command: Command[str], config: RunnableConfig, graph: Any) -> bool:
    """Return whether a command goes on with a thread that is stored here, and does nothing else."""
    configurable = config.get("configurable", {})
    is_named = "thread_id" in configurable and not configurable.get("checkpoint_ns")
    is_stored = is_named and isinstance(graph.checkpointer, BaseCheckpointSaver)
    return is_stored and command.resume is not None and not command.goto and not command.update


def _check_waits(stored: StateSnapshot, config: RunnableConfig) -> None:
    if stored.created_at is None:
        raise AgentSpecError(_NOTHING_WAITS.format(thread=config.get("configurable")))
    if not stored.next:
        raise AgentSpecError(_HAS_ENDED)
