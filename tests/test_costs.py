"""What a step costs, in counts that are the same on every machine. `make bench` measures time; this holds what time comes from.

A bound is the count of today and a tenth; a change that needs more says why here.
"""

import sys
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

CALLS_PER_STEP = 1480
BYTES_PER_STEP = 3570


class Weather(BaseModel):
    degrees: int


@tool
def look_up(city: str, day: int = 1) -> str:
    """Look up the weather."""
    return f"{city}, day {day}: 21 degrees"


def reply(step: int, steps: int) -> AIMessage:
    # With usage given, the fake model does not estimate it from the whole conversation.
    usage = UsageMetadata(input_tokens=1, output_tokens=1, total_tokens=2)
    call: Any = {"name": "look_up", "args": {"city": "Oslo", "day": step}, "id": f"call_{step}"}
    answer: Any = {"name": "Weather", "args": {"degrees": 21}, "id": "answer"}
    return AIMessage("", tool_calls=[call if step < steps else answer], usage_metadata=usage)


class CountingModel(ScriptedChatModel):
    """Counts how often tools are bound."""

    binds: list[int]

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        self.binds.append(len(tools))
        return super().bind_tools(tools, **kwargs)


def agent_of(steps: int, runs: int = 1, **options: Any) -> Any:
    model = CountingModel(replies=[reply(step, steps) for _ in range(runs) for step in range(steps + 1)], binds=[])
    limits = UsageLimits(model_calls=None)
    return create_agent(model, [look_up], response_format=ToolStrategy(Weather), limits=limits, **options), model


def python_calls(steps: int) -> int:
    """Return how many Python functions a blocking run calls."""
    agent, _ = agent_of(steps, runs=2)
    agent.invoke({"messages": ["Go"]})  # what happens once: imports, the bound model, the plain tool
    calls = 0

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        result = agent.invoke({"messages": ["Go"]})
    finally:
        sys.setprofile(None)
    assert result["structured_response"] == Weather(degrees=21)
    return calls


class CountingSerializer(JsonPlusSerializer):
    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=[Weather])
        self.written = 0

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, data = super().dumps_typed(obj)
        self.written += len(data)
        return kind, data


def bytes_written(steps: int) -> int:
    serializer = CountingSerializer()
    agent, _ = agent_of(steps, checkpointer=InMemorySaver(serde=serializer))
    agent.invoke({"messages": ["Go"]}, {"configurable": {"thread_id": "1"}})
    return serializer.written


def test_a_model_is_bound_once_for_all_runs(run: Run) -> None:
    # Binding converts each tool to its wire form, which costs more than the rest of a step.
    agent, model = agent_of(20, runs=2)
    for _ in range(2):
        run(agent, {"messages": ["Go"]})
    assert model.binds == [2]


def test_a_step_is_two_supersteps(run: Run) -> None:
    # One for the model, one for the tool; each is a checkpoint. A third one would cost half as much again.
    agent, _ = agent_of(10, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    run(agent, {"messages": ["Go"]}, config)
    # The input, ten steps, the last model call, the answer.
    assert (run.state(agent, config).metadata or {}).get("step") == 2 * 10 + 2


def test_a_step_calls_few_functions() -> None:
    # Most of them are LangGraph's and LangChain's: bound is what keeps ours from growing beside them.
    assert (python_calls(30) - python_calls(10)) / 20 < CALLS_PER_STEP


def test_a_step_late_in_a_run_calls_hardly_more_functions_than_an_early_one() -> None:
    # What is linear in the conversation is a copy of the list, which calls nothing per message.
    early = (python_calls(30) - python_calls(10)) / 20
    late = (python_calls(130) - python_calls(110)) / 20
    assert late < early * 1.05


def test_a_step_writes_few_bytes() -> None:
    # Two checkpoints, two messages, what has changed in the ledger twice. Messages kept whole would grow with each step.
    assert (bytes_written(45) - bytes_written(5)) / 40 < BYTES_PER_STEP
