"""Agents are scored field by field on cases with expected answers."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt

from answergraph import Abstention, AgentSpecError, ToolStrategy, create_agent
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import Case, EvalReport, ScriptedChatModel, TapeMismatch, evaluate, use_tape
from tests.answergraph.evaluation.scored_agent import INVOICE, Invoice, Quoted, agent_of


def test_a_run_without_an_answer_has_all_its_fields_missing() -> None:
    report = evaluate(
        agent_of(ValueError("The server is down."), 7, *["no"] * 9, response_format=int),
        [
            Case("1", 7),
            Case("2", 7),
            Case("3", 7),
        ],
        concurrency=1,
    )
    assert report.statuses == {"unanswered": 1, "answered": 1, "invalid": 1}
    assert report.runs[0]["reason"] == "The run raised ValueError: The server is down."
    assert (report.fields[""].right, report.fields[""].missing) == (1, 2)


def test_no_answer_is_right_where_none_is_expected_but_a_failure_is_not() -> None:
    call = {"name": "Abstention", "args": {"missing": ["The page."], "tried": []}, "id": "1"}
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]), ValueError("The server is down.")])
    grounded = GroundedAnswer(sources=[Input()], abstain=Abstention)
    agent = create_agent(model, [], response_format=ToolStrategy(Quoted), middleware=[grounded])
    report = evaluate(agent, [Case("An empty page.", None), Case("Another.", None)], concurrency=1)
    assert report.statuses == {"abstained": 1, "unanswered": 1}
    assert (report.fields[""].right, report.fields[""].missing) == (1, 1)


def test_a_run_that_is_not_answered_is_not_right_about_an_empty_field() -> None:
    report = evaluate(agent_of(ValueError("The server is down.")), [Case("?", {"number": "A", "note": None})])
    assert (report.accuracy, report.fields["note"].missing) == (0, 1)


def test_support_is_that_of_the_value_wherever_it_stands() -> None:
    text = "The first sentence is here. The second sentence follows."
    quotes = ["The second sentence follows.", "The first sentence is here."]
    agent = agent_of({"quotes": quotes, "number": 2}, response_format=Quoted, middleware=[GroundedAnswer(sources=[Input()])])
    report = evaluate(agent, [Case(text, {"quotes": [*quotes[::-1], "The third."], "number": 2})])
    assert (report.fields["quotes[]"].supported, report.fields["quotes[]"].missing) == (2, 1)
    assert report.fields["number"].supported == 0


def test_usage_is_that_of_all_runs_and_repeats_do_not_narrow_an_interval() -> None:
    once = evaluate(agent_of(4, response_format=int), [Case("2 + 2?", 4)])
    thrice = evaluate(agent_of(4, 4, 4, response_format=int, checkpointer=InMemorySaver()), [Case("2 + 2?", 4)], repeats=3)
    assert (once.usage["model_calls"], thrice.usage["model_calls"]) == (1, 3)
    assert (thrice.fields[""].right, thrice.statuses, thrice.cost) == (3, {"answered": 3}, None)
    assert once.fields[""].interval == thrice.fields[""].interval


def test_a_killed_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    cases = [Case(f"Say {number}.", number, f"case {number}") for number in range(4)]
    seen: list[tuple[int, int]] = []

    def stop(done: int, of: int) -> None:
        seen.append((done, of))
        if done == 2:
            raise KeyboardInterrupt

    model = ScriptedChatModel(replies=lambda messages: messages[-1].text[4])
    agent = create_agent(model, response_format=int)
    with pytest.raises(KeyboardInterrupt):
        evaluate(agent, cases, repeats=2, concurrency=1, ledger=tmp_path / "eval.db", progress=stop)
    asked = len(model.requests)
    assert seen == [(1, 8), (2, 8)]
    assert 2 <= asked < 8
    report = evaluate(agent, cases, repeats=2, ledger=tmp_path / "eval.db")
    assert (report.accuracy, len(report.runs)) == (1, 8)
    assert [run["case"] for run in report.runs[:3]] == ["case 0", "case 0", "case 1"]
    assert len(model.requests) <= 9  # one run may have been under way
    again = evaluate(
        create_agent(ScriptedChatModel(replies=[]), response_format=int), cases, repeats=2, ledger=tmp_path / "eval.db"
    )
    assert again.accuracy == 1


def test_a_report_says_that_the_agent_changed_since_its_ledger_was_begun(tmp_path: Path) -> None:
    def asked_by(prompt: str, count: int) -> EvalReport:
        agent = create_agent(ScriptedChatModel(replies=["4"] * 2), response_format=int, system_prompt=prompt)
        return evaluate(agent, [Case("2 + 2?", 4, str(n)) for n in range(count)], ledger=tmp_path / "eval.db")

    assert asked_by("Be exact.", 1).notes == []
    assert str(asked_by("Be brief.", 2)).startswith("The agent changed: ")


def test_a_run_that_waits_for_a_person_has_no_answer() -> None:
    @tool
    def ask(question: str) -> str:
        """Ask a person."""
        return str(interrupt(question))

    call = {"name": "ask", "args": {"question": "Which?"}, "id": "1"}
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call])])
    agent = create_agent(model, [ask], response_format=int, checkpointer=InMemorySaver())
    report = evaluate(agent, [Case("2 + 2?", 4)])
    assert (report.statuses, report.fields[""].missing) == ({"deferred": 1}, 1)


def test_an_evaluation_is_recorded_and_played(tmp_path: Path) -> None:
    cases = [Case(f"Say {number}.", number) for number in range(4)]
    model = ScriptedChatModel(replies=lambda messages: messages[-1].text[4])
    silent = create_agent(ScriptedChatModel(replies=[]), response_format=int)
    with use_tape(tmp_path / "tape.jsonl"):
        recorded = evaluate(create_agent(model, response_format=int), cases)
    with use_tape(tmp_path / "tape.jsonl"):
        played = evaluate(silent, cases)
    assert (recorded.accuracy, played.accuracy) == (1, 1)
    with use_tape(tmp_path / "tape.jsonl"), pytest.raises(TapeMismatch):
        evaluate(silent, [Case("Say 9.", 9)])


def answers(*values: int) -> EvalReport:
    """Return the report of an agent that answers the n-th case with the n-th value; 4 is right."""
    agent = create_agent(ScriptedChatModel(replies=[str(value) for value in values]), response_format=int)
    return evaluate(agent, [Case(str(number), 4, f"case {number}") for number in range(len(values))], concurrency=1)


def test_a_field_that_became_worse_is_named_with_its_first_case() -> None:
    good, bad = answers(*[4] * 8), answers(4, *[5] * 6, 4)
    everything, field = bad.compare(good)
    assert (everything.field, field.field, field.what, field.step) == (None, "", "field", 2)
    assert field.text == (
        "the answer: right 100% before, 25% now; worse in 6 of 8 cases, the first is 'case 1', better in 0, p = 0.031"
    )
    assert good.compare(bad) == []
    assert good.compare(good, max_p=1) == []


def test_a_drop_in_few_cases_counts_only_if_asked_for() -> None:
    good, bad = answers(4, 4, 4), answers(4, 4, 5)
    assert bad.compare(good) == []
    assert {each.step for each in bad.compare(good, max_p=1)} == {3}


def test_an_extra_row_is_a_drop() -> None:
    one, more = (evaluate(agent_of([4, 5][:n], response_format=list[int]), [Case("?", [4])]) for n in (1, 2))
    assert [each.field for each in more.compare(one, max_p=1)] == [None, "[]"]


def test_a_report_is_saved_and_read_again(tmp_path: Path) -> None:
    report = evaluate(agent_of(INVOICE), [Case("Read it.", {**INVOICE, "number": "B"}, name="first")])
    report.save(tmp_path / "last.json")
    again = EvalReport.load(tmp_path / "last.json")
    assert (str(again), again.fields, again.compare(report, max_p=1)) == (str(report), report.fields, [])
    assert "| number | 0 | 1 | 0 | 0 | 0 | 0% | 0% to 79% |" in str(report).splitlines()


def test_cases_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"inputs": {"messages": "2 + 2?"}, "expected_output": 4, "name": "sum"}\n\n')
    assert evaluate(agent_of(4, response_format=int), path).runs[0]["case"] == "sum"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "no cases"),
        ("[1]", "line 1, is no case"),
        ('{"inputs": 1}', "line 1, is no case"),
        ('{"inputs": 1, "expected_output": 1, "expected": 1}', "unexpected keyword argument 'expected'"),
        ('{"inputs": 1, "expected_output": 1, "name": "a"}\n' * 2, "Two cases have the name 'a'"),
    ],
)
def test_what_is_no_case_is_refused(tmp_path: Path, lines: str, said: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(lines)
    with pytest.raises(AgentSpecError, match=said):
        evaluate(agent_of(4, response_format=int), path)


@pytest.mark.parametrize(
    ("case", "options", "said"),
    [
        (Case("?", 4), {"repeats": 0}, "repeats=0"),
        (Case("?", object()), {}, "The case '1' expects what is no JSON"),
        ("?", {}, r"Case 1 is '\?'; write Case\(inputs, expected_output\)"),
        (Case("?", {"total": 3.5}), {}, r"expects \['total'\], but .* 'sum total'\] in JSON"),
        (Case("?", {"items": [{"price": 1}]}), {"keys": {"items": "sku"}}, r"items\[0\] has no 'sku'"),
    ],
)
def test_an_evaluation_that_cannot_be_made_is_refused(case: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(AgentSpecError, match=said):
        evaluate(agent_of(INVOICE), [case], **options)


def test_a_file_of_cases_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentSpecError, match=r"There is no file .*of cases"):
        evaluate(agent_of(INVOICE), tmp_path / "cases.jsonl")


@pytest.mark.parametrize(
    "expected",
    [
        {"items": [{"sku": "a", "price": Decimal("1.5")}, {"sku": "b", "price": Decimal(2)}]},
        Invoice.model_validate({**INVOICE, "items": [{"sku": "a", "price": "1.5"}, {"sku": "b", "price": "2"}]}),
    ],
)
def test_expected_decimals_are_compared_by_value(expected: object) -> None:
    reply = {**INVOICE, "items": [{"sku": "a", "price": "1.50"}, {"sku": "b", "price": "2.00"}]}
    assert evaluate(agent_of(reply), [Case("?", expected)]).fields["items[].price"].right == 2
    assert evaluate(agent_of(reply), [Case("?", expected)], keys={"items": "price"}).fields["items[].sku"].right == 2


def test_an_agent_without_a_typed_answer_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="response_format="):
        evaluate(agent_of("4", response_format=None), [Case("2 + 2?", "4")])


@pytest.mark.parametrize("text", ["[]", "{", '{"answergraph_evaluation": 2, "runs": []}', '{"answergraph_evaluation": 1}'])
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "last.json"
    path.write_text(text)
    with pytest.raises(AgentSpecError, match=r"is (no report of an evaluation|a report of version 2)"):
        EvalReport.load(path)


def test_reports_without_a_common_case_are_not_compared() -> None:
    report = answers(4)
    other = EvalReport([{**report.runs[0], "case": "another"}])
    with pytest.raises(AgentSpecError, match="no case in common"):
        other.compare(report)
