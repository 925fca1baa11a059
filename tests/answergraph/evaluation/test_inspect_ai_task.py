"""Cases and an agent are a task of inspect-ai: `make test-inspect`."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import AgentSpecError
from answergraph.testing import Case, inspect_ai_task
from tests.answergraph.evaluation.scored_agent import INVOICE, agent_of

pytestmark = pytest.mark.inspect_ai

WRONG = {**INVOICE, "sum total": 4}


def log_of(agent: Any, folder: Path, *cases: Case, **options: Any) -> Any:
    from inspect_ai import eval as evaluated  # noqa: PLC0415 - an optional package

    task = inspect_ai_task(agent, cases)
    (log,) = evaluated(task, model=None, display="none", log_dir=str(folder), max_samples=1, **options)
    assert log.status == "success", log.error
    return log


def means(log: Any) -> dict[str, float]:
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


def test_its_log_has_a_score_for_each_field_and_says_why(tmp_path: Path) -> None:
    agent = agent_of(INVOICE, WRONG, name="reads", checkpointer=InMemorySaver())
    log = log_of(agent, tmp_path, Case("Invoice A-17", INVOICE, "first"), Case("Again", INVOICE, "second"))
    assert log.eval.task == "reads"
    assert means(log) == {"all fields": pytest.approx(11 / 12), "number": 1, "total": 0.5, "items[].sku": 1, "items[].price": 1}
    first, second = log.samples
    assert first.scores["_by_field"].explanation == "answered: The model answered with 'Invoice'."
    assert second.scores["_by_field"].explanation.splitlines()[1] == "total: expected 3.5, got 4.0"
    assert second.metadata["outcome"]["usage"]["model_calls"] == 1


def test_a_run_without_an_answer_scores_nothing(tmp_path: Path) -> None:
    log = log_of(agent_of(*["no"] * 9, response_format=int), tmp_path, Case("2 + 2?", 4))
    assert means(log) == {"all fields": 0, "the answer": 0}
    assert log.samples[0].scores["_by_field"].explanation.startswith("invalid: ")


def test_a_field_counts_only_where_a_case_expects_it(tmp_path: Path) -> None:
    cases = [Case("First", {"number": "A-17"}), Case("Second", {"sum total": 3.5})]
    log = log_of(agent_of(INVOICE, WRONG), tmp_path, *cases)
    assert means(log) == {"all fields": 0.5, "number": 1, "total": 0}


def test_a_predicate_and_repetitions_are_scored(tmp_path: Path) -> None:
    log = log_of(agent_of(4, 5, 4, 5, response_format=int), tmp_path, Case("Even?", lambda answer: answer % 2 == 0), epochs=4)
    assert means(log)["all fields"] == 0.5


def test_an_agent_without_a_typed_answer_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="response_format="):
        inspect_ai_task(agent_of("4", response_format=None), [Case("2 + 2?", "4")])
