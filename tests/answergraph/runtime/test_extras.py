"""The core works without the packages of the extras; a name that needs one says in one line what to install."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = (
    *("typer", "rich", "re2", "defusedxml", "charset_normalizer", "yaml", "starlette", "matplotlib", "langchain"),
    *("mcp", "a2a", "ag_ui_langgraph"),
)
# LangChain's core brings PyYAML, and LangGraph's client charset-normalizer: without them nothing of theirs could be imported.
BLOCKED = [name for name in EXTRAS if name not in {"yaml", "charset_normalizer"}]

CORE = """
from typing import Annotated
from pydantic import BaseModel
import answergraph.graphs, answergraph.middleware
from answergraph import Quote, create_agent
from answergraph.graphs.add_ons.calculator.calculator import add, create_calculator
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel

class Total(BaseModel):
    final_answer: float
    reasoning: str

class Cited(BaseModel):
    words: Annotated[str, Quote()]

assert create_agent("offline", [add], response_format=Total).invoke({"messages": ["2 + 3"]})["outcome"]["status"] == "answered"
assert create_calculator().invoke({"messages": ["2 + 3"]})["structured_response"].final_answer == 5
schema = {"title": "N", "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
model = ScriptedChatModel(replies=['{"n": 1,}'])
assert create_agent(model, response_format=schema).invoke({"messages": ["?"]})["structured_response"] == {"n": 1}
replies = ['{"words": "no such words"}'] * 4
model = ScriptedChatModel(replies=replies)
result = create_agent(model, [add], response_format=Cited, middleware=[GroundedAnswer()]).invoke({"messages": ["?"]})
assert result["outcome"]["status"] != "answered"
print("ok")
"""


def without(packages: list[str], *command: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a Python program that finds none of these packages."""
    start = f"import runpy, sys\nsys.modules.update(dict.fromkeys({packages!r}))\n"
    run = "exec(sys.argv[1])" if len(command) == 1 else "runpy.run_module(sys.argv[1], run_name='__main__', alter_sys=True)"
    code = f"{start}{run if len(command) == 1 else 'sys.argv = sys.argv[1:]; ' + run.replace('sys.argv[1]', 'sys.argv[0]')}"
    done = subprocess.run([sys.executable, "-c", code, *command], check=False, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_the_core_has_at_most_eight_dependencies() -> None:
    assert len(PROJECT["dependencies"]) <= 8


def test_all_installs_every_extra() -> None:
    extras = set(PROJECT["optional-dependencies"]) - {"all", "local"}  # the latter is 100 MB
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert set(everything.removeprefix("answergraph[").removesuffix("]").split(",")) == extras


def test_a_deployment_installs_what_the_shipped_graphs_and_the_page_need() -> None:
    # langgraph.json cannot name the extras of a project that lies in a folder.
    needed = [requirement for extra in ("triage", "workflow", "page") for requirement in PROJECT["optional-dependencies"][extra]]
    assert json.loads((ROOT / "langgraph.json").read_text())["dependencies"] == [".", *needed]


def test_each_package_of_an_extra_is_known_here() -> None:
    named = " ".join(requirement for each in PROJECT["optional-dependencies"].values() for requirement in each)
    distributions = {name: packages_distributions()[name][0] for name in EXTRAS}
    assert [name for name, distribution in distributions.items() if distribution.lower() not in named.lower()] == []


def test_the_core_works_without_any_extra() -> None:
    assert without(BLOCKED, CORE) == (0, "ok\n", "")


@pytest.mark.parametrize(
    ("missing", "code", "line"),
    [
        ("re2", "from answergraph.graphs import create_triage_agent", "triage needs re2: pip install 'answergraph[triage]'"),
        (
            "defusedxml",
            "import answergraph.graphs.add_ons.triage",
            "triage needs defusedxml: pip install 'answergraph[triage]'",
        ),
        ("mcp", "from answergraph.serving import to_mcp", "mcp needs mcp: pip install 'answergraph[mcp]'"),
        ("a2a", "from answergraph.serving import to_a2a", "a2a needs a2a: pip install 'answergraph[a2a]'"),
        (
            "ag_ui_langgraph",
            "from answergraph.serving import to_ag_ui",
            "ag-ui needs ag_ui_langgraph: pip install 'answergraph[ag-ui]'",
        ),
        ("starlette", "import answergraph.page", "page needs starlette: pip install 'answergraph[page]'"),
        (
            "yaml",
            "import sys; sys.modules.pop('yaml'); import langchain_core.prompts.loading as _; sys.modules['yaml'] = None\n"
            "from answergraph.graphs import load_workflow",
            "workflow needs yaml: pip install 'answergraph[workflow]'",
        ),
        (
            "langchain",
            "from answergraph import create_agent; create_agent('anthropic:claude', [])",
            "needs langchain: pip install 'answergraph[langchain]'",
        ),
    ],
)
def test_a_thing_without_its_extra_says_in_one_line_what_to_install(missing: str, code: str, line: str) -> None:
    exit_code, _, err = without([missing], code)
    assert exit_code == 1
    assert err.splitlines()[-1].endswith(line)


@pytest.mark.parametrize(
    ("missing", "arguments", "line"),
    [
        ("typer", ["ask", "1 + 2"], "the command line needs typer: pip install 'answergraph[cli]'"),
        ("rich", ["ask", "1 + 2"], "the command line needs rich: pip install 'answergraph[cli]'"),
        ("mcp", ["mcp", "served:agent"], "mcp needs mcp: pip install 'answergraph[mcp]'"),
        ("re2", ["triage", "."], "triage needs re2: pip install 'answergraph[triage]'"),
        ("re2", ["graph", "triage"], "triage needs re2: pip install 'answergraph[triage]'"),
        ("langchain", ["ask", "1", "--model", "anthropic:x"], "needs langchain: pip install 'answergraph[langchain]'"),
    ],
)
def test_a_command_without_its_extra_ends_with_one_line_and_exit_code_2(missing: str, arguments: list[str], line: str) -> None:
    exit_code, out, err = without([missing], "answergraph", *arguments)
    assert (exit_code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(f"{line}\n")


def test_other_commands_need_no_extra_but_their_own() -> None:
    exit_code, out, err = without(["re2", "defusedxml", "matplotlib", "starlette"], "answergraph", "ask", "--json", "1 + 2")
    assert (exit_code, err) == (0, "")
    assert '"final_answer":3.0' in out
