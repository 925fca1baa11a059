"""Hostile replies of a server: both APIs, every strategy, blocking, awaited and streamed; then the thread's next turn."""

import asyncio
import json
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import product
from types import TracebackType
from typing import Any, NamedTuple

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, SecretStr, field_validator

from answergraph import (
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from tests.openai_server import OpenAIServer, Reply, ToolCall, calls, says
from tests.torture.hostile_replies import ANSWER, COSTLY, NOT_STREAMED, READABLE, REPLIES


class Verdict(BaseModel):
    """The test's verdict."""

    passed: bool
    why: str = ""

    @field_validator("why", mode="before")
    @classmethod
    def _stripped(cls, why: Any) -> Any:
        return why.strip()  # a validator that does not expect a number raises an AttributeError


@tool
def look(q: str) -> str:
    """Look something up."""
    return q


def invoke(agent: Any, given: Any, config: Any) -> Any:
    return agent.invoke(given, config)


def ainvoke(agent: Any, given: Any, config: Any) -> Any:
    return asyncio.run(agent.ainvoke(given, config))


def stream(agent: Any, given: Any, config: Any) -> Any:
    return list(agent.stream(given, config, stream_mode="values"))[-1]


def astream(agent: Any, given: Any, config: Any) -> Any:
    async def last() -> Any:
        return [state async for state in agent.astream(given, config, stream_mode="values")][-1]

    return asyncio.run(last())


APIS = {"chat completions": False, "responses": True}
STRATEGIES: dict[str, Any] = {
    "tool": ToolStrategy(Verdict),
    "provider": ProviderStrategy(Verdict),
    "prompted": PromptedStrategy(Verdict),
    "auto": AutoStrategy(Verdict),
    "deferred": DeferredStrategy(ToolStrategy(Verdict)),
    "fallback": FallbackStrategy([ProviderStrategy(Verdict), PromptedStrategy(Verdict)]),
}
WAYS = {"invoke": invoke, "ainvoke": ainvoke, "stream": stream, "astream": astream}
ALL_WAYS = tuple(product(APIS, STRATEGIES, WAYS))
KEY = "key-of-nobody"


class Case(NamedTuple):
    """One hostile reply, the way it is requested and the way it is sent."""

    reply: str
    api: str
    strategy: str
    way: str


MIN_WAYS_WITH_COSTLY = 8


def cases(each: int, replies: Iterable[str] = REPLIES) -> Iterator[Case]:
    """Yield each reply in some of the ways. The next reply gets other ways, so a few replies cover all ways.

    Costly replies are sent in half as many ways. If each reply is sent in few ways, they are left out.
    """
    costly = each // 2 if each >= MIN_WAYS_WITH_COSTLY else 0
    for number, reply in enumerate(replies):
        for at in range(costly if reply in COSTLY else each):
            case = Case(reply, *ALL_WAYS[(7 * number + 13 * at) % len(ALL_WAYS)])  # prime to the number of ways
            if reply not in NOT_STREAMED or case.way in ("invoke", "ainvoke"):
                yield case


@contextmanager
def chaos_server() -> Iterator[tuple[list[Reply], OpenAIServer]]:
    """Send the replies of the script, then a good answer."""
    script: list[Reply] = []

    def next_reply(body: Any) -> Reply:
        tools = [each.get("function") or each for each in body.get("tools") or ()]
        is_asked_to_call = any(each.get("name") == "Verdict" for each in tools)
        return script.pop() if script else calls(ToolCall("Verdict", ANSWER)) if is_asked_to_call else says(ANSWER)

    with OpenAIServer(next_reply) as server:
        yield script, server


def agent_of(server: OpenAIServer, api: str, strategy: str, way: str) -> Any:
    options: dict[str, Any] = {"streaming": True} if "stream" in way else {}
    model = ChatOpenAI(
        model="gpt-4o",
        base_url=server.base_url,
        api_key=SecretStr(KEY),
        use_responses_api=APIS[api],
        max_retries=0,
        **options,
    )
    return create_agent(model, [look], response_format=STRATEGIES[strategy], checkpointer=InMemorySaver())


def is_the_clients(trace: TracebackType | None) -> bool:
    """Return whether the model's client raised an exception: below the last frame of answergraph."""
    names = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(trace)]
    below = names[max((at for at, name in enumerate(names) if name.startswith("answergraph.")), default=len(names)) + 1 :]
    return any(name.startswith(("openai.", "langchain_openai.", "langchain_core.language_models.")) for name in below)


def turns(run: Callable[[Any, Any], Any], script: list[Reply], case: Case) -> Iterator[str]:
    """Yield the result of a turn with the script's replies, then that of the thread's next turn."""
    for turn in ("first", "next"):
        try:
            outcome = run({"messages": [turn]}, {"configurable": {"thread_id": "1"}})["outcome"]
        except Exception as error:  # noqa: BLE001 - the test is about which exceptions there are
            is_allowed = turn == "first" and case.reply not in READABLE and is_the_clients(error.__traceback__)
            said = "the client's own error" if is_allowed else f"{turn}: {type(error).__name__}: {str(error)[:100]}"
            yield f"{turn}: the key is told" if KEY in str(error) else said
        else:
            is_told, is_good = KEY in json.dumps(outcome), turn == "first" or outcome["status"] == "answered"
            yield f"{turn}: the key is told" if is_told else "an outcome" if is_good else f"next: {outcome['status']}"
        script.clear()


FINE = {"an outcome", "the client's own error"}


def became_of(chosen: Iterable[Case]) -> dict[Case, list[str]]:
    """Send each case, and return the results of its two turns."""
    with chaos_server() as (script, server):
        agents = cache(partial(agent_of, server))
        became = {}
        for case in chosen:
            script[:] = [REPLIES[case.reply]] * 2
            agent = agents(case.api, case.strategy, case.way)
            became[case] = list(turns(partial(WAYS[case.way], agent), script, case))
            agent.checkpointer.delete_thread("1")
        return became
