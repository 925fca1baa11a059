"""The contract of a strategy: how the model is asked for an answer, and what is said back to it."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, Self

from langchain_core.language_models import BaseChatModel
from typing_extensions import TypeVar

from answergraph.response_format.model_request import ModelRequest
from answergraph.response_format.schemas.answer_schema import AnswerSchema
from answergraph.response_format.schemas.json_envelope import envelope, tied_envelope
from answergraph.response_format.schemas.schema_kinds import answer_schemas, tool_name
from answergraph.response_format.wire.dialects import Dialect
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.errors import AgentSpecError, ErrorClasses
from answergraph.state.mistakes import check_function, shown

SchemaT = TypeVar("SchemaT", default=Any)
"""The declared type of the answer."""

HandleErrors = bool | str | type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], str]
"""What becomes of an answer that cannot be used, exactly as in LangChain.

``True``: sent back with the default message. A string: sent back with that message. Exception types: sent back if the error
is one of them. A callable: sent back with what it returns. Otherwise the error is raised.
"""

ERROR_TEMPLATE = "Error: {error}\n Please fix your mistakes."
"""The default correction, in LangChain's words."""


@dataclass(frozen=True)
class Binding:
    """What a strategy binds to the model for one request."""

    tools: Sequence[Any]
    settings: dict[str, Any] = field(default_factory=dict)
    late_settings: dict[str, Any] = field(default_factory=dict)
    """Bound after the tools, where a client treats settings bound together with tools in another way."""
    prompt: str | None = None
    """Ends the prompt of this call."""
    text_protocol: bool = False
    """Whether the model is wrapped in a ``ReActTextModel``."""
    dialect: Dialect = Dialect.PLAIN
    """What the schema was compiled to."""
    note: str | None = None
    """What an attempt made in this way is noted with."""


class NamedStrategy(NamedTuple):
    """One of the strategies that a call may ask with."""

    id: str
    """The same in every call of a run, whichever other strategies the call has."""
    strategy: Strategy[Any]


@dataclass(frozen=True)
class AnswerRequest:
    """How one call of the model asks for the answer."""

    strategy: Strategy[Any]
    """Its schemas are those asked for; no other is accepted."""
    declared: frozenset[str]
    """The names of all declared schemas."""
    strategy_id: str = ""
    has_next_strategy: bool = False
    dialect: Dialect = Dialect.PLAIN
    """The part of JSON Schema that the schema on the wire was compiled to."""
    note: str | None = None
    """A remark for the record of the attempt."""


class Strategy(ABC, Generic[SchemaT]):
    """One way to ask a model for an answer.

    Nobody asks which class a strategy is; what differs between them are the methods below.
    """

    name: ClassVar[str]
    """Stands on the outcome."""

    errors: ErrorClasses = ErrorClasses()
    """The exception classes it raises."""

    is_attempt: bool = True
    """Whether a reply without an answer counts as an attempt at one."""

    tools_off: bool = False
    """Whether the user's tools are left out while it asks."""

    def __init__(self, schema: Any, *, handle_errors: HandleErrors = True, tool_message_content: str | None = None) -> None:
        self.schema: Any = schema
        self.schemas: tuple[AnswerSchema, ...] = answer_schemas(schema)
        self.handle_errors: HandleErrors = _checked(handle_errors)
        self.tool_message_content = tool_message_content
        """The receipt for an accepted answer."""
        self.all_schemas = self.schemas
        """What was declared, also where this strategy is narrowed."""
        self.derived: RecentCache[Any] = RecentCache()
        """What was made of this very object."""

    def strategies_for(self, request: ModelRequest[Any]) -> Sequence[NamedStrategy]:
        """Return the strategies to ask with, the best one first; a strategy made of others overrides this."""
        return (NamedStrategy(self.name, self),)

    def binding(self, request: ModelRequest[Any]) -> Binding:
        """Return what to bind to the request's model; here that of the best strategy, for one made of others."""
        return self.strategies_for(request)[0].strategy.binding(request)

    def forced(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Return a request with the one answer forced, for a call with a single schema and no tools."""
        return request

    @abstractmethod
    def request_text(self) -> str:
        """Return the words that ask a model for its answer once more."""

    def check(self, model: BaseChatModel) -> None:
        """Raise ``AgentSpecError`` while building if a model cannot be asked as the developer insists."""

    def restored(self, data: Any, dialect: Dialect) -> Any:
        """Undo in an answer what compiling the schema to a dialect caused, such as nulls for optional members."""
        return data

    def unreadable(self, error: ValueError) -> ValueError | None:
        """Return the error for a text that is no JSON, ``None`` where a text was not asked for."""
        return None

    def raises(self, error: Exception) -> bool:
        """Return whether ``handle_errors`` says that an error is raised, not sent back."""
        handle = self.handle_errors
        return not isinstance(error, handle) if isinstance(handle, type | tuple) else handle is False

    def feedback(self, error: Exception) -> str:
        """Return the correction that is sent back for an answer that cannot be used."""
        handle = self.handle_errors
        if isinstance(handle, str):
            return handle
        if callable(handle) and not isinstance(handle, type):
            return handle(error)
        return ERROR_TEMPLATE.format(error=error)

    def reply_schema(self) -> Mapping[str, Any]:
        """Return the JSON Schema of a text that is an answer: that of the one schema, or an envelope for several."""
        if len(self.schemas) == 1:
            return self.schemas[0].json_schema
        return envelope([(schema.name, schema.value_schema) for schema in self.schemas])

    def tied_reply_schema(self) -> Mapping[str, Any]:
        """Return the same schema with each name of an envelope tied to its value; strict dialects do not take it."""
        if len(self.schemas) == 1:
            return self.reply_schema()
        return tied_envelope([(schema.name, schema.value_schema) for schema in self.schemas])

    def receipt(self, value: Any) -> str:
        """Return the tool message that answers the call of an accepted answer, LangChain's unless replaced."""
        return self.tool_message_content or f"Returning structured response: {value}"

    def narrowed(self, names: Collection[str]) -> Self:
        """Return this strategy with the named schemas only, the same object at every call, so that bound models are kept."""
        kept = frozenset(self.schema_names).intersection(names)
        if len(kept) == len(self.schemas):
            return self
        schemas = tuple(schema for schema in self.schemas if schema.name in kept)
        narrowed: Self = self.derived.get_or_make(lambda: self._changed(schemas=schemas), key=kept)
        return narrowed

    def widened(self, more: tuple[AnswerSchema, ...]) -> Strategy[Any]:
        """Return this strategy with further schemas; those it has already are not added again."""
        known = self.schema_names
        schemas = (*self.schemas, *(schema for schema in more if schema.name not in known))
        return self if len(schemas) == len(self.schemas) else self._changed(schemas=schemas, all_schemas=schemas)

    def without_tools(self) -> Self:
        """Return this strategy with the user's tools off; the same object at every call."""
        changed: Self = self.derived.get_or_make(lambda: self._changed(tools_off=True), key="without tools")
        return changed

    def _changed(self, **fields: Any) -> Self:
        changed = copy.copy(self)
        vars(changed).update(fields, derived=RecentCache())
        return changed

    @property
    def schema_names(self) -> list[str]:
        """The names of its schemas, in the order declared."""
        return [schema.name for schema in self.schemas]

    @property
    def format_name(self) -> str:
        """The name of a format for all its schemas on the wire."""
        return tool_name("_or_".join(self.schema_names))


def _checked(handle: Any) -> Any:
    """Return ``handle_errors``, if it is one of those that it may be."""
    classes = handle if isinstance(handle, tuple) else (handle,)
    if isinstance(handle, bool | str) or all(isinstance(each, type) and issubclass(each, Exception) for each in classes):
        return handle
    if callable(handle) and not isinstance(handle, type):
        return check_function(f"handle_errors={shown(handle)}", handle, "error")
    raise AgentSpecError(
        f"handle_errors={shown(handle)} is neither True, False, a text, exception classes nor a function of (error)."
    )


class NoResponse(Strategy[Any]):
    """Offers no format: the identity among the strategies.

    Used for an agent without a response format, and for a call in which a middleware set the format to ``None``; then
    ``schemas`` are the declared ones, for a text reply is still checked.
    """

    name = "none"

    def binding(self, request: ModelRequest[Any]) -> Binding:
        return Binding(request.tools, {"tool_choice": request.tool_choice})

    def request_text(self) -> str:
        return f"Give your answer as a JSON object of the schema {' or '.join(self.schema_names)}."


class FreeLoop(NoResponse):
    """The free part of a strategy that asks after the tools: a text ends it, and is the answer if it already parses."""

    name = "deferred"
    is_attempt = False


def after_tools(free: FreeLoop, final: Strategy[Any], request: ModelRequest[Any]) -> list[NamedStrategy]:
    """Return the free loop, then the strategies of the final step, without tools."""
    asking = final.strategies_for(request.override(tools=[]))
    return [NamedStrategy("free", free), *(NamedStrategy(f"final:{each.id}", each.strategy.without_tools()) for each in asking)]
