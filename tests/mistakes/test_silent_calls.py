"""What a caller passes and no run would read is refused, with the place and what to write."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph import AgentSpecError
from tests.mistakes.prelude import V
from tests.mistakes.test_run_time_mistakes import QUESTION, agent_of
from tests.suite.colors import Run


class Named(TypedDict, total=False):
    user: str


@dataclass
class Known:
    user: str = ""


class Aliased(BaseModel):
    user: str = Field("", validation_alias="users")


CALLS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a misspelt key of the context": (
        {"context_schema": Named},
        {"context": {"usr": "ada"}},
        "The context has 'usr', which is no key of the context. Did you mean 'user'?",
    ),
    "a text as the context": (
        {"context_schema": Known},
        {"context": "ada"},
        "context='ada' is no Known; write context={'user': …}.",
    ),
    "a format": (
        {},
        {"response_format": V},
        "A run of the agent has no argument 'response_format'. Write create_agent(response_format=…), "
        "and for one per run response_format=FromContext().",
    ),
    "limits": ({}, {"limits": None}, "A run of the agent has no argument 'limits'. Write create_agent(limits=…)."),
    "a thread": (
        {},
        {"thread": "1"},
        "A run of the agent has no argument 'thread'. Write config={'configurable': {'thread_id': '1'}}.",
    ),
    "a key of the config": (
        {},
        {"recursion_limit": 5},
        "A run of the agent has no argument 'recursion_limit'. Write config={'recursion_limit': …}.",
    ),
    "a misspelt argument": (
        {},
        {"contxt": {}},
        "A run of the agent has no argument 'contxt'. Did you mean 'context'?",
    ),
    "a misspelt key of the config": (
        {},
        {"config": {"recursion_limt": 5}},
        "The config has 'recursion_limt', which is no key of the config. Did you mean 'recursion_limit'?",
    ),
    "the context in the config": (
        {},
        {"config": {"context": {}}},
        "The config has 'context', which nothing reads; write invoke(…, context=…).",
    ),
    "no thread": (
        {"checkpointer": InMemorySaver()},
        {"config": {"configurable": {"thread_id": None}}},
        "The agent has a checkpointer, and the config names no thread to store the run under; write "
        "config={'configurable': {'thread_id': '1'}}, or leave out the checkpointer.",
    ),
}


@pytest.mark.parametrize(("options", "arguments", "message"), CALLS.values(), ids=CALLS)
def test_what_a_run_would_not_read_is_refused(run: Run, options: dict[str, Any], arguments: dict[str, Any], message: str) -> None:
    agent = agent_of(**options)
    with pytest.raises(AgentSpecError) as told:
        asyncio.run(agent.ainvoke(QUESTION, **arguments)) if run.is_async else agent.invoke(QUESTION, **arguments)
    assert str(told.value) == message


@pytest.mark.parametrize(
    ("schema", "context"),
    [
        (None, "ada"),
        (Named, {"user": "ada", "users": "of an outer graph"}),
        (Named, {}),
        (Named, Known("ada")),
        (Known, {"user": "ada"}),
        (Aliased, {"users": "ada"}),
        (str, "ada"),
        (dict, {"usr": "ada"}),
    ],
)
def test_a_context_that_a_hook_can_read_is_handed_on(schema: Any, context: Any) -> None:
    assert agent_of(context_schema=schema).invoke(QUESTION, context=context)["structured_response"] == V(ok=True)


@pytest.mark.parametrize("config", [{"thread_id": "1"}, {"configurable": {"threads": 3}}, {"model": "x"}])
def test_keys_that_langchain_reads_beside_those_of_a_config_stay(config: Any) -> None:
    assert agent_of().invoke(QUESTION, config)["structured_response"] == V(ok=True)


INPUTS = {
    "response_format": "Write create_agent(response_format=…), and for one per run response_format=FromContext().",
    "system_prompt": "Write create_agent(system_prompt=…).",
    "limits": "Write create_agent(limits=…).",
    "thread_id": "Write config={'configurable': {'thread_id': '1'}}.",
}


@pytest.mark.parametrize(("name", "advice"), INPUTS.items(), ids=INPUTS)
def test_an_input_with_an_argument_is_told_where_it_belongs(run: Run, name: str, advice: str) -> None:
    with pytest.raises(AgentSpecError) as told:
        run(agent_of(), {**QUESTION, name: "x"})
    assert str(told.value) == f"The input has {name!r}, which is no key of the agent's state. {advice}"


def test_a_key_of_the_state_may_have_the_name_of_an_argument(run: Run) -> None:
    class Limited(TypedDict):
        limits: str

    assert run(agent_of(state_schema=Limited), {**QUESTION, "limits": "mine"})["limits"] == "mine"
