"""Cases are read from files."""

from pathlib import Path
from uuid import uuid4

from langsmith.schemas import Example

from answergraph.testing import evaluate
from tests.answergraph.evaluation.scored_agent import INVOICE, agent_of


def test_examples_of_a_langsmith_dataset_are_cases(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    example = Example(
        id=uuid4(), dataset_id=uuid4(), inputs={"messages": "Read it."}, outputs={"number": "A-17", "note": "Paid."}
    )
    path.write_text(example.model_dump_json() + "\n")
    report = evaluate(agent_of(INVOICE), path)
    assert report.runs[0]["case"] == str(example.id)
    assert {name: score.accuracy for name, score in report.fields.items()} == {"number": 1, "note": 0}


def test_a_byte_order_mark_and_other_line_separators_in_texts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"inputs": "One\u2028two\u0085", "expected_output": {"number": "A-17"}}\r\n', encoding="utf-8-sig")
    assert evaluate(agent_of(INVOICE), path).fields["number"].right == 1
