"""Middleware that narrows the response format at run time."""

from collections.abc import Callable, Sequence
from typing import Any

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.declared_format import check_declared, strategy_of
from answergraph.middleware.base import AgentMiddleware
from answergraph.runtime.argument_checks import check_function, shown
from answergraph.runtime.errors import AgentSpecError, ResponseFormatError
from answergraph.runtime.explained_arguments import explains_arguments


@explains_arguments("NarrowResponseFormat(choose)")
class NarrowResponseFormat(AgentMiddleware):
    """Offer only some of the declared schemas in a call, and accept no others. The strategy stays the same.

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

    def __init__(self, choose: Callable[[ModelRequest], object], *, name: str | None = None, until: str | None = None) -> None:
        """Narrow by a choice at every call.

        Args:
            choose: A pure function of the request. Returns the schemas to offer: a type, a union, a JSON Schema ``dict`` or a
                sequence of these; ``None`` leaves the format unchanged.
            name: Distinguishes several of one agent, also on the outcome. The class's name by default.
            until: What the model must do before the other schemas are offered, as a clause, ``"first call read_log"``; every
                correction says it meanwhile.

        Raises:
            AgentSpecError: If ``choose`` is not such a function.
        """
        super().__init__()
        self.choose = check_function(f"NarrowResponseFormat({shown(choose)})", choose, "request")
        self._name = name or super().name
        self.until = until

    @property
    def name(self) -> str:
        return self._name

    def modify_model_request(self, request: ModelRequest) -> ModelRequest:
        """Narrow the request's format to the chosen schemas that outer middleware has left.

        Raises:
            ResponseFormatError: If none is left, or the choice names a schema that was not declared.
        """
        chosen = self.choose(request)
        if chosen is None or request.response_format is None:
            return request
        strategy = strategy_of(request)
        try:
            schemas = _schemas_of(chosen)
            narrowed = strategy.narrowed([schema.name for schema in schemas])
            check_declared(schemas, strategy.all_schemas, chosen)
            check_declared(narrowed.schemas, strategy.all_schemas, chosen)
        except ResponseFormatError as error:
            error.made_by(self.name)
            raise
        return request.override(response_format=narrowed, **({} if self.until is None else {"withheld_until": self.until}))


def _schemas_of(chosen: Any) -> tuple[AnswerSchema, ...]:
    several = isinstance(chosen, Sequence) and not isinstance(chosen, str)
    try:
        return answer_schemas(tuple(chosen) if several else chosen)
    except AgentSpecError as error:
        raise ResponseFormatError(str(error), chosen) from error
