"""``python -m benchmarks.deadlines``: runs whose model or tool hangs, with a deadline, beside the peers; for docs/reliability.md.

The cases are those of ``tests/torture/test_hanging_runs.py``, each alone and not streamed. A peer has all the limits that
it knows for this: a time-out of the run, else of the task that awaits it or of a step, and one of a tool, half as long.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

from agents import Agent as OpenAIAgent
from agents import Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from langchain.agents import create_agent as langchain_create_agent
from langchain.agents.structured_output import ToolStrategy as LangChainToolStrategy
from langchain_core.tools import tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.function import FunctionModel

from answergraph import ToolStrategy, UsageLimits, create_agent
from tests.graphs.agent.hanging_agents import LONG, QUESTION, Verdict
from tests.torture.hanging_cases import DEADLINE, RUNS, TOOLS, Case, model_of, slow_functions

AT_ONCE = 4
LATE = 0.5
"""Seconds after the deadline in which a run still counts as one that ended in time."""
GIVEN_UP = 6.0
"""Seconds after the deadline after which nobody waits for a run any more."""

Ran = tuple[str, float]
"""How a run ended, and its seconds."""


def slow_tool(case: Case, over: threading.Event) -> Any:
    blocking, awaited = slow_functions(case.tool, over)
    return awaited if case.awaited and awaited else blocking


def answergraph(case: Case, over: threading.Event) -> Any:
    model, limits = model_of(case.model, over, calls_tool=True), UsageLimits(seconds=DEADLINE)
    agent = create_agent(model, [tool("slow")(slow_tool(case, over))], response_format=ToolStrategy(Verdict), limits=limits)
    result: Any = agent.ainvoke(QUESTION) if case.awaited else agent.invoke(QUESTION)
    return result


def langchain(case: Case, over: threading.Event) -> Any:
    model: Any = model_of(case.model, over, calls_tool=True)
    agent: Any = langchain_create_agent(
        model, [tool("slow")(slow_tool(case, over))], response_format=LangChainToolStrategy(Verdict)
    )
    if case.awaited:
        return asyncio.wait_for(agent.ainvoke(QUESTION), DEADLINE)
    agent.step_timeout = DEADLINE / 2
    return agent.invoke(QUESTION)


def pydantic_ai(case: Case, over: threading.Event) -> Any:
    async def reply(messages: list[Any], info: Any) -> PydanticResponse:
        number = await hangs(case, sum(message.kind == "response" for message in messages))
        name, args = (info.output_tools[0].name, {"score": 1}) if number else ("slow", {})
        return PydanticResponse(parts=[ToolCallPart(name, args, "s")])

    slow = slow_tool(case, over)
    slow.__name__ = "slow"
    agent: Any = PydanticAgent(FunctionModel(reply), output_type=Verdict, tools=[slow], tool_timeout=DEADLINE / 2)
    return agent.run("q", timeout=DEADLINE) if case.awaited else agent.run_sync("q", timeout=DEADLINE)


def openai_agents(case: Case, over: threading.Event) -> Any:
    class Played(Model):
        async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
            number = await hangs(case, sum(each.get("type") == "function_call" for each in input))
            text = ResponseOutputText(type="output_text", text='{"score": 1}', annotations=[])
            said = ResponseOutputMessage(id="a", type="message", role="assistant", status="completed", content=[text])
            asks = ResponseFunctionToolCall(type="function_call", name="slow", arguments="{}", call_id="s")
            return ModelResponse(output=[said if number else asks], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    slow = slow_tool(case, over)
    limit: Any = {"timeout": DEADLINE / 2} if asyncio.iscoroutinefunction(slow) else {}  # the library limits awaited tools only
    tools: Any = [function_tool(slow, name_override="slow", **limit)]
    agent = OpenAIAgent(name="agent", model=Played(), tools=tools, output_type=Verdict)
    return asyncio.wait_for(Runner.run(agent, "q"), DEADLINE) if case.awaited else Runner.run_sync(agent, "q")


async def hangs(case: Case, number: int) -> int:
    """Do what the model of a case does before its reply with this number."""
    if case.model in ("never", "drips") or (case.model == "dies after the tool" and number):
        await asyncio.sleep(LONG)
    if case.model == "times out" and not number:
        raise TimeoutError("The connection hangs.")
    return number


SYSTEMS: dict[str, Callable[[Case, threading.Event], Any]] = {
    "answergraph": answergraph,
    "LangChain `create_agent`": langchain,
    "Pydantic AI": pydantic_ai,
    "openai-agents": openai_agents,
}


def ran(system: str, case: Case) -> Ran:
    """Run a case in a thread that is left behind after ``GIVEN_UP``."""
    over, ends = threading.Event(), list[Ran]()
    began = monotonic()

    def note(result: Any) -> None:
        status = result["outcome"]["status"] if isinstance(result, dict) and "outcome" in result else "answered"
        ends.append((status, monotonic() - began))

    async def awaited() -> None:
        note(await SYSTEMS[system](case, over))  # before the loop is closed, which waits for what hangs in it

    def work() -> None:
        try:
            if case.awaited:
                asyncio.run(awaited())
            else:
                note(SYSTEMS[system](case, over))
        except BaseException as error:  # noqa: BLE001 - how it ended is what is counted
            ends.append((f"raised {type(error).__name__}", monotonic() - began))

    threading.Thread(target=work, daemon=True).start()
    while not ends and monotonic() - began < DEADLINE + GIVEN_UP:
        over.wait(0.01)
    over.set()
    return ends[0] if ends else ("went on", monotonic() - began)


def row(system: str, cases: list[Case]) -> str:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = list(pool.map(lambda case: ran(system, case), cases))
    in_time = [status for status, seconds in runs if seconds <= DEADLINE + LATE]
    typed = [status for status in in_time if not status.startswith("raised")]
    answers = [status for case, (status, _) in zip(cases, runs, strict=True) if case.model in ("answers", "times out")]
    latest = max(seconds for _, seconds in runs) - DEADLINE
    late = f"more than {GIVEN_UP:.0f}" if latest >= GIVEN_UP else f"{max(latest, 0):.2f}"
    return f"| {system} | {len(in_time)} | {len(typed)} | {answers.count('answered')} of {len(answers)} | {late} |"


def main(runs: int = RUNS) -> None:
    """Print the table."""
    set_tracing_disabled(True)
    # A blocking run cannot call a tool that has to be awaited.
    every = [Case.of(seed) for seed in range(runs)]
    cases = [case for case in every if case.awaited or TOOLS[case.tool][1] is None]
    print(f"{len(cases)} runs with a deadline of {DEADLINE:g} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("| library | ended in time | with an answer or a typed reason | answered, where the model answers | latest end, s |")
    print("|---" * 5 + "|")
    for system in SYSTEMS:
        print(row(system, cases), flush=True)
    os._exit(0)  # what hangs may go on for a minute


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
