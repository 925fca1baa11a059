"""Steps whose leader shares the work out, in TAKT's notation, and runs without a limit of their own."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from answergraph.errors import AnswerGraphError, WorkflowFileError
from answergraph.graphs import load_workflow
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.hanging_agents import LONG, HangingModel
from tests.suite.colors import Run

FILE = """\
name: audit
steps:
  - name: review
    persona: You share work out.
    instruction: Audit {task}.
    edit: false
    allowed_tools: [Read, Bash]
    team_leader:
      max_parts: 2
      part_persona: You audit.
      part_allowed_tools: [Read]
    rules: [{condition: The audit is complete, next: COMPLETE}]
"""
REPORT = FILE.replace("    rules:", "    output_contracts: {report: [{name: audit.md, format: '# Audit'}]}\n    rules:")
ENDLESS = """\
max_steps: infinite
steps:
  - {name: look, instruction: Look., rules: [{condition: It was looked at, next: wait}]}
  - {name: wait, instruction: Wait., rules: [{condition: It was waited for, next: look}, {condition: stop, next: COMPLETE}]}
"""


@tool
def read_file(path: str) -> str:
    """Read a file."""
    return "text"


def named(*parts: str) -> dict[str, object]:
    return {"parts": [{"id": part, "title": part.upper(), "instruction": f"Audit part {part}."} for part in parts]}


def team(plans: Sequence[dict[str, object]], fails: Sequence[str] = ()) -> ScriptedChatModel:
    """Return a model whose leader names parts plan by plan; the agent of a part fails if the part is in ``fails``."""
    left = list(plans)

    def reply(messages: Sequence[BaseMessage]) -> AIMessage:
        prompt = messages[-1].text
        if "<work " in prompt:
            return AIMessage('{"step": 1}')
        if prompt.startswith("Audit part"):
            part = prompt.split()[2].removesuffix(".")
            if part in fails:
                raise ConnectionError(f"no way to {part}")
            return AIMessage(f"{part} is sound")
        if prompt.startswith("All parts have ended"):
            return AIMessage("# Audit: all sound")
        return AIMessage("", tool_calls=[{"name": "Parts", "args": left.pop(0), "id": f"call_{len(left)}"}])

    return ScriptedChatModel(replies=reply)


def written(folder: Path, text: str = FILE) -> Path:
    path = folder / "audit.yaml"
    path.write_text(text)
    return path


def told(model: ScriptedChatModel, words: str) -> list[Any]:
    return [request for request in model.requests if words in request.messages[-1].text]


def test_a_leader_shares_the_work_out_and_is_asked_for_more(run: Run, tmp_path: Path) -> None:
    model = team([named("a", "b"), named("b", "c"), named()])
    result = run(load_workflow(written(tmp_path), model=model, tools={"Read": read_file}), {"task": "the shop"})
    said = result["transitions"][0]["said"]
    assert result["status"] == "COMPLETE"
    assert said.split("\n\n---\n\n")[1:] == ["## a: A\na is sound", "## b: B\nb is sound", "## c: C\nc is sound"]
    (part,) = told(model, "Audit part a.")
    assert (part.messages[0].text, part.tool_names) == ("You audit.", ["read_file"])
    assert part.messages[-1].text == "Audit part a.\n\nChange no file."
    leader = told(model, "share it out")[0]
    assert (leader.messages[0].text, leader.tool_names) == ("You share work out.", ["Parts"])
    assert "Audit the shop." in leader.messages[1].text


def test_no_more_parts_run_than_a_visit_may_have(run: Run, tmp_path: Path) -> None:
    model = team([named(f"{number}a", f"{number}b") for number in range(20)])
    result = run(load_workflow(written(tmp_path), model=model), {"task": "the shop"})
    assert result["status"] == "COMPLETE"
    assert len(told(model, "Audit part")) == 20


def test_parts_without_an_id_of_their_own_are_asked_for_again(run: Run, tmp_path: Path) -> None:
    model = team([named("a", "a"), named("a"), named()])
    result = run(load_workflow(written(tmp_path), model=model), {"task": "the shop"})
    assert "each part needs an id of its own" in str([request.messages for request in model.requests])
    assert (result["status"], len(told(model, "Audit part"))) == ("COMPLETE", 1)


def test_the_leader_writes_the_report_of_the_step(run: Run, tmp_path: Path) -> None:
    result = run(load_workflow(written(tmp_path, REPORT), model=team([named("a"), named()])), {"task": "the shop"})
    assert result["transitions"][0]["said"].endswith("## a: A\na is sound\n\n---\n\n# Audit: all sound")


def test_a_part_that_fails_is_told_and_only_if_all_fail_the_step_does(run: Run, tmp_path: Path) -> None:
    one = run(load_workflow(written(tmp_path), model=team([named("a", "b"), named()], fails="b")), {"task": "the shop"})
    assert one["transitions"][0]["said"].endswith("## b: B\nConnectionError: no way to b")
    with pytest.raises(AnswerGraphError, match="All parts failed; a: ConnectionError: no way to a"):
        run(load_workflow(written(tmp_path), model=team([named("a"), named()], fails="a")), {"task": "the shop"})


def test_a_part_ends_in_time(run: Run, tmp_path: Path) -> None:
    ended = threading.Event()
    model = HangingModel(replies=team([named("a"), named()]).replies, hang=lambda: ended.wait(LONG), hangs=(1,))
    path = written(tmp_path, FILE.replace("max_parts: 2", "timeout_ms: 500"))
    with pytest.raises(AnswerGraphError, match=r"All parts failed; a: NoAnswerError: .* of 0\.5 seconds"):
        run(load_workflow(path, model=model), {"task": "the shop"})
    ended.set()


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ("max_parts: 2", "max_parts: 0", "steps[0].team_leader", "max_parts is 1 to 20"),
        ("max_parts: 2", "timeout_ms: 0", "steps[0].team_leader", "timeout_ms at least 1"),
        ("max_parts: 2", "parts: 2", "steps[0].team_leader.parts", "a team_leader has no key 'parts'"),
        ("edit: false", "agent: mine", "steps[0].team_leader", "only one of agent, parallel and team_leader"),
        ("name: audit", "max_steps: endless", "max_steps", "a limit is a number"),
    ],
)
def test_what_a_team_cannot_be_is_refused(tmp_path: Path, old: str, new: str, key: str, problem: str) -> None:
    with pytest.raises(WorkflowFileError) as caught:
        load_workflow(written(tmp_path, FILE.replace(old, new)))
    assert caught.value.key == key
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("limits", "reason"), [("", "repeats itself"), ("limits: {steps: 4}\n", "The limit of 4 steps is reached")]
)
def test_a_workflow_without_a_limit_of_its_own_ends_all_the_same(run: Run, tmp_path: Path, limits: str, reason: str) -> None:
    model = ScriptedChatModel(replies=lambda messages: AIMessage('{"step": 1}' if "<work " in messages[-1].text else "done"))
    result = run(load_workflow(written(tmp_path, limits + ENDLESS), model=model), {"task": "go"})
    assert result["status"] == "ABORT"
    assert reason in result["reason"]
