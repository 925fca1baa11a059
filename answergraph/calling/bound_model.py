"""Chat models with bound tools and format, cached, and the messages that are sent to them."""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.prompt_values import ChatPromptValue
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.tools import BaseTool

from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.providers.model_capabilities import may_write_calls, no_call_choice, turn_rules
from answergraph.asking.providers.openai_requests import with_plain_requests
from answergraph.asking.providers.provider_table import TurnRule
from answergraph.asking.strategies.strategy import CALLS_ARE_OVER, Strategy
from answergraph.calling.legal_history import in_turns, legal_history
from answergraph.json_schema.dialects import Dialect
from answergraph.runtime import steps
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant
from answergraph.runtime.recent_cache import RecentCache
from answergraph.runtime.steps import Effect, Invoke
from answergraph.state.messages import WHOLE_MESSAGES
from answergraph.state.stop_reasons import is_paused

WROTE_NOTHING = "(nothing was written)"
"""The text of an empty reply; never stored."""
_WORDLESS = {"text", "thinking", "redacted_thinking", "reasoning", "reasoning_content"}
"""The types of blocks that a reply without words may have."""

_CHOICES = {"any", "auto", "none", "required", "validated"}
"""The words of clients for a choice among all tools."""

model_replacement: ContextVar[Callable[..., Runnable[object, object]] | None] = ContextVar(
    "answergraph_model_replacement", default=None
)
"""Returns the model to ask in place of an agent's own; ``None`` outside of ``replaced_models``."""


@dataclass(frozen=True, eq=False)
class BoundModel:
    """A model with its tools and format bound."""

    runnable: Runnable[Any, Any]
    settings: Mapping[str, Any]
    """Keyword arguments of its calls: the tools and the format."""
    prompt: str | None
    """Ends the prompt of each call."""
    turns: frozenset[TurnRule] = frozenset()
    """The rules for the order of roles that the provider has."""
    dialect: Dialect = Dialect.PLAIN
    note: str | None = None
    """Recorded with each attempt."""
    tools_in_text: frozenset[str] = frozenset()
    tool_names: frozenset[str] = frozenset()
    writes_history: bool = False
    """Whether the model writes the conversation as a text, which may hold anything."""

    @classmethod
    def of(cls, bound: Any, **fields: Any) -> Self:
        """Separate a bound model into the model and its arguments if it is nothing more than these."""
        is_plain = isinstance(bound, RunnableBinding) and _calls_as(bound, RunnableBinding)
        if not is_plain or bound.config or bound.config_factories:
            return cls(bound, {}, **fields)
        return cls(bound.bound, bound.kwargs, **fields)

    @cached_property
    def takes_prompts(self) -> bool:
        """Whether it accepts a prompt value: its ``invoke`` is that of ``BaseChatModel``."""
        return isinstance(self.runnable, BaseChatModel) and _calls_as(self.runnable, BaseChatModel)

    @cached_property
    def has_plain_requests(self) -> bool:
        return with_plain_requests(self.runnable) is not self.runnable

    @cached_property
    def _copies(self) -> RecentCache[object]:
        return RecentCache()

    def call(
        self,
        request: ModelRequest,
        listeners: Sequence[BaseCallbackHandler] = (),
        *,
        streams: bool = True,
        last_line: str | None = None,
    ) -> Effect:
        """Return the effect that calls the model.

        ``listeners`` are callback handlers beside those of the run; ``last_line`` is a line at the end of the request.
        """
        messages: list[AnyMessage] = [request.system_message] if request.system_message else []
        # Filtered inline for speed: few messages can be empty.
        messages += [
            with_words(m)
            if isinstance(m, AIMessage) and not m.tool_calls and (not isinstance(m.content, str) or not m.content.strip())
            else m
            for m in (request.messages if self.writes_history else legal_history(request.messages, self.tool_names))
        ]
        prompt = self.prompt if last_line is None else "\n\n".join(filter(None, (self.prompt, last_line)))
        if prompt is not None:
            messages = _with_prompt(messages, prompt)
        if self.turns:
            messages = in_turns(messages, self.turns)
        sent: Any = messages
        if self.takes_prompts and WHOLE_MESSAGES.issuperset(map(type, messages)):
            # LangChain converts and checks every message of a list, but not of a prompt.
            sent = ChatPromptValue.model_construct(messages=messages)
        replacement = model_replacement.get()
        runnable = self.runnable if replacement is None else replacement(self.runnable)
        if self.has_plain_requests:
            runnable = with_plain_requests(runnable, messages, streams=streams, copies=self._copies)
        call = Invoke(runnable, sent, listeners, self.settings)
        return call if steps.recorder is None else steps.recorder.model_call(call)


def _calls_as(runnable: Runnable[Any, Any], kind: Any) -> bool:
    own = type(runnable)
    return own.invoke is kind.invoke and own.ainvoke is kind.ainvoke


def _with_prompt(messages: list[AnyMessage], prompt: str) -> list[AnyMessage]:
    # Some providers refuse two user messages in a row, and a paused turn must stay the last message.
    index = len(messages) - 2 if len(messages) > 1 and _is_paused(messages[-1]) else len(messages) - 1
    while index > 0 and _is_paused(messages[index]):
        index -= 1
    last = messages[index] if messages else None
    if isinstance(last, HumanMessage):
        extended = last.model_copy(update={"content": _extended(last.content, prompt)})
        return [*messages[:index], extended, *messages[index + 1 :]]
    return [*messages[: index + 1], HumanMessage(prompt), *messages[index + 1 :]]


def _is_paused(message: AnyMessage) -> bool:
    return isinstance(message, AIMessage) and is_paused(message)


def _extended(content: Any, text: str) -> object:
    return f"{content}\n\n{text}" if isinstance(content, str) else [*content, {"type": "text", "text": text}]


def with_words(message: AIMessage) -> AIMessage:
    """Return a reply with text, because some providers refuse replies that are empty or have only thoughts."""
    blocks = [block for block in message.content if isinstance(block, dict)] if isinstance(message.content, list) else []
    is_wordless = not message.text.strip() and _WORDLESS.issuperset(block.get("type") for block in blocks)
    if not is_wordless or message.tool_calls or message.invalid_tool_calls or message.additional_kwargs.get("refusal"):
        return message
    thoughts = [block for block in blocks if block["type"] != "text"]
    content: object = [*thoughts, {"type": "text", "text": WROTE_NOTHING}] if thoughts else WROTE_NOTHING
    return message.model_copy(update={"content": content})


class BoundModels:
    """Bound models by what was bound to them: binding converts every tool, which costs more than the rest of a step."""

    def __init__(self) -> None:
        self._bound: RecentCache[BoundModel] = RecentCache()

    def bind(self, request: ModelRequest, strategy: Strategy) -> BoundModel:
        """Return the model with tools and format bound, cached for requests that differ only in messages."""
        settings = tuple(sorted(request.model_settings.items()))
        if not all(isinstance(value, str | int | float | bool | None) for _, value in settings):
            # Other values are not compared: they may be mutable.
            return bind_model(request, strategy)
        key = (repr(request.tool_choice), settings)
        return self._bound.get_or_make(lambda: bind_model(request, strategy), request.model, strategy, *request.tools, key=key)


def bind_model(request: ModelRequest, strategy: Strategy) -> BoundModel:
    binding = strategy.binding(request)
    settings = {**request.model_settings, **binding.settings}
    model: Any = _as_text_model(request.model) if binding.text_protocol else request.model
    prompt = binding.prompt
    if settings.get("tool_choice") is NO_CALLS:
        settings["tool_choice"] = no_call_choice(model)
        if settings["tool_choice"] is None and not strategy.tools_off:
            prompt = "\n\n".join(filter(None, (CALLS_ARE_OVER, prompt)))
    names = frozenset(filter(None, map(_name_of, request.tools)))
    if binding.tools:
        _check_choice(settings.get("tool_choice"), [*names, *map(_name_of, binding.tools)])
        bound = model.bind_tools(binding.tools, **settings)
        bound = bound.bind(**binding.late_settings) if binding.late_settings else bound
    else:
        settings.pop("tool_choice", None)
        bound = model.bind(**settings, **binding.late_settings)
    return BoundModel.of(
        bound,
        prompt=prompt,
        turns=turn_rules(model),
        dialect=binding.dialect,
        note=binding.note,
        tools_in_text=names if may_write_calls(request.model) and not binding.text_protocol else frozenset(),
        tool_names=names,
        writes_history=getattr(model, "writes_history", False) is True,
    )


def _check_choice(choice: object, names: Sequence[str | None]) -> None:
    """Raise ``AgentSpecError`` for a choice that names no tool; some clients would drop it without a word."""
    # What a provider runs has names of its own.
    if isinstance(choice, str) and choice not in _CHOICES and choice not in names and None not in names:
        known = sorted(set(filter(None, names)))
        error = AgentSpecError(f"tool_choice={choice!r} names no tool.{meant(choice, known)} The tools are {known!r}.")
        error.field = "tool_choice"
        raise error


def _name_of(tool: object) -> str | None:
    if isinstance(tool, BaseTool):
        return tool.name
    # The provider runs other tools.
    if not isinstance(tool, Mapping) or tool.get("type", "function") != "function":
        return None
    name: str | None = tool.get("function", tool).get("name")
    return name


def _as_text_model(model: BaseChatModel) -> BaseChatModel:
    # Takes a tenth of the import time, and only models without tool calls need it.
    from answergraph.react_text.react_text_model import ReActTextModel  # noqa: PLC0415 - see above

    return ReActTextModel(model)
