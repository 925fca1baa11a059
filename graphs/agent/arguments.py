"""Checks the arguments of ``create_agent``; each message has the line to write."""

from collections.abc import Collection, Mapping, Sequence
from inspect import isroutine, signature
from types import FunctionType
from typing import Annotated, Any, NotRequired, Optional, Required, TypeVar, Union, get_args, get_origin, get_type_hints

from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, tool
from langgraph.cache.base import BaseCache
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore
from typing_extensions import ReadOnly, is_typeddict

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.json_names import fields_of_type
from answergraph.answers.storage.state_schemas import metadata_of
from answergraph.graphs.agent.signature import COMPILING, Tool
from answergraph.runtime.argument_checks import check_list, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant, meant_option
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.agent_state import AnswerKeys, PrivateState
from answergraph.state.tool_results import EvidenceState

_TOOLS: RecentCache[BaseTool] = RecentCache()
"""The tools made of plain functions."""

_NEEDED = "pass a function with type hints and a docstring"
_REPLACED = (
    "state_schema={schema} declares 'messages' without a reducer, so each message would replace the conversation. "
    "Leave it out, or write class {schema}(AgentState)."
)

_CLASSES: Mapping[str, tuple[type, str]] = {
    "checkpointer": (BaseCheckpointSaver, "InMemorySaver()"),
    "store": (BaseStore, "InMemoryStore()"),
    "cache": (BaseCache, "InMemoryCache()"),
}


def check_names(function: str, arguments: Mapping[str, object], known: Collection[str]) -> None:
    for name in arguments:
        if name not in known:
            advice = meant_option(name, {*known, "model", "tools", "response_format", "output_key"})
            if name in COMPILING:
                advice = f" Write {function}(…).compile({name}=…)."
            raise AgentSpecError(f"{function}() has no argument {name!r}.{advice}")


def check_compiling(arguments: Mapping[str, object], nodes: Collection[str]) -> None:
    """Refuse arguments that LangGraph cannot compile."""
    for name, (cls, example) in _CLASSES.items():
        value = arguments.get(name)
        if value is None or isinstance(value, cls) or (name == "checkpointer" and isinstance(value, bool)):
            continue
        if isinstance(value, type):
            raise AgentSpecError(f"{name}={shown(value)} is a class; write {name}={shown(value)}(…).")
        raise AgentSpecError(f"{name}={shown(value)} is not a {cls.__name__}; write {name}={example}.")
    for each in check_list("transformers", arguments.get("transformers")):
        if not callable(each):
            raise AgentSpecError(f"transformers: {each!r} is not a function that makes a stream transformer.")
    _check_interrupts(arguments, nodes)


def _check_interrupts(arguments: Mapping[str, object], nodes: Collection[str]) -> None:
    for name in ("interrupt_before", "interrupt_after"):
        for node in () if arguments.get(name) == "*" else check_list(name, arguments.get(name)):
            if node not in nodes:
                raise AgentSpecError(f"{name}: there is no node {node!r}.{meant(node, nodes)} The nodes are {sorted(nodes)!r}.")


def checked_context(schema: object, response_format: object) -> Any:
    if schema is not None and not isinstance(schema, type) and get_origin(schema) is None:
        raise AgentSpecError(f"context_schema={shown(schema)} is not a class; write the class of the run's context.")
    key = None if isinstance(response_format, type) else getattr(response_format, "key", None)
    # That of a ``FromContext``, whose module only they import who use it.
    if key is not None and (known := fields_of_type(schema)) and key not in known:
        raise AgentSpecError(f"FromContext({key!r}): context_schema has no {key!r}.{meant(key, known)} It has {list(known)!r}.")
    return schema


def system_message(prompt: object) -> SystemMessage | None:
    if isinstance(prompt, str):
        return SystemMessage(prompt)
    if prompt is None or isinstance(prompt, SystemMessage):
        return prompt
    advice = " For a prompt made at each call, decorate the function with @dynamic_prompt and add it to middleware=[…]."
    raise AgentSpecError(
        f"system_prompt={shown(prompt)} is not a text; write system_prompt='…'.{advice if callable(prompt) else ''}"
    )


def split_tools(argument: object) -> tuple[list[BaseTool], tuple[dict[str, object], ...]]:
    """Return the tools that run here, and those that the provider runs."""
    tools = check_list("tools", argument)
    for each in tools:
        if isinstance(each, dict) and (made := next(filter(_is_made_here, each.values()), None)) is not None:
            raise AgentSpecError(
                f"tools: {shown(made)} is in a dict, which only the provider would read; write tools=[{shown(made)}]."
            )
    return [_as_tool(each) for each in tools if not isinstance(each, dict)], tuple(
        each for each in tools if isinstance(each, dict)
    )


def _is_made_here(part: object) -> bool:
    return isinstance(part, BaseTool) or callable(part)


def _as_tool(argument: Tool) -> BaseTool:
    if isinstance(argument, BaseTool):
        return argument
    if isinstance(argument, type):
        raise AgentSpecError(f"tools: {shown(argument)} is a class; write {shown(argument)}(…), or a function.")
    if not callable(argument):
        advice = "write as_tool(agent, description='…')" if hasattr(argument, "aget_state") else _NEEDED
        raise AgentSpecError(f"tools: {shown(argument)} is not a tool; {advice}.")
    if isinstance(argument, FunctionType) and argument.__closure__ is None:
        # Cached: reading a signature takes 3 ms. Only for functions without a closure; agents do not share tools.
        return _TOOLS.get_or_make(lambda: _made(argument), argument, key=argument.__doc__).model_copy()
    return _made(argument)


def _made(function: Any) -> BaseTool:
    parameters = list(signature(function).parameters.values()) if isroutine(function) else []
    if parameters and parameters[0].name == "self":
        owner = shown(function).partition(".")[0]
        raise AgentSpecError(f"tools: {shown(function)} takes self; write {owner}(…).{function.__name__}.")
    if several := next((each.name for each in parameters if each.kind is each.VAR_POSITIONAL), None):
        raise AgentSpecError(
            f"tools: {shown(function)} takes *{several}, and arguments come by name; write {several}: list[str]."
        )
    try:
        made_tool: BaseTool = tool(function)
    except (TypeError, ValueError, NameError) as error:
        raise AgentSpecError(f"tools: {shown(function)} cannot be made a tool: {error}") from error
    return made_tool


def answer_keys(output_key: str | None) -> AnswerKeys:
    if output_key == "":
        raise AgentSpecError("output_key='' is not a name; write output_key='answer'.")
    if output_key in {"messages", *_OWN_TYPES}:
        raise AgentSpecError(f"output_key={output_key!r}: the agent uses this key for something else; choose another one.")
    return AnswerKeys.named(output_key)


def check_state_schema(schema: object, keys: AnswerKeys, answers: Sequence[AnswerSchema]) -> None:
    """Refuse a state schema that is not a ``TypedDict`` or redefines a key of the agent."""
    if not is_typeddict(schema):
        name = shown(schema) if isinstance(schema, type) else "State"
        raise AgentSpecError(
            f"state_schema={shown(schema)} is not a TypedDict; write class {name}(AgentState) and your keys in it."
        )
    declared = get_type_hints(schema, include_extras=True)
    hints = {key: _bare(hint) for key, hint in declared.items()}
    # With another ``output_key``, the schema may use the default keys.
    own = {*_OWN_TYPES, "messages", "structured_response"} - {AnswerKeys().outcome} | {keys.answer, keys.outcome}
    for key in hints.keys() & own:
        if not _is_own(key, hints[key], answers):
            raise AgentSpecError(
                f"state_schema={shown(schema)} declares {key!r} as {shown(hints[key])}, but that key is the agent's own. "
                "Give yours another name."
            )
    if "messages" in declared and not metadata_of(declared["messages"]):  # where a reducer would stand
        raise AgentSpecError(_REPLACED.format(schema=shown(schema)))


def _is_own(key: str, hint: object, answers: Sequence[AnswerSchema]) -> bool:
    if key == "messages":
        return (get_origin(hint) or hint) in {list, Sequence}
    if key == "structured_response":
        declared: object = Union[tuple(schema.annotation for schema in answers) or (Any,)]  # noqa: UP007  # known at run time only
        return isinstance(hint, TypeVar) or hint in (Any, declared, Optional[declared])  # noqa: UP045  # as above
    return bool(hint == _OWN_TYPES.get(key))


def _bare(hint: object) -> object:
    while get_origin(hint) in {Annotated, Required, NotRequired, ReadOnly}:
        hint = get_args(hint)[0]
    return hint


_OWN_TYPES: Mapping[str, object] = {
    key: _bare(hint)
    for schema in (PrivateState, EvidenceState)
    for key, hint in get_type_hints(schema, include_extras=True).items()
    if key not in {"messages", "structured_response"}
}
"""The agent's own keys, with their types."""
