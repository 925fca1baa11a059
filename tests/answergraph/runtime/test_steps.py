"""Steps run with ``next`` and ``send`` and with two drivers that behave the same; nodes are made of them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from answergraph.runtime.steps import Call, GraphNode, Invoke, Router, Step, Surroundings, arun_step, pure, run_step, wrap
from tests.suite.colors import Run


@dataclass(frozen=True)
class Says:
    """An effect that returns a word, and whether it was awaited."""

    word: str

    def perform(self) -> str:
        return f"sync {self.word}"

    async def aperform(self) -> str:
        return f"async {self.word}"


class Fails:
    """An effect that fails."""

    def perform(self) -> None:
        raise KeyError("lost")

    async def aperform(self) -> None:
        raise KeyError("lost")


def run_in(color: str, step: Step[Any]) -> Any:
    return run_step(step) if color == "sync" else asyncio.run(_awaited(arun_step(step)))


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


COLORS = pytest.mark.parametrize("color", ["sync", "async"])


def two_words() -> Step[list[str]]:
    first: str = yield Says("one")
    second: str = yield Says(first)
    return [first, second]


def test_a_step_is_run_by_hand() -> None:
    step = two_words()
    assert next(step) == Says("one")
    assert step.send("a") == Says("a")
    with pytest.raises(StopIteration) as stop:
        step.send("b")
    assert stop.value.value == ["a", "b"]


@COLORS
def test_a_driver_sends_each_effects_result_and_returns_what_the_step_returns(color: str) -> None:
    assert run_in(color, two_words()) == [f"{color} one", f"{color} {color} one"]


@COLORS
def test_a_step_without_effects_just_returns(color: str) -> None:
    assert run_in(color, pure(lambda state, runtime: (state, runtime))("state", Runtime())) == ("state", Runtime())


@COLORS
def test_a_step_may_catch_what_an_effect_raises_and_go_on(color: str) -> None:
    def careful() -> Step[str]:
        try:
            yield Fails()
        except KeyError:
            said: str = yield Says("again")
            return said
        return "never"

    assert run_in(color, careful()) == f"{color} again"


@COLORS
def test_what_a_step_does_not_catch_is_raised_and_its_finally_runs(color: str) -> None:
    ended: list[str] = []

    def careless() -> Step[None]:
        try:
            yield Fails()
        finally:
            ended.append("ended")

    with pytest.raises(KeyError, match="lost"):
        run_in(color, careless())
    assert ended == ["ended"]


@COLORS
def test_invoke_gives_a_runnable_its_input_and_settings(color: str) -> None:
    def shown(word: str, **settings: Any) -> Any:
        return word, settings

    async def ashown(word: str, **settings: Any) -> Any:
        return f"a{word}", settings

    def step() -> Step[Any]:
        result: Any = yield Invoke(RunnableLambda(shown, afunc=ashown), "x", settings={"loud": True})
        return result

    assert run_in(color, step()) == ("x" if color == "sync" else "ax", {"loud": True})


class Counts(BaseCallbackHandler):
    """Counts the calls that are reported to it."""

    heard = 0

    def on_chain_start(self, *_: Any, **__: Any) -> None:
        self.heard += 1


@COLORS
def test_listeners_of_an_invoke_hear_of_this_call_alone(color: str) -> None:
    counts = Counts()

    def step() -> Step[None]:
        for listeners in ([counts], []):
            yield Invoke(RunnableLambda(lambda word: word), "x", listeners)

    run_in(color, step())
    assert counts.heard == 1


@COLORS
def test_of_two_functions_the_one_of_the_color_is_called_with_the_arguments(color: str) -> None:
    async def awaited(one: int, two: int) -> tuple[str, int]:
        return "async", one + two

    def step() -> Step[Any]:
        result: Any = yield Call(lambda one, two: ("sync", one + two), awaited, (1, 2))
        return result

    assert run_in(color, step()) == (color, 3)


@COLORS
def test_a_hook_runs_the_inner_step_as_often_as_it_likes_with_the_request_it_likes(color: str) -> None:
    def inner(request: str) -> Step[str]:
        said: str = yield Says(request)
        return said

    def hook(request: str, handler: Callable[[str], str]) -> list[str]:
        return [handler(request), handler(f"{request}!")]

    async def ahook(request: str, handler: Callable[[str], Awaitable[str]]) -> list[str]:
        return [await handler(request), await handler(f"{request}!")]

    def step() -> Step[Any]:
        result: Any = yield wrap(hook, ahook, "x", inner)
        return result

    assert run_in(color, step()) == [f"{color} x", f"{color} x!"]


class State(TypedDict, total=False):
    """A state of two keys."""

    word: str
    seen: Any


def graph_of(node: GraphNode, route: Callable[[Any], Any] = lambda state: "stop") -> Any:
    graph = StateGraph(State)
    graph.add_node("node", node)
    graph.add_node("other", lambda state: {"word": f"{state['word']} and other"})
    graph.add_edge(START, "node")
    graph.add_conditional_edges("node", Router(route, name="route"), {"go": "other", "stop": END})
    graph.add_edge("other", END)
    return graph.compile()


def test_a_node_runs_its_step_in_the_color_of_the_graph_with_state_and_runtime(run: Run) -> None:
    def step(state: Any, runtime: Runtime[Any]) -> Step[Any]:
        said: str = yield Says(state["word"])
        return {"word": said, "seen": runtime.context}

    node = GraphNode(step, name="node")
    assert run(graph_of(node), {"word": "x"}, context={"a": 1}) == {"word": f"{run.color} x", "seen": {"a": 1}}


@pytest.mark.parametrize(("reason", "word"), [("stop", "x"), ("go", "x and other")])
def test_a_router_says_why_and_the_graph_goes_there(run: Run, reason: str, word: str) -> None:
    node = GraphNode(pure(lambda state, runtime: {}), name="node")
    assert run(graph_of(node, lambda state: reason), {"word": "x"}) == {"word": word}


class Around(Surroundings):
    """Records the visits that it wraps, and puts each update in brackets."""

    def __init__(self, events: list[Any], state: Callable[[], Any]) -> None:
        self.events = events
        self.state = state

    def __enter__(self) -> "Around":
        self.events.append(("open", self.state()["word"]))
        return self

    def __exit__(self, *_: object) -> None:
        self.events.append("closed")

    def finished_update(self, update: Any) -> Any:
        return {"word": f"({update['word']})"}


def test_what_is_around_a_node_opens_with_the_state_changes_the_update_and_closes(run: Run) -> None:
    events: list[Any] = []

    def step(state: Any, runtime: Runtime[Any]) -> Step[Any]:
        events.append("step")
        said: str = yield Says("x")
        return {"word": said}

    plain, around = GraphNode(step, name="node"), GraphNode(step, name="node", around=partial(Around, events))
    assert run(graph_of(around), {"word": "w"}) == {"word": f"({run.color} x)"}
    assert events == [("open", "w"), "step", "closed"]
    assert run(graph_of(plain), {"word": "w"}) == {"word": f"{run.color} x"}


def test_what_is_around_a_node_is_closed_when_its_step_fails(run: Run) -> None:
    events: list[Any] = []

    def step(state: Any, runtime: Runtime[Any]) -> Step[Any]:
        yield Fails()

    with pytest.raises(KeyError):
        run(graph_of(GraphNode(step, name="node", around=partial(Around, events))), {"word": "w"})
    assert events == [("open", "w"), "closed"]
