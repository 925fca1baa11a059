"""The fallback strategy: several ways to ask, one after the other."""

from collections.abc import Sequence

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.declared_format import as_strategy
from answergraph.asking.strategies.strategy import NamedStrategy, SchemaT, Strategy
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments


@explains_arguments("FallbackStrategy([ToolStrategy(YourType), …])")
class FallbackStrategy(Strategy[SchemaT]):
    """Use the next strategy if the provider refuses the request, or the model ignores it or repeats its mistake."""

    name = "fallback"

    def __init__(self, strategies: Sequence[Strategy[SchemaT]]) -> None:
        """Set the strategies.

        Args:
            strategies: The strategies in order, all with the same schemas. LangChain's strategies are accepted, too.

        Raises:
            AgentSpecError: If there is none, or their schemas differ.
        """
        if not isinstance(strategies, list | tuple):
            argument = f"{type(strategies).__name__}(…)" if isinstance(strategies, Strategy) else shown(strategies)
            raise AgentSpecError(f"FallbackStrategy takes a list; write FallbackStrategy([{argument}, …]).")
        if not strategies:
            raise AgentSpecError("FallbackStrategy needs a strategy; write FallbackStrategy([ToolStrategy(YourType), …]).")
        members = tuple(as_strategy(strategy) for strategy in strategies)
        if any(other.schema_names != members[0].schema_names for other in members):
            names = [strategy.schema_names for strategy in members]
            raise AgentSpecError(f"The strategies of a FallbackStrategy ask for the same schemas, not for {names!r}.")
        super().__init__(members[0].schemas)
        self.schema = members[0].schema
        self.strategies = members

    def strategies_for(self, request: ModelRequest) -> Sequence[NamedStrategy]:
        every = enumerate(strategy.narrowed(self.schema_names).strategies_for(request) for strategy in self.strategies)
        return [NamedStrategy(f"{index}:{id_}", strategy) for index, strategies in every for id_, strategy in strategies]

    def parts(self) -> Sequence[Strategy]:
        return [part for strategy in self.strategies for part in strategy.parts()]

    def widened(self, more: tuple[AnswerSchema, ...]) -> Strategy:
        return FallbackStrategy([strategy.widened(more) for strategy in self.strategies])

    def request_text(self) -> str:
        return self.strategies[0].request_text()
