"""The cost of a step, a build and an import, in counts that are the same on every machine.

`make bench` measures time; these tests bound the causes of time.

The bounds are in ``tests/suite/bounds.py``, each the count of its time plus a tenth.
"""

import subprocess
import sys
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel
from benchmarks.peers import graphs
from benchmarks.work import Work
from tests.suite import bounds
from tests.suite.colors import Run
from tests.suite.function_calls import calls_of


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
    results: list[Any] = []
    calls = calls_of(lambda: results.append(agent.invoke({"messages": ["Go"]})))
    assert results[0]["structured_response"] == Weather(degrees=21)
    return calls


def calls_while_building(tools: int, output_key: str | None = None) -> int:
    model = ScriptedChatModel(replies=[])
    given = [look_up.model_copy(update={"name": f"look_up_{index}"}) for index in range(tools)]

    def build() -> None:
        create_agent(model, given, response_format=ToolStrategy(Weather), output_key=output_key)

    if output_key is None:
        build()  # what happens once: imports, the merged schemas
    return calls_of(build)


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
    assert (python_calls(30) - python_calls(10)) / 20 < bounds.CALLS_PER_STEP


@pytest.mark.parametrize("awaited", [False, True])
def test_a_step_calls_few_functions_more_than_the_same_graph_written_by_hand(awaited: bool) -> None:
    # What LangGraph and LangChain's models call is in both: this holds what is ours. `make bench` compares the time.
    def per_step(system: str) -> float:
        few, many = (graphs.runner(system, Work(steps=steps), awaited=awaited) for steps in (10, 30))
        few(), many()  # what happens once
        return (calls_of(many) - calls_of(few)) / 20

    assert per_step("answergraph") < bounds.CALLS_TO_THOSE_BY_HAND * per_step(graphs.HAND_GRAPH)


@pytest.mark.parametrize("awaited", [False, True])
def test_a_run_of_one_call_calls_few_functions_more_than_langchains_and_than_the_same_graph_written_by_hand(
    awaited: bool,
) -> None:
    # The answer is read in a node of its own, so the run has one superstep more than LangChain's; most of that is LangGraph's.
    def per_run(system: str) -> int:
        run = graphs.runner(system, Work(steps=0), awaited=awaited)
        run(), run()  # what happens once
        return calls_of(run)

    calls = per_run("answergraph")
    assert calls < bounds.CALLS_OF_A_SHORT_RUN * per_run("create_agent")
    assert calls < bounds.SHORT_RUN_TO_THAT_BY_HAND * per_run(graphs.HAND_GRAPH)
    # What is left when LangGraph has carried the agent's state along its edges: reading, checking and accounting.
    assert calls < bounds.SHORT_RUN_TO_AN_IDLE_ONE * per_run(graphs.IDLE_GRAPH)


def test_a_step_late_in_a_run_calls_hardly_more_functions_than_an_early_one() -> None:
    # What is linear in the conversation is a copy of the list, which calls nothing per message.
    early = (python_calls(30) - python_calls(10)) / 20
    late = (python_calls(130) - python_calls(110)) / 20
    assert late < early * 1.05


def test_a_step_writes_few_bytes() -> None:
    # Two checkpoints, two messages, what has changed in the ledger twice. Messages kept whole would grow with each step.
    assert (bytes_written(45) - bytes_written(5)) / 40 < bounds.BYTES_PER_STEP


def test_building_an_agent_calls_few_functions() -> None:
    # Two in three are LangGraph's, which reads the signatures of what it writes with. The schemas of state, input and output are
    # merged, and read by LangGraph, once for all agents with the same ones: that was two thirds of a build.
    assert calls_while_building(100) < bounds.CALLS_PER_BUILD


def test_building_the_first_agent_of_its_schemas_calls_few_functions() -> None:
    # Another output key makes other schemas. Most of it is LangGraph reading the type hints of the three of them.
    calls_while_building(1)
    assert calls_while_building(1, output_key=f"weather_{uuid4().hex}") < bounds.CALLS_PER_FIRST_BUILD


def test_building_calls_one_function_per_tool() -> None:
    # To see that it is a tool. What a tool is made of is read when it is bound or called.
    assert (calls_while_building(100) - calls_while_building(10)) / 90 < bounds.CALLS_PER_TOOL_WHILE_BUILDING


def look_around(city: str, day: int = 1) -> str:
    """Look around in a city."""
    return f"{city}, day {day}"


def test_a_plain_function_is_made_a_tool_once_per_process() -> None:
    # Pydantic and LangChain read its signature and docstring: 3 ms, as much as the rest of a build.
    def build() -> Any:
        return create_agent(ScriptedChatModel(replies=["Hi."]), [look_around])

    build()
    assert calls_of(build) < bounds.CALLS_PER_BUILD
    assert calls_of(lambda: tool(look_around)) > bounds.CALLS_PER_BUILD


def test_importing_the_agent_imports_little_beside_langgraph() -> None:
    # Half a millisecond per module, dataclasses included. What takes longer and few agents need is imported at its first use,
    # so no library of others is among them.
    code = (
        "import sys; from langgraph.prebuilt import create_react_agent; known = {*sys.modules, *sys.stdlib_module_names};"
        "from answergraph import create_agent; print(*(sys.modules.keys() - known))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    modules = done.stdout.split()
    assert [module for module in modules if module.partition(".")[0] not in {"answergraph", *sys.stdlib_module_names}] == []
    assert sum(module.startswith("answergraph") for module in modules) < bounds.MODULES_OF_OURS
