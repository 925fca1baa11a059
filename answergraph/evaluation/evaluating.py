"""Runs an agent over cases, and scores its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Never

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from answergraph.evaluation.alike import folded
from answergraph.evaluation.evaluation_cases import Case, named_cases
from answergraph.evaluation.evaluation_report import CaseRun, EvalReport
from answergraph.evaluation.field_results import FieldComparison, FieldResult, expectation_result
from answergraph.kit import AnswerChannel, FieldPath
from answergraph.many import Row, map_answers
from answergraph.patches.changes import json_path_in
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.field_record import BACKED

if TYPE_CHECKING:
    from answergraph.answers.schemas.answer_schema import AnswerSchema
    from answergraph.graphs.agent.agent_types import AgentGraph

_USAGE = ("model_calls", "tool_calls", "input_tokens", "output_tokens", "total_tokens", "seconds", "cost")

_as_json = partial(to_jsonable_python, by_alias=True)


def evaluate(  # noqa: PLR0913 - one argument per question that an evaluation answers
    agent: AgentGraph[Any, Never, object],
    cases: Iterable[Case] | str | Path,
    *,
    repeats: int = 1,
    keys: Mapping[str, str] | None = None,
    normalize: Callable[[str], str] = folded,
    concurrency: int = 8,
    ledger: str | Path | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> EvalReport:
    """Run an agent over cases, and score its answers field by field.

    Numbers are compared by value, texts without case and spacing, the items of lists in any order. A run without an answer has
    all its fields missing, one that raises too.

    Args:
        agent: An agent with a response format.
        cases: Cases, or the path of a file with one a line, as JSON; examples of a LangSmith dataset are such lines too.
        repeats: How often each case is run, since models answer differently each time.
        keys: The field by which the items of a list are matched, by the list's path: ``{"items": "sku"}``. Without it, that of
            the ``Key`` in the declared type counts, and where there is none or a case leaves it out, an item is matched to the
            one with the most equal fields.
        normalize: Returns equal texts for those that mean the same; by default, case, spacing and width do not count.
        concurrency: Runs at a time, at most.
        ledger: A SQLite file or a ``postgresql://`` URL, by which a killed evaluation goes on. It is of one agent: runs that it
            has are not asked again.
        progress: Is called after each run, with the number of runs that have ended, and that of all.

    Raises:
        AgentSpecError: If a case cannot be used, or the agent has no response format.
        TapeMismatch: In the block of a tape, if the agent asks for something else than it holds.

    Example:
        >>> from answergraph import create_agent
        >>> from answergraph.testing import Case, ScriptedChatModel, evaluate
        >>> agent = create_agent(ScriptedChatModel(replies=["[4, 9]"]), response_format=list[int])
        >>> report = evaluate(agent, [Case("The squares of 2, 3 and 4?", [4, 9, 16])])
        >>> report.fields["[]"].right, report.fields["[]"].missing
        (2, 1)
    """
    if repeats < 1 or concurrency < 1:
        raise AgentSpecError(f"repeats={repeats}, concurrency={concurrency}: each must be at least 1.")
    every = named_cases(cases)
    _check_names(every, schemas_of(agent), keys or ())
    comparison = comparison_for(agent, keys, normalize)
    checks = {name: check_of(name, case, comparison) for name, case in every.items()}
    planned = [{"run": f"{number} {name}", "case": name} for name in every for number in range(1, repeats + 1)]
    case_of = {each["run"]: each["case"] for each in planned}
    rows = map_answers(
        agent,
        planned,
        key="run",
        input=lambda each: every[each["case"]].inputs,
        ledger=ledger,
        concurrency=concurrency,
        stop_after=None,
        share_equal_inputs=False,
    )
    runs: dict[str, CaseRun] = {}
    for row in rows:
        name = case_of[row.key]
        runs[row.key] = _run_of(name, row, checks[name](Ending(row.status, row.answer, row.fields)))
        if progress is not None:
            progress(len(runs), len(planned))
    return EvalReport([runs[each["run"]] for each in planned], rows.notes)


def comparison_for(agent: object, keys: Mapping[str, str] | None, normalize: Callable[[str], str]) -> FieldComparison:
    """Return how an agent's answers are compared: with the ``Key`` of each list, and the field names, of its response format."""
    schemas = schemas_of(agent)
    declared = {path: key for schema in schemas for path, key in schema.keys.items()}

    def name(json_path: FieldPath) -> FieldPath:
        return next((each.path for each in (schema.field_at(json_path) for schema in schemas) if each.types), json_path)

    return FieldComparison(declared, keys or {}, normalize, name)


def schemas_of(agent: object) -> list[AnswerSchema]:
    """Return the schemas of an agent's answers; none of what is no agent."""
    channels: Mapping[str, Any] = getattr(agent, "channels", {})
    return [each for channel in channels.values() if isinstance(channel, AnswerChannel) for each in channel.codec.schemas]


def _may_have(schema: AnswerSchema, expected: Mapping[str, object]) -> bool:
    # The JSON of other types has names that their schema does not always say.
    is_known = schema.is_object and schema.schema_kind in {"pydantic", "json_schema"}
    return not is_known or schema.declares_keys_of(expected)


def _check_names(cases: Mapping[str, Case], schemas: Sequence[AnswerSchema], keys: Iterable[str]) -> None:
    """Refuse a field that no answer has: each run would lack it. The key of a list that none has would match nothing."""
    known = sorted({name for schema in schemas for name in schema.known_names})
    for path in keys:
        first, *_ = FieldPath(path).parts or ("",)
        if schemas and not any(_may_have(each, {str(first): []}) for each in schemas):
            raise AgentSpecError(f"keys={{{path!r}: …}}: no answer has it; the fields of the answer are {known!r} in JSON.")
    for name, case in cases.items():
        expected = case.expected_output
        if not schemas or not isinstance(expected, Mapping) or any(_may_have(each, expected) for each in schemas):
            continue
        if unknown := [field for field in expected if field not in known]:
            raise AgentSpecError(f"The case {name!r} expects {unknown!r}, but the fields of the answer are {known!r} in JSON.")


class Ending(NamedTuple):
    """How a run ended."""

    status: str
    answer: Any
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Ending:
        """Return how a run ended, of its result."""
        outcome = result["outcome"]
        answer = result.get("structured_response") if outcome["status"] == "answered" else None
        return cls(outcome["status"], answer, outcome["fields"])


def check_of(name: str, case: Case, comparison: FieldComparison) -> Callable[[Ending], list[FieldResult]]:
    """Return how a case scores the end of a run.

    Raises:
        AgentSpecError: If the case expects what cannot be compared.
    """
    expected = case.expected_output
    if callable(expected):
        return partial(_by_predicate, expected)
    try:
        return partial(_by_field, _as_data(expected), comparison)
    except PydanticSerializationError as error:
        raise AgentSpecError(f"The case {name!r} expects what is no JSON: {error}.") from error


def _as_data(expected: object) -> Any:
    """Return an expected answer as JSON, but for its predicates and decimals, which are compared by value."""
    if isinstance(expected, BaseModel):
        expected = expected.model_dump(by_alias=True)
    if isinstance(expected, Mapping):
        return {key: _as_data(value) for key, value in expected.items()}
    if isinstance(expected, list):
        return [_as_data(value) for value in expected]
    return expected if callable(expected) or isinstance(expected, Decimal) else _as_json(expected)


def _by_predicate(holds: Callable[[Any], object], end: Ending) -> list[FieldResult]:
    return [expectation_result(holds, end.answer if end.status == "answered" else None)]


def _by_field(expected: object, comparison: FieldComparison, end: Ending) -> list[FieldResult]:
    # An abstention is the answer of another type.
    data = _as_json(end.answer) if end.status == "answered" else None
    # Records have the names of the declared type, JSON has aliases.
    backed = [json_path_in(data, path, end.answer) or "" for path, record in end.fields.items() if record["status"] in BACKED]
    results: list[FieldResult] = [
        {**each, "field": str(comparison.name_of(FieldPath(each["field"])))}
        for each in comparison.backed_by(backed).results(expected, data)
    ]
    if end.status == "answered" or (end.status == "abstained" and expected is None):
        return results
    # A run that failed is not right about a field that is expected to be empty.
    return [{**each, "mark": "missing", "problem": each["problem"] or "there is no answer"} for each in results]


def _run_of(name: str, row: Row[Any], results: list[FieldResult]) -> CaseRun:
    counts: Mapping[str, Any] = row.outcome["usage"]
    usage = {key: counts.get(key) for key in _USAGE}
    return CaseRun(case=name, status=row.status, reason=row.reason, fields=results, usage=usage)
