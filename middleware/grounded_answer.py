"""Middleware that accepts an answer only if the run's tool results support its claims."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.declared_format import strategy_of
from answergraph.evidence.claim_checking import EvidenceReport, check_fields, may_support, report_of
from answergraph.evidence.claims import Claim, default_at, fields_of, with_value
from answergraph.evidence.marks import Abstention, Grounded, Quote
from answergraph.evidence.said_claims import unjudged
from answergraph.evidence.texts.cldr_names import are_read
from answergraph.evidence.value_records import DISAGREE
from answergraph.middleware.base import AgentMiddleware
from answergraph.middleware.kept_input import KeepsInput
from answergraph.models.resolve import resolve_model
from answergraph.nodes.answer_checks import MoreWork
from answergraph.patches.existing import unchanged
from answergraph.runtime.argument_checks import check_function, holds, one_of, shown, tool_names
from answergraph.runtime.errors import AgentSpecError, AnswerRejected
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.runtime.steps import Step
from answergraph.state.field_path import FieldPath, json_at
from answergraph.state.field_record import BACKED, FieldRecord, Fields, OnDoubt, given_by_person, passage_of, support_of
from answergraph.state.ledger import EXISTING
from answergraph.state.outcome import AnswerAccepted
from answergraph.state.tool_results import EvidenceState, ToolRun, as_shown, results_of_run
from answergraph.state.turn import Turn

NO_EVIDENCE = "There is no evidence yet: no tool that counts has returned anything in this run. Call one, or abstain with {name}."

_FIRST = "first call {names}"
_FIRST_ANY = "there must be evidence, and no tool has returned any yet"

TOO_LITTLE = (
    "Only {share:.0%} of the fields are supported, and at least {least:.0%} must be. Not supported: {paths}. "
    "Leave out what the sources do not say."
)


class Input:
    """A source: the text and documents of the caller's own messages in this turn, never the model's words.

    Example:
        >>> GroundedAnswer(sources=[Input(), "search"]).sources
        ('search',)
    """


Sources = Input | str | BaseTool | Sequence[Input | str | BaseTool] | Callable[[ToolRun], bool] | None


@explains_arguments('GroundedAnswer(sources=["read_log"])')
class GroundedAnswer(AgentMiddleware):
    """Check every marked field of an answer against its sources: the tool results of this run, the caller's input, or both.

    Fields are marked in the schema, ``Annotated[list[str], Quote()]`` or ``Annotated[date, Grounded()]``, in nested models and
    lists too. Unsupported claims go back to the model with the nearest passage; the positions of supported ones are in
    ``outcome["fields"]``. Results are kept as the tools returned them, even if the conversation is changed later.

    Example:
        >>> only_logs = GroundedAnswer(sources=["read_log", "search_log"], abstain=Abstention)
        >>> extraction = GroundedAnswer(sources=Input(), fields="all")
    """

    state_schema = EvidenceState
    checks_marks = True

    def __new__(cls, *_: object, **options: object) -> Self:
        """Return an instance whose graph has a node that keeps the caller's messages, if they are a source."""
        named = {"__module__": cls.__module__, "__doc__": cls.__doc__}
        keeps = _reads_input(options.get("sources"))
        return super().__new__(type(cls.__name__, (KeepsInput, cls), named) if keeps else cls)

    def __init__(  # noqa: PLR0913  # each is one keyword of the declaration
        self,
        *,
        sources: Sources = None,
        fields: Literal["marked", "all"] = "marked",
        min_support: float = 0.0,
        computes: str | BaseTool | Sequence[str | BaseTool] = (),
        judge: str | BaseChatModel | None = None,
        on_doubt: OnDoubt = "refuse",
        abstain: type[Abstention] | None = None,
    ) -> None:
        """Choose what counts as evidence, and what becomes of a field without it.

        Args:
            sources: The tools whose results count, or their names; ``Input()``; or a predicate of a result. ``None`` for all
                results that succeed.
            fields: ``"all"``: every scalar without a mark is checked as ``Grounded()``.
            min_support: Least share of the filled fields that must be supported, 0 to 1: ``outcome["support"]``.
            computes: The tools that transform what they are given, such as arithmetic, code or a template: their results support
                numbers and dates, but no text.
            judge: A model that is asked once per answer whether quotes say the claims marked ``SupportedBy``, if no rule speaks
                against them; its call counts in the run's limits.
            on_doubt: What becomes of a field that is still doubtful after the model was asked again: ``"refuse"``: there is no
                answer; ``"omit"``: it has its default; ``"review"``: the run waits for a person, and needs a checkpointer.
            abstain: The schema that says why there is no answer; added to the response format if it is not declared there. It is
                always allowed; other schemas are offered once a result counts.

        Raises:
            AgentSpecError: If an argument cannot work, or ``sources`` is empty.
        """
        super().__init__()
        if abstain is not None and not (isinstance(abstain, type) and issubclass(abstain, Abstention)):
            raise AgentSpecError(f"abstain={shown(abstain)} is no Abstention of answergraph; write abstain=Abstention.")
        if not isinstance(min_support, int | float) or not 0 <= min_support <= 1:
            raise AgentSpecError(f"min_support={min_support!r} is no share; write a number from 0 to 1, such as 0.8.")
        self.sources = None if sources is None else _tools_of(sources)
        self.computes = tool_names("computes", computes)
        self.fields = one_of("fields", Literal["marked", "all"], fields)
        self.on_doubt = one_of("on_doubt", OnDoubt, on_doubt)
        self.min_support = min_support
        self.judge = None if judge is None else resolve_model(judge)
        self.abstain = abstain
        self.answer_types = () if abstain is None else (abstain,)
        self._abstention = answer_schemas(self.answer_types)

    @property
    def needs_tools(self) -> bool:
        """Whether only the agent's tools can give evidence."""
        return self.sources is None and self.abstain is None and type(self).evidence is GroundedAnswer.evidence

    @property
    def named_tools(self) -> Sequence[str]:  # type: ignore[override]  # a class attribute there
        """The tools whose results count, except another agent's."""
        own = type(self).evidence is GroundedAnswer.evidence
        return (*(self.sources if own and isinstance(self.sources, tuple) else ()), *self.computes)

    @property
    def checks_in_thread(self) -> bool:  # type: ignore[override]  # a class attribute there
        """Whether the first check still has to read the names of the months, from files."""
        return not are_read()

    def modify_model_request(self, request: ModelRequest) -> ModelRequest:
        """Offer only the abstention until there is evidence."""
        if request.response_format is None or self.abstain is None or self.evidence(request.state):
            return request
        declared = strategy_of(request)
        names = self.named_tools[: len(self.named_tools) - len(self.computes)] or [
            tool.name for tool in request.tools if isinstance(tool, BaseTool)
        ]
        until = _FIRST.format(names=" or ".join(names)) if names else _FIRST_ANY
        narrowed = declared.narrowed([schema.name for schema in self._abstention])
        return request.override(response_format=narrowed, withheld_until=until)

    def check_answer(  # type: ignore[override]  # a check of ours may ask a model
        self, answer: object, state: Any, runtime: Runtime
    ) -> AnswerAccepted | MoreWork:
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
        claims = fields_of(answer)
        sources = as_shown({**calls, **counting}.values(), state["messages"])
        unmarked = Grounded(min_items=0) if self.fields == "all" else None
        known, is_settled = _known_records(answer, state, claims), _is_settled(state, self.on_doubt)
        report = check_fields(claims, sources, unmarked, known, has_judge=self.judge is not None, is_settled=is_settled)
        if self.judge is None or report.feedback or not unjudged(claims, report.fields):
            return self._verdict(answer, claims, report, state)
        return MoreWork(self._judged(self.judge, answer, claims, report.fields, state))

    def _judged(
        self, judge: BaseChatModel, answer: object, claims: list[Claim], fields: Fields, state: Any
    ) -> Step[AnswerAccepted]:
        # Only agents with a judge need it.
        from answergraph.middleware.judging import judged  # noqa: PLC0415 - see above

        every = {**fields, **(yield from judged(judge, unjudged(claims, fields), fields))}
        return self._verdict(answer, claims, report_of(every, has_input=True), state)

    def _verdict(self, answer: object, claims: Sequence[Claim], report: EvidenceReport, state: Any) -> AnswerAccepted:
        """Accept an answer by what stands behind its fields, if all that is asked for does.

        Raises:
            AnswerRejected: If not.
        """
        if report.feedback and self.on_doubt == "omit" and _was_asked_again(state):
            return self._accepted_without_doubts(answer, report)
        if report.feedback:
            raise AnswerRejected(report.feedback, records=report.fields)
        self._refuse_too_little(report.fields)
        rewritten = answer
        for field in claims:
            if isinstance(field.mark, Quote) and field.mark.rewrite and report.fields[field.path]["status"] == "supported":
                rewritten = with_value(rewritten, field.path.parts, passage_of(report.fields[field.path]["evidence"][0]))
        return AnswerAccepted(report.fields, answer=None if rewritten is answer else rewritten)

    def _accepted_without_doubts(self, answer: object, report: EvidenceReport) -> AnswerAccepted:
        """Accept an answer whose doubtful fields have their defaults.

        Raises:
            AnswerRejected: If one has no default.
        """
        kept = dict(report.fields)
        for path in [path for path, record in report.fields.items() if record["problem"] is not None]:
            try:
                answer = with_value(answer, FieldPath(path).parts, default_at(answer, path))
            except LookupError:
                raise AnswerRejected(report.feedback, records=report.fields) from None
            del kept[path]
        self._refuse_too_little(kept)
        return AnswerAccepted(kept, answer=answer)

    def _refuse_too_little(self, fields: Fields) -> None:
        support = support_of(fields)
        if (1.0 if support is None else support) < self.min_support:
            unchecked = [path for path, record in fields.items() if record["status"] not in BACKED]
            raise AnswerRejected(
                TOO_LITTLE.format(share=support, least=self.min_support, paths=", ".join(unchecked)), records=fields
            )

    def evidence(self, state: Any) -> list[ToolRun]:
        """Return the results that count; override it if another agent has gathered some."""
        return [run for run in results_of_run(state) if may_support(run) and self._counts(run)]

    def _counts(self, run: ToolRun) -> bool:
        if run.kind == "input" or self.sources is None:
            return True
        if callable(self.sources):
            return holds(self.sources, run)
        # An agent's tool results count with the tool that wraps it.
        return run.name in self.sources or run.name.partition("/")[0] in self.sources


def _was_asked_again(state: Any) -> bool:
    """Return whether the model has had a chance to mend its answer, or will get none."""
    ledger = Turn(state).run_ledger(begins_run=False)
    return bool(ledger["attempts"] or ledger["last_call_made"])


def _is_settled(state: Any, on_doubt: OnDoubt) -> bool:
    """Return whether the model was told once that sources disagree, or is not asked any more."""
    ledger = Turn(state).run_ledger(begins_run=False)
    was_told = any(DISAGREE in problem for attempt in ledger["attempts"] for problem in attempt["fields"].values())
    return was_told or (ledger["last_call_made"] if on_doubt == "refuse" else _was_asked_again(state))


def _known_records(answer: object, state: Any, claims: Sequence[Claim]) -> dict[str, FieldRecord]:
    """Return the fields that stand as they were in the previous answer, or as a person set them."""
    ledger = Turn(state).run_ledger(begins_run=False)
    known: dict[str, FieldRecord] = {}
    if (message_id := ledger.get("existing")) is not None:
        message = next((each for each in state["messages"] if each.id == message_id), None)
        existing = message and message.response_metadata.get(EXISTING)
        known = unchanged(existing, answer, [claim.path for claim in claims]) if existing else {}
    persons = {path for path, value in ledger.get("given", {}).items() if json_at(answer, path) == value}
    return known | {path: given_by_person() for path in persons}


def _reads_input(sources: object) -> bool:
    each = sources if isinstance(sources, Sequence) and not isinstance(sources, str) else (sources,)
    return any(isinstance(source, Input) for source in each)


def _tools_of(sources: Any) -> tuple[str, ...] | Callable[[ToolRun], bool]:
    if isinstance(sources, Input):
        return ()
    if sources is Input or (isinstance(sources, list | tuple) and Input in sources):
        raise AgentSpecError("sources: Input is a class; write Input().")
    is_list = isinstance(sources, Sequence) and not isinstance(sources, str)
    if is_list or isinstance(sources, str) or not callable(sources):
        tools = [each for each in sources if not isinstance(each, Input)] if is_list else sources
        names = tool_names("sources", tools)
        if not names and not _reads_input(sources):
            raise AgentSpecError("sources=[] leaves no evidence; name tools, write Input(), or leave it out for all tools.")
        return names
    predicate: Callable[[ToolRun], bool] = check_function(f"sources={shown(sources)}", sources, "run")
    return predicate
