"""The types of pydantic-evals: cases are its dataset, an agent is its task, and the marks of the fields are its scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_evals import Case as DatasetCase
from pydantic_evals import Dataset, increment_eval_metric
from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext

from answergraph.evaluation.evaluation_cases import Case
from answergraph.evaluation.field_results import FieldComparison
from answergraph.evaluation.scored_run import run_of, scores_by_field
from answergraph.many.ledger.agent_door import AgentDoor

_METRICS = ("model_calls", "tool_calls", "total_tokens", "cost")


@dataclass(repr=False)
class ByField(Evaluator):
    """Scores the result of an agent field by field."""

    comparison: FieldComparison

    def evaluate(self, ctx: EvaluatorContext) -> dict[str, str | EvaluationReason]:
        scores = scores_by_field(ctx.output, str(ctx.name), ctx.expected_output, self.comparison)
        reasons = {field: EvaluationReason(*score) for field, score in scores.items()}
        return {"status": ctx.output["outcome"]["status"], **reasons}

    def build_serialization_arguments(self) -> dict[str, object]:
        return {}  # functions are no JSON


@dataclass(frozen=True)
class AgentTask:
    """An agent as a task: its result, and its usage for the report."""

    door: AgentDoor
    __name__: str = "agent"

    async def __call__(self, inputs: object) -> dict[str, object]:
        run = await run_of(self.door, inputs)
        for name in _METRICS:
            if (number := run["outcome"]["usage"].get(name)) is not None:
                increment_eval_metric(name, number)
        return run


def dataset_of(cases: Mapping[str, Case], comparison: FieldComparison) -> Dataset:
    rows = [DatasetCase(**{**vars(case), "name": name}) for name, case in cases.items()]
    return Dataset[Any, Any, Any](name="answergraph", cases=rows, evaluators=[ByField(comparison)])
