"""Middleware that accepts an answer only if the run's tool results support its claims."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.declared_format import strategy_of
from answergraph.evidence.claim_checking import check_fields, may_support
from answergraph.evidence.claims import fields_of, with_value
from answergraph.evidence.marks import Abstention, Quote
from answergraph.middleware.base import AgentMiddleware
from answergraph.runtime.argument_checks import check_function, shown, tool_names
from answergraph.runtime.errors import AgentSpecError, AnswerRejected
from answergraph.state.field_record import passage_of
from answergraph.state.outcome import AnswerAccepted
from answergraph.state.tool_results import EvidenceState, ToolRun, as_shown, results_of_run

NO_EVIDENCE = "There is no evidence yet: no tool that counts has returned anything in this run. Call one, or abstain with {name}."


class GroundedAnswer(AgentMiddleware[Any, Any, Any]):
    """Check every marked field of an answer against the tool results of this run.

    Fields are marked in the schema, ``Annotated[list[str], Quote()]`` or ``Annotated[float, FromTools()]``, in nested models and
    lists too. Unsupported claims go back to the model with the nearest passage; the positions of supported ones are in
    ``outcome["fields"]``. Results are kept as the tools returned them, even if the conversation is changed later.

    Example:
        >>> only_logs = GroundedAnswer(sources=["read_log", "search_log"], abstain=Abstention)
    """

    state_schema = EvidenceState
    checks_marks = True

    def __init__(
        self,
        *,
        sources: str | BaseTool | Sequence[str | BaseTool] | Callable[[ToolRun], bool] | None = None,
        abstain: type[Abstention] | None = None,
    ) -> None:
        """Choose the evidence that counts.

        Args:
            sources: The tools whose results count, or their names, or a predicate of a result; ``None`` for all that succeed.
            abstain: The schema that says why there is no answer; added to the response format if it is not declared there. It is
                always allowed; other schemas are offered once a result counts.

        Raises:
            AgentSpecError: If ``abstain`` is not an ``Abstention``, or ``sources`` is empty.
        """
        super().__init__()
        if abstain is not None and not (isinstance(abstain, type) and issubclass(abstain, Abstention)):
            raise AgentSpecError(f"abstain={shown(abstain)} is not a subclass of Abstention; write abstain=Abstention.")
        self.sources = sources if sources is None else _sources(sources)
        self.abstain = abstain
        self.answer_types = () if abstain is None else (abstain,)
        self._abstention = answer_schemas(self.answer_types)

    @property
    def named_tools(self) -> Sequence[str]:  # type: ignore[override]  # a class attribute there
        """The tools whose results count, except another agent's."""
        own = type(self).evidence is GroundedAnswer.evidence
        return self.sources if own and isinstance(self.sources, tuple) else ()

    def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Offer only the abstention until there is evidence."""
        if request.response_format is None or self.abstain is None or self.evidence(request.state):
            return request
        declared = strategy_of(request)
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
        counting = {run.tool_call_id: run for run in evidence}
        calls = {run.tool_call_id: replace(run, counts=False) for run in results_of_run(state)}
        fields = fields_of(answer)
        report = check_fields(fields, as_shown({**calls, **counting}.values(), state["messages"]))
        if report.feedback:
            raise AnswerRejected(report.feedback, records=report.fields)
        rewritten = answer
        for field in fields:
            if isinstance(field.mark, Quote) and field.mark.rewrite:
                rewritten = with_value(rewritten, field.path, passage_of(report.fields[field.path]["evidence"][0]))
        return AnswerAccepted(report.fields, answer=None if rewritten is answer else rewritten)

    def evidence(self, state: Any) -> list[ToolRun]:
        """Return the results that count; override it if another agent has gathered some."""
        return [run for run in results_of_run(state) if may_support(run) and self._counts(run)]

    def _counts(self, run: ToolRun) -> bool:
        if self.sources is None:
            return True
        if callable(self.sources):
            return self.sources(run)
        # An agent's tool results count with the tool that wraps it.
        return run.name in self.sources or run.name.partition("/")[0] in self.sources


def _sources(given: Any) -> tuple[str, ...] | Callable[[ToolRun], bool]:
    if isinstance(given, str | Sequence) or not callable(given):
        names = tool_names("sources", given)
        if not names:
            raise AgentSpecError("sources=[] leaves no evidence; name tools, or leave it out for all of them.")
        return names
    predicate: Callable[[ToolRun], bool] = check_function(f"sources={shown(given)}", given, "run")
    return predicate
