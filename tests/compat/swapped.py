"""A pytest plugin for other projects' test suites: reports which tests build an agent, and can make ours build it."""

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import langchain.agents
import langchain.agents.factory
import langgraph.prebuilt
import pytest

import answergraph

SWAP = "ANSWERGRAPH_COMPAT_SWAP"
"""The environment variable that makes ``create_agent`` come from answergraph."""
REPORT = "ANSWERGRAPH_COMPAT_REPORT"
"""The environment variable with the path of the report: outcome, and whether an agent was built, per test."""

BUILDS = ("builds an agent", True)
"""The property of a test that builds one; it reaches the process that writes the report with the test's own report."""

if SWAP in os.environ:
    answergraph.install()
_build: Any = langchain.agents.create_agent
_running: list[pytest.Item] = []
_results: dict[str, dict[str, Any]] = {}


def create_agent(*args: Any, **kwargs: Any) -> Any:
    if _running:
        _running[0].user_properties.append(BUILDS)
    return _build(*args, **kwargs)


def create_react_agent(model: Any, tools: Any = None, *, prompt: Any = None, **rest: Any) -> Any:
    """Build an agent for the suites of supervisor and swarm: with ``create_agent`` in both runs."""
    return create_agent(model, tools, system_prompt=prompt, **rest)


# While the plugin is imported: a suite's ``conftest.py`` may import its package before pytest is configured.
# Only where a suite is run: our own tests import this module to collect it.
if REPORT in os.environ:
    langchain.agents.create_agent = langchain.agents.factory.create_agent = create_agent
    langgraph.prebuilt.create_react_agent = create_react_agent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    _running[:] = [item]
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    result = _results.setdefault(report.nodeid, {"outcome": "passed", "builds": False})
    result["builds"] |= BUILDS in map(tuple, report.user_properties)
    if report.outcome != "passed" and result["outcome"] == "passed":
        result["outcome"] = report.outcome


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # pytest-xdist has each worker report to one process
        Path(os.environ[REPORT]).write_text(json.dumps(_results))
