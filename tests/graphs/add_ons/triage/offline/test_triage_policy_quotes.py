"""For any case, each quote of the triage rules is a part of a tool result."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answergraph.graphs.add_ons.triage.offline.triage_case_text import MAX_QUOTE_CHARACTERS
from answergraph.graphs.add_ons.triage.offline.triage_rules import judge, judge_passed
from answergraph.graphs.add_ons.triage.run_files.case_facts import OtherResult
from answergraph.graphs.add_ons.triage.run_files.junit_results import Status
from tests.graphs.add_ons.triage.offline.test_triage_rules import PASSED_ALIKE, PASSED_ALONE, case, failed_again

PIECES = [
    "--- message ---",
    "--- details ---",
    "def test_x(lamp):",
    ">       assert total(",
    "E       assert 3 == 2",
    "E   ConnectionRefusedError: [Errno 111] Connection refused",
    "TimeoutError: timed out",
    "ERROR disk full " * 40,
    "Exception in thread T-1",
    "test_x.py:4: AssertionError",
    "E   assert '2026' == '2025'",
    "fixture 'lamp' not found",
    "時刻 エラー",
    "",
]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("\n".join)
others = st.lists(st.sampled_from([PASSED_ALIKE, PASSED_ALONE, failed_again("E")]), max_size=3)


@pytest.mark.torture
@settings(max_examples=1000)
@given(details=texts, message=texts, output=texts, log=texts, others=others, status=st.sampled_from(get_args(Status)))
def test_every_quote_is_in_a_tool_result(
    details: str, message: str, output: str, log: str, others: list[OtherResult], status: Status
) -> None:
    facts = replace(case(details, *others, status=status, output=output, log=log), message=message)
    for finding in (judge(facts), judge_passed(facts)):
        for quote in finding.quotes if finding else ():
            assert quote
            assert len(quote) <= MAX_QUOTE_CHARACTERS
            assert quote in facts.text or quote in log
