"""The provider strategy: the provider enforces a JSON schema, and the text is the answer."""

from dataclasses import replace
from typing import Any, overload

from langchain_core.language_models import BaseChatModel
from typing_extensions import TypeForm

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.json_envelope import rewritten, without
from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.providers.model_capabilities import (
    needs_tools_for_calls,
    takes_format_beside_tools,
    wire_dialect,
)
from answergraph.asking.providers.openai_requests import is_openai, takes_bound_format
from answergraph.asking.strategies.strategy import Binding, HandleErrors, SchemaT, Strategy
from answergraph.json_schema.dialects import Dialect, SchemaNotExpressible
from answergraph.json_schema.value_limits import plain_keyword
from answergraph.json_schema.wire_schema import WireSchema, wire_schema
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments

NOT_STRICT = "The schema of {names!r} cannot be enforced strictly: {reason}"


@explains_arguments("ProviderStrategy(YourType)")
class ProviderStrategy(Strategy[SchemaT]):
    """Ask for the answer through the provider's own JSON-schema mode.

    Unlike LangChain's strategy of this name, it sends an unusable answer back; ``handle_errors=False`` raises as LangChain does.
    """

    name = "provider"
    answers_in_text = True
    is_held = True

    # The answer type follows from the schema; for a JSON Schema it is ``dict``.
    @overload
    def __init__(
        self: "ProviderStrategy[dict[str, Any]]",
        schema: dict[str, Any],
        *,
        strict: bool | None = ...,
        handle_errors: HandleErrors = ...,
    ) -> None: ...
    @overload
    def __init__(self, schema: TypeForm[SchemaT], *, strict: bool | None = ..., handle_errors: HandleErrors = ...) -> None: ...
    def __init__(self, schema: object, *, strict: bool | None = None, handle_errors: HandleErrors = True) -> None:
        """Set the type of the answer.

        Args:
            schema: A type of answer, as ``create_agent`` accepts it. The alternatives of a union go in one
                envelope, ``{"schema": name, "value": …}``.
            strict: Whether the provider enforces the schema strictly. By default it does if it can express the schema; with
                ``True``, a schema that it cannot express is an error; with ``False``, the schema is sent unchanged.
            handle_errors: How an invalid answer is handled, as in LangChain.

        Raises:
            AgentSpecError: If the schema is not supported.
        """
        super().__init__(schema, handle_errors=handle_errors)
        self.strict = strict

    @property
    def schema_spec(self) -> AnswerSchema:
        """The schema, with LangChain's ``name``, ``description``, ``schema``, ``schema_kind``, ``json_schema`` and ``strict``.

        Raises:
            AgentSpecError: If several schemas are declared, which LangChain does not support; use ``schemas``.
        """
        if len(self.schemas) > 1:
            raise AgentSpecError(f"{self.schema_names!r} are several schemas: use strategy.schemas, not strategy.schema_spec.")
        return replace(self.schemas[0], strict=self.strict)

    def to_model_kwargs(self) -> dict[str, object]:
        """Return the arguments that LangChain binds to a model for this strategy, in OpenAI's format.

        The schema is the declared one; an agent compiles it to the provider's dialect.
        """
        return {"response_format": self._format(dict(self.reply_object_schema()), strict=bool(self.strict))}

    def check(self, model: BaseChatModel) -> None:
        compiled = self._compiled(wire_dialect(model))
        if self.strict and isinstance(compiled, SchemaNotExpressible):
            reason = NOT_STRICT.format(names=self.format_name, reason=compiled)
            raise AgentSpecError(f"{reason}; leave out strict=True, or ask with AutoStrategy or ToolStrategy.")

    def suits(self, model: BaseChatModel) -> bool:
        return self.strict is False or not isinstance(self._compiled(wire_dialect(model)), SchemaNotExpressible)

    def binding(self, request: ModelRequest) -> Binding:
        # The model may have been chosen at run time.
        self.check(request.model)
        compiled = self._compiled(wire_dialect(request.model))
        if isinstance(compiled, SchemaNotExpressible):
            note = NOT_STRICT.format(names=self.format_name, reason=compiled)
            return replace(self._bound(request, dict(self.reply_object_schema()), strict=False), note=f"{note}; sent without")
        strict = bool(self.strict) or compiled.dialect is Dialect.OPENAI_STRICT
        return replace(self._bound(request, compiled.schema, strict=strict), dialect=compiled.dialect)

    def to_send(self, request: ModelRequest) -> ModelRequest:
        return without_refused_tools(super().to_send(request), self)

    def restored(self, data: object, dialect: Dialect) -> Any:
        # Removes the nulls of optional members.
        compiled = self._compiled(dialect)
        return data if isinstance(compiled, SchemaNotExpressible) else compiled.restore(data)

    def request_text(self) -> str:
        return f"Give your answer as a JSON object of the schema {' or '.join(self.schema_names)}, and no other text."

    def unreadable(self, error: Exception) -> ValueError:
        label = getattr(self.schemas[0].declared, "__name__", "response_format")
        return ValueError(f"Native structured output expected valid JSON for {label}, but parsing failed: {error}.")

    def _compiled(self, dialect: Dialect) -> WireSchema | SchemaNotExpressible:
        return self.derived.get_or_make(lambda: self._compile(dialect), key=dialect)

    def _compile(self, dialect: Dialect) -> WireSchema | SchemaNotExpressible:
        is_plain = dialect is Dialect.PLAIN or self.strict is False
        schema = self.reply_schema() if dialect is Dialect.PLAIN else self.reply_object_schema()
        if self.strict is not False:
            schema = rewritten(without("title", schema), plain_keyword) if is_plain else without("title", schema)
        try:
            return wire_schema(schema, Dialect.PLAIN if is_plain else dialect)
        except SchemaNotExpressible as error:
            return error

    def _bound(self, request: ModelRequest, schema: dict[str, object], *, strict: bool) -> Binding:
        binding = native_format_binding(request, self._format(schema, strict=strict))
        choice = {} if request.tool_choice is None else {"tool_choice": request.tool_choice}
        return replace(binding, settings={**binding.settings, **choice})

    def _format(self, schema: dict[str, object], *, strict: bool) -> dict[str, object]:
        # https://platform.openai.com/docs/guides/structured-outputs; LangChain's other chat models translate it.
        json_schema = {"name": self.format_name, "schema": schema, **({"strict": True} if strict else {})}
        return {"type": "json_schema", "json_schema": json_schema}


def without_refused_tools(request: ModelRequest, strategy: Strategy) -> ModelRequest:
    """Remove tools that may not be called if the provider refuses a format beside them."""
    if request.tool_choice is not NO_CALLS or needs_tools_for_calls(request.model):
        return request
    if takes_format_beside_tools(request.model) and not strategy.is_refused(request, beside_tools=True):
        return request
    return request.override(tools=[], tool_choice=None)


def native_format_binding(request: ModelRequest, response_format: dict[str, object]) -> Binding:
    """Return the binding that sends a format in OpenAI's shape with a request's tools, and leaves the tools unchanged.

    If ChatOpenAI has a ``response_format`` and tools, it calls the SDK's ``parse``, which makes the tools strict or refuses them,
    and raises if an answer is cut. Where that cannot be avoided, the format goes into the request's body.
    """
    model = request.model
    if not is_openai(model):
        return Binding(request.tools, {"response_format": response_format})
    if takes_bound_format(model, request.tools, request.model_settings):
        return Binding(request.tools, late_settings={"response_format": response_format})
    # Binding an extra body replaces the model's own, so it is merged.
    own = getattr(model, "extra_body", None) or {}
    extra_body = request.model_settings.get("extra_body") or {}
    return Binding(request.tools, {"extra_body": {**own, **extra_body, "response_format": response_format}})
