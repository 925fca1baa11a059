"""Whatever a case says, a quote of the triage rules is a piece of it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from answergraph.graphs.triage.offline.triage_case_text import QUOTE_CHARACTERS, CaseText
from answergraph.graphs.triage.offline.triage_rules import judge, judge_passed

PIECES = [
    "case: r.xml#1",
    "status: failed",
    "status: passed",
    "status: error",
    "started: 2026-11-21T10:00:00",
    "a.xml#2 passed, started x, ran after no other",
    "a.xml#3 failed, started x, ran after the same cases: E",
    "--- message ---",
    "--- details ---",
    "--- output ---",
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


@settings(max_examples=1000)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=25), log=st.sampled_from(["", *PIECES]))
def test_every_quote_stands_in_what_the_tools_returned(pieces: list[str], log: str) -> None:
    text = "\n".join(pieces)
    case = CaseText.read(text, log=log)
    for finding in (judge(case), judge_passed(case)):
        for quote in finding.quotes if finding else ():
            assert quote
            assert len(quote) <= QUOTE_CHARACTERS
            assert quote in text or quote in log
