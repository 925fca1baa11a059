"""The parts of the programs in ``programs``: tools, hooks and wrappers, written for LangChain."""

import copy
from collections.abc import Callable, Generator
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    HumanInTheLoopMiddleware,
    after_agent,
    after_model,
    before_agent,
    before_model,
)
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.prebuilt import InjectedState, ToolRuntime
from langgraph.types import Command, interrupt

from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.langchain_programs import BAD, GOOD, Contact, CreateAgent, Event, Program, call, said
from tests.suite.tools import search


class Answering(AgentMiddleware[Any, Any]):
    """Wraps the model call, in both colours, by a generator that yields requests and is sent what the handler returns."""

    def __init__(self, steps: Callable[[Any], Generator[Any, Any, Any]]) -> None:
        super().__init__()
        self.steps = steps

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        steps = self.steps(request)
        try:
            asked = next(steps)
            while True:
                try:
                    response = handler(asked)
                except ValueError as error:
                    asked = steps.throw(error)
                else:
                    asked = steps.send(response)
        except StopIteration as done:
            return done.value

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        steps = self.steps(request)
        try:
            asked = next(steps)
            while True:
                try:
                    response = await handler(asked)
                except ValueError as error:
                    asked = steps.throw(error)
                else:
                    asked = steps.send(response)
        except StopIteration as done:
            return done.value


def overriding(**changes: Any) -> Answering:
    def steps(request: Any) -> Generator[Any, Any, Any]:
        return (yield request.override(**changes))

    return Answering(steps)


def in_place_of_the_model(response: Any) -> Answering:
    def steps(request: Any) -> Generator[Any, Any, Any]:
        yield from ()
        return copy.deepcopy(response)

    return Answering(steps)


def until_it_parses(request: Any) -> Generator[Any, Any, Any]:
    for _ in range(2):
        try:
            return (yield request)
        except ValueError:
            continue
    return (yield request)


def with_a_note(request: Any) -> Generator[Any, Any, Any]:
    response = yield request
    seen = [type(message).__name__ for message in response.result]
    return ExtendedModelResponse(model_response=response, command=Command(update={"notes": seen}))


def with_a_message(request: Any) -> Generator[Any, Any, Any]:
    response = yield request
    extra = {"messages": [HumanMessage("extra")]}
    return ExtendedModelResponse(model_response=response, command=Command(update=extra))


def what_it_is_asked(request: Any) -> Generator[Any, Any, Any]:
    response = yield request
    facts = [request.response_format.schema.__name__, *sorted(request.state)]
    return ExtendedModelResponse(model_response=response, command=Command(update={"notes": facts}))


class Written(AgentState[Any]):
    """A state to which every hook adds a note."""

    notes: NotRequired[Annotated[list[str], lambda old, new: [*(old or []), *new]]]


def noting(hook: Any, name: str, *, jump: str | None = None, once: bool = False, **update: Any) -> Any:
    """Return a hook of LangChain's decorator that notes how many messages it saw, and may jump."""

    def note(state: Any, runtime: Any) -> dict[str, Any]:
        first = sum(message.type == "ai" for message in state["messages"]) < 2
        jumping = {"jump_to": jump, **copy.deepcopy(update)} if jump and (first or not once) else {}
        return {"notes": [f"{name}: {len(state['messages'])}"], **jumping}

    return hook(can_jump_to=[jump], name=name)(note) if jump else hook(name=name)(note)


def every_hook() -> list[Any]:
    hooks = {"first": before_agent, "before": before_model, "after": after_model, "last": after_agent}
    return [noting(hook, name) for name, hook in hooks.items()]


@tool
def boom(text: str) -> str:
    """Fail."""
    raise ValueError(f"boom {text}")


@tool
def ask(text: str) -> str:
    """Ask a person."""
    return f"a person said {interrupt(text)}"


@tool
def look(text: str, state: Annotated[dict[str, Any], InjectedState], call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Look at the state."""
    return f"{text} {len(state['messages'])} {call_id}"


@tool
def keys(runtime: ToolRuntime) -> str:
    """Name the keys of the state."""
    return " ".join(sorted(runtime.state))


@tool
def attach(text: str, call_id: Annotated[str, InjectedToolCallId]) -> ToolMessage:
    """Return a message of its own."""
    return ToolMessage(text, tool_call_id=call_id, artifact={"text": text})


def plus(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


def on_model(make: Callable[[], Any]) -> Program:
    """Return the program of an agent with a wrapped model."""
    return Program(lambda create_agent: create_agent(make(), [search]))


def scripted(*replies: Any) -> ScriptedChatModel:
    return ScriptedChatModel(replies=list(replies))


def delegating(create_agent: CreateAgent) -> Any:
    """An agent whose subagent receives its whole state and returns its own whole state, as in deep agents."""
    kept = {"messages", "structured_response"}
    subagent = create_agent(scripted(said(call("Event", "7", title="t"))), [search], response_format=ToolStrategy(Event))

    @tool
    def delegate(task: str, runtime: ToolRuntime) -> Command[Any]:
        """Delegate a task."""
        given = {key: value for key, value in runtime.state.items() if key not in kept}
        result = subagent.invoke({**given, "messages": [HumanMessage(task)]})
        back = {key: value for key, value in result.items() if key not in kept}
        return Command(update={**back, "messages": [ToolMessage("done", tool_call_id=runtime.tool_call_id)]})

    replies = scripted(said(call("delegate", task="x")), said(BAD), said(GOOD))
    return create_agent(replies, [delegate], response_format=ToolStrategy(Contact))


def approving(*names: str) -> list[Any]:
    return [HumanInTheLoopMiddleware(interrupt_on=dict.fromkeys(names, True))]
