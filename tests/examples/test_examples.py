"""The programs in ``examples/`` run, print what they should, and build graphs that behave like any other."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

EXAMPLES = Path(__file__).parents[2] / "examples"

PRINTED = {
    "supervisor": """\
log_reader: {"line": "connection to db-7 refused", "cause": "environment"}
historian: {"runs": 5, "failures": 1}
supervisor: Verdict(action='rerun', because='The database was away, and the test passed four times out of five.')
model calls, turn: 2
model calls, inner_run: 4
""",
    "parallel_extraction": "A-17: 120.50\nB-4: 80.00\ntotal: 200.50\nnot read: 1\n",
    "extraction": """\
The model answered with 'Invoice'.
number supported 'Invoice No. A-17, 3 May 2026'
day supported 'Invoice No. A-17, 3 May 2026'
items[0].name supported 'pens 12.50'
items[0].price supported 'pens 12.50'
items[1].name supported 'paper 7.50'
items[1].price supported 'paper 7.50'
total supported 'Amount due: 20.00 - PAID'
paid supported 'Amount due: 20.00 - PAID'
""",
    "plan_and_execute": "17 × 23 = 391\n{0} + 9 = 400\n{1} ÷ 4 = 100\n",
}
"""The output of each example."""


def load(example: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / f"{example}.py"))


def test_every_example_is_tested_here() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == PRINTED.keys()


@pytest.mark.parametrize("example", PRINTED)
def test_an_example_prints_what_it_found(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / f"{example}.py"), run_name="__main__")
    assert capsys.readouterr().out == PRINTED[example]


def test_the_supervisor_streams_what_its_experts_do(run: Any) -> None:
    events = run.stream(load("supervisor")["scripted"](), {"messages": ["?"]}, stream_mode="updates", subgraphs=True)
    nodes = [(bool(namespace), node) for namespace, update in events for node in update]
    assert nodes.count((True, "structured_response")) == 2
    assert nodes[-1] == (False, "structured_response")


def test_the_plan_and_the_results_are_the_same_when_the_thread_is_read_later(run: Any) -> None:
    example = load("plan_and_execute")
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "1"}}
    graph = example["scripted"](saver)
    run(graph, {"messages": ["A quarter of 17 × 23 and nine more?"]}, config, interrupt_before=["worker"])
    waiting = run.state(example["scripted"](saver), config)
    assert waiting.next == ("worker",)
    assert waiting.values["plan"] == example["Plan"](steps=["17 × 23", "{0} + 9", "{1} ÷ 4"])
    assert run(graph, None, config)["results"] == [391.0, 400.0, 100.0]


def test_one_agent_reads_many_documents_in_one_superstep(run: Any) -> None:
    example = load("parallel_extraction")
    graph = example["build"](example["ScriptedChatModel"](replies=example["_reads"]))
    documents = [f"Invoice N-{number}: {number}" for number in range(8)]
    result = run(graph, {"documents": documents})
    assert result["invoices"] == [example["Invoice"](number=f"N-{number}", total=number) for number in range(8)]
    assert result["unread"] == []
