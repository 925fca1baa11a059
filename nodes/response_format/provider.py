"""The provider strategy: the provider holds the model to a JSON schema, the text is the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from typing_extensions import TypeForm

from answergraph.nodes.errors import AgentSpecError
from answergraph.nodes.response_format.capabilities import native_format_binding
from answergraph.nodes.response_format.strategy import Binding, HandleErrors, SchemaT, Strategy

if TYPE_CHECKING:
    from answergraph.nodes.model_call import ModelRequest


class ProviderStrategy(Strategy[SchemaT]):
    """Ask for the answer through the provider's own JSON-schema mode.

    Unlike LangChain's strategy of this name it sends an unusable answer back; ``handle_errors=False`` raises as there.
    """

    name = "provider"

    # The type of the answer follows from the schema; that of a JSON Schema's answers is ``dict``.
    @overload
    def __init__(
        self: ProviderStrategy[dict[str, Any]],
        schema: dict[str, Any],
        *,
        strict: bool | None = ...,
        handle_errors: HandleErrors = ...,
    ) -> None: ...
    @overload
    def __init__(self, schema: TypeForm[SchemaT], *, strict: bool | None = ..., handle_errors: HandleErrors = ...) -> None: ...
    def __init__(self, schema: Any, *, strict: bool | None = None, handle_errors: HandleErrors = True) -> None:
        """Declare what is asked for.

        Args:
            schema: A Pydantic model, dataclass, TypedDict or JSON Schema ``dict``.
            strict: Whether the provider is asked to enforce the schema to the letter.
            handle_errors: What becomes of an answer that cannot be used.

        Raises:
            AgentSpecError: If the schema is not supported, or is a union.
        """
        super().__init__(schema, handle_errors=handle_errors)
        if len(self.schemas) > 1:
            raise AgentSpecError(f"ProviderStrategy takes one schema, not the union {self.schema_names!r}: use ToolStrategy.")
        self.strict = strict

    def binding(self, request: ModelRequest[Any]) -> Binding:
        """Bind the format beside the user's tools, which are left as they are."""
        binding = native_format_binding(request, self._format())
        choice = {} if request.tool_choice is None else {"tool_choice": request.tool_choice}
        return replace(binding, settings={**binding.settings, **choice})

    def request_text(self) -> str:
        """Name the schema."""
        return f"Give your answer as a JSON object of the schema {self.schema_names[0]}, and nothing else."

    def unreadable(self, error: ValueError) -> ValueError:
        """Say in LangChain's words that the text is no JSON."""
        label = getattr(self.schemas[0].declared, "__name__", "response_format")
        return ValueError(f"Native structured output expected valid JSON for {label}, but parsing failed: {error}.")

    def _format(self) -> dict[str, Any]:
        # OpenAI's shape, https://platform.openai.com/docs/guides/structured-outputs; LangChain's other chat models
        # translate it.
        schema = self.schemas[0]
        json_schema: dict[str, Any] = {"name": schema.name, "schema": dict(schema.json_schema)}
        if self.strict:
            json_schema["strict"] = True
        return {"type": "json_schema", "json_schema": json_schema}
