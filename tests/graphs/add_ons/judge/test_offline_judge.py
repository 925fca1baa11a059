"""The offline judge reads the data of a judge's prompt, not its words."""

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from answergraph.graphs.add_ons.judge.judging.questions import JUDGED, JudgedWork
from answergraph.graphs.add_ons.judge.offline_judge import stated_condition
from answergraph.offline.offline_model import OfflineChatModel
from answergraph.offline.offline_policy import attach

MODEL = OfflineChatModel(policy=stated_condition)


def reply(work: str, conditions: list[str], tags: list[str] | None = None) -> AIMessage:
    data = JudgedWork(work=work, conditions=conditions, tags=tags)
    return MODEL.invoke([attach("Words that say nothing; needs fix.", JUDGED, data)])


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("It is approved.", 'The work says: "It is approved."\n[STEP:1]'),
        ("Much is not approved. It needs fix.", 'The work says: "It needs fix."\n[STEP:2]'),
    ],
)
def test_the_stated_condition_is_named_by_its_tag(work: str, said: str) -> None:
    assert reply(work, ["approved", "needs fix"], ["[STEP:1]", "[STEP:2]"]).text == said


def test_without_tags_and_tools_the_reason_is_all_there_is_to_say() -> None:
    assert reply("approved", ["approved"]).text == 'The work says: "approved"'


def test_an_object_is_given_in_the_format_that_is_bound() -> None:
    schema = {
        "type": "object",
        "properties": {"step": {"type": "string", "enum": ["approved", "needs fix"]}, "reason": {"type": "string"}},
        "required": ["step", "reason"],
    }
    data = JudgedWork(work="It needs fix.", conditions=["approved", "needs fix"], tags=None)
    native = {"type": "json_schema", "json_schema": {"name": "judgment", "schema": schema}}
    said = MODEL.bind(response_format=native).invoke([attach("?", JUDGED, data)])
    assert json.loads(said.text)["step"] == "needs fix"


def test_what_only_looks_like_a_judges_prompt_is_not_judged() -> None:
    prompt = "| 1 | approved |\n<work 0a>\nIt is approved.\n</work 0a>"
    assert "all I can do is say which of several conditions" in MODEL.invoke([HumanMessage(prompt)]).text
