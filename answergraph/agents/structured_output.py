"""The names of ``langchain.agents.structured_output``, with their meaning there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic, Self

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool

from answergraph.response_format.schemas.answer_schema import AnswerSchema
from answergraph.response_format.schemas.schema_kinds import answer_schemas
from answergraph.response_format.strategies.auto_strategy import AutoStrategy
from answergraph.response_format.strategies.provider_strategy import ProviderStrategy
from answergraph.response_format.strategies.strategy import SchemaT
from answergraph.response_format.strategies.tool_strategy import ToolStrategy
from answergraph.state.errors import (
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
"""The strategies that LangChain has; ``create_agent`` takes ours as well."""


@dataclass
class OutputToolBinding(Generic[SchemaT]):
    """The answer tool of a schema."""

    schema: Any
    schema_kind: str
    tool: BaseTool
    """The tool whose call is an answer."""

    @classmethod
    def from_schema_spec(cls, schema_spec: AnswerSchema) -> Self:
        """Make the binding of one of a strategy's ``schema_specs``.

        Args:
            schema_spec: The schema.

        Returns:
            The binding.
        """
        return cls(schema=schema_spec.schema, schema_kind=schema_spec.schema_kind, tool=schema_spec.tool)

    def parse(self, tool_args: dict[str, Any]) -> Any:
        """Return the arguments of a call as a value of the declared type.

        Args:
            tool_args: The arguments.

        Returns:
            The value.

        Raises:
            ValueError: If they do not fit.
        """
        return answer_schemas(self.schema)[0].validate(tool_args)


@dataclass
class ProviderStrategyBinding(Generic[SchemaT]):
    """What reads the reply of a provider's JSON-schema mode."""

    schema: Any
    schema_kind: str

    @classmethod
    def from_schema_spec(cls, schema_spec: AnswerSchema) -> Self:
        """Make the binding of a strategy's ``schema_spec``.

        Args:
            schema_spec: The schema.

        Returns:
            The binding.
        """
        return cls(schema=schema_spec.schema, schema_kind=schema_spec.schema_kind)

    def parse(self, response: AIMessage) -> Any:
        """Return the text of a reply as a value of the declared type.

        Args:
            response: The reply.

        Returns:
            The value.

        Raises:
            ValueError: If it is no JSON, or does not fit.
        """
        answer = answer_schemas(self.schema)[0]
        try:
            data = json.loads(response.text)
        except ValueError as error:
            raise ValueError(
                f"Native structured output expected valid JSON for {answer.label}, but parsing failed: {error}."
            ) from error
        return answer.validate(data)
