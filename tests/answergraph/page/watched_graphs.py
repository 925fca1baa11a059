"""Graphs for the page's tests: a grounded answer, an approval, a question, many messages, hostile text, a pause."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Literal

from langchain.agents.middleware import HumanInTheLoopMiddleware, InterruptOnConfig
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph import PromptedStrategy, Quote, UsageLimits, create_agent
from answergraph.graphs import create_calculator
from answergraph.middleware import AgentMiddleware, GroundedAnswer, NarrowResponseFormat
from answergraph.testing import ScriptedChatModel

LOG = "🚂 12:03 INFO the build began\n12:04 ERROR the server <b>did not</b> answer within 1500 ms\n12:05 INFO the build ended"
QUOTE = "ERROR the server <b>did not</b> answer"
MANY = 2000
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


class Finding(BaseModel):
    """What the log says."""

    is_real: bool
    quotes: Annotated[list[str], Quote()]
    why: str


class SlowModel(ScriptedChatModel):
    """Writes as slowly as a real model, so that the page can show it."""

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in super()._astream(*args, **kwargs):
            await asyncio.sleep(0.04)  # the pace of this model, not a wait for something
            yield chunk


@tool
def read_log(path: str) -> str:
    """Read a log."""
    return LOG


def calls(name: str, args: dict[str, Any], call_id: str) -> AIMessage:
    return AIMessage("Let me see.", tool_calls=[{"name": name, "args": args, "id": call_id}])


def in_turn(*replies: AIMessage) -> Callable[[list[BaseMessage]], AIMessage]:
    """Return a script whose next reply depends on the conversation, because a server may use one graph for many runs."""
    return lambda messages: replies[sum(message.type == "ai" for message in messages) % len(replies)].model_copy()


def grounded() -> Any:
    """Return an agent whose first quote is wrong and whose second one is in the log, after an emoji."""
    why = "The server was there and said nothing, which no test does to itself."
    wrong = {"is_real": True, "quotes": ["ERROR the server did answer"], "why": why}
    right = {"is_real": True, "quotes": [QUOTE], "why": why}
    read = calls("read_log", {"path": "a.log"}, "1")
    model = SlowModel(replies=in_turn(read, calls("Finding", wrong, "2"), calls("Finding", right, "3")))
    return create_agent(model, [read_log], response_format=Finding, middleware=[GroundedAnswer()], name="grounded")


def rejected() -> Any:
    """Return an agent whose quotes are never in the log, and whose first answer also has the wrong form."""
    why = "The server was there and said nothing."
    answers: list[dict[str, Any]] = [{"is_real": "perhaps", "quotes": ["ERROR the server did answer"], "why": why}]
    answers += [{"is_real": True, "quotes": [f"ERROR the server did not reply {count}"], "why": why} for count in range(6)]
    answered = [calls("Finding", args, str(number)) for number, args in enumerate(answers, 2)]
    model = ScriptedChatModel(replies=in_turn(calls("read_log", {"path": "a.log"}, "1"), *answered))
    return create_agent(model, [read_log], response_format=Finding, middleware=[GroundedAnswer()], name="rejected")


class Cause(BaseModel):
    """Why it failed."""

    cause: str


class Missing(BaseModel):
    """What is not known yet."""

    missing: str


class AskAgain(AgentMiddleware[Any, Any, Any]):
    """Repeats a call after an error, and discards the first reply after a tool."""

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        if sum(message.type == "tool" for message in request.messages) != 1:
            return await handler(request)
        with contextlib.suppress(ConnectionError):
            await handler(request)
        await asyncio.sleep(0.2)  # the pause before the call is made again, not a wait for something
        await handler(request)
        return await handler(request)


def noted() -> Any:
    """Return an agent with narrowed and repeated calls, with a last call of the budget and a repaired answer."""
    read, unused, again = (calls("read_log", {"path": f"{name}.log"}, name) for name in "abc")
    model = ScriptedChatModel(replies=[read, ConnectionError(), unused, again, AIMessage('{"missing": "the other log",}')])
    return create_agent(
        model,
        [read_log],
        response_format=PromptedStrategy(Cause | Missing),
        middleware=[NarrowResponseFormat(lambda request: None if request.messages[1:] else Missing), AskAgain()],
        limits=UsageLimits(model_calls=4),
        name="noted",
    )


def approval() -> Any:
    """Return a calculator that asks a person before it multiplies."""
    return create_calculator(middleware=[HumanInTheLoopMiddleware(interrupt_on={"multiply": True})])


@tool
def book(city: str, nights: int = 2, quiet: bool = False, extras: list[str] | None = None) -> str:
    """Book a room."""
    return f"Booked: {city}, {nights} nights, quiet {quiet}, extras {extras}."


def _two_rooms(messages: list[BaseMessage]) -> AIMessage:
    if messages[-1].type == "tool":
        return AIMessage("Done.")
    rooms = [{"city": "Rome", "nights": 3, "extras": ["bath"]}, {"city": "Oslo", "quiet": True}]
    return AIMessage("", tool_calls=[{"name": "book", "args": args, "id": str(args["city"])} for args in rooms])


def _books(mode: Literal["batched", "per_call"]) -> Any:
    asks = InterruptOnConfig(allowed_decisions=["approve", "edit", "reject", "respond"])
    approval = HumanInTheLoopMiddleware(interrupt_on={"book": asks}, interrupt_mode=mode)
    return create_agent(ScriptedChatModel(replies=_two_rooms), [book], middleware=[approval], name="booking")


def booking() -> Any:
    """Return an agent that asks a person about two calls, in one interrupt."""
    return _books("batched")


def booking_each() -> Any:
    """Return the same agent with an interrupt for each call, with the schema of the tool."""
    return _books("per_call")


def poll() -> Any:
    """Return a graph that asks two questions at once; one has a schema for its answer."""

    def asks(value: Any, schema: dict[str, Any] | None = None) -> Any:
        return lambda state: {"messages": [AIMessage(json.dumps(interrupt(value, response_schema=schema)))]}

    when = {"type": "object", "properties": {"day": {"enum": ["Monday", "Friday"]}, "guests": {"type": "integer"}}}
    graph = StateGraph(MessagesState).add_node("when", asks("When?", when)).add_node("free", asks({"question": "And else?"}))
    return graph.add_edge(START, "when").add_edge(START, "free").compile()


def inbox() -> Any:
    """Return a graph that asks about four calls in the format of the agent inbox, and writes the replies."""
    may = {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": True}

    def ask(state: MessagesState) -> dict[str, Any]:
        calls = [{"action": "book", "args": {"city": city, "nights": 2}} for city in ("Rome", "Oslo", "Bonn", "Nice")]
        told = interrupt([{"action_request": call, "config": may, "description": "A room."} for call in calls])
        return {"messages": [AIMessage(json.dumps(told))]}

    return StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").add_edge("ask", END).compile()


def question() -> Any:
    """Return a graph that asks a custom question."""

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"You said {interrupt({'question': 'Shall I?'})!r}.")]}

    return StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").add_edge("ask", END).compile()


class Rounds(MessagesState):
    """Messages, and a number of rounds."""

    rounds: int


def long() -> Any:
    """Return a graph that writes its messages in a hundred rounds."""

    def speak(state: Rounds) -> dict[str, Any]:
        first = len(state["messages"])
        calls = [{"name": "read_log", "args": {}, "id": str(number)} for number in range(first, first + 10)]
        pairs = [(AIMessage("", tool_calls=[c]), ToolMessage(f"{LOG}\n" * 3, tool_call_id=str(c["id"]))) for c in calls]
        return {"messages": [message for pair in pairs for message in pair], "rounds": state.get("rounds", 0) + 1}

    def route(state: Rounds) -> Literal["again", "enough"]:
        return "again" if len(state["messages"]) < MANY else "enough"

    graph = StateGraph(Rounds, input_schema=MessagesState).add_node("speak", speak).add_edge(START, "speak")
    return graph.add_conditional_edges("speak", route, {"again": "speak", "enough": END}).compile()


def hostile() -> Any:
    """Return a graph that writes HTML wherever it can."""

    def say(state: MessagesState) -> dict[str, Any]:
        said: list[Any] = [AIMessage(HOSTILE, name=HOSTILE), HumanMessage([{"type": HOSTILE, "text": HOSTILE}])]
        return {"messages": said}

    def route(state: MessagesState) -> str:
        return HOSTILE

    graph = StateGraph(MessagesState).add_node(HOSTILE, say).add_edge(START, HOSTILE)
    return graph.add_conditional_edges(HOSTILE, route, {HOSTILE: END, 'click n0 "javascript:alert(1)"': HOSTILE}).compile()


class FormContext(BaseModel):
    """Every kind of field."""

    word: str = Field(default="hello", description="A word.")
    number: int = Field(default=3, ge=1, le=9)
    color: Literal["red", "green"] = "red"
    loud: bool = False
    extra: dict[str, Any] | None = None


class FormInput(TypedDict):
    """An input without messages."""

    city: str


def form() -> Any:
    """Return a graph that repeats its context."""

    class State(FormInput, total=False):
        echo: dict[str, Any]
        messages: list[Any]

    def repeat(state: State, runtime: Runtime[FormContext]) -> dict[str, Any]:
        said = (runtime.context or FormContext()).model_dump_json()
        return {"messages": [AIMessage(f"{state['city']}: {said}")]}

    graph = StateGraph(State, context_schema=FormContext, input_schema=FormInput)
    return graph.add_node("repeat", repeat).add_edge(START, "repeat").add_edge("repeat", END).compile()


def pause() -> Any:
    """Return a graph that ends only when somebody stops it."""

    async def wait(state: MessagesState) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {"messages": [AIMessage("never")]}

    return StateGraph(MessagesState).add_node("wait", wait).add_edge(START, "wait").compile()


def relay() -> Any:
    """Return a graph of three nodes; each is silent for so long that the page asks which node is running."""

    async def work(state: MessagesState) -> dict[str, Any]:
        await asyncio.sleep(2)  # the pace of this graph, not a wait for something
        return {}

    graph = StateGraph(MessagesState)
    for before, name in itertools.pairwise((START, "first", "second", "third")):
        graph.add_node(name, work).add_edge(before, name)
    return graph.compile()


def rounds(seconds: float, text: str) -> Any:
    """Return a graph that writes one message in each of ``rounds`` rounds."""

    async def speak(state: Rounds) -> dict[str, Any]:
        await asyncio.sleep(seconds)  # the pace of this graph, not a wait for something
        return {"messages": [AIMessage(f"{len(state['messages'])} {text}")]}

    def route(state: Rounds) -> Literal["again", "enough"]:
        return "again" if len(state["messages"]) <= state["rounds"] else "enough"

    graph = StateGraph(Rounds).add_node("speak", speak).add_edge(START, "speak")
    return graph.add_conditional_edges("speak", route, {"again": "speak", "enough": END}).compile()


def steady() -> Any:
    """Return a graph that takes its time for each step."""
    return rounds(0.25, "steady")


def many() -> Any:
    """Return a graph of many quick steps, each of which adds a kilobyte."""
    return rounds(0, "x" * 1000)
