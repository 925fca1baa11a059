"""Workflows in YAML: allowed content, and mistakes reported with file, line and key."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda

from answergraph import AgentSpecError
from answergraph.errors import WorkflowFileError
from answergraph.graphs import load_workflow
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

GOOD = """\
name: building
task: Build it.
facts:
  level: 2
limits: {steps: 9, visits: 3}
steps:
  - name: work
    agent: worker
    instruction: |
      Work hard.
    rules:
      - condition: when(level > 5)
        next: ABORT
      - condition: finished
        next: check
  - name: check
    parallel:
      - name: style
        agent: tests.graphs.add_ons.workflow.agents:speaker
        rules: [clean, messy]
      - name: tests
        judge: false
        rules:
          - condition: clean
    rules:
      - condition: all("clean")
        next: COMPLETE
      - condition: any("messy")
        next: work
"""

BOMB = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 20)
)


def write(folder: Path, text: str) -> Path:
    path = folder / "workflow.yaml"
    path.write_text(text)
    return path


def says(text: str) -> Runnable[Any, Any]:
    return RunnableLambda(lambda state: {"text": text})


def test_a_file_makes_a_workflow(run: Run, tmp_path: Path) -> None:
    agents = {"worker": lambda model: says("finished")}

    def reply(messages: Sequence[BaseMessage]) -> str:
        asks_a_judge = "<work " in messages[-1].text
        return '{"step": 1, "reason": "It is."}' if asks_a_judge else "All is good. [STEP:1]"

    model = ScriptedChatModel(replies=reply)
    graph = load_workflow(write(tmp_path, GOOD), model=model, agents=agents)
    result = run(graph, {"facts": {"says": "It is clean."}})
    assert graph.get_name() == "building"
    assert [(t["step"], t["rule"]) for t in result["transitions"]] == [("work", "finished"), ("check", 'all("clean")')]
    assert any("Task: Build it." in request.messages[0].text for request in model.requests)
    assert result["facts"] == {"level": 2, "says": "It is clean."}


def test_a_run_may_have_facts_of_its_own(run: Run, tmp_path: Path) -> None:
    graph = load_workflow(write(tmp_path, GOOD), agents={"worker": says("finished")})
    assert run(graph, {"facts": {"level": 6}})["status"] == "ABORT"


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "problem"),
    [
        ("next: check", "next: chek", 15, "steps[0].rules[1].next", "no step 'chek'"),
        ("when(level > 5)", "when(level >)", 12, "steps[0].rules[0].condition", "a value is missing"),
        ("when(level > 5)", "when(1)", 12, "steps[0].rules[0].condition", "neither true nor false (position 5"),
        ("when(level > 5)", "when(visits.chek > 5)", 12, "steps[0].rules[0].condition", "there is no step 'chek'"),
        ("when(level > 5)", "ai(fine)", 12, "steps[0].rules[0].condition", "no ai(...)"),
        ("limits: {steps: 9", "limits: {stepps: 9", 5, "limits.stepps", "no key 'stepps'"),
        ("{steps: 9", "{steps: nine", 5, "limits.steps", "a number"),
        ("{steps: 9", "{steps: 0", 5, "limits", "at least 1"),
        ("    agent: worker\n", "    agent: nobody\n", 8, "steps[0].agent", "no agent 'nobody'"),
        ("agents:speaker", "agents:nobody", 19, "steps[1].parallel[0].agent", "cannot be imported"),
        ("agents:speaker", ".agents:speaker", 19, "steps[1].parallel[0].agent", "cannot be imported"),
        ("tests.graphs.add_ons.workflow.agents:s", "nowhere.at_all:s", 19, "steps[1].parallel[0].agent", "cannot be imported"),
        ("      - name: tests\n", "      - name: style\n", 21, "steps[1].parallel[1].name", "already"),
        ("  - name: check\n", "  - nam: check\n", 16, "steps[1].nam", "no key 'nam'"),
        ("    rules: [clean, messy]", "    rules: 5", 20, "steps[1].parallel[0].rules", "a list"),
        ("[clean, messy]", "[clean, clean]", 20, "steps[1].parallel[0].rules[1].condition", "given twice"),
        (
            "- condition: clean\n",
            "- condition: clean\n            next: work\n",
            25,
            "steps[1].parallel[1].rules[0].next",
            "no next step",
        ),
        ("        next: COMPLETE\n", "", 26, "steps[1].rules[0]", "no next"),
        ("judge: false", "judge: nope", 22, "steps[1].parallel[1].judge", "nope"),
        ("task: Build it.", "task: 5", 2, "task", "a text"),
        ("task: Build it.", "name: again", 2, "name", "is repeated"),
        ("  level: 2", "  level: *two", 4, "", "undefined alias 'two'"),
        ("  level: 2", "  level: !!python/object:os.system 2", 4, "facts.level", "cannot be read"),
        ("name: building", "name: [", 3, "", "not YAML"),
        ("name: building", "name: &all\n  - *all", 1, "name[0]", "contains itself"),
        ("  level: 2", "  <<: [5]", 4, "facts.<<", "merges mappings"),
        ("limits: {steps: 9, visits: 3}", "max_movements: 0", 5, "max_movements", "at least 1"),
        ("task: Build it.", "initial_movement: chek", 2, "initial_movement", "no step 'chek'"),
        ("    agent: worker\n", "    arpeggio: {}\n", 8, "steps[0].arpeggio", "not supported: write an agent"),
        (
            "    instruction: |\n",
            "    instruction: x\n    instruction_template: |\n",
            10,
            "steps[0].instruction_template",
            "another name",
        ),
    ],
)
def test_an_error_names_file_line_and_key(tmp_path: Path, old: str, new: str, line: int, key: str, problem: str) -> None:
    assert GOOD.count(old) == 1
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(WorkflowFileError) as caught:
        load_workflow(path, agents={"worker": says("x")})
    assert (caught.value.file, caught.value.line, caught.value.key) == (str(path), line, key)
    assert problem in str(caught.value)
    assert f"{path}, line {line}" in str(caught.value)


@pytest.mark.parametrize("text", ["", "5", "[]", "{}", "steps: []", "steps:\n  - 5", "a: &x 1\nb: *x", BOMB, "? [a]\n: b"])
def test_anything_but_a_workflow_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(WorkflowFileError):
        load_workflow(write(tmp_path, text))


@pytest.mark.parametrize("name", ["nowhere.yaml", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkflowFileError, match="cannot be read"):
        load_workflow(tmp_path / name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, len(GOOD)), text=st.text(alphabet="{}[]:- \n\"'&*!|>%@,ab1", max_size=4), gone=st.integers(0, 12))
def test_a_damaged_file_is_a_workflow_or_a_clear_error(tmp_path: Path, place: int, text: str, gone: int) -> None:
    path = write(tmp_path, GOOD[:place] + text + GOOD[place + gone :])
    try:
        load_workflow(path, agents={"worker": says("x")})
    except AgentSpecError as error:
        problem = error
    else:
        return
    assert isinstance(problem, WorkflowFileError)


@pytest.mark.parametrize("value", ['!!int ""', '!!float ""', '!!bool "x"', '!!timestamp "x"', '!!binary "?"', "!!null x"])
def test_a_value_that_does_not_fit_its_tag_is_reported(tmp_path: Path, value: str) -> None:
    path = tmp_path / "workflow.yaml"
    path.write_text(GOOD.replace("level: 2", f"level: {value}"))
    with pytest.raises(WorkflowFileError, match=r"workflow\.yaml"):
        load_workflow(path)
