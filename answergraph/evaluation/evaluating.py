"""Runs an agent over cases, and scores its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from pydantic_core import PydanticSerializationError, to_jsonable_python

from answergraph.evaluation.evaluation_cases import Case, named_cases
from answergraph.evaluation.evaluation_report import CaseRun, EvalReport
from answergraph.evaluation.field_results import FieldComparison, FieldResult
from answergraph.patches.changes import place_in
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError, NoAnswerError
from answergraph.state.field_record import BACKED, FieldRecord
from answergraph.tapes.differences import TapeMismatch

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from answergraph.graphs.agent.agent_types import AgentGraph

_USAGE = ("model_calls", "tool_calls", "input_tokens", "output_tokens", "total_tokens", "seconds", "cost")

_as_json = partial(to_jsonable_python, by_alias=True)


def evaluate(
    agent: AgentGraph[Any],
    cases: Iterable[Case] | str | Path,
    *,
    repeats: int = 1,
    keys: Mapping[str, str] | None = None,
    concurrency: int = 8,
) -> EvalReport:
    """Run an agent over cases, and score its answers field by field.

    Numbers are compared by value, texts without case and spacing, the items of lists in any order. A run without an answer has
    all its fields missing, one that raises too.

    Args:
        agent: An agent with a response format.
        cases: Cases, or the path of a file with one a line, as JSON.
        repeats: How often each case is run, since models answer differently each time.
        keys: The field by which the items of a list are matched, by the list's path: ``{"items": "sku"}``. Without it, an item
            is matched to the one with the most equal fields.
        concurrency: Runs at a time, at most.

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
    checks = {name: _check_of(name, case, keys or {}) for name, case in every.items()}
    names = [name for name in every for _ in range(repeats)]
    # A thread of its own for each run: an agent with a checkpointer needs one.
    configs: list[RunnableConfig] = [{"configurable": {"thread_id": uuid4().hex}, "max_concurrency": concurrency} for _ in names]
    graph: Any = agent
    results = graph.batch([_input_of(every[name]) for name in names], configs, return_exceptions=True)
    ends = zip(names, map(_end_of, results), strict=True)
    return EvalReport([_run_of(name, end, checks[name](end)) for name, end in ends])


class Ending(NamedTuple):
    """How a run ended."""

    status: str
    reason: str
    answer: Any = None
    records: Mapping[str, FieldRecord] = {}
    usage: Mapping[str, Any] = {}


def _input_of(case: Case) -> object:
    return {"messages": case.inputs} if isinstance(case.inputs, str) else case.inputs


def _check_of(name: str, case: Case, keys: Mapping[str, str]) -> Callable[[Ending], list[FieldResult]]:
    """Return how a case scores the end of a run."""
    expected = case.expected_output
    if callable(expected):
        return partial(_by_predicate, expected)
    try:
        return partial(_by_field, _as_json(expected), keys)
    except PydanticSerializationError as error:
        raise AgentSpecError(f"The case {name!r} expects what is no JSON: {error}.") from error


def _by_predicate(holds: Callable[[Any], object], end: Ending) -> list[FieldResult]:
    if end.status != "answered":
        return [FieldResult(field="", mark="missing", supported=False, problem="there is no answer")]
    if holds(end.answer):
        return [FieldResult(field="", mark="right", supported=False, problem=None)]
    return [FieldResult(field="", mark="wrong", supported=False, problem=f"the case does not accept {shown(end.answer)}")]


def _by_field(expected: object, keys: Mapping[str, str], end: Ending) -> list[FieldResult]:
    data = _as_json(end.answer)
    # Records have the names of the declared type, JSON has aliases.
    backed = [place_in(data, path, end.answer) or "" for path, record in end.records.items() if record["status"] in BACKED]
    results = list(FieldComparison(keys, backed).results(expected, data))
    if end.status == "answered" or (end.status == "abstained" and expected is None):
        return results
    # A run that failed is not right about a field that is expected to be empty.
    return [{**each, "mark": "missing", "problem": each["problem"] or "there is no answer"} for each in results]


def _run_of(name: str, end: Ending, results: list[FieldResult]) -> CaseRun:
    usage = {key: end.usage.get(key) for key in _USAGE}
    return CaseRun(case=name, status=end.status, reason=end.reason, fields=results, usage=usage)


def _end_of(result: Any) -> Ending:
    """Return how a run ended, of its result or of what it raised."""
    if isinstance(result, AgentSpecError | TapeMismatch):
        raise result  # the developer's mistake is every case's, and a tape of other runs says nothing of this agent
    if isinstance(result, Exception) and not isinstance(result, NoAnswerError):
        return Ending("error", f"{type(result).__name__}: {result}")
    outcome = result.outcome if isinstance(result, NoAnswerError) else result.get("outcome")
    if outcome is None and "__interrupt__" in result:
        return Ending("deferred", f"The run waits: {result['__interrupt__']}")
    if outcome is None:
        raise AgentSpecError("The agent gives no typed answer that could be scored: give it a response_format.")
    status = outcome["status"]
    if status != "answered":
        return Ending(status, outcome["reason"], usage=outcome["usage"])
    return Ending(status, outcome["reason"], result["structured_response"], outcome["fields"], outcome["usage"])
