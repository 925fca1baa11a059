"""A triage of many causes leaves time for the other runs of its event loop."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.calculator.calculator import create_calculator
from answergraph.graphs.add_ons.triage.triage_graph import CASES_AT_ONCE
from tests.graphs.add_ons.triage.junit_files import failed, write_results
from tests.suite.colors import Run

CAUSES = 20
"""More than are judged at once."""
MANY_CAUSES = 5 * CASES_AT_ONCE
SUM: Any = {"messages": ["(17 × 23) + (89 ÷ 4) - 156"]}


class Cases(BaseCallbackHandler):
    """Counts the cases that are being judged, and the steps of all of them."""

    def __init__(self) -> None:
        self.open: set[UUID] = set()
        self.most = 0
        self.steps = 0

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **options: Any
    ) -> None:
        self.steps += 1
        if options.get("name") == "triage_case" and parent_run_id not in self.open:  # the node, in which the graph has its name
            self.open.add(run_id)
            self.most = max(self.most, len(self.open))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **options: Any) -> None:
        self.open.discard(run_id)


def with_failures(place: Path, causes: int) -> Path:
    """Write a test run with as many failures as causes."""
    names = [f"test_{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(causes)]
    details = "test_shop.py:4: in {0}\n    fetch_{0}()\nE   KeyError: 'no {0}'\n\nrates_{0}.py:7: KeyError"
    write_results(place, *(failed(name, details.format(name)) for name in names))
    return place


@pytest.mark.parametrize(("config", "most"), [({}, CASES_AT_ONCE), ({"max_concurrency": 2}, 2)])
def test_a_bounded_number_of_causes_is_judged_at_a_time(run: Run, tmp_path: Path, config: Any, most: int) -> None:
    cases = Cases()
    options: Any = {**config, "callbacks": [cases]}
    result: Any = run(create_triage_agent(), {"folder": str(with_failures(tmp_path, CAUSES))}, options)
    assert len(result["reports"]) == CAUSES
    assert 0 < cases.most <= most


async def steps_beside(place: Path, config: Any) -> int:
    """Return how many steps of a triage are done while another agent's run begins and ends beside it."""
    cases = Cases()
    triage = asyncio.create_task(create_triage_agent().ainvoke({"folder": str(place)}, {**config, "callbacks": [cases]}))
    while not cases.most:  # noqa: ASYNC110 - callbacks are called in other threads
        await asyncio.sleep(0)
    before = cases.steps
    await create_calculator().ainvoke(SUM)
    during = cases.steps - before
    await triage
    return during


@pytest.mark.torture
async def test_another_run_waits_for_few_steps_of_a_triage(tmp_path: Path) -> None:
    place = with_failures(tmp_path, MANY_CAUSES)
    # How threads are scheduled adds steps to one run and takes them from another.
    unbounded = [await steps_beside(place, {"max_concurrency": MANY_CAUSES}) for _ in range(3)]
    assert min([await steps_beside(place, {}) for _ in range(3)]) < max(unbounded) / 2
