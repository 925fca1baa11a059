"""Cases and an agent are the dataset and the task of pydantic-evals."""

import asyncio
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from answergraph import AgentSpecError, Key
from answergraph.testing import Case, pydantic_evals_dataset
from tests.answergraph.evaluation.scored_agent import agent_of

pytest.importorskip("pydantic_evals", reason="an environment may be older than the extra")


class Line(BaseModel):
    sku: str
    price: float


class Order(BaseModel):
    number: str
    lines: Annotated[list[Line], Key("sku")]


EXPECTED = {"number": "A", "lines": [{"sku": "a", "price": 1}, {"sku": "b", "price": 2}]}
READ = {"number": "A", "lines": [{"sku": "b", "price": 1}, {"sku": "a", "price": 1}]}


def report_of(agent: Any, *cases: Case) -> Any:
    dataset, task = pydantic_evals_dataset(agent, cases)
    return asyncio.run(dataset.evaluate(task, progress=False, max_concurrency=1))


def test_its_report_has_a_score_with_its_problems_for_each_field() -> None:
    agent = agent_of(READ, response_format=Order, checkpointer=InMemorySaver())
    case = report_of(agent, Case("Order A", EXPECTED, "first")).cases[0]
    assert case.name == "first"
    assert {name: (score.value, score.reason) for name, score in case.scores.items()} == {
        "all fields": (0.8, "lines[1].price: expected 2, got 1.0"),
        "number": (1.0, None),
        "lines[].sku": (1.0, None),
        "lines[].price": (0.5, "lines[1].price: expected 2, got 1.0"),
    }
    assert case.labels["status"].value == "answered"
    assert case.metrics["model_calls"] == 1


def test_a_run_without_an_answer_scores_nothing() -> None:
    (case,) = report_of(agent_of(*["no"] * 9, response_format=int), Case("?", 4)).cases
    assert (case.labels["status"].value, case.scores["the answer"].value) == ("invalid", 0.0)


def test_a_report_and_a_dataset_are_json(tmp_path: Any) -> None:
    from pydantic_evals.reporting import EvaluationReportAdapter  # noqa: PLC0415 - an optional package

    dataset, _ = pydantic_evals_dataset(agent_of(response_format=Order), [Case("Order A", EXPECTED, metadata={"page": 1})])
    dataset.to_file(tmp_path / "cases.yaml")
    assert "page: 1" in (tmp_path / "cases.yaml").read_text()
    report = report_of(agent_of(READ, response_format=Order), Case("Order A", EXPECTED))
    assert b"lines[].price" in EvaluationReportAdapter.dump_json(report)


def test_an_agent_without_a_typed_answer_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="response_format="):
        pydantic_evals_dataset(agent_of("4", response_format=None), [Case("2 + 2?", "4")])
