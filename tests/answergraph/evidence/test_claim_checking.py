"""No unsupported claim is accepted and no true claim is refused: generated cases, and hard ones by name."""

import json
import time
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel
from typing_extensions import TypedDict

from answergraph import Quote, check_evidence
from answergraph.evidence import FromTools, ToolRun
from answergraph.evidence.claim_checking import EvidenceReport, check_fields
from answergraph.evidence.claims import Claim
from answergraph.state.field_path import FieldPath
from tests.answergraph.evidence.measure import main, number_case, quote_case
from tests.answergraph.evidence.number_cases import CORRUPTED_NUMBERS, TRUE_NUMBERS
from tests.answergraph.evidence.quote_cases import CORRUPTED, TRUE
from tests.answergraph.evidence.quoted_texts import run_of
from tests.suite.fields import places, problems

few = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
seeds = st.integers(min_value=0, max_value=2**32)


def quoted(quote: str, *contents: Any, **args: Any) -> EvidenceReport:
    runs = [run_of(content, f"call_{index}", **args) for index, content in enumerate(contents)]
    return check_fields([Claim(FieldPath("quote"), Quote(), quote)], runs)


@few
@given(seeds)
def test_a_corrupted_quote_is_never_accepted(seed: int) -> None:
    case = quote_case(Random(seed), CORRUPTED, true=False)
    assume(case is not None)
    assert case is not None
    assert not case.is_accepted


@few
@given(seeds)
def test_a_true_quote_written_in_another_way_is_never_refused(seed: int) -> None:
    case = quote_case(Random(seed), TRUE, true=True)
    assume(case is not None)
    assert case is not None
    assert case.is_accepted


@few
@given(seeds)
def test_a_number_that_is_not_in_the_text_is_never_accepted(seed: int) -> None:
    case = number_case(Random(seed), CORRUPTED_NUMBERS)
    assume(case is not None)
    assert case is not None
    assert not case.is_accepted


@few
@given(seeds)
def test_a_number_of_the_text_is_never_refused(seed: int) -> None:
    case = number_case(Random(seed), TRUE_NUMBERS)
    assume(case is not None)
    assert case is not None
    assert case.is_accepted


def test_the_command_that_measures_says_that_nothing_went_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(100) == 0
    assert capsys.readouterr().out.count("| all | 100 | 0 |") == 4


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        ("ready to deploy now", "the build is not\n   ready to deploy now", "a negation comes right before it"),
        ("ready to deploy now", "it isn't ready to deploy now", "a negation"),
        ("ready to deploy now", "it is not “ready to deploy now”", "a negation"),
        ("ready to deploy now", "it is not **ready to deploy now**", "a negation"),
        ("ready to deploy now", "it is not\u200b (ready to deploy now)", "a negation"),
        ("ready to deploy now", "it is not yet ready to deploy now", "a negation"),
        ("ready to deploy now", "no longer ready to deploy now", "a negation"),
        ("ready to deploy now", "it isnt ready to deploy now", "a negation"),
        ("successful in the end", "unsuccessful in the end", "middle of a word"),
        ("fatal error in module", "a non-fatal error in module", "middle of a word"),
        ("ready: yes, indeed", "!ready: yes, indeed", "middle of a word"),
        ("5 degrees outside", "it is -5 degrees outside", "middle of a word"),
        ("234 requests failed", "1,234 requests failed", "middle of a word"),
        ("2 requests failed", "12 requests failed", "middle of a word"),
        ("234 requests failed", "1\u202f234 requests failed", "middle of a word"),
        ("latency rose to 12", "latency rose to 12\u00a0345", "middle of a word"),
        ("5 requests failed", "10^5 requests failed", "middle of a word"),
        ("5 requests failed", "10**5 requests failed", "middle of a word"),
        ("5 dollars were lost", "$5 dollars were lost", "middle of a word"),
        ("latency rose to 12", "latency rose to 12.5 ms", "middle of a word"),
        ("usage has reached 12", "usage has reached 12%", "middle of a word"),
        ("the test did", "the test didn't pass", "middle of a word"),
        ("safe to use the disk", "un\u200bsafe to use the disk", "no tool result|middle of a word"),
        ("value 102 was measured", "value 10² was measured", "no tool result"),
        ("テストは成功し", "テストは成功しませんでした。", "middle of a word"),
        ("it is what it was", "it is what it was", "only of common words"),
        ("failed", "it failed", "too short"),
        ("never opened the disk", "it doesn't never opened the disk", "a negation"),
        ("disk Full now", "the disk full now", "no tool result"),
        ("the disk is ready,,", "the disk is ready, not the queue", "no tool result"),
        ("area is 5 m2 in all", "area is 5 m² in all", "no tool result"),
    ],
)
def test_what_changes_the_meaning_is_refused_and_said(quote: str, text: str, words: str) -> None:
    checked = quoted(quote, text)
    assert checked.support == 0
    assert any(part in checked.feedback for part in words.split("|"))


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("Disk is full", "ERROR:root:Disk is full"),
        ("disk is full", '{"error":"disk is full","code":5}'),
        ('the "user" is gone', "KeyError: the 'user' is gone"),
        ("“disk is full”", "error: disk is full"),
        ("テストは成功しました", "結果：テストは成功しました。"),
        ("ログインに失敗しました", "ERROR: ログインに失敗しました (code=5)"),
        ("connection lost", "is not\nfoo: connection lost"),
        ("opened at noon", "the element opened at noon"),
        ("5 tests failed", "**5 tests failed**"),
        ("Disk full on sda", "the disk full on sda"),
        ("never opened the disk,", "it doesn't never opened the disk, but never opened the disk."),
        ("AssertionError: assert 5 == 7", "E   AssertionError: assert 5 == 7\nE   +"),
    ],
)
def test_what_says_the_same_is_accepted(quote: str, text: str) -> None:
    assert quoted(quote, text).support == 1


def test_a_quote_in_the_string_of_a_json_result_is_found_by_what_the_string_says() -> None:
    text = json.dumps({"log": 'line one\nthe "disk" is full\ttoday', "n": 1})
    checked = quoted("the 'disk' is full today", text)
    _, start, end = places(checked.fields)["quote"]
    assert text[start:end] == r"the \"disk\" is full\ttoday"
    assert quoted(r"the \"disk\" is full\ttoday", text).support == 1


def test_a_negation_behind_an_escaped_line_break_is_seen() -> None:
    assert quoted("ready to deploy now", json.dumps(["a\nnot ready to deploy now"])).support == 0


def test_two_content_blocks_are_two_texts() -> None:
    blocks = [{"type": "text", "text": "the disk of the server"}, {"type": "image", "url": "x"}, "is full since noon"]
    assert quoted("disk of the serveris full", blocks).support == 0
    assert quoted("server is full since", blocks).support == 0
    checked = quoted("is full since noon", blocks)
    assert places(checked.fields) == {"quote": ["call_0", 22, 40]}


def test_a_longer_quote_counts_although_the_tool_was_asked_for_a_part_of_it() -> None:
    assert quoted("12:01 ERROR disk full on sda1", "12:01 ERROR disk full on sda1", pattern="disk full").support == 1
    assert "only repeats" in quoted("disk full on sda1", "a: disk full on sda1", pattern="disk full on sda1").feedback


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"code": "print('disk full on sda1')"}, "disk full on sda1"),
        ({"text": "Disk full on sda1"}, "noted: disk full on sda1"),
        ({"facts": {"disk full on sda1": True}}, '{"disk full on sda1": true}'),
    ],
)
def test_the_models_words_are_not_evidence_in_any_form_that_a_tool_repeats(args: dict[str, Any], text: str) -> None:
    assert "only repeats" in quoted("disk full on sda1", text, **args).feedback


@pytest.mark.parametrize(
    ("args", "text", "accepted"),
    [
        ({"n": 42}, "42", False),
        ({"text": "42"}, "42", False),
        ({"question": "6 * 7"}, "42", True),
        ({"seen": {"42": 1}}, "seen: 42", False),
        ({"text": "it is 42!"}, "noted: 42", False),
        ({"expected": 42, "actual": 42}, '{"expected": 42, "actual": 42, "is_correct": true}', False),
        ({"a": 42, "b": 1}, "42.0", True),
        ({"a": 42, "b": 1}, '{"result": 42}', True),
        ({"query": "is it 42?"}, "nothing found for 42", False),
        ({"row": 5}, "row 5 holds 42", True),
    ],
)
def test_a_number_that_only_repeats_the_call_does_not_count(args: dict[str, Any], text: str, accepted: bool) -> None:
    run = run_of(text, "call_0", **args)
    assert bool(check_fields([Claim(FieldPath("n"), FromTools(), 42)], [run]).support) == accepted
    assert check_fields([Claim(FieldPath("n"), FromTools(echoes=True), 42)], [run]).support


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400], ids=["nan", "inf", "huge"])
def test_a_number_that_no_text_can_contain_is_unsupported(value: float) -> None:
    assert check_fields([Claim(FieldPath("n"), FromTools(), value)], [run_of("nan inf 1e999", "c")]).support == 0


SOON = 0.9
"""Seconds of CPU time for a third of a megabyte."""


@pytest.mark.parametrize(
    "line", ["{n:06} the worker has lost its connection after {n} ms\r\n", "第{n}行：接続に失敗しました（再試行）。\n"]
)
def test_a_megabyte_of_results_is_checked_in_three_seconds_at_most(line: str) -> None:
    count = 300_000 // len(line)
    text = "".join(line.format(n=n) for n in range(count))
    quote = line.format(n=count - 9).strip()
    claims = [
        Claim(FieldPath("true"), Quote(), quote),
        Claim(FieldPath("false"), Quote(), quote.replace("conn", "con").replace("失敗", "成功")),
        Claim(FieldPath("n"), FromTools(), -1),
    ]
    taken = []
    for _ in range(10):  # on a busy machine one and the same work takes more CPU time now and then, never less
        started = time.process_time()
        checked = check_fields(claims, [run_of(text, "c")])
        taken.append(time.process_time() - started)
        assert list(places(checked.fields)) == ["true"]
        if taken[-1] < SOON:
            break
    assert min(taken) < SOON, taken


def test_at_most_ten_problems_are_listed_and_the_rest_counted() -> None:
    claims = [Claim(FieldPath(f"q[{n}]"), Quote(), f"nothing like number {n} there") for n in range(12)]
    feedback = check_fields(claims, [run_of("some other text altogether", "c")]).feedback
    assert feedback.count("- q[") == 10
    assert "- and 2 more" in feedback


def test_results_before_the_one_that_supports_a_quote_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    loads = json.loads

    def noting(text: str) -> Any:
        parsed.append(text)
        return loads(text)

    monkeypatch.setattr(json, "loads", noting)
    older, newest = json.dumps({"log": "older"}), json.dumps({"log": "the newest words"})
    assert not quoted("the newest words", older, older, newest).feedback
    assert set(parsed) == {newest}


class Finding(BaseModel):
    why: Annotated[str, Quote()]


class TypedFinding(TypedDict):
    why: Annotated[str, Quote()]


@dataclass
class Findings:
    found: list[Finding]


@pytest.mark.parametrize("declared", [Finding, TypedFinding, RootModel[Finding]])
def test_json_is_checked_by_the_type_that_is_declared_for_it(declared: Any) -> None:
    run = ToolRun("call_1", "read_log", {"path": "app"}, ("12:03 the disk is full",))
    place = ["call_1", 6, 22]
    assert places(check_evidence({"why": "the disk is full"}, [run], declared=declared).fields) == {"why": place}
    found = {"found": [{"why": "the disk is full"}, {"why": "the disk is empty"}, {}]}
    checked = check_evidence(found, [run], declared=Findings)
    assert (places(checked.fields), list(problems(checked.fields))) == ({"found[0].why": place}, ["found[1].why", "found[2].why"])
