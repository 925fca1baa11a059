"""The names of ``langchain.agents.structured_output``, with their meaning there."""

import json
from dataclasses import dataclass, fields
from typing import Any, Generic, Self

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.asking.strategies.auto_strategy import AutoStrategy
from answergraph.asking.strategies.provider_strategy import ProviderStrategy
from answergraph.asking.strategies.strategy import SchemaT
from answergraph.asking.strategies.tool_strategy import ToolStrategy
from answergraph.runtime.errors import (
    MultipleStructuredOutputsError,
    StructuredOutputError,
    StructuredOutputValidationError,
)

__all__ = [
    "AutoStrategy",
    "MultipleStructuredOutputsError",
    "OutputToolBinding",
    "ProviderStrategy",
    "ProviderStrategyBinding",
    "ResponseFormat",
    "StructuredOutputError",
    "StructuredOutputValidationError",
    "ToolStrategy",
]

ResponseFormat = ToolStrategy[SchemaT] | ProviderStrategy[SchemaT] | AutoStrategy[SchemaT]
"""LangChain's strategies; ``create_agent`` also accepts ours."""


@dataclass
class _SchemaBinding(Generic[SchemaT]):
    schema: Any
    schema_kind: str

    @classmethod
    def from_schema_spec(cls, schema_spec: AnswerSchema) -> Self:
        """Make the binding of a strategy's ``schema_spec``, or of one of its ``schema_specs``."""
        return cls(**{field.name: getattr(schema_spec, field.name) for field in fields(cls)})


@dataclass
class OutputToolBinding(_SchemaBinding[SchemaT]):
    """The answer tool of a schema."""

    tool: BaseTool

    def parse(self, tool_args: dict[str, object]) -> Any:
        """Return the arguments of a call as a value of the declared type; raises ``ValueError`` if they are invalid."""
        return answer_schemas(self.schema)[0].validate(tool_args)


@dataclass
class ProviderStrategyBinding(_SchemaBinding[SchemaT]):
    """Reads replies of a provider's JSON-schema mode."""

    def parse(self, response: AIMessage) -> Any:
        """Return the text of a reply as a value of the declared type; raises ``ValueError`` if it is invalid."""
        strategy = ProviderStrategy(self.schema)
        try:
            data = json.loads(response.text)
        except ValueError as error:
            raise strategy.unreadable(error) from error
        return strategy.schemas[0].validate(data)
