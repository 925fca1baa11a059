"""To move a LangChain program over, change only the import of ``create_agent``; one list has the intended differences."""

import uuid
from dataclasses import asdict, is_dataclass
from typing import Any

import langchain.agents
import pytest
from pydantic import BaseModel

import answergraph
from tests.graphs.agent.langchain_programs import DIFFERENT, SAME, Program


def outcome_of(run: Any, program: Program, create_agent: Any) -> list[Any]:
    """Run a program and return its visible result, without ids."""
    agent = program.build(create_agent)
    config = {"configurable": {"thread_id": str(uuid.uuid4())}, "recursion_limit": 50}
    return [_seen(run, agent, given, config) for given in program.inputs]


def _seen(run: Any, agent: Any, given: Any, config: dict[str, Any]) -> Any:
    try:
        result = run(agent, given, config)
    except Exception as error:  # noqa: BLE001  # whatever a program raises is what its caller sees
        return type(error), str(error)
    return {key: _plain(value) for key, value in result.items() if key != "outcome"}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tool_calls") or hasattr(value, "tool_call_id") or hasattr(value, "response_metadata"):
        return type(value).__name__, value.model_dump(exclude={"id"})
    if isinstance(value, BaseModel):
        return type(value), value.model_dump()
    if type(value).__name__ == "Interrupt":
        return value.value
    return (type(value), asdict(value)) if is_dataclass(value) and not isinstance(value, type) else value


@pytest.mark.parametrize("name", SAME)
def test_a_program_comes_out_the_same(run: Any, name: str) -> None:
    program = SAME[name]
    assert outcome_of(run, program, answergraph.create_agent) == outcome_of(run, program, langchain.agents.create_agent)


@pytest.mark.parametrize("name", DIFFERENT)
def test_an_intended_difference_is_one(run: Any, name: str) -> None:
    _, program = DIFFERENT[name]
    assert outcome_of(run, program, answergraph.create_agent) != outcome_of(run, program, langchain.agents.create_agent)


@pytest.mark.parametrize("mode", ["values", "messages"])
@pytest.mark.parametrize("name", ["one tool", "parallel tools", "tool strategy, pydantic", "provider strategy after a tool"])
def test_a_streaming_program_streams_the_same_messages(run: Any, name: str, mode: str) -> None:
    def streamed(create_agent: Any) -> list[Any]:
        agent = SAME[name].build(create_agent)
        events = run.stream(agent, SAME[name].inputs[0], stream_mode=mode)
        if mode == "values":
            return [_plain(events[-1]["messages"])]
        # Results of parallel tools are in the order in which the tools finish.
        return sorted((message.type, message.text) for message, _ in events)

    assert streamed(answergraph.create_agent) == streamed(langchain.agents.create_agent)
