"""The interface of a strategy: how it requests an answer and corrects the model."""

from __future__ import annotations

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Self

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from typing_extensions import TypeVar

from answergraph.answers.schemas.answer_schema import AnswerSchema, problems_in
from answergraph.answers.schemas.json_envelope import envelope, without, wrapped_value
from answergraph.answers.schemas.schema_example import Example, example_of
from answergraph.answers.schemas.schema_kinds import answer_schemas, tool_name
from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.providers.model_capabilities import needs_tools_for_calls
from answergraph.asking.providers.refusals import TOOL_CALLING, Objection, has_refusals, is_refused, remember_refusal
from answergraph.json_schema.dialects import Dialect
from answergraph.patches.patch_schema import patch_schema
from answergraph.runtime.argument_checks import check_function, shown
from answergraph.runtime.errors import AgentSpecError, ErrorClasses
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.ledger import Repair

SchemaT = TypeVar("SchemaT", default=Any)
"""The declared type of the answer."""

HandleErrors = bool | str | type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], str]
"""How to handle an invalid answer, exactly as in LangChain.

``True`` sends it back with the default message, a string with that message, a callable with the message that it returns for the
error. Exception types send it back if the error is one of them. Otherwise the error is raised.
"""

CALLS_ARE_OVER = "No other tool can be called any more."
"""Ends the prompt of a run's last call if no tool choice forbids calls."""
NOT_NOW = "These tools cannot be called now: {names}."

ERROR_TEMPLATE = "Error: {error}\n Please fix your mistakes."
"""LangChain's default correction."""


@dataclass(frozen=True)
class Binding:
    """The tools, settings and prompt that a strategy binds to the model for one request."""

    tools: Sequence[object]
    settings: dict[str, object] = field(default_factory=dict)
    late_settings: dict[str, object] = field(default_factory=dict)
    """Settings to bind after the tools, for clients that treat them differently together."""
    prompt: str | None = None
    """Ends the prompt of this call."""
    text_protocol: bool = False
    """Whether the model is wrapped in a ``ReActTextModel``."""
    dialect: Dialect = Dialect.PLAIN
    note: str | None = None
    """A note for the record of the attempt."""


class NamedStrategy(NamedTuple):
    """One of the strategies that a call may ask with."""

    id: str
    """Stable across the calls of a run."""
    strategy: Strategy


@dataclass(frozen=True)
class AnswerRequest:
    """The request for the answer in one model call."""

    strategy: Strategy
    """Its schemas are the requested ones; no other is accepted."""
    declared: frozenset[str]
    strategy_id: str = ""
    has_next_strategy: bool = False
    dialect: Dialect = Dialect.PLAIN
    note: str | None = None
    repair: Repair | None = None  # the answer that a reply may be a patch of
    withheld: str | None = None
    """The sentence that says what would lift the narrowing; ``None`` without one, or if the model cannot do it now."""

    @property
    def is_attempt(self) -> bool:
        """Whether a reply without an answer counts as an attempt."""
        return self.strategy.is_attempt or self.withheld is not None


class Strategy(ABC, Generic[SchemaT]):
    """One way to ask a model for an answer."""

    name: str
    """Its name on the outcome."""

    errors: ErrorClasses = ErrorClasses()

    is_attempt: bool = True
    """Whether a reply without an answer counts as an attempt."""

    answers_in_text: bool = False
    """Whether it requests the answer as text, not as a call."""

    is_held: bool = False
    """Whether the provider enforces the schema."""

    asks_afresh: bool = False
    """Whether a repeated mistake is followed by a request without it, and not by the next strategy."""

    corrects_briefly: bool = True
    """Whether corrections are one line instead of LangChain's text."""

    tools_off: bool = False
    """Whether user tools may not be called."""

    hands_over: str = "Give your final answer now, in the form you are asked for."
    """What the model is told when the next strategy asks."""

    def __init__(self, schema: object, *, handle_errors: HandleErrors = True, tool_message_content: str | None = None) -> None:
        self.schema: object = schema
        self.schemas: tuple[AnswerSchema, ...] = answer_schemas(schema)
        self.handle_errors: HandleErrors = _checked(handle_errors)
        self.tool_message_content = tool_message_content
        """The receipt for an accepted answer."""
        self.all_schemas = self.schemas
        """The declared schemas; a narrowed strategy has fewer ``schemas``."""
        self.derived: RecentCache[Any] = RecentCache()
        """Strategies and texts made from this strategy."""

    def strategies_for(self, request: ModelRequest) -> Sequence[NamedStrategy]:
        """Return the strategies for a request, the best one first; a strategy made of others overrides this."""
        return (NamedStrategy(self.name, self),)

    def parts(self) -> Sequence[Strategy]:
        """Return all strategies that it may ask with, whatever the request; a strategy made of others overrides this."""
        return (self,)

    def binding(self, request: ModelRequest) -> Binding:
        """Return the binding for a request; that of a strategy made of others is the binding of its best one."""
        return self.strategies_for(request)[0].strategy.binding(request)

    def to_send(self, request: ModelRequest) -> ModelRequest:
        """Return a request as this strategy sends it, without tool calls if its tools are off."""
        if self.tools_off and request.tools:
            request = request.override(tool_choice=NO_CALLS)
        if request.tools or not self.schemas or not needs_tools_for_calls(request.model) or not _has_calls(request):
            return request
        # The provider accepts any tools here; the answer tools were probably offered before.
        return request.override(tools=[schema.tool for schema in self.schemas], tool_choice=NO_CALLS)

    def is_refused(self, request: ModelRequest, *, beside_tools: bool | None = None) -> bool:
        """Return whether the provider is known to refuse this strategy."""
        if not has_refusals():
            return False
        tools = bool(self.to_send(request).tools) if beside_tools is None else beside_tools
        return is_refused(request.model, self.name, beside_tools=tools, schema=self.schema_digest)

    @abstractmethod
    def request_text(self) -> str:
        """Return the text that requests the answer again."""

    def check(self, model: BaseChatModel) -> None:
        """Raise ``AgentSpecError`` while building if a model does not support the strategy."""

    def restored(self, data: object, dialect: Dialect) -> Any:
        """Return an answer without the effects of compiling the schema, such as nulls for optional members."""
        return data

    def unreadable(self, error: Exception) -> ValueError | None:
        """Return the error for a text that is not JSON, ``None`` if no text was requested."""
        return None

    def raises(self, error: Exception) -> bool:
        """Return whether ``handle_errors`` raises an error instead of sending it back."""
        handle = self.handle_errors
        return not isinstance(error, handle) if isinstance(handle, type | tuple) else handle is False

    def feedback(self, error: Exception) -> str:
        handle = self.handle_errors
        if isinstance(handle, str):
            return handle
        if callable(handle) and not isinstance(handle, type):
            return handle(error)
        return ERROR_TEMPLATE.format(error=problems_in(error) if self.corrects_briefly else error)

    def reply_schema(self) -> Mapping[str, object]:
        """Return the JSON Schema of an answer in text: the only schema itself, or an envelope for several."""
        if len(self.schemas) == 1:
            return self.schemas[0].json_schema
        return envelope([(schema.name, schema.value_schema) for schema in self.schemas])

    def reply_object_schema(self) -> Mapping[str, object]:
        """Return that schema as the schema of an object, which strict dialects require."""
        return self.reply_schema() if len(self.schemas) == 1 else wrapped_value(self.reply_schema())

    def example(self) -> str:
        """Return an example of an answer, with placeholders; without patterns where the provider enforces the schema."""
        return self.whole_example().text

    def whole_example(self) -> Example:
        return self.derived.get_or_make(self._example, key="example")

    def _example(self) -> Example:
        # Small models copy a pattern in place of a value.
        return example_of(without("pattern", self.reply_schema()) if self.is_held else self.reply_schema())

    def receipt(self, value: object) -> str:
        """Return the tool message that answers the call of an accepted answer, LangChain's unless replaced."""
        return self.tool_message_content or f"Returning structured response: {value}"

    def narrowed(self, names: Collection[str]) -> Self:
        """Return this strategy with only the named schemas; always the same object, so that bound models are reused."""
        kept = frozenset(self.schema_names).intersection(names)
        if len(kept) == len(self.schemas):
            return self
        schemas = tuple(schema for schema in self.schemas if schema.name in kept)
        return self.derived.get_or_make(lambda: self.changed(schemas=schemas), key=kept)

    def widened(self, more: tuple[AnswerSchema, ...]) -> Strategy:
        """Return this strategy with further schemas; those that it already has are not added again."""
        known = self.schema_names
        schemas = (*self.schemas, *(schema for schema in more if schema.name not in known))
        return self if len(schemas) == len(self.schemas) else self.changed(schemas=schemas, all_schemas=schemas)

    def patching(self, name: str) -> Self:
        """Return this strategy with the schema of changes in place of the named one; always the same object."""
        schemas = tuple(patch_schema(schema) if schema.name == name else schema for schema in self.schemas)
        if schemas == self.schemas:
            return self
        return self.derived.get_or_make(lambda: self.changed(schemas=schemas), key=("patch", name))

    def without_tools(self) -> Self:
        """Return this strategy with the user's tools off; always the same object."""
        return self.derived.get_or_make(lambda: self.changed(tools_off=True), key="without tools")

    def changed(self, **fields: object) -> Self:
        changed = copy.copy(self)
        vars(changed).update(fields, derived=RecentCache())
        return changed

    @property
    def schema_names(self) -> list[str]:
        """The names of its schemas, in the order declared."""
        return [schema.name for schema in self.schemas]

    def remember_refusal(self, sent: ModelRequest, objection: Objection) -> None:
        """Remember that the provider refused a request of this strategy."""
        digest, beside_tools = self.schema_digest, bool(sent.tools)
        remember_refusal(sent.model, self.name, beside_tools=beside_tools, schema=digest, objection=objection)
        if objection.to_tools:
            remember_refusal(sent.model, TOOL_CALLING, beside_tools=False)

    @property
    def schema_digest(self) -> str:
        return self.derived.get_or_make(lambda: _digest(self.schemas), key="digest")

    @property
    def format_name(self) -> str:
        return tool_name("_or_".join(self.schema_names))


def _digest(schemas: Sequence[AnswerSchema]) -> str:
    named = [[schema.name, schema.json_schema] for schema in schemas]
    return sha256(json.dumps(named, default=repr).encode()).hexdigest()


def _checked(handle: object) -> Any:
    classes = handle if isinstance(handle, tuple) else (handle,)
    if isinstance(handle, bool | str) or all(isinstance(each, type) and issubclass(each, Exception) for each in classes):
        return handle
    if callable(handle) and not isinstance(handle, type):
        return check_function(f"handle_errors={shown(handle)}", handle, "error")
    raise AgentSpecError(f"handle_errors={shown(handle)}: write True, False, a text, exception classes or a function of (error).")


class NoResponse(Strategy):
    """Asks for no answer: used without a response format, and for a call whose format a middleware set to ``None``.

    In the second case ``schemas`` are the declared ones, because text replies are still checked.
    """

    name = "none"

    def binding(self, request: ModelRequest) -> Binding:
        return Binding(request.tools, {"tool_choice": request.tool_choice})

    def request_text(self) -> str:
        return f"Give your answer as a JSON object of the schema {' or '.join(self.schema_names)}."


def _has_calls(request: ModelRequest) -> bool:
    return any(isinstance(message, AIMessage) and message.tool_calls for message in request.messages)
