"""The judge as a graph: the order of the rules, the judged text, the result, and judges inside other graphs."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from syrupy.assertion import SnapshotAssertion
from typing_extensions import TypedDict

from answergraph import AgentSpecError, create_agent
from answergraph.errors import RuleEvaluationError, RuleNotMatched, RuleSyntaxError
from answergraph.graphs import create_judge, judgment_match_method
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.judge.judge_models import answer
from tests.suite.colors import Run

REPORT = {"report": "Two tests fail."}
FIELDS = {"index", "step", "tag", "label", "method", "reason", "stages"}


def choosing(number: int) -> ScriptedChatModel:
    return ScriptedChatModel(replies=[answer("tool", "structured_output", number, "I say so.")])


@pytest.mark.parametrize("options", [{}, {"structured_output": False}, {"on_failure": "raise"}], ids=str)
def test_the_drawing_shows_each_stage_as_a_node(options: dict[str, Any], snapshot: SnapshotAssertion) -> None:
    judge = create_judge("offline", ["tests pass", "needs fix"], **options)
    assert judge.get_graph().draw_mermaid(with_styles=False) == snapshot


def test_the_result_names_the_rule_in_every_way(run: Run) -> None:
    judgment = run(create_judge(choosing(2), ["tests pass", "needs fix"]), REPORT)["judgment"]
    assert judgment.keys() == FIELDS
    assert {key: judgment[key] for key in FIELDS - {"stages"}} == {
        "index": 1,
        "step": 2,
        "tag": "[STEP:2]",
        "label": "needs fix",
        "method": "structured_output",
        "reason": "I say so.",
    }


@pytest.mark.parametrize(
    ("rules", "facts", "chosen", "index", "method"),
    [
        # Rules before the first label need no model.
        (["when(n == 1)", "good", "bad"], {"n": 1}, None, 0, "auto_select"),
        (["any('x')", "good", "bad"], {}, None, 0, "aggregate"),
        (["when(n == 1)", "when(n == 2)"], {"n": 2}, None, 1, "auto_select"),
        (["when(n == 1)", "when(n == 2)"], {"n": 3}, None, None, None),
        # A single label is chosen without a model call.
        (["only"], {}, None, 0, "auto_select"),
        (["only && when(n == 1)", "only && when(n == 2)"], {"n": 2}, None, 1, "auto_select"),
        (["only && when(n == 1)"], {"n": 2}, None, None, None),
        # After the judgment, all rules are read in order, so an earlier when(...) may win over the label.
        (["good", "when(n == 1)", "bad"], {"n": 1}, 2, 1, "auto_select"),
        (["good", "bad", "when(n == 1)"], {"n": 1}, 2, 1, "structured_output"),
        (["good", "all('x')", "bad"], {}, 2, 1, "aggregate"),
        # If the guard of a label does not hold, later rules decide.
        (["good && when(n == 1)", "bad", "good"], {"n": 2}, 1, 2, "structured_output"),
        (["good && when(n == 1)", "bad", "when(n == 2)"], {"n": 2}, 1, 2, "auto_select"),
        (["good && when(n == 1)", "bad"], {"n": 2}, 1, None, None),
        # The model sees each label once, and counts labels, not rules.
        (["when(n == 9)", "good && when(n == 1)", "good", "bad"], {"n": 2}, 2, 3, "structured_output"),
    ],
)
def test_rules_are_read_in_order_before_and_after_the_judge(
    run: Run, rules: list[str], facts: dict[str, Any], chosen: int | None, index: int | None, method: str | None
) -> None:
    model = choosing(chosen) if chosen else ScriptedChatModel(replies=[])
    judgment = run(create_judge(model, rules), {**REPORT, "facts": facts, "children": ["x"]})["judgment"]
    assert (judgment["index"], judgment["method"]) == (index, method)
    assert len(model.requests) == (1 if chosen else 0)


def test_facts_that_decide_nothing_are_a_typed_error(run: Run) -> None:
    with pytest.raises(RuleEvaluationError, match="exists"):
        run(create_judge("offline", ["when(n > 1)"]), REPORT)


@pytest.mark.parametrize(
    ("given", "judged"),
    [
        ({"messages": [HumanMessage("Test it."), AIMessage("Old."), AIMessage("New.")]}, "New."),
        ({"messages": [AIMessage("Report."), AIMessage("", tool_calls=[{"name": "t", "args": {}, "id": "1"}])]}, "Report."),
        ({"messages": [ToolMessage("Result.", tool_call_id="1")]}, "Result."),
        ({"messages": [AIMessage("Said.")], "report": "Reported."}, "Reported."),
        ({"messages": [AIMessage("Said.")], "report": " "}, "Said."),
    ],
)
def test_a_report_is_judged_else_the_last_message_with_a_text(run: Run, given: dict[str, Any], judged: str) -> None:
    model = choosing(1)
    run(create_judge(model, ["good", "bad"]), given)
    assert f">\n{judged}\n</work" in model.requests[0].messages[-1].text


@pytest.mark.parametrize("given", [{"report": ""}, {"messages": []}, {"messages": [AIMessage("")]}])
def test_nothing_to_judge_gives_no_match_without_a_call(run: Run, given: dict[str, Any]) -> None:
    model = ScriptedChatModel(replies=[])
    judgment = run(create_judge(model, ["good", "bad"]), given)["judgment"]
    assert (judgment["index"], judgment["stages"]) == (None, [])
    assert "nothing to judge" in judgment["reason"]


def test_a_caller_may_ask_to_raise_and_the_checkpoint_keeps_the_judgment(run: Run) -> None:
    model = ScriptedChatModel(replies=["?", "?", RuntimeError("down")])
    judge = create_judge(model, ["good", "bad"], on_failure="raise", checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    with pytest.raises(RuleNotMatched, match="RuntimeError: down") as caught:
        run(judge, REPORT, thread)
    assert [stage["status"] for stage in caught.value.judgment["stages"]] == ["no_match", "no_match", "error"]
    assert run.state(judge, thread).values["judgment"] == caught.value.judgment


def test_a_thread_begins_each_judgment_anew(run: Run) -> None:
    model = ScriptedChatModel(replies=["?", "[STEP:1]", answer("tool", "structured_output", 2)])
    judge = create_judge(model, ["good", "bad"], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    assert run(judge, REPORT, thread)["judgment"]["method"] == "phase3_tag"
    again = run(judge, REPORT, thread)["judgment"]
    assert (again["index"], len(again["stages"])) == (1, 1)


def test_without_a_model_the_work_says_it_itself(run: Run) -> None:
    judge = create_judge(None, ["good", "bad"])
    judgment = run(judge, {"report": "Not [STEP:1]. All in all: [STEP:2]"})["judgment"]
    assert (judgment["index"], judgment["method"]) == (1, "phase1_tag")
    assert run(judge, {"report": "All in all fine."})["judgment"]["index"] is None


class Word(BaseModel):
    word: str


class Case(TypedDict, total=False):
    messages: list[Any]
    failed: int
    verdict: dict[str, Any]


def test_a_judge_is_a_node_of_another_graph(run: Run) -> None:
    graph = StateGraph(Case)
    graph.add_node("judge", create_judge("offline", ["when(failed > 0)", "good"], output_key="verdict", state_schema=Case))
    graph.add_edge(START, "judge")
    result = run(graph.compile(), {"messages": [AIMessage("Done.")], "failed": 2})
    assert result["verdict"]["index"] == 0
    assert [message.text for message in result["messages"]] == ["Done."]


def test_an_agents_run_is_charged_for_a_judge_in_one_of_its_tools(run: Run) -> None:
    judge = create_judge(ScriptedChatModel(replies=["?", "[STEP:1]"]), ["good", "bad"])

    @tool
    def assess(report: str) -> str:
        """Assess a report."""
        return str(judge.invoke({"report": report})["judgment"]["label"])

    calls = [{"name": "assess", "args": {"report": "Done."}, "id": "1"}], [{"name": "Word", "args": {"word": "good"}, "id": "2"}]
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=call) for call in calls])
    result = run(create_agent(model, [assess], response_format=Word), {"messages": ["Assess it."]})
    assert result["outcome"]["usage"]["model_calls"] == 4
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["model_calls"] == 2


def test_a_stream_shows_the_result_of_each_stage(run: Run) -> None:
    judge = create_judge(ScriptedChatModel(replies=["?", "[STEP:1]"]), ["good", "bad"])
    updates = run.stream(judge, REPORT, stream_mode="updates")
    assert [node for update in updates for node in update] == ["read_rules", "structured_output", "phase3_tag", "match_rule"]
    assert [update["judging"]["stages"][-1]["status"] for each in updates[1:3] for update in each.values()] == [
        "no_match",
        "matched",
    ]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"rules": []}, "at least one"),
        ({"rules": "good"}, "list"),
        ({"rules": ["good", "bad", " good"]}, "'good' is given twice"),
        ({"tag_word": "JUDGE"}, "JUDGE"),
        ({"tag_word": "two words"}, "single word"),
        ({"on_failure": "cry"}, "cry"),
        ({"model": "nope"}, "nope"),
    ],
)
def test_a_mistake_is_found_while_building(options: dict[str, Any], why: str) -> None:
    with pytest.raises(AgentSpecError, match=why):
        create_judge(**{"model": "offline", "rules": ["good", "bad"], **options})


def test_a_malformed_rule_is_found_while_building() -> None:
    with pytest.raises(RuleSyntaxError, match="position 14"):
        create_judge("offline", ["good", "when(n == 1 &&& m)"])


def test_logs_name_methods_by_kind() -> None:
    kinds = {
        "structured_output": "structured_output",
        "phase3_tag": "tag_fallback",
        "phase1_tag": "tag_fallback",
        "ai_judge": "ai_judge",
        "ai_judge_fallback": "ai_judge",
        "auto_select": "auto_select",
        "aggregate": "aggregate",
    }
    assert {method: judgment_match_method(method) for method in kinds} == kinds  # type: ignore[arg-type]  # keys are methods


@pytest.mark.parametrize(
    ("report", "label"),
    [
        ("All the tests pass.", "tests pass"),
        ("The tests do not pass; it needs fix.", "needs fix"),
        ("tests don't pass", None),
        ("tests pass, but it needs fix", None),
        ("Who knows?", None),
    ],
)
def test_the_offline_model_chooses_what_the_work_states(run: Run, report: str, label: str | None) -> None:
    judge = create_judge("offline", ["tests pass", "needs fix"])
    assert run(judge, {"report": report})["judgment"]["label"] == label
