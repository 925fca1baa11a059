"""The core works without the packages of the extras; a name that needs one says in one line what to install."""

import json
import subprocess
import sys
import tomllib
from dataclasses import asdict, dataclass
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = (
    *("typer", "rich", "re2", "defusedxml", "charset_normalizer", "yaml", "starlette", "matplotlib", "langchain"),
    *("mcp", "a2a", "ag_ui_langgraph"),
)
# LangChain's core brings PyYAML, and LangGraph's client charset-normalizer: without them nothing of theirs could be imported.
BLOCKED = tuple(name for name in EXTRAS if name not in {"yaml", "charset_normalizer"})

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


@dataclass(frozen=True)
class Program:
    """A Python program that finds some packages nowhere: code, or a command of the library."""

    missing: tuple[str, ...]
    code: str = ""
    command: tuple[str, ...] = ()


class Ended(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str


FORKS = """
import contextlib, io, json, os, runpy, sys, traceback
import langchain_core.language_models, langchain_core.tools, langgraph.graph

def ended(program):
    out, err, code = io.StringIO(), io.StringIO(), 0
    parts = [name for name in sys.modules if name.split(".")[0] in program["missing"]]
    sys.modules.update(dict.fromkeys([*program["missing"], *parts]))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            if program["command"]:
                sys.argv = ["answergraph", *program["command"]]
                runpy.run_module("answergraph", run_name="__main__", alter_sys=True)
            exec(program["code"], {"__name__": "__main__"})
        except SystemExit as ending:
            code = ending.code or 0
        except BaseException:
            traceback.print_exc()
            code = 1
    return [code, out.getvalue(), err.getvalue()]

for program in json.loads(sys.argv[1]):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, json.dumps(ended(program)).encode())
        os._exit(0)
    os.close(writer)
    print(os.fdopen(reader).read(), flush=True)
    os.wait()
"""


def ends_of(*programs: Program) -> list[Ended]:
    """Return how programs end; each is a fork of one process that has imported LangGraph, and nothing of ours."""
    command = [sys.executable, "-c", FORKS, json.dumps([asdict(program) for program in programs])]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return [Ended(*json.loads(line)) for line in done.stdout.splitlines()]


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
    distributions = packages_distributions()
    assert [name for name in EXTRAS if distributions[name][0].lower() not in named.lower()] == []


@pytest.mark.program
def test_the_core_works_without_any_extra() -> None:
    assert ends_of(Program(BLOCKED, CORE)) == [(0, "ok\n", "")]


WORDED_DATE = """
from datetime import date
from answergraph import check_evidence
for day in (date(2025, 10, 27), date(2025, 10, 28)):
    print(check_evidence({"issued": day}, ["Oslo, 27 October 2025, 2025-10-28"]).fields["issued"]["problem"])
"""


@pytest.mark.program
def test_a_date_that_is_not_found_without_the_names_of_months_says_what_to_install() -> None:
    ((code, out, _),) = ends_of(Program(("babel",), WORDED_DATE))
    unread, found = out.splitlines()
    assert (code, found) == (0, "None")
    assert unread.endswith("it stands in no source; names of months are read only with pip install 'answergraph[documents]'.")


@pytest.mark.program
def test_a_thing_without_its_extra_says_in_one_line_what_to_install() -> None:
    # LangChain's core has imported yaml when ours looks for it.
    without_yaml = "import sys, langchain_core.prompts.loading; sys.modules['yaml'] = None"
    lines = {
        Program(("re2",), "from answergraph.graphs import create_triage_agent"): "triage needs re2: pip install '{}[triage]'",
        Program(("defusedxml",), "import answergraph.graphs.add_ons.triage"): "triage needs defusedxml: pip install '{}[triage]'",
        Program(("mcp",), "from answergraph.serving import to_mcp"): "mcp needs mcp: pip install '{}[mcp]'",
        Program(("a2a",), "from answergraph.serving import to_a2a"): "a2a needs a2a: pip install '{}[a2a]'",
        Program(
            ("ag_ui_langgraph",), "from answergraph.serving import to_ag_ui"
        ): "ag-ui needs ag_ui_langgraph: pip install '{}[ag-ui]'",
        Program(("starlette",), "import answergraph.page"): "page needs starlette: pip install '{}[page]'",
        Program(
            (), f"{without_yaml}\nfrom answergraph.graphs import load_workflow"
        ): "workflow needs yaml: pip install '{}[workflow]'",
        Program(
            ("langchain",), "from answergraph import create_agent; create_agent('anthropic:claude', [])"
        ): "needs langchain: pip install '{}[langchain]'",
    }
    for ended, line in zip(ends_of(*lines), lines.values(), strict=True):
        assert ended.code == 1
        assert ended.err.splitlines()[-1].endswith(line.format("answergraph"))


@pytest.mark.program
def test_a_command_without_its_extra_ends_with_one_line_and_exit_code_2() -> None:
    lines = {
        Program(("typer",), command=("ask", "1 + 2")): "the command line needs typer: pip install '{}[cli]'",
        Program(("rich",), command=("ask", "1 + 2")): "the command line needs rich: pip install '{}[cli]'",
        Program(("mcp",), command=("mcp", "served:agent")): "mcp needs mcp: pip install '{}[mcp]'",
        Program(("re2",), command=("triage", ".")): "triage needs re2: pip install '{}[triage]'",
        Program(("re2",), command=("graph", "triage")): "triage needs re2: pip install '{}[triage]'",
        Program(("langchain",), command=("ask", "1", "--model", "anthropic:x")): "needs langchain: pip install '{}[langchain]'",
    }
    for ended, line in zip(ends_of(*lines), lines.values(), strict=True):
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert ended.err.endswith(f"{line.format('answergraph')}\n")


@pytest.mark.program
def test_other_commands_need_no_extra_but_their_own() -> None:
    (ended,) = ends_of(Program(("re2", "defusedxml", "matplotlib", "starlette"), command=("ask", "--json", "1 + 2")))
    assert (ended.code, ended.err) == (0, "")
    assert '"final_answer":3.0' in ended.out
