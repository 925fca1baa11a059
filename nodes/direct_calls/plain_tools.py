"""Plain tools: what may be called without ``ToolNode`` around it, and how.

``ToolNode`` makes a thread pool and a ``ToolRuntime`` with the whole state for every call, and ``BaseTool.invoke`` reads
signatures and type hints again at every call. A plain tool needs none of that: a function of arguments the model writes,
nothing injected, nothing special. What is plain and why is in ``docs/decisions/0008-plain-tools.md``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from langchain_core.callbacks import CallbackManager
from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, RootModel

from answergraph.nodes.direct_calls.tool_threads import in_tool_thread

_SPECIAL_NAMES = frozenset(
    {"args", "callbacks", "config", "kwargs", "run_manager", "runtime", "state", "store", "tool_call_id", "v__args"}
)
"""Parameter names that LangChain or LangGraph fill or treat in ways of their own."""

_SPECIAL_TYPES = ("Injected", "RunnableConfig", "ToolRuntime", "CallbackManager", "BaseStore")
_HARMLESS_METADATA = ("pydantic", "annotated_types")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_WRITTEN_AS_JSON = (int, float, bool)


@dataclass(frozen=True)
class PlainTool:
    """A tool that is a function of the model's arguments and nothing else."""

    tool: StructuredTool
    schema: type[BaseModel]
    names: tuple[str, ...]

    def arguments(self, call: ToolCall) -> dict[str, Any]:
        """Return the validated arguments.

        Args:
            call: The tool call.

        Returns:
            The arguments by name, with the schema's defaults.
        """
        if not self.names:
            return {}
        checked = self.schema.model_validate({**call["args"]})
        return {name: getattr(checked, name) for name in self.names}

    def run(self, call: ToolCall, config: RunnableConfig) -> Any:
        """Run the tool in this thread.

        Args:
            call: The tool call.
            config: The node's.

        Returns:
            What ``tool.invoke`` returns for the call.
        """
        if self.tool.func is None or _is_listened_to(self.tool, config):
            return self.tool.invoke(_as_input(call), config)
        # A copy of the context, as everywhere in LangChain: what the tool sets there ends with the call.
        return self._message(call, copy_context().run(self.tool.func, **self.arguments(call)), config)

    async def arun(self, call: ToolCall, config: RunnableConfig) -> Any:
        """Run the tool on the event loop, or in a thread if it only blocks.

        Args:
            call: The tool call.
            config: The node's.

        Returns:
            What ``tool.ainvoke`` returns for the call.
        """
        coroutine = self.tool.coroutine
        if coroutine is None:
            return await in_tool_thread(self.run, call, config)
        if _is_listened_to(self.tool, config):
            return await self.tool.ainvoke(_as_input(call), config)
        return self._message(call, await coroutine(**self.arguments(call)), config)

    def _message(self, call: ToolCall, value: Any, config: RunnableConfig) -> Any:
        if type(value) is str:
            content = value
        elif type(value) in _WRITTEN_AS_JSON:
            content = json.dumps(value)
        else:
            # LangChain knows what becomes of content blocks, artifacts, commands and all the rest.
            return Returning.of(self.tool, value).invoke(_as_input(call), config)
        return ToolMessage(content, name=self.tool.name, tool_call_id=call["id"])


class Returning(BaseTool, defer_build=True):
    """Stands for a tool that has run already: returns its value, or raises its error."""

    value: Any = None
    error: Any = None

    @classmethod
    def of(cls, tool: BaseTool, value: Any) -> Returning:
        """Return a stand-in for a tool whose function returned this value."""
        return cls(name=tool.name, description=tool.description, value=value)

    def _run(self, **_: Any) -> Any:
        return self.value


class Finished(Returning, defer_build=True):
    """Stands for a tool whose ``invoke`` is over: returns what it returned, or raises what it raised, untouched."""

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Return the result or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


class PlainTools:
    """Which of an agent's tools are plain; each is looked at once, when it is first called."""

    def __init__(self, tools: Mapping[str, BaseTool]) -> None:
        """Take the tools by name."""
        self._tools = tools
        self._plain: dict[str, PlainTool | None] = {}

    def find(self, name: str) -> PlainTool | None:
        """Return a tool as a plain one, ``None`` if it is not plain or not known."""
        if name not in self._plain:
            self._plain[name] = plain_tool(self._tools.get(name))
        return self._plain[name]


def plain_tool(tool: BaseTool | None) -> PlainTool | None:
    """Return a tool as a plain one.

    Args:
        tool: Any tool.

    Returns:
        The plain tool; ``None`` for one that gets anything the model does not write, handles errors or artifacts itself, or
        is of a class of its own.
    """
    if type(tool) is not StructuredTool or tool.response_format != "content":
        return None
    if tool.handle_tool_error or tool.handle_validation_error:
        return None
    schema = tool.args_schema
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)) or not _is_plain_schema(schema):
        return None
    names = tuple(schema.model_fields)
    functions = [function for function in (tool.func, tool.coroutine) if function is not None]
    # ``tool.args`` is what the model is shown: an argument that is injected is hidden there.
    if set(tool.args) != set(names) or not all(_takes_just(function, names) for function in functions):
        return None
    return PlainTool(tool, schema, names)


def _is_plain_schema(schema: type[BaseModel]) -> bool:
    if issubclass(schema, RootModel) or schema.model_config.get("extra") == "allow":
        return False
    return not any(field.exclude or not _is_plain_type(field.metadata) for field in schema.model_fields.values())


def _takes_just(function: Callable[..., Any], names: tuple[str, ...]) -> bool:
    parameters = inspect.signature(function).parameters
    if set(parameters) != set(names) or _SPECIAL_NAMES & parameters.keys():
        return False
    if any(parameter.kind not in _NAMED for parameter in parameters.values()):
        return False
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        return False  # hints that cannot be read may say anything
    return all(_is_plain_type(_metadata_in(hint)) and not _is_special(hint) for hint in hints.values())


def _is_special(hint: Any) -> bool:
    return any(word in repr(hint) for word in _SPECIAL_TYPES)


def _is_plain_type(metadata: Any) -> bool:
    """Return whether annotations are of the kind that only describes or bounds a value."""
    return all(isinstance(item, str) or type(item).__module__.startswith(_HARMLESS_METADATA) for item in metadata)


def _metadata_in(hint: Any) -> Iterator[Any]:
    yield from getattr(hint, "__metadata__", ())
    for part in get_args(hint):
        yield from _metadata_in(part)


def _is_listened_to(tool: BaseTool, config: RunnableConfig) -> bool:
    """Return whether any handler would hear of the call: tracers, streams, the user's own, the tool's."""
    # Not the manager's own handlers alone: a handler that is not inherited, such as that of ``collect_runs``, is added here.
    return bool(CallbackManager.configure(config.get("callbacks"), tool.callbacks, tool.verbose).handlers)


def _as_input(call: ToolCall) -> ToolCall:
    return {**call, "type": "tool_call"}
