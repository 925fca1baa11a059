"""One awaited run of an agent, and its score by field: what other evaluation libraries ask for."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import uuid4

from answergraph.evaluation.evaluating import Ending, check_of
from answergraph.evaluation.evaluation_cases import Case
from answergraph.evaluation.field_results import FieldComparison, FieldResult
from answergraph.kit import FieldPath
from answergraph.many.ledger.agent_door import AgentDoor

ALL_FIELDS = "all fields"
Run = dict[str, Any]
"""What a run left: ``structured_response`` and ``outcome``."""


class FieldShare(NamedTuple):
    """The score of a field, over its places in one answer."""

    share: float
    """Of its places that are right, 0 to 1."""
    problems: str | None
    """A line for each place that is not."""


async def run_of(door: AgentDoor, inputs: object) -> Run:
    """Run an agent in a thread of its own, and return its answer and its outcome."""
    config = {"configurable": {"thread_id": str(uuid4())}}  # a checkpointer needs one
    result = await door.agent.ainvoke(door.as_input(inputs), config)
    return {"structured_response": result[door.answer_key], "outcome": result[door.outcome_key]}


def scores_by_field(run: Run, name: str, expected: object, comparison: FieldComparison) -> dict[str, FieldShare]:
    """Return the score of each field and of all of them, list items together: ``items[].price``."""
    results = check_of(name, Case(None, expected), comparison)(Ending.of(run))
    by_field: dict[str, list[FieldResult]] = {ALL_FIELDS: results}
    for each in results:
        by_field.setdefault(FieldPath(each["field"]).pattern or "the answer", []).append(each)
    return {field: _score(each) for field, each in by_field.items()}


def expected_fields(cases: Iterable[Case], comparison: FieldComparison) -> list[str]:
    """Return the fields that cases expect, in their order: those that a run without an answer lacks."""
    nothing = {"outcome": {"status": "unanswered", "fields": {}}}
    scored = [scores_by_field(nothing, "", case.expected_output, comparison) for case in cases]
    return list(dict.fromkeys(field for fields in scored for field in fields))


def _score(results: Sequence[FieldResult]) -> FieldShare:
    marks = [each["mark"] == "right" for each in results]
    problems = [f"{each['field'] or 'the answer'}: {each['problem']}" for each in results if each["problem"]]
    return FieldShare(sum(marks) / len(marks), "\n".join(problems) or None)
