"""What somebody writes into a run from outside its model, and the run cannot read, is refused with its name."""

import asyncio
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from answergraph import AgentSpecError, create_agent
from answergraph.middleware import before_model
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.mistakes.test_run_time_mistakes import QUESTION, agent_of
from tests.mistakes.wrong_parts import reads_a_key
from tests.suite.colors import Run


def test_a_command_for_a_run_that_has_ended_is_refused(run: Run) -> None:
    agent = agent_of(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    run(agent, QUESTION, config)
    with pytest.raises(AgentSpecError, match="The run of this thread has ended, so nothing waits for this Command"):
        run(agent, Command(resume="yes"), config)


def generated(state: Any, runtime: Any) -> Any:
    yield {"messages": []}


def counts(state: Any, runtime: Any) -> Any:
    return {"messages": 5}


def has_none(state: Any, runtime: Any) -> Any:
    return {"messages": None}


@pytest.mark.parametrize("hook", [generated, counts, has_none])
def test_a_hook_that_returns_no_messages_is_named(run: Run, hook: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"\.before_model returned (<generator object|messages=(5|None))"):
        run(agent_of(before_model(hook)), QUESTION)


def test_a_misspelt_key_written_from_outside_is_refused(run: Run) -> None:
    agent = agent_of(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    run(agent, QUESTION, config)
    with pytest.raises(AgentSpecError, match="The update has 'mesages'"):
        asyncio.run(agent.aupdate_state(config, {"mesages": []})) if run.color == "async" else agent.update_state(
            config, {"mesages": []}
        )


def test_a_tool_that_takes_a_key_the_state_lacks_is_named(run: Run) -> None:
    model = ScriptedChatModel(replies=[calls(call("reads_a_key", {"query": "a"}))])
    with pytest.raises(AgentSpecError, match=r"The tool reads_a_key takes InjectedState\('nokey'\)"):
        run(create_agent(model, [reads_a_key]), QUESTION)
