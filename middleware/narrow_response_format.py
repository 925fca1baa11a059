"""Middleware that narrows the response format at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from answergraph.middleware.base import AgentMiddleware
from answergraph.nodes.model_call import ModelRequest
from answergraph.nodes.response_format.offers import as_strategy
from answergraph.nodes.response_format.schema_kinds import answer_schemas


class NarrowResponseFormat(AgentMiddleware[Any, Any, Any]):
    """Offer only some of the declared schemas in a call; what is left out is neither offered nor accepted.

    The strategy stays what it is: only its schemas are fewer.

    Example:
        >>> from pydantic import BaseModel
        >>> class Found(BaseModel):
        ...     where: str
        >>> class Missing(BaseModel):
        ...     tried: list[str]
        >>> def only_missing_at_first(request):
        ...     return Missing if len(request.messages) == 1 else None
        >>> NarrowResponseFormat(only_missing_at_first).name
        'NarrowResponseFormat'
    """

    def __init__(self, choose: Callable[[ModelRequest[Any]], Any]) -> None:
        """Narrow by a choice made at every call.

        Args:
            choose: A pure function of the request. Returns the schemas to offer: a type, a union, a JSON Schema ``dict`` or a
                sequence of these; ``None`` leaves the format as it is.
        """
        super().__init__()
        self.choose = choose

    def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Narrow the request's format.

        Raises:
            ValueError: If the choice is empty or names a schema that was not declared.
        """
        chosen = self.choose(request)
        if chosen is None or request.response_format is None:
            return request
        schemas = answer_schemas(tuple(chosen) if isinstance(chosen, Sequence) else chosen)
        declared = as_strategy(request.response_format)
        known = {schema.name: schema.json_schema for schema in declared.schemas}
        if not schemas:
            raise ValueError(f"{self.name} narrowed the response format to nothing; choose among {list(known)!r}")
        for schema in schemas:
            if known.get(schema.name) != schema.json_schema:
                raise ValueError(
                    f"{self.name} specifies tool '{schema.name}' which wasn't declared in the original "
                    "response format when creating the agent."
                )
        return request.override(response_format=declared.narrowed([schema.name for schema in schemas]))
