"""Middleware that accepts an answer only if the run's tool results support its claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from langgraph.runtime import Runtime

from answergraph.evidence.claim_checking import check_claims, may_support
from answergraph.evidence.claims import claims_of, tells_marks
from answergraph.evidence.marks import Abstention
from answergraph.middleware.base import AgentMiddleware
from answergraph.response_format.model_request import ModelRequest
from answergraph.response_format.schemas.schema_kinds import answer_schemas
from answergraph.response_format.strategies.declared_format import as_strategy
from answergraph.response_format.strategies.strategy import Strategy
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.errors import AgentSpecError, AnswerRejected
from answergraph.state.outcome import AnswerAccepted
from answergraph.state.tool_results import EvidenceState, ToolRun, as_shown, results_of_run

NO_EVIDENCE = "There is no evidence yet: no tool that counts has returned anything in this run. Call one, or abstain with {name}."


class GroundedAnswer(AgentMiddleware[Any, Any, Any]):
    """Check every marked field of an answer against the tool results of this run.

    Fields are marked in the schema, ``Annotated[list[str], Quote()]`` or ``Annotated[float, FromTools()]``, in nested models and
    lists too. Unsupported claims go back to the model with the nearest passage; the places of supported ones stand on
    ``outcome["evidence"]``. Results are kept as the tools returned them, even if the conversation is changed later.

    Example:
        >>> only_logs = GroundedAnswer(sources=["read_log", "search_log"], abstain=Abstention)
    """

    state_schema = EvidenceState

    def __init__(
        self,
        *,
        sources: str | Sequence[str] | Callable[[ToolRun], bool] | None = None,
        abstain: type[Abstention] | None = None,
    ) -> None:
        """Choose the evidence that counts.

        Args:
            sources: The tools whose results count, or a predicate of a result; ``None`` for all that succeed.
            abstain: The schema that says why there is no answer; added to the response format if it is not declared there. It is
                always allowed; the others are offered only once there is a result that counts.

        Raises:
            AgentSpecError: If ``abstain`` is no ``Abstention``.
        """
        super().__init__()
        if abstain is not None and not (isinstance(abstain, type) and issubclass(abstain, Abstention)):
            raise AgentSpecError(f"abstain is Abstention or a class derived from it, not {abstain!r}.")
        self.sources = (sources,) if isinstance(sources, str) else sources
        self.abstain = abstain
        self.answer_types = () if abstain is None else (abstain,)
        self._abstention = answer_schemas(self.answer_types)
        self._strategies: RecentCache[Strategy[Any]] = RecentCache()

    def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Offer only the abstention until there is evidence.

        Raises:
            AgentSpecError: If a declared type's marks cannot be read.
        """
        if request.response_format is None:
            return request
        declared = self._strategies.get_or_make(lambda: _readable(request.response_format), request.response_format)
        if self.abstain is None or self.evidence(request.state):
            return request
        return request.override(response_format=declared.narrowed([schema.name for schema in self._abstention]))

    def check_answer(self, answer: Any, state: Any, runtime: Runtime[Any]) -> AnswerAccepted:
        """Accept an answer that is supported, or an abstention.

        Raises:
            AnswerRejected: If a marked field is not supported.
        """
        if self.abstain is not None and isinstance(answer, self.abstain):
            return AnswerAccepted(abstained=True)
        evidence = self.evidence(state)
        if self.abstain is not None and not evidence:
            raise AnswerRejected(NO_EVIDENCE.format(name=self.abstain.__name__))
        checked = check_claims(claims_of(answer), as_shown(evidence, state["messages"]), results_of_run(state))
        if checked.problems:
            raise AnswerRejected(checked.feedback)
        return AnswerAccepted(evidence=checked.evidence)

    def evidence(self, state: Mapping[str, Any]) -> list[ToolRun]:
        """Return the results that count; override it if another agent has gathered some."""
        return [run for run in results_of_run(state) if may_support(run) and self._counts(run)]

    def _counts(self, run: ToolRun) -> bool:
        if self.sources is None:
            return True
        if callable(self.sources):
            return self.sources(run)
        # What the tools of an agent said counts with the tool that this agent is.
        return run.name in self.sources or run.name.partition("/")[0] in self.sources


def _readable(response_format: Any) -> Strategy[Any]:
    strategy = as_strategy(response_format)
    for declared in (schema.declared for schema in strategy.schemas):
        if not tells_marks(declared):
            name = declared.__name__ if isinstance(declared, type) and not get_args(declared) else declared
            raise AgentSpecError(
                f"The values of {name!r} do not tell their type, so that its marks cannot be read; "
                "declare a Pydantic model or a dataclass that has them on its fields."
            )
    return strategy
