"""Mypy and pyright know the type of the answer from the response format to the result."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
SAMPLES = [REPOSITORY / "tests" / "graphs" / "agent" / "typed_agents.py", *(REPOSITORY / "tests" / "typed_programs").glob("*.py")]
CHECKERS = {
    "mypy": ("-m", "mypy", "--strict", "--no-error-summary"),
    "pyright": ("-m", "pyright", "--pythonpath", sys.executable),
}
MISTAKES = """
from pydantic import BaseModel
from answergraph.middleware import InputAgentState
from answergraph import ToolStrategy, UsageLimits, create_agent, resume
from answergraph.graphs import create_calculator, create_extractor, create_judge, create_triage_agent, create_workflow

class Verdict(BaseModel):
    passed: bool

question: InputAgentState = {"messages": ["Did it pass?"]}
agent = create_agent("m", response_format=Verdict)
sure = create_agent("m", response_format=Verdict, on_failure="raise")
extractor = create_extractor("m", Verdict)

agent.invoke(question)["structured_response"].passed
create_agent("m", response_format=ToolStrategy(Verdict)).invoke(question)["structured_response"].failed
create_agent("m", response_format=5)
create_agent("m", response_format=Verdict, limit=3)
agent.invoke({"message": "Did it pass?"})
agent.invoke({"messages": ["Did it pass?"], "exsisting": 5})
agent.invoke(question)["structured_respons"]
sure.invoke(question)["structured_response"].failed
extractor.invoke({"messages": "It passed."})
extractor.invoke({"document": "It passed."})["structured_response"].passed
create_calculator().invoke(question)["structured_response"].final_answer
create_judge("m", ["done"]).invoke({"reprt": "Done."})
create_judge("m", ["done"]).invoke({"report": "Done."})["judgement"]
create_triage_agent().invoke({"folder": "run"})["report"]
create_workflow([]).invoke({"tasks": "This"})
create_workflow([]).invoke({"task": "This"})["state"]
create_calculator(response_format=Verdict).invoke(question)["structured_response"].failed
resume(agent, {"configurable": {"thread_id": "1"}})["structured_respons"]
UsageLimits(request_limit=3)
"""

pytestmark = pytest.mark.checkers


def check(checker: str, *files: Path) -> subprocess.CompletedProcess[str]:
    """Run a checker of this environment on files, with this repository's package."""
    return subprocess.run(
        [sys.executable, *CHECKERS[checker], *map(str, files)],
        cwd=REPOSITORY,
        env={**os.environ, "MYPYPATH": str(REPOSITORY), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_answers_type_follows_from_the_response_format(checker: str) -> None:
    result = check(checker, *SAMPLES)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_mistake_is_found_in_each_line(checker: str, tmp_path: Path) -> None:
    file = tmp_path / "mistakes.py"
    file.write_text(MISTAKES)
    result = check(checker, file)
    lines = MISTAKES.splitlines()
    first = lines.index('extractor = create_extractor("m", Verdict)') + 3
    found = [number for number in range(1, len(lines) + 1) if f"mistakes.py:{number}:" in result.stdout]
    assert found == list(range(first, len(lines) + 1)), result.stdout + result.stderr
