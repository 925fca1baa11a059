"""The scenarios: the varying number, the participants, and answergraph's goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai import ChatOpenAI

from benchmarks import checkpoints, special
from benchmarks.peers import bare, graphs, openai_agents, pydantic_ai_agent
from benchmarks.rounds import Case, Done
from benchmarks.work import EXPECTED, SERVED_MODEL, Work, answer


@dataclass(frozen=True)
class Setup:
    """The options of a run of the benchmark, and its servers."""

    quick: bool
    url: str
    """The URL of the played model."""
    savers: dict[str, Any] = field(default_factory=dict)

    def sizes(self, *values: int) -> tuple[int, ...]:
        """Return the sizes to measure; a quick run leaves out the two largest of four."""
        return values[: max(len(values) // 2, 1)] if self.quick else values


def steps(setup: Setup) -> Iterator[Case]:
    """1 to 200 steps with a model in the process, blocking and awaited."""
    for count in setup.sizes(1, 10, 50, 200):
        yield from _played("steps", f"T={count}", Work(steps=count))


def short(setup: Setup) -> Iterator[Case]:
    """No step to five: most users' runs. Awaited also with blocking tools, which run in threads."""
    for count in setup.sizes(0, 1, 2, 5):
        work = Work(steps=count)
        for awaited in (False, True):
            names = (*graphs.GRAPHS[:2], graphs.HAND_GRAPH, graphs.IDLE_GRAPH)
            systems = {name: graphs.runner(name, work, awaited=awaited) for name in names}
            yield Case("short", _colour(f"T={count}", awaited), systems, _expected(work))
        if count:
            blocking = graphs.work_tools(work)
            built = {name: graphs.build(name, work, tools=blocking) for name in graphs.GRAPHS[:2]}
            systems = {name: graphs.runner(name, work, awaited=True, graph=graph) for name, graph in built.items()}
            yield Case("short", f"T={count} async, blocking tools", systems, _expected(work))


def answers(setup: Setup) -> Iterator[Case]:
    """One call that answers with 1 to 1,000 kB of text."""
    for kilobytes in setup.sizes(1, 10, 100, 1000):
        work = Work(steps=0, answer_kilobytes=kilobytes)
        for awaited in (False, True):
            systems = {name: graphs.runner(name, work, awaited=awaited) for name in (*graphs.GRAPHS[:2], graphs.HAND_GRAPH)}
            yield Case("answers", _colour(f"kB={kilobytes}", awaited), systems, _expected(work))


def tools(setup: Setup) -> Iterator[Case]:
    """Ten steps with 1 to 100 tools."""
    for count in setup.sizes(1, 10, 50, 100):
        yield from _played("tools", f"tools={count}", Work(tools=count))


def history(setup: Setup) -> Iterator[Case]:
    """One step after 0 to 5,000 messages."""
    for count in setup.sizes(0, 100, 1000, 5000):
        yield from _played("history", f"messages={count}", Work(steps=1, history=count))


def middleware(setup: Setup) -> Iterator[Case]:
    """Ten steps with three middlewares that do nothing."""
    work = Work(middleware=3)
    for awaited in (False, True):
        systems = {name: graphs.runner(name, work, awaited=awaited) for name in graphs.GRAPHS[:2]}
        yield Case("middleware", _colour("three", awaited), systems, _expected(work))


def http(setup: Setup) -> Iterator[Case]:
    """The real ``ChatOpenAI`` and the real clients of the others, over loopback HTTP."""
    for awaited in (False, True):
        for count in setup.sizes(10, 50):
            yield _over_http("http steps", f"T={count}", Work(steps=count), setup.url, awaited=awaited)
        for count in setup.sizes(100, 1000, 5000):
            yield _over_http("http history", f"messages={count}", Work(steps=1, history=count), setup.url, awaited=awaited)


def kept(setup: Setup) -> Iterator[Case]:
    """Checkpoints of 10 to 200 steps, with the bytes written."""
    for kind, saver in setup.savers.items():
        for count in setup.sizes(10, 50, 200):
            work = Work(steps=count)
            systems = {name: checkpoints.runner(name, work, saver) for name in graphs.GRAPHS}
            yield Case(f"checkpoints {kind}", f"T={count} sync", systems, _expected(work))


def concurrent(setup: Setup) -> Iterator[Case]:
    """500 agents of three steps at once on one event loop."""
    work = Work(steps=3)
    for count in setup.sizes(50, 500):
        systems = {name: special.concurrent_runner(name, work, count) for name in (*graphs.GRAPHS, graphs.HAND_GRAPH)}
        yield Case("concurrent", f"agents={count} async", systems, Done([EXPECTED], count * work.tool_calls))


def parallel_tools(setup: Setup) -> Iterator[Case]:
    """50 tool calls of 20 ms in one turn; wall time."""
    work = Work(steps=1, calls_per_step=50, tool_seconds=0.02)
    for awaited in (False, True):
        systems = {name: graphs.runner(name, work, awaited=awaited) for name in (*graphs.GRAPHS, graphs.HAND_GRAPH)}
        yield Case(
            "parallel tools",
            _colour("calls=50", awaited),
            systems,
            _expected(work),
            wall=True,
            ideal_seconds=work.tool_seconds,
        )


def streaming(setup: Setup) -> Iterator[Case]:
    """2,000 chunks of text through ``stream_mode="messages"``."""
    for chunks in setup.sizes(200, 2000):
        for awaited in (False, True):
            systems = {name: special.streaming_runner(name, chunks, awaited=awaited) for name in graphs.GRAPHS}
            yield Case("streaming", _colour(f"chunks={chunks}", awaited), systems, Done(EXPECTED, 0))


def waiting(setup: Setup) -> Iterator[Case]:
    """The wait for the first event of a stream, and from the last token to its end; wall time of 20 streams."""
    for setting, for_result in (("first event", False), ("after the last token", True)):
        for awaited in (False, True):
            waited = special.Waited()
            systems = {
                name: special.waiting_runner(name, waited, for_result=for_result, awaited=awaited) for name in graphs.GRAPHS
            }
            yield Case("waiting", _colour(setting, awaited), systems, Done(None, 0), clock=waited.read)


def starting(setup: Setup) -> Iterator[Case]:
    """Importing in a new process, and building an agent with 100 tools."""
    yield special.import_case()
    yield special.build_case(Work(tools=100))


def _played(scenario: str, setting: str, work: Work) -> Iterator[Case]:
    for awaited in (False, True):
        systems = {name: graphs.runner(name, work, awaited=awaited) for name in (*graphs.GRAPHS, graphs.HAND_GRAPH)}
        systems["pydantic-ai"] = pydantic_ai_agent.runner(work, awaited=awaited)
        systems["openai-agents"] = openai_agents.runner(work, awaited=awaited)
        systems["bare"] = bare.runner(work, awaited=awaited)
        yield Case(scenario, _colour(setting, awaited), systems, _expected(work))


def _over_http(scenario: str, setting: str, work: Work, url: str, *, awaited: bool) -> Case:
    model = ChatOpenAI(model=f"{SERVED_MODEL}{work.steps}", base_url=url, api_key="none")
    graphs_ = (*graphs.GRAPHS, graphs.HAND_GRAPH)
    systems = {system: graphs.runner(system, work, awaited=awaited, model=model) for system in graphs_}
    if not awaited:
        # Awaited, each of their runs starts an event loop, and connections end with their loop.
        systems["pydantic-ai"] = pydantic_ai_agent.runner(work, awaited=False, url=url)
        systems["openai-agents"] = openai_agents.runner(work, awaited=False, url=url)
        systems["bare"] = bare.http_runner(work, url, [convert_to_openai_tool(tool) for tool in graphs.work_tools(work)])
    return Case(scenario, _colour(setting, awaited), systems, _expected(work))


def _colour(setting: str, awaited: bool) -> str:
    return f"{setting} {'async' if awaited else 'sync'}"


def _expected(work: Work) -> Done:
    return Done(answer(work), work.tool_calls)


SCENARIOS = {
    "steps": steps,
    "short": short,
    "answers": answers,
    "tools": tools,
    "history": history,
    "middleware": middleware,
    "http": http,
    "checkpoints": kept,
    "concurrent": concurrent,
    "parallel-tools": parallel_tools,
    "streaming": streaming,
    "waiting": waiting,
    "starting": starting,
}
"""All scenarios by their name on the command line."""
