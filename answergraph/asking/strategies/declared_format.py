"""The declared response format: makes the request of each call, or restores it from a checkpoint."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.schema_kinds import is_schema
from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.strategies.auto_strategy import AutoStrategy
from answergraph.asking.strategies.provider_strategy import ProviderStrategy
from answergraph.asking.strategies.strategy import AnswerRequest, NamedStrategy, NoResponse, Strategy
from answergraph.asking.strategies.tool_strategy import ToolStrategy
from answergraph.json_schema.dialects import Dialect
from answergraph.runtime.errors import AgentSpecError, ErrorClasses, ResponseFormatError
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.ledger import AnswerRequestRecord, Repair, StoredValue

GO_ON = "Go on, in the form you are asked for."
"""Said where the next strategy does not ask for the answer at once."""
WITHHELD = "Before you can answer with {names}: {until}. Do that now"
"""The correction while middleware withholds schemas and says what would lift that."""

_STRATEGIES: RecentCache[Strategy] = RecentCache()


def as_strategy(response_format: Any) -> Strategy:
    """Return the strategy for a response format; raise ``AgentSpecError`` if it is not supported.

    A response format is one of our strategies, a schema (which means ``AutoStrategy``), or a strategy of LangChain's. LangChain's
    are recognised by an attribute: with ``schema_specs`` it is a tool strategy, with ``schema_spec`` a provider strategy (which
    raises on an invalid answer, as in LangChain), with ``schema`` an automatic one.
    """
    if isinstance(response_format, Strategy):
        return response_format
    if is_schema(response_format):
        return AutoStrategy(response_format)
    strategy: Strategy
    if hasattr(response_format, "schema_specs"):
        strategy = ToolStrategy(
            response_format.schema,
            tool_message_content=response_format.tool_message_content,
            handle_errors=response_format.handle_errors,
        )
    elif hasattr(response_format, "schema_spec"):
        # Without ``strict``, LangChain sends the schema unchanged.
        strict = bool(response_format.schema_spec.strict)
        strategy = ProviderStrategy(response_format.schema, strict=strict, handle_errors=False)
    else:
        is_instance = isinstance(response_format, BaseModel)  # which has a deprecated method ``schema``
        return AutoStrategy(response_format if is_instance else getattr(response_format, "schema", response_format))
    strategy.errors = ErrorClasses.beside(response_format)
    return strategy


def strategy_of(request: ModelRequest) -> Strategy:
    """Return a request's response format as a strategy, the same one for the same format."""
    response_format = request.response_format
    return _STRATEGIES.get_or_make(lambda: as_strategy(response_format), response_format)


class DeclaredFormat:
    """The response format of an agent: makes the request of each call, and restores it from its record."""

    def __init__(
        self,
        response_format: object,
        tool_names: Collection[str] = (),
        more: tuple[AnswerSchema, ...] = (),
        *,
        at_run_time: bool = False,
    ) -> None:
        """Declare the format; ``more`` are further schemas of middleware.

        Raise ``AgentSpecError`` if it is not supported, or a schema has the name of a tool.
        """
        self.strategy = NoResponse(()) if response_format is None else as_strategy(response_format)
        # Middleware sees the developer's object, or the strategy of a bare schema, as in LangChain.
        is_strategy = response_format is None or (not is_schema(response_format) and hasattr(response_format, "schema"))
        if response_format is not None and (widened := self.strategy.widened(more)) is not self.strategy:
            self.strategy, is_strategy = widened, False
        self.response_format = response_format if is_strategy else self.strategy
        self.declared = frozenset(self.strategy.schema_names)
        if response_format is not None and not self.declared:
            raise AgentSpecError(f"response_format={response_format!r} names no schema; leave it out for an agent without one.")
        self._without_format = NoResponse(self.strategy.schemas)
        self._converted: RecentCache[Strategy] = RecentCache()
        self._recorded: RecentCache[Strategy] = RecentCache()
        self.reads_answers = bool(self.declared)
        """Whether the graph needs a ``structured_response`` node."""
        self.at_run_time = at_run_time  # whether it was made at run time
        self.token = uuid4().hex[:12]
        """Distinguishes this format from others in the records of calls."""
        if clashing := self.declared.intersection(tool_names):
            raise AgentSpecError(
                f"{min(clashing)!r} is the name of a tool and of a response schema; the model could not tell a call of the "
                "tool from an answer. Rename one of them."
            )

    @property
    def schemas(self) -> tuple[AnswerSchema, ...]:
        return self.strategy.schemas

    def check(self, model: BaseChatModel) -> None:
        self.strategy.check(model)

    def request(
        self, request: ModelRequest, used_strategies: Collection[str] = (), *, answer_only: bool = False
    ) -> AnswerRequest:
        """Return the request of a call, with the best strategy that is not among ``used_strategies``.

        With ``answer_only``, the call must ask for the answer, so strategies that only wait for it are skipped. Raise
        ``ResponseFormatError`` if a middleware set a format without schemas, or with one that was not declared.
        """
        if request.response_format is None:
            every: Sequence[NamedStrategy] = [NamedStrategy("", self._without_format)]
        else:
            every = self._strategy_of(request.response_format).strategies_for(request)
        asking, id_, has_next = every[0].strategy, every[0].id, False
        if len(every) > 1:
            unused = [each for each in every if each.id not in used_strategies and (each.strategy.is_attempt or not answer_only)]
            left = [each for each in unused if not each.strategy.is_refused(request)]
            if not any(each.strategy.is_attempt for each in left):
                left.append(every[-1])
            asking, id_, has_next = left[0].strategy, left[0].id, len(left) > 1
            if has_next and not left[1].strategy.is_attempt:
                asking = asking.derived.get_or_make(partial(asking.changed, hands_over=GO_ON), key=GO_ON)
        withheld = self._withheld(request, asking) if request.withheld_until else None
        return AnswerRequest(asking, self.declared, id_, has_next_strategy=has_next, withheld=withheld)

    def _withheld(self, request: ModelRequest, asking: Strategy) -> str | None:
        """Return what would lift a narrowing, ``None`` if the model cannot do it now."""
        if request.tool_choice is NO_CALLS or asking.tools_off:
            return None
        offered = () if request.response_format is None else asking.schema_names
        names = [repr(name) for name in self.strategy.schema_names if name not in offered]
        return WITHHELD.format(names=" or ".join(names), until="; ".join(request.withheld_until)) if names else None

    def record(
        self, request: AnswerRequest, *, of_model: bool, valid: bool, middleware_value: StoredValue | None
    ) -> AnswerRequestRecord:
        strategy = request.strategy
        # The token makes the id unique among processes.
        key = f"{self.token}:{id(strategy)}"
        self._recorded.put(key, strategy)
        record = AnswerRequestRecord(
            strategy=strategy.name,
            declared=sorted(self.declared),
            schemas=strategy.schema_names,
            key=key,
            strategy_id=request.strategy_id,
            has_next_strategy=request.has_next_strategy,
            of_model=of_model,
            valid=valid,
            dialect=request.dialect.value,
            note=request.note,
            middleware_value=middleware_value,
            rung=request.strategy_id,
        )
        # Version 0.1 fills in what it takes for the rule.
        if request.has_next_strategy:
            record["is_last"] = False
        if middleware_value is not None:
            record["given"] = middleware_value
        if request.withheld is not None:
            record["withheld"] = request.withheld
        return {**record, "tools_off": True} if strategy.tools_off else record

    def restore(self, record: AnswerRequestRecord | None) -> AnswerRequest:
        """Return the request that a record describes; the record is ``None`` if the model was not called.

        In another process its strategy is the declared one of that name, narrowed to the requested schemas.
        """
        if record is None:
            return AnswerRequest(self.strategy, self.declared)
        return AnswerRequest(
            self._recorded.get(record["key"]) or self._strategy_named(record["strategy"]).narrowed(record["schemas"]),
            self.declared,
            record["strategy_id"],
            record["has_next_strategy"],
            Dialect(record["dialect"]),
            record["note"],
            withheld=record.get("withheld"),
        )

    def repairing(self, request: AnswerRequest, repair: Repair) -> AnswerRequest:
        """Return a request that may be met by a patch of an answer, and asks for one if the patch is offered."""
        strategy = request.strategy.patching(repair["schema"]) if repair["offered"] else request.strategy
        return replace(request, repair=repair, strategy=strategy) if repair["schema"] in strategy.schema_names else request

    def _strategy_named(self, name: str) -> Strategy:
        return next((part for part in self.strategy.parts() if part.name == name), self.strategy)

    def names_of(self, response_format: object) -> list[str]:
        """Return the names of the schemas of a format that a middleware set; none for ``None``."""
        return [] if response_format is None else self._strategy_of(response_format).schema_names

    def _strategy_of(self, response_format: object) -> Strategy:
        if response_format is self.response_format:
            return self.strategy
        return self._converted.get_or_make(lambda: self._convert(response_format), response_format)

    def _convert(self, response_format: object) -> Strategy:
        try:
            strategy = as_strategy(response_format)
        except AgentSpecError as error:
            raise ResponseFormatError(str(error), response_format) from error
        check_declared(strategy.schemas, self.strategy.schemas, response_format)
        return strategy


def check_declared(schemas: Sequence[AnswerSchema], declared: Sequence[AnswerSchema], response_format: object) -> None:
    """Raise ``ResponseFormatError`` if a format has no schema, or has one that was not declared (in LangChain's words)."""
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
