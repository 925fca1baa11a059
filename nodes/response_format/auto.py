"""The automatic strategy: the best way to ask for this model and these tools, decided at every call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from answergraph.nodes.response_format.capabilities import supports_native_format
from answergraph.nodes.response_format.provider import ProviderStrategy
from answergraph.nodes.response_format.strategy import Binding, SchemaT, Strategy
from answergraph.nodes.response_format.tool import ToolStrategy

if TYPE_CHECKING:
    from answergraph.nodes.model_call import ModelRequest


class AutoStrategy(Strategy[SchemaT]):
    """Choose between the provider's own mode and the answer tool by what the model can do; a bare schema means this."""

    name = "auto"

    def __init__(self, schema: Any) -> None:
        """Declare what is asked for.

        Args:
            schema: A Pydantic model, dataclass, TypedDict or JSON Schema ``dict``, or a union of these.

        Raises:
            AgentSpecError: If the schema is not supported.
        """
        super().__init__(schema)
        self._tool: ToolStrategy[SchemaT] = ToolStrategy(self.schemas)
        self._native = {schema.name: ProviderStrategy[SchemaT](schema) for schema in self.schemas}

    def resolve(self, request: ModelRequest[Any]) -> Strategy[Any]:
        """Return the provider's mode where the request's model has it, the answer tool elsewhere and for unions."""
        if len(self.schemas) == 1 and supports_native_format(request.model, request.tools):
            return self._native[self.schemas[0].name]
        return self._tool.narrowed(self.schema_names)

    def binding(self, request: ModelRequest[Any]) -> Binding:
        """Bind what the chosen strategy binds."""
        return self.resolve(request).binding(request)

    def request_text(self) -> str:
        """Ask as the tool strategy does."""
        return self._tool.narrowed(self.schema_names).request_text()
