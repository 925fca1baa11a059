"""What each model call offers: the declared format, what middleware made of it, and how it is found again after a checkpoint."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from answergraph.nodes.layered_response import Reformat
from answergraph.response_format.model_request import ModelRequest
from answergraph.response_format.providers.refusals import is_refused
from answergraph.response_format.reading.reply_reader import Offer
from answergraph.response_format.schemas.answer_schema import AnswerSchema
from answergraph.response_format.schemas.schema_kinds import is_schema
from answergraph.response_format.strategies.auto_strategy import AutoStrategy
from answergraph.response_format.strategies.provider_strategy import ProviderStrategy
from answergraph.response_format.strategies.strategy import NoResponse, Strategy
from answergraph.response_format.strategies.tool_strategy import ToolStrategy
from answergraph.response_format.wire.dialects import Dialect
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.agent_state import OfferRecord
from answergraph.state.errors import AgentSpecError, ErrorClasses, ResponseFormatError
from answergraph.state.outcome import Narrowing


def as_strategy(response_format: Any) -> Strategy[Any]:
    """Return a response format as a strategy.

    Args:
        response_format: A strategy of ours, a schema (which means ``AutoStrategy``), or a strategy of LangChain's, which is
            known by what it has: ``schema_specs`` makes a tool strategy, ``schema_spec`` a provider strategy, ``schema`` an
            automatic one.

    Returns:
        The strategy. LangChain's provider strategy has no ``handle_errors``: it raises, as it does there.

    Raises:
        AgentSpecError: If it is none of these.
    """
    if isinstance(response_format, Strategy):
        return response_format
    if is_schema(response_format):
        return AutoStrategy(response_format)
    strategy: Strategy[Any]
    if hasattr(response_format, "schema_specs"):
        strategy = ToolStrategy(
            response_format.schema,
            tool_message_content=response_format.tool_message_content,
            handle_errors=response_format.handle_errors,
        )
    elif hasattr(response_format, "schema_spec"):
        # Without a word about strictness LangChain sends the schema as it is.
        strict = bool(response_format.schema_spec.strict)
        strategy = ProviderStrategy(response_format.schema, strict=strict, handle_errors=False)
    else:
        return AutoStrategy(getattr(response_format, "schema", response_format))
    strategy.errors = ErrorClasses.beside(response_format)
    return strategy


class Offers:
    """Makes the offer of each call and finds it again by its record."""

    def __init__(
        self,
        response_format: Any,
        tool_names: Collection[str] = (),
        more: tuple[AnswerSchema, ...] = (),
        *,
        at_run_time: bool = False,
    ) -> None:
        """Declare the format.

        Args:
            response_format: The response format as the developer wrote it, ``None`` for none.
            tool_names: The names that no schema may have.
            more: Further schemas that middleware adds to a format.
            at_run_time: Whether it was made for one run of many.

        Raises:
            AgentSpecError: If it is not supported, or a schema has the name of a tool.
        """
        self.strategy = NoResponse() if response_format is None else as_strategy(response_format)
        # Middleware finds the object the developer wrote, and for a bare schema the strategy it means, as in LangChain.
        is_strategy = response_format is None or (not is_schema(response_format) and hasattr(response_format, "schema"))
        if response_format is not None and (widened := self.strategy.widened(more)) is not self.strategy:
            self.strategy, is_strategy = widened, False
        self.response_format = response_format if is_strategy else self.strategy
        self.declared = frozenset(self.strategy.schema_names)
        if response_format is not None and not self.declared:
            raise AgentSpecError(f"response_format={response_format!r} names no schema; leave it out for an agent without one.")
        self._unoffered = NoResponse(self.strategy.schemas)
        self._converted: RecentCache[Strategy[Any]] = RecentCache()
        self._recorded: RecentCache[Strategy[Any]] = RecentCache()
        self.at_run_time = at_run_time
        self.token = uuid4().hex[:12]
        """Tells these offers from others in the records of their calls."""
        if clashing := self.declared.intersection(tool_names):
            raise AgentSpecError(
                f"{min(clashing)!r} is the name of a tool and of a response schema; the model could not tell a call of the "
                "tool from an answer. Rename one of them."
            )

    @property
    def reads_answers(self) -> bool:
        """Whether the graph needs a ``structured_response`` node."""
        return bool(self.declared)

    @property
    def schemas(self) -> tuple[AnswerSchema, ...]:
        """The declared schemas."""
        return self.strategy.schemas

    def check(self, model: BaseChatModel) -> None:
        """Check that a model can be asked as the developer insists.

        Raises:
            AgentSpecError: If it cannot.
        """
        self.strategy.check(model)

    def names(self, state: Mapping[str, Any]) -> frozenset[str]:
        """Return the names of the declared schemas."""
        return self.declared

    def for_call(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> Offers:
        """Return the offers of the next call: these, for the format is always the same."""
        return self

    def for_reply(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> Offers:
        """Return the offers of the last call: these."""
        return self

    def make(self, request: ModelRequest[Any], spent: Collection[str] = (), *, asks: bool = False) -> Offer:
        """Return what a request offers.

        Args:
            request: The request as middleware left it.
            spent: The rungs that this run is done with.
            asks: Whether the answer is asked for now, so that a rung that only waits for it is passed over.

        Returns:
            The offer; its schemas are a subset of the declared ones.

        Raises:
            ResponseFormatError: If a schema was not declared, in LangChain's words, or none is left.
        """
        if request.response_format is None:
            return Offer(self._unoffered, self.declared)
        ladder = self._strategy_of(request.response_format).ladder(request)
        wanted = [rung for rung in ladder if rung.id not in spent and (rung.strategy.is_attempt or not asks)]
        left = [rung for rung in wanted if len(ladder) == 1 or _is_usable(request, rung.strategy)]
        if not any(rung.strategy.is_attempt for rung in left):
            left.append(ladder[-1])
        rung = left[0]
        return Offer(rung.strategy, self.declared, rung.id, is_last=len(left) == 1)

    def record(self, offer: Offer, *, of_model: bool, valid: bool, given: Any) -> OfferRecord:
        """Return an offer by name, as it goes into the state.

        Args:
            offer: What a reply was offered.
            of_model: Whether the reply is the model's.
            valid: Whether the reply was seen to hold a valid answer.
            given: The value a middleware gave instead, or ``None``.

        Returns:
            The record.
        """
        strategy = offer.strategy
        # Ids are unique among the strategies kept here, and mean nothing in another process: hence the token.
        key = f"{self.token}:{id(strategy)}"
        self._recorded.put(key, strategy)
        return OfferRecord(
            strategy=strategy.name,
            declared=sorted(self.declared),
            schemas=strategy.schema_names,
            key=key,
            rung=offer.rung,
            is_last=offer.is_last,
            of_model=of_model,
            valid=valid,
            given=given,
            dialect=offer.dialect.value,
            note=offer.note,
        )

    def restore(self, record: OfferRecord | None) -> Offer:
        """Return the offer of a record.

        Args:
            record: The record, ``None`` if the model was not called.

        Returns:
            The offer. In another process the strategy is the declared one, narrowed to the schemas that were offered.
        """
        if record is None:
            return Offer(self.strategy, self.declared)
        strategy = self._recorded.get(record["key"]) or self.strategy.narrowed(record["schemas"])
        dialect = Dialect(record["dialect"])
        return Offer(strategy, self.declared, record["rung"], record["is_last"], dialect, record["note"])

    def narrowings(self, reformats: Sequence[Reformat], known: list[Narrowing]) -> list[Narrowing]:
        """Return who narrowed the format.

        Args:
            reformats: The changes of the format in one call.
            known: What was narrowed in the run before.

        Returns:
            What was known, and what is new; changes of the strategy alone narrow nothing.
        """
        made = [
            Narrowing({"middleware": by, "from": self._names(before), "to": self._names(after)})
            for by, before, after in reformats
        ]
        new = [narrowing for narrowing in made if narrowing["from"] != narrowing["to"] and narrowing not in known]
        return [*known, *new] if new else known

    def _names(self, response_format: Any) -> list[str]:
        return [] if response_format is None else self._strategy_of(response_format).schema_names

    def _strategy_of(self, response_format: Any) -> Strategy[Any]:
        if response_format is self.response_format:
            return self.strategy
        return self._converted.get_or_make(lambda: self._convert(response_format), response_format)

    def _convert(self, response_format: Any) -> Strategy[Any]:
        try:
            strategy = as_strategy(response_format)
        except AgentSpecError as error:
            raise ResponseFormatError(str(error), response_format) from error
        check_declared(strategy.schemas, self.strategy.schemas, response_format)
        return strategy


def check_declared(schemas: Sequence[AnswerSchema], declared: Sequence[AnswerSchema], response_format: Any) -> None:
    """Check that the schemas of a format made at run time are some of those declared.

    Raises:
        ResponseFormatError: If one was not declared, in LangChain's words, or there is none.
    """
    known = {schema.name: schema for schema in declared}
    subject = "The response format" if is_schema(response_format) else type(response_format).__name__
    if not schemas:
        raise ResponseFormatError(f"The response format was narrowed to nothing; choose among {list(known)!r}.", response_format)
    for schema in schemas:
        if schema.name not in known or known[schema.name].json_schema != schema.json_schema:
            raise ResponseFormatError(
                f"{subject} specifies tool '{schema.name}' which wasn't declared in the original response "
                f"format when creating the agent. Declared are {list(known)!r}.",
                response_format,
            )


def _is_usable(request: ModelRequest[Any], strategy: Strategy[Any]) -> bool:
    beside_tools = bool(request.tools) and not strategy.tools_off
    return strategy.suits(request.model) and not is_refused(request.model, strategy.name, beside_tools=beside_tools)
