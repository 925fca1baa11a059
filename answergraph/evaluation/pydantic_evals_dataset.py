"""The types of pydantic-evals: cases are its dataset, an agent is its task, and the marks of the fields are its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pydantic_evals import Case as DatasetCase
from pydantic_evals import Dataset, increment_eval_metric
from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext

from answergraph.evaluation.evaluating import check_of
from answergraph.evaluation.evaluation_cases import Case
from answergraph.evaluation.field_results import FieldComparison, FieldResult
from answergraph.evaluation.optimizer_feedback import ending_of
from answergraph.kit import FieldPath
from answergraph.many.ledger.agent_door import AgentDoor

_METRICS = ("model_calls", "tool_calls", "total_tokens", "cost")


@dataclass(repr=False)
class ByField(Evaluator):
    """Scores the result of an agent field by field."""

    comparison: FieldComparison

    def evaluate(self, ctx: EvaluatorContext) -> dict[str, str | EvaluationReason]:
        results = check_of(str(ctx.name), Case(None, ctx.expected_output), self.comparison)(ending_of(ctx.output))
        by_field: dict[str, list[FieldResult]] = {"all fields": results}
        for each in results:
            by_field.setdefault(FieldPath(each["field"]).pattern or "the answer", []).append(each)
        return {"status": ctx.output["outcome"]["status"], **{name: _score(each) for name, each in by_field.items()}}

    def build_serialization_arguments(self) -> dict[str, object]:
        return {}  # functions are no JSON


@dataclass(frozen=True)
class AgentTask:
    """An agent as a task: its result, and its usage for the report."""

    door: AgentDoor
    __name__: str = "agent"

    async def __call__(self, inputs: object) -> dict[str, object]:
        config = {"configurable": {"thread_id": str(uuid4())}}  # a checkpointer needs one
        result = await self.door.agent.ainvoke(self.door.as_input(inputs), config)
        outcome = result[self.door.outcome_key]
        for name in _METRICS:
            if (number := outcome["usage"].get(name)) is not None:
                increment_eval_metric(name, number)
        return {"structured_response": result[self.door.answer_key], "outcome": outcome}


def dataset_of(cases: Mapping[str, Case], comparison: FieldComparison) -> Dataset:
    rows = [DatasetCase(**{**vars(case), "name": name}) for name, case in cases.items()]
    return Dataset[Any, Any, Any](name="answergraph", cases=rows, evaluators=[ByField(comparison)])


def _score(results: Sequence[FieldResult]) -> EvaluationReason:
    marks = [each["mark"] == "right" for each in results]
    problems = [f"{each['field'] or 'the answer'}: {each['problem']}" for each in results if each["problem"]]
    return EvaluationReason(sum(marks) / len(marks), "\n".join(problems) or None)
