"""The stages of the judge: accepted replies, the change to the next stage, and at most three calls."""

from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from answergraph import PromptedStrategy, ToolStrategy
from answergraph.graphs import create_judge
from answergraph.graphs.add_ons.judge.judging.judgment import JudgeInput
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.judge.judge_models import STAGES, Event, Kind, answer, eventful, model_of, stage_of
from tests.suite.colors import Run

RULES = ["tests pass", "needs fix"]
REPORT: JudgeInput = {"report": "Two tests fail."}
KINDS = get_args(Kind)
EVENTS = get_args(Event)
RECORDED = {"succeeds": "matched", "is out of range": "no_match", "is prose": "no_match", "raises": "error", "times out": "error"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("failures", [*product(EVENTS[1:], repeat=1), *product(EVENTS[1:], repeat=2)], ids=", ".join)
def test_a_stage_that_fails_in_any_way_leads_to_the_next(run: Run, kind: Kind, failures: tuple[Event, ...]) -> None:
    events: dict[str, Event] = dict.fromkeys(STAGES, "succeeds")
    events |= dict(zip(STAGES, failures, strict=False))
    model = eventful(kind, events)
    judgment = run(create_judge(model, RULES), REPORT)["judgment"]
    last = STAGES[len(failures)]
    assert (judgment["index"], judgment["label"], judgment["method"]) == (1, "needs fix", last)
    assert [stage["method"] for stage in judgment["stages"]] == [*STAGES[: len(failures)], last]
    assert [stage["status"] for stage in judgment["stages"]] == [*(RECORDED[event] for event in failures), "matched"]
    assert len(model.requests) == len(failures) + 1


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_provider_is_asked_its_own_way(run: Run, kind: Kind) -> None:
    model = eventful(kind, {"structured_output": "succeeds"})
    judgment = run(create_judge(model, RULES), REPORT)["judgment"]
    (request,) = model.requests
    native = "json_schema" in str(request.kwargs.get("response_format"))
    assert (native, request.tool_names) == (kind == "native", ["judgment"] if kind == "tool" else [])
    assert ("valid JSON object" in request.messages[-1].text) == (kind == "prompted")
    assert judgment["stages"][0]["strategy"] == {"native": "provider", "tool": "tool", "prompted": "json_mode"}[kind]


@given(kind=st.sampled_from(KINDS), events=st.tuples(*[st.sampled_from(EVENTS)] * 3), tag_mode=st.booleans())
def test_a_judgment_ends_after_at_most_three_calls_with_a_match_or_without(
    kind: Kind, events: tuple[Event, ...], tag_mode: bool
) -> None:
    model = eventful(kind, dict(zip(STAGES, events, strict=True)))
    judgment = create_judge(model, RULES, structured_output=not tag_mode).invoke(REPORT)["judgment"]
    visited = list(zip(STAGES, events, strict=True))[int(tag_mode) :]
    succeeded = [stage for stage, event in visited if event == "succeeds"]
    assert judgment["method"] == (succeeded[0] if succeeded else None)
    assert judgment["index"] == (1 if succeeded else None)
    assert len(model.requests) == len(judgment["stages"]) <= 3
    assert judgment["reason"]


@given(texts=st.lists(st.text(alphabet='[]STEPJUDG:0123\n{}"stepreason, ', max_size=40), min_size=3, max_size=3))
def test_any_text_of_a_model_ends_in_a_condition_or_no_match(texts: list[str]) -> None:
    model = ScriptedChatModel(replies=list(texts))
    judgment = create_judge(model, RULES, strategy=PromptedStrategy).invoke(REPORT)["judgment"]
    assert judgment["index"] in (None, 0, 1)
    assert judgment["step"] == (None if judgment["index"] is None else judgment["index"] + 1)
    assert len(model.requests) <= 3


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("[STEP:1]", 1),
        ("[step:2]", 2),
        ("First I thought [STEP:1], but it is [STEP:2].", 2),
        ("[STEP:2] [STEP:9]", 2),
        ("[STEP:0]", None),
        (f"[STEP:{'9' * 5000}]", None),
        ("STEP:1", None),
        ("[JUDGE:1]", None),
        ("", None),
    ],
)
def test_the_last_tag_in_range_counts(run: Run, text: str, number: int | None) -> None:
    model = ScriptedChatModel(replies=["?", text, "?"])
    stage = run(create_judge(model, RULES), REPORT)["judgment"]["stages"][1]
    assert (stage["method"], stage["selected"]) == ("phase3_tag", number)


@pytest.mark.parametrize(("text", "number"), [("[JUDGE:2] not [JUDGE:1]", 2), ("[judge:1]", 1), ("[JUDGE:3] [JUDGE:1]", None)])
def test_the_judging_call_may_answer_with_its_tag_and_the_first_one_counts(run: Run, text: str, number: int | None) -> None:
    model = ScriptedChatModel(replies=["?", "?", text])
    judgment = run(create_judge(model, RULES), REPORT)["judgment"]
    assert judgment["step"] == number
    assert judgment["method"] == ("ai_judge" if number else None)


def test_the_first_stage_shows_the_conditions_and_names_tags_in_its_last_line_only() -> None:
    model = ScriptedChatModel(replies=["?", "?", "?"])
    create_judge(model, RULES, tag_word="MOVEMENT").invoke(REPORT)
    first, second, third = (request.messages[-1].text for request in model.requests)
    assert "| 2 | needs fix |" in first
    assert [number for number, line in enumerate(first.splitlines(), 1) if "[MOVEMENT:" in line] == [len(first.splitlines())]
    assert "| 2 | needs fix | `[MOVEMENT:2]` |" in second
    assert "| 2 | needs fix | `[JUDGE:2]` |" in third


def test_the_tag_word_is_the_callers() -> None:
    model = ScriptedChatModel(replies=["[MOVEMENT:2]"])
    judgment = create_judge(model, RULES, tag_word="MOVEMENT", structured_output=False).invoke(REPORT)["judgment"]
    assert (judgment["tag"], judgment["method"]) == ("[MOVEMENT:2]", "phase3_tag")


def test_a_refused_way_of_asking_is_followed_by_another_in_its_stage_and_is_not_tried_again(run: Run) -> None:
    class RefusedError(Exception):
        status_code = 400

    choices: list[object] = []

    def reply(messages: object, request: object) -> AIMessage:
        choices.append(vars(request).get("tool_choice"))
        if choices[-1] == "any":
            raise RefusedError("tool_choice is not supported")
        return answer("tool", stage_of(vars(request)["messages"]), 1)

    model = model_of("tool", reply)
    judgments = [run(create_judge(model, RULES), REPORT)["judgment"] for _ in range(2)]
    stages = [[(stage["status"], stage["strategy"]) for stage in judgment["stages"]] for judgment in judgments]
    assert stages == [[("matched", "free_tool")]] * 2
    assert choices.count("any") == 1


def test_the_way_of_asking_can_be_chosen(run: Run) -> None:
    model = ScriptedChatModel(replies=[answer("tool", "structured_output", 1)], profile={"structured_output": True})
    judgment = run(create_judge(model, RULES, strategy=ToolStrategy), REPORT)["judgment"]
    assert judgment["stages"][0]["strategy"] == "tool"
