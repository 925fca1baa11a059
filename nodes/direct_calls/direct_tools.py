"""Tools that can be called without ``ToolNode``.

``ToolNode`` makes a thread pool and a ``ToolRuntime`` with the whole state for every call, and ``BaseTool.invoke`` reads
signatures and type hints again at every call. A function that takes only the model's arguments needs none of that; see
``docs/decisions/0008-direct-tools.md``.
"""

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args, get_type_hints

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, RootModel

from answergraph.nodes.direct_calls.tool_threads import in_tool_thread
from answergraph.runtime.argument_checks import is_switched_on

_SPECIAL_NAMES = frozenset(
    {"args", "callbacks", "config", "kwargs", "run_manager", "runtime", "state", "store", "tool_call_id", "v__args"}
)
"""Parameter names that LangChain or LangGraph treat specially."""

_SPECIAL_TYPES = ("Injected", "RunnableConfig", "ToolRuntime", "CallbackManager", "BaseStore")
_HARMLESS_METADATA = ("pydantic", "annotated_types")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_WRITTEN_AS_JSON = (int, float, bool)


DIRECT_CALLS = "ANSWERGRAPH_DIRECT_CALLS"
"""The switch: with ``0``, every tool call of an agent built from then on goes through ``ToolNode``."""


@dataclass(frozen=True)
class DirectTool:
    """A tool that only depends on the model's arguments."""

    tool: StructuredTool
    schema: type[BaseModel]
    names: tuple[str, ...]

    @classmethod
    def of(cls, tool: BaseTool) -> "DirectTool | None":
        """Return a tool as a direct one.

        ``None`` for a tool with injected arguments, its own error or artifact handling, or its own class.
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
        # ``tool.args`` hides injected arguments.
        if set(tool.args) != set(names) or not all(_takes_just(function, names) for function in functions):
            return None
        return cls(tool, schema, names)

    def arguments(self, call: ToolCall) -> dict[str, object]:
        """Return the validated arguments by name, with the schema's defaults."""
        if not self.names:
            return {}
        checked = self.schema.model_validate({**call["args"]})
        return {name: getattr(checked, name) for name in self.names}


@dataclass(frozen=True)
class DirectCall:
    """An effect that calls a direct tool; its result is that of ``tool.invoke``."""

    direct: DirectTool
    call: ToolCall
    config: RunnableConfig

    def perform(self) -> Any:
        tool = self.direct.tool
        if tool.func is None or self._is_listened_to():
            return tool.invoke(self._input(), self.config)
        # A copy of the context, as everywhere in LangChain.
        return self._message(copy_context().run(tool.func, **self.direct.arguments(self.call)))

    async def aperform(self) -> Any:
        """Run the call on the event loop, or in a thread if the tool has no coroutine."""
        tool = self.direct.tool
        if tool.coroutine is None:
            return await in_tool_thread(self.perform)
        if self._is_listened_to():
            return await tool.ainvoke(self._input(), self.config)
        return self._message(await tool.coroutine(**self.direct.arguments(self.call)))

    def outcome_again(self, **outcome: object) -> BaseTool:
        """Return a tool stub that returns this ``value`` or raises this ``error``."""
        return self._stand_in(ReplaysOutcome, **outcome)

    def _message(self, value: object) -> object:
        if type(value) is str:
            content = value
        elif type(value) in _WRITTEN_AS_JSON:
            content = json.dumps(value)
        else:
            # LangChain handles content blocks, artifacts, commands and other values.
            return self._stand_in(ReturnsValue, value=value).invoke(self._input(), self.config)
        return ToolMessage(content, name=self.direct.tool.name, tool_call_id=self.call["id"])

    def _stand_in(self, kind: "type[ReturnsValue]", **outcome: Any) -> BaseTool:
        return kind(name=self.direct.tool.name, description=self.direct.tool.description, **outcome)

    def _is_listened_to(self) -> bool:
        callbacks = self.config.get("callbacks") or []
        tool = self.direct.tool
        if tool.callbacks or tool.verbose or (callbacks if isinstance(callbacks, list) else callbacks.handlers):
            return True
        # A handler that is not inherited, such as that of ``collect_runs``, stands in a context variable. Building a
        # ``CallbackManager`` finds it as well, and costs as much as the call itself. A generator would be called per variable.
        return bool([value for value in copy_context().values() if isinstance(value, BaseCallbackHandler)])

    def _input(self) -> ToolCall:
        return {**self.call, "type": "tool_call"}


class ReturnsValue(BaseTool, defer_build=True):
    """A stub for a tool whose function has returned."""

    value: Any = None

    def _run(self, **_: object) -> object:
        return self.value


class ReplaysOutcome(ReturnsValue, defer_build=True):
    """A stub for a tool whose ``invoke`` has finished: returns or raises the same."""

    error: Any = None

    def invoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


class InToolThread(ReturnsValue, defer_build=True):
    """A stub for a blocking tool: awaits it in a thread of ours."""

    tool: BaseTool

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        return await in_tool_thread(partial(self.tool.invoke, input, config, **kwargs))


class DirectTools:
    """The direct tools of an agent; each is examined on its first call."""

    def __init__(self, tools: Sequence[BaseTool]) -> None:
        self._tools = {tool.name: tool for tool in tools} if is_switched_on(DIRECT_CALLS) else {}
        self._direct: dict[str, DirectTool | None] = {}

    def find(self, name: str) -> DirectTool | None:
        if name in self._tools and name not in self._direct:
            self._direct[name] = DirectTool.of(self._tools[name])
        return self._direct.get(name)


def _is_plain_schema(schema: type[BaseModel]) -> bool:
    if issubclass(schema, RootModel) or schema.model_config.get("extra") == "allow":
        return False
    return not any(field.exclude or not _is_plain_type(field.metadata) for field in schema.model_fields.values())


def _takes_just(function: Callable[..., object], names: tuple[str, ...]) -> bool:
    parameters = inspect.signature(function).parameters
    if set(parameters) != set(names) or _SPECIAL_NAMES & parameters.keys():
        return False
    if any(parameter.kind not in _NAMED for parameter in parameters.values()):
        return False
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        return False  # unreadable hints may mean anything
    return all(_is_plain_type(_metadata_in(hint)) and not _is_special(hint) for hint in hints.values())


def _is_special(hint: object) -> bool:
    return any(word in repr(hint) for word in _SPECIAL_TYPES)


def _is_plain_type(metadata: Any) -> bool:
    """Return whether annotations only describe or bound a value."""
    return all(isinstance(item, str) or type(item).__module__.startswith(_HARMLESS_METADATA) for item in metadata)


def _metadata_in(hint: object) -> Iterator[object]:
    yield from getattr(hint, "__metadata__", ())
    for part in get_args(hint):
        yield from _metadata_in(part)
