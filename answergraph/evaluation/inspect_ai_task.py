"""The types of inspect-ai: cases are its dataset, an agent is its solver, and the marks of the fields are its scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic_core import to_json

from answergraph.evaluation.evaluation_cases import Case
from answergraph.evaluation.field_results import FieldComparison
from answergraph.evaluation.scored_run import expected_fields, run_of, scores_by_field

if TYPE_CHECKING:
    from answergraph.many.ledger.agent_door import AgentDoor

RUN = "answergraph run"
NOT_SCORED = float("nan")
"""Of a field that a case does not expect: inspect-ai counts it for nothing."""


def task_of(cases: Mapping[str, Case], door: AgentDoor, comparison: FieldComparison) -> Task:
    rows = [Sample(input=_text(case.inputs), target=_text(case.expected_output), id=name) for name, case in cases.items()]
    name = door.agent.name if door.agent.name.isidentifier() else "agent"
    return Task(MemoryDataset(rows), solver=_agent(cases, door), scorer=_by_field(cases, comparison), name=name)


@solver
def _agent(cases: Mapping[str, Case], door: AgentDoor) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:  # the agent asks its own model, not inspect-ai's
        run = await run_of(door, cases[str(state.sample_id)].inputs)
        state.output = ModelOutput.from_content(str(state.model), _text(run["structured_response"]))
        state.store.set(RUN, run)
        state.metadata["outcome"] = run["outcome"]
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def _by_field(cases: Mapping[str, Case], comparison: FieldComparison) -> Scorer:
    fields = dict.fromkeys(expected_fields(cases.values(), comparison), NOT_SCORED)

    async def score(state: TaskState, target: Target) -> Score:
        run = state.store.get(RUN)
        expected = cases[str(state.sample_id)].expected_output
        scores = scores_by_field(run, str(state.sample_id), expected, comparison)
        # Each sample needs the same fields.
        value = {field: scores[field].share if field in scores else missing for field, missing in fields.items()}
        outcome = run["outcome"]
        lines = (f"{outcome['status']}: {outcome['reason']}", scores["all fields"].problems)
        return Score(value=value, answer=state.output.completion, explanation="\n".join(filter(None, lines)))

    return score


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else to_json(value, by_alias=True, fallback=str).decode()
