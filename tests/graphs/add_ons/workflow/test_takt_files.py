"""Files in TAKT's format: the meaning of its keys here."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from answergraph.errors import WorkflowFileError
from answergraph.graphs import load_workflow
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

PIECE = """\
name: tidy
description: Tidies a text up.
max_movements: 12
initial_movement: write
personas: {writer: ./writer.md}
policies: {brief: Be brief.}
report_formats: {checks: "# Checks"}
loop_monitors:
  - cycle: [check, mend]
    threshold: 2
    judge:
      persona: umpire
      instruction_template: "After {cycle_count} rounds, see {report:checks.md}: does it converge?"
      rules:
        - {condition: It converges, next: check}
        - {condition: It does not, next: ABORT}
movements:
  - name: mend
    edit: true
    persona: writer
    session: refresh
    permission_mode: edit
    allowed_tools: [Read, Bash]
    instruction: mending
    rules: [{condition: It is mended, next: check}]
  - name: check
    persona: ../agents/nobody.md
    edit: false
    policy: [brief, unknown-policy]
    knowledge: grammar
    quality_gates: [Every line is read.]
    pass_previous_response: false
    output_contracts:
      report:
        - {name: checks.md, order: Write it in English., format: checks}
        - Scope: scope.md
    instruction_template: Check it.
    rules:
      - {condition: ai("It is fine"), next: done}
      - {condition: It is not, next: mend, appendix: "Say where:\\n- {line}"}
      - {condition: A person is asked, next: check, requires_user_input: true, interactive_only: true}
  - name: write
    provider: claude
    model: opus
    instruction_template: |
      Write about {task} ({iteration} of {max_movements}, visit {movement_iteration}).
      Before: [{previous_response}]
    rules: [{condition: It is written, next: check}]
  - name: done
    parallel:
      - &one
        name: one
        instruction: Look.
        rules: [{condition: good}, {condition: bad}]
      - <<: *one
        name: two
    rules:
      - {condition: all("good"), next: COMPLETE}
      - {condition: any("bad"), next: ABORT}
"""


@tool
def read_file(path: str) -> str:
    """Read a file."""
    return "text"


@tool
def search(words: str) -> str:
    """Search."""
    return "text"


@pytest.fixture
def piece(tmp_path: Path) -> Path:
    folder = tmp_path / "pieces"
    for place, text in {
        "pieces/tidy.yaml": PIECE,
        "pieces/writer.md": "You are a writer.",
        "instructions/mending.md": "Mend what the check found.",
        "knowledge/grammar.md": "A sentence has a verb.",
    }.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    return folder / "tidy.yaml"


def model_for(checks: Sequence[str], monitor: str = "It converges") -> ScriptedChatModel:
    left = list(checks)

    def reply(messages: Sequence[BaseMessage]) -> AIMessage:
        prompt = messages[-1].text
        if "<work " in prompt:
            labels = [line.split("|")[2].strip() for line in prompt.splitlines() if line.startswith("| ") and "#" not in line]
            work = prompt.partition("<work ")[2]
            return AIMessage(f'{{"step": {next(n for n, label in enumerate(labels, 1) if label in work)}}}')
        if "does it converge" in prompt:
            return AIMessage(monitor)
        said = {"Mend": "It is mended", "Write": "It is written", "Check": None}.get(prompt.split()[0], "good")
        return AIMessage(said or left.pop(0))

    return ScriptedChatModel(replies=reply)


def asked(model: ScriptedChatModel, beginning: str) -> list[Any]:
    return [request for request in model.requests if request.messages[-1].text.startswith(beginning)]


def steps(result: dict[str, Any]) -> list[str]:
    return [transition["step"] for transition in result["transitions"]]


def test_a_piece_runs_from_its_initial_movement_to_its_end(run: Run, piece: Path) -> None:
    model = model_for(["It is not", "It is fine"])
    result = run(load_workflow(piece, model=model, tools={"Read": read_file, "Write": read_file}), {"task": "frogs"})
    assert (steps(result), result["status"]) == (["write", "check", "mend", "check", "done"], "COMPLETE")
    (written,) = asked(model, "Write")
    assert written.messages[-1].text == "Write about frogs (1 of 12, visit 1).\nBefore: []"


def test_texts_come_from_sections_files_and_the_reference_itself(run: Run, piece: Path) -> None:
    model = model_for(["It is not", "It is fine"])
    run(load_workflow(piece, model=model), {"task": "frogs"})
    (mended,) = asked(model, "Mend what the check found.")
    assert mended.messages[0].text == "You are a writer."
    checked = asked(model, "Check it.")[-1]
    assert checked.messages[0].text == "../agents/nobody.md"
    prompt = checked.messages[-1].text
    for part in (
        "Change no file.",
        "A sentence has a verb.",
        "Be brief.\n\n---\n\nunknown-policy",
        "- Every line is read.",
        "## Report checks.md\nYour last message holds this report.\nWrite it in English.\n\n# Checks",
        "## Report scope.md\nYour last message holds this report.\nIt is the Scope.",
        "If the result is 'It is not', add:\nSay where:\n- {line}",
    ):
        assert part in prompt
    assert "What was done so far" not in prompt


def test_a_step_has_the_tools_that_it_allows_and_the_caller_grants(run: Run, piece: Path) -> None:
    model = model_for(["It is not", "It is fine"])
    run(load_workflow(piece, model=model, tools={"Read": read_file}), {"task": "frogs"})
    assert asked(model, "Mend")[0].tool_names == ["read_file"]
    assert asked(model, "Write")[0].tool_names == ["read_file"]
    ungranted = model_for(["It is not", "It is fine"])
    run(load_workflow(piece, model=ungranted), {"task": "frogs"})
    assert asked(ungranted, "Mend")[0].tool_names == []


def test_the_tools_that_a_file_names_and_nobody_grants_are_listed(piece: Path, caplog: pytest.LogCaptureFixture) -> None:
    load_workflow(piece, tools={"Read": read_file, "Bash": read_file})
    assert caplog.messages == []
    load_workflow(piece)
    (said,) = caplog.messages
    assert said.startswith(
        "tidy.yaml names tools that are not granted: Bash, Read. Grant one with load_workflow(tools={'Bash': …})"
    )


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        (
            "allowed_tools: [Read, Bash]",
            "provider_options: {codex: {network_access: true}, claude: {allowed_tools: [Read(*.md)]}}",
            1,
        ),
        ("allowed_tools: [Read, Bash]", "provider_options: {claude: {allowed_tools: []}}", 0),
        ("allowed_tools: [Read, Bash]", "required_permission_mode: edit", 2),
        ("max_movements: 12", "piece_config: {provider_options: {claude: {allowed_tools: [Read]}}}\nmax_movements: 12", 1),
    ],
)
def test_tools_are_allowed_by_newer_files_too(run: Run, piece: Path, old: str, new: str, names: int) -> None:
    step = "Write" if "piece_config" in new else "Mend"
    piece.write_text(PIECE.replace(old, new))
    model = model_for(["It is not", "It is fine"])
    run(load_workflow(piece, model=model, tools={"Read": read_file, "Search": search}), {"task": "frogs"})
    assert len(asked(model, step)[0].tool_names) == names


@pytest.mark.parametrize(("monitor", "status"), [("It converges", "COMPLETE"), ("It does not", "ABORT")])
def test_a_cycle_that_comes_round_too_often_is_judged(run: Run, piece: Path, monitor: str, status: str) -> None:
    model = model_for(["It is not", "It is not", "It is fine"], monitor)
    result = run(load_workflow(piece, model=model), {"task": "frogs"})
    round_about = ["write", "check", "mend", "check", "mend", "loop_monitor_1"]
    assert (steps(result)[:6], result["status"]) == (round_about, status)
    (watched,) = asked(model, "After 2 rounds, see the result of step 'check' (checks.md): does it converge?")
    assert (watched.messages[0].text, watched.tool_names) == ("umpire", [])


def test_max_movements_ends_a_piece(run: Run, piece: Path) -> None:
    piece.write_text(PIECE.replace("max_movements: 12", "max_movements: 3"))
    result = run(load_workflow(piece, model=model_for(["It is not"] * 9)), {"task": "frogs"})
    assert (steps(result), result["status"]) == (["write", "check", "mend"], "ABORT")
    assert "3 steps" in result["reason"]


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        ("next: done}", "next: dome}", 39, "movements[1].rules[0].next"),
        ("It converges, next: check", "It converges, next: chek", 15, "loop_monitors[0].judge.rules[0].next"),
        ("cycle: [check, mend]", "cycle: [check, mendd]", 11, "loop_monitors[0].judge.cycle"),
        ("threshold: 2", "threshold: two", 10, "loop_monitors[0].threshold"),
        ("- Scope: scope.md", "- 5", 34, "movements[1].output_contracts.report"),
    ],
)
def test_an_error_uses_the_names_of_the_file(piece: Path, old: str, new: str, line: int, key: str) -> None:
    assert PIECE.count(old) == 1
    piece.write_text(PIECE.replace(old, new))
    with pytest.raises(WorkflowFileError) as caught:
        load_workflow(piece)
    assert (caught.value.line, caught.value.key) == (line, key)
