"""The commands that the pages show: those of ``answergraph`` are run, the others name what there is."""

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.answergraph.cli.test_command_line import adds_then_answers, answergraph
from tests.graphs.add_ons.triage.junit_files import failed, write_results
from tests.openai_server import OpenAIServer, Reply, says
from tests.suite.page_examples import PAGES, ROOT
from tests.suite.pdf_files import pdf

_BLOCK = re.compile(r"(?P<mark><!-- not run: \w+ .*-->\n)?^ *```sh\n(?P<lines>.*?)^ *```$", re.MULTILINE | re.DOTALL)
RUN_ELSEWHERE = {
    "answergraph demo --model local": "tests/providers/test_local_model.py",
    "answergraph page": "tests/answergraph/cli/test_page_command.py",
    "answergraph triage FOLDER --act": "tests/graphs/add_ons/triage/witnesses/test_witness_tools.py",
    "pytest --triage": "tests/pytest_answergraph/test_pytest_answergraph.py",
    "export": "tests/cluster/servers.py",
    "aegra db upgrade": "tests/cluster/servers.py",
    "python -m uvicorn aegra_api.main:app": "tests/cluster/servers.py",
}
"""How a command begins, and what runs it; it needs a model's weights, never ends, or changes a checkout."""
QUICKLY = {"experiment": ("--tasks", "1", "--repeats", "1", "--setting", "no_format")}
AGENT = """
from answergraph import UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel

limits = UsageLimits(prices={"scripted": {"input": 1, "output": 1}})
agent = create_agent(ScriptedChatModel(replies=lambda messages: "4"), response_format=int, limits=limits)
"""
SCHEMA = """
from pydantic import BaseModel

class Invoice(BaseModel):
    number: str
"""
RECORDS = {"Invoice": {"number": "A-17"}, "City": {"name": "Oslo"}}
CITY = {"title": "City", "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each command with its place; of a line, those that ``&&`` joins."""
    for page in PAGES:
        blocks = (match for match in _BLOCK.finditer(page.read_text(encoding="utf-8")) if not match["mark"])
        for number, line in enumerate(line for block in blocks for line in block["lines"].splitlines()):
            words = " ".join("&&" if word == "&&" else shlex.quote(word) for word in shlex.split(line, comments=True))
            for part in filter(None, words.split(" && ")):
                yield f"{page.relative_to(ROOT).as_posix()}:{number}", shlex.split(part)


COMMANDS = list(commands())
OWN = [each for each in COMMANDS if each[1][0] == "answergraph" and not shlex.join(each[1]).startswith(tuple(RUN_ELSEWHERE))]
TARGETS = set(re.findall(r"^([\w-]+(?: [\w-]+)*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with what the commands name; where a server is named, the one of the tests answers."""
    files = {
        "app.py": AGENT + SCHEMA,
        "my_agent.py": AGENT,
        "city.json": json.dumps(CITY),
        "documents.jsonl": '{"id": 1, "body": "2 × 2"}\n',
        "cases.jsonl": '{"inputs": "2 × 2", "expected_output": 4}\n',
        "REPORT.md": "Everything is done: tests pass.",
        "workflow.yaml": "task: Say it.\nsteps:\n  - name: speak\n    agent: tests.graphs.add_ons.workflow.agents:speaker\n"
        "    rules:\n      - condition: spoken\n        next: COMPLETE\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "invoice.pdf").write_bytes(pdf([["Invoice A-17"]]))
    (tmp_path / "FOLDER").mkdir()
    write_results(tmp_path / "FOLDER", failed("test_rates", "E       ConnectionRefusedError: [Errno 111] Connection refused"))
    with SqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
        model = ScriptedChatModel(replies=["4"])
        thread: Any = {"configurable": {"thread_id": "4711"}}
        create_agent(model, response_format=int, checkpointer=saver).invoke({"messages": "2 × 2"}, thread)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    for module in ("app", "my_agent"):
        sys.modules.pop(module, None)


def reply_to(request: Mapping[str, Any], calculating: Iterator[Reply]) -> Reply:
    """Return the record that a request asks for, or the next step of a calculation."""
    records = [says(json.dumps(record)) for name, record in RECORDS.items() if f'"{name}"' in json.dumps(request)]
    return records[0] if records else next(calculating, says("4"))


def before(command: list[str]) -> list[list[str]]:
    """Return the commands that write the files which one reads."""
    if command[1] == "verify":
        triaged = ["triage", "FOLDER", "--bundle", "b.json"]
        return [triaged if "b.json" in command else ["ask", "--bundle", "answer.json", "2 × 3"]]
    return [["eval", "cases.jsonl", "--agent", "app:agent", "--save", "last.json"]] if "--against" in command else []


@pytest.mark.parametrize(("place", "command"), OWN, ids=[f"{place} {shlex.join(command)}" for place, command in OWN])
def test_a_command_of_a_page_does_what_it_is_there_for(
    place: str, command: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calculating = iter(adds_then_answers())
    with OpenAIServer(lambda request: reply_to(request, calculating)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        asked = [server.base_url if word.startswith("http://localhost") else word for word in command[1:]]
        for earlier in before(command):
            assert answergraph(*earlier)[0] == 0
        code, out, err = answergraph(*asked, *QUICKLY.get(asked[0], ()), stdin="Where?")
    assert code == 0, f"{out}\n{err}"


def test_every_other_command_names_a_target_an_extra_or_what_its_test_runs() -> None:
    others = [words for place, words in COMMANDS if (place, words) not in OWN]
    unknown = [shlex.join(words) for words in others if not is_known(words)]
    assert unknown == []
    assert [path for path in RUN_ELSEWHERE.values() if not (ROOT / path).exists()] == []


def is_known(words: list[str]) -> bool:
    """Return whether a command names what there is."""
    if words[0] == "make":
        names = [word for word in words[1:] if "=" not in word]
        return all(any(name in targets.split() for targets in TARGETS) for name in names)
    if words[:2] == ["pip", "install"]:
        extras = re.findall(r"\[(.*?)\]", " ".join(words))
        return all(extra in EXTRAS for listed in extras for extra in listed.split(","))
    return words[:2] == ["apt-get", "install"] or shlex.join(words).startswith(tuple(RUN_ELSEWHERE))
