"""Whatever schema a caller sends and whatever a model answers, a run has bounded time, memory and requests."""

import pytest

from answergraph.answers.untrusted.untrusted_schema import check_untrusted_schema
from tests.torture.hostile_schemas import ANSWERS, FAMILIES
from tests.torture.schema_runs import STRATEGIES, SchemaRun, runs, wrong

EVERY = 61
"""A prime, so that each answer and each strategy is met; `make torture` runs every seventh combination."""


@pytest.mark.parametrize("name", FAMILIES)
def test_each_costly_schema_passes_the_guard(name: str) -> None:
    assert check_untrusted_schema(FAMILIES[name]) == FAMILIES[name]


@pytest.mark.torture
def test_no_schema_that_passes_the_guard_is_costly_for_any_answer_or_strategy() -> None:
    chosen = runs(EVERY)
    assert {run.strategy for run in chosen} == STRATEGIES.keys()
    assert {run.answer for run in chosen} == ANSWERS.keys()
    assert list(wrong(chosen)) == []


@pytest.mark.torture
def test_the_schemas_that_once_held_a_server_have_answers_in_time() -> None:
    once = [
        SchemaRun("16 references to itself", "an empty object", "prompted"),
        SchemaRun("a list of a union of 200", "a list of 1,000", "tool"),
        SchemaRun("a union of 14 that refer back", "a list of 20,000", "prompted"),
        SchemaRun("alternatives that require", "500 KB of text", "auto"),
        SchemaRun("requirements beside unevaluatedProperties", "500 KB of text", "tool"),
    ]
    assert list(wrong(once)) == []
