"""The `run` fixture: the same four questions in both colours, on one event loop."""

import asyncio
from collections.abc import Awaitable, Callable

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from tests.suite.colors import Graph, Run


class State(TypedDict):
    words: list[str]


def graph_of(step: Callable[[State], State], astep: Callable[[State], Awaitable[State]]) -> Graph:
    builder = StateGraph(State).add_node("say", RunnableLambda(step, astep)).add_edge(START, "say")
    return builder.compile(checkpointer=InMemorySaver())


def test_a_graph_is_run_in_the_colour_of_the_fixture(run: Run) -> None:
    def step(state: State) -> State:
        return {"words": [*state["words"], "sync"]}

    async def astep(state: State) -> State:
        return {"words": [*state["words"], "async"]}

    graph, config = graph_of(step, astep), RunnableConfig(configurable={"thread_id": "1"})
    said: State = {"words": ["first", run.color]}
    assert run(graph, {"words": ["first"]}, config) == said
    assert run.stream(graph, {"words": ["first"]}, config, stream_mode="updates") == [{"say": said}]
    assert run.state(graph, config).values == said
    assert run.history(graph, config)[0].values == said
    assert run.is_async == (run.color == "async")


def test_all_calls_of_a_test_share_one_event_loop(run: Run) -> None:
    loops: list[asyncio.AbstractEventLoop | None] = []

    def step(state: State) -> State:
        loops.append(None)
        return state

    async def astep(state: State) -> State:
        loops.append(asyncio.get_running_loop())
        return state

    graph = graph_of(step, astep)
    for thread in ("1", "2"):
        run(graph, {"words": []}, RunnableConfig(configurable={"thread_id": thread}))
    assert loops[0] is loops[1]
    assert (loops[0] is not None) == run.is_async
