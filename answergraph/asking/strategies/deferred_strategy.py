"""The deferred strategy: a free tool loop, then a separate step for the answer."""

from collections.abc import Sequence
from typing import Any, overload

from langchain_core.language_models import BaseChatModel
from typing_extensions import TypeForm

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.auto_strategy import FreeLoop, after_tools
from answergraph.asking.strategies.declared_format import as_strategy
from answergraph.asking.strategies.strategy import NamedStrategy, SchemaT, Strategy
from answergraph.runtime.explained_arguments import explains_arguments


@explains_arguments("DeferredStrategy(ToolStrategy(YourType))")
class DeferredStrategy(Strategy[SchemaT]):
    """Bind only the tools while the loop runs; then ask only for the answer, without tools.

    Some models never call their tools if every call has a format. The final step is an ordinary visit of the ``model`` node:
    drawn, counted and checkpointed. It is skipped if the last text of the loop is already a valid answer.
    """

    name = "deferred"

    # The answer type follows from strategy or schema; for a JSON Schema it is ``dict``.
    @overload
    def __init__(self: "DeferredStrategy[dict[str, Any]]", strategy: dict[str, Any]) -> None: ...
    @overload
    def __init__(self, strategy: Strategy[SchemaT]) -> None: ...
    @overload
    def __init__(self, strategy: TypeForm[SchemaT]) -> None: ...
    def __init__(self, strategy: object) -> None:
        """Set the strategy of the final step.

        Args:
            strategy: A strategy, or a schema for the automatic one.

        Raises:
            AgentSpecError: If the schema is not supported.
        """
        self._final = as_strategy(strategy)
        super().__init__(self._final.schemas, handle_errors=self._final.handle_errors)
        self.schema = self._final.schema
        self.errors = self._final.errors
        self._free = FreeLoop(self.schemas)

    def check(self, model: BaseChatModel) -> None:
        self._final.check(model)

    def strategies_for(self, request: ModelRequest) -> Sequence[NamedStrategy]:
        return after_tools(self._free.narrowed(self.schema_names), self._final.narrowed(self.schema_names), request)

    def parts(self) -> Sequence[Strategy]:
        return (self._free, *self._final.parts())

    def widened(self, more: tuple[AnswerSchema, ...]) -> Strategy:
        return DeferredStrategy(self._final.widened(more))

    def request_text(self) -> str:
        return self._final.request_text()
