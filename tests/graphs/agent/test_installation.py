"""Packages that import LangChain's ``create_agent`` themselves get ours: by assignment, and by ``install``."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import langchain.agents
import langchain.agents.factory
import pytest
from pydantic import BaseModel

import answergraph
from answergraph import create_agent, install, uninstall
from answergraph.testing import ScriptedChatModel

LANGCHAINS = langchain.agents.create_agent


class Found(BaseModel):
    number: int


# As a user's first lines: nothing of LangChain's agents was read before.
ASSIGNED = """
import langchain.agents
import langchain.agents.factory
import answergraph

langchain.agents.create_agent = answergraph.create_agent
langchain.agents.factory.create_agent = answergraph.create_agent

from langchain.agents import create_agent
from langchain.agents.middleware import before_agent
from answergraph.testing import ScriptedChatModel

hook = before_agent(lambda state, runtime: None, name="Hook")
agent = create_agent(ScriptedChatModel(replies=['{"number": 7}'] * 2), middleware=[hook], response_format={
    "title": "Found", "type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]})
assert agent.invoke({"messages": ["Go."]})["outcome"]["status"] == "answered"
with agent.stream_events({"messages": ["Go."]}, version="v3") as run:
    assert list(run.subagents) == []
    assert run.output["structured_response"] == {"number": 7}
"""


def package(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a package that takes ``create_agent`` from LangChain."""
    (path / f"{name}.py").write_text("from langchain.agents import create_agent\nmade = create_agent\n")
    monkeypatch.syspath_prepend(str(path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return __import__(name)


def answers(create: Any) -> bool:
    agent = create(ScriptedChatModel(replies=['{"number": 7}']), response_format=Found)
    return "outcome" in agent.invoke({"messages": ["Go."]})


@pytest.mark.program
def test_assigning_our_function_to_langchains_name_is_enough_in_a_fresh_process() -> None:
    done = subprocess.run([sys.executable, "-c", ASSIGNED], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]


REPLACED = """
import sys
import answergraph.agents, answergraph.agents.factory, answergraph.agents.middleware

sys.modules["langchain.agents"] = answergraph.agents
for name in {submodules}:
    sys.modules["langchain.agents." + name] = sys.modules["answergraph.agents." + name]

from langchain.agents import create_agent
from langchain.agents.middleware import before_model
from answergraph.testing import ScriptedChatModel

hook = before_model(lambda state, runtime: None, name="Hook")
agent = create_agent(ScriptedChatModel(replies=["Yes."]), middleware=[hook])
assert agent.invoke({{"messages": ["Go."]}})["messages"][-1].text == "Yes."
try:
    from langchain.agents.middleware import PIIMiddleware
except ImportError as error:
    assert "Call answergraph.install() instead" in str(error), error
else:
    raise AssertionError("it is LangChain's, which is no longer there")
"""


@pytest.mark.program
@pytest.mark.parametrize("submodules", [[], ["factory", "middleware"]], ids=["the package", "its modules too"])
def test_modules_of_ours_in_the_place_of_langchains_build_agents_and_say_what_they_lack(submodules: list[str]) -> None:
    program = REPLACED.format(submodules=submodules)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]


def test_packages_imported_before_and_after_get_our_agent_until_it_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = package(tmp_path, "imported_before", monkeypatch)
    install()
    install()  # twice does nothing
    try:
        after = package(tmp_path, "imported_after", monkeypatch)
        for module in (before, after, langchain.agents, langchain.agents.factory):
            assert answers(module.create_agent)
        assert answers(before.made)
    finally:
        uninstall()
    for module in (before, after, langchain.agents, langchain.agents.factory):
        assert module.create_agent is LANGCHAINS
    uninstall()
    assert langchain.agents.create_agent is LANGCHAINS


def test_a_context_undoes_it_also_after_an_error() -> None:
    with install():
        assert answers(langchain.agents.create_agent)
    assert langchain.agents.create_agent is LANGCHAINS
    with pytest.raises(AttributeError), install():
        getattr(langchain.agents, "there_is_no_such_name")  # noqa: B009 - it raises
    assert langchain.agents.create_agent is LANGCHAINS


def test_our_own_function_stays_where_a_module_imported_it_by_its_name() -> None:
    with install():
        assert answergraph.create_agent is create_agent
    assert answergraph.create_agent is create_agent


def test_an_assignment_from_before_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(langchain.agents, "create_agent", create_agent)
    with install():
        assert answers(langchain.agents.create_agent)
        assert answers(langchain.agents.factory.create_agent)
    assert langchain.agents.create_agent is LANGCHAINS


def test_without_langchain_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain.agents", None)
    with pytest.raises(ImportError, match=r"pip install 'answergraph\[langchain\]'"):
        install()
