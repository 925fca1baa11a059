"""Programs written for LangChain: each gets ``create_agent`` as an argument and imports everything else from LangChain.

A program returns the agents it builds, with their inputs; ``test_create_moving_over`` runs them under both packages.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NotRequired

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    HumanInTheLoopMiddleware,
    after_model,
    before_model,
    dynamic_prompt,
)
from langchain.agents.structured_output import (
    AutoStrategy,
    MultipleStructuredOutputsError,
    ProviderStrategy,
    StructuredOutputValidationError,
    ToolStrategy,
)
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search

CreateAgent = Callable[..., Any]
QUESTION = {"messages": [{"role": "user", "content": "question"}]}


class Contact(BaseModel):
    """A contact."""

    name: str
    age: int = Field(ge=0)


class Event(BaseModel):
    """An event."""

    title: str


@dataclass
class Place:
    """A place."""

    city: str


class Route(TypedDict):
    """A route."""

    to: str


RECORD = {"title": "Record", "description": "A record.", "type": "object", "properties": {"n": {"type": "integer"}}}
ONE_OF = {"oneOf": [RECORD, {"title": "Other", "type": "object", "properties": {"m": {"type": "string"}}, "required": ["m"]}]}


@tool
def fail(why: str) -> str:
    """Fail."""
    raise ToolException(why)


fail.handle_tool_error = True


@tool(return_direct=True)
def stop() -> str:
    """Stop here."""
    return "stopped"


@tool
def note(text: str, runtime: ToolRuntime) -> Command[Any]:
    """Take a note."""
    return Command(update={"notes": [text], "messages": [ToolMessage("noted", tool_call_id=runtime.tool_call_id)]})


class Noted(AgentState[Any]):
    """A state with notes."""

    notes: NotRequired[list[str]]


def call(name: str, call_id: str = "1", /, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def said(*calls: dict[str, Any], text: str = "", **fields: Any) -> AIMessage:
    return AIMessage(text, tool_calls=list(calls), **fields)


@dataclass(frozen=True)
class Program:
    """An agent and its inputs, which run one after the other on one thread."""

    build: Callable[[CreateAgent], Any]
    inputs: tuple[Any, ...] = (QUESTION,)


def program(*replies: Any, inputs: tuple[Any, ...] = (QUESTION,), profile: Any = None, **options: Any) -> Program:
    """Return the program of an agent with a scripted model."""
    tools = options.pop("tools", [search])
    checkpointed = len(inputs) > 1

    def build(create_agent: CreateAgent) -> Any:
        # Each run gets new scripted messages, because the agents write ids into them.
        fresh = [reply.model_copy(deep=True) if isinstance(reply, AIMessage) else reply for reply in replies]
        model = ScriptedChatModel(replies=fresh, profile=profile)
        saver = {"checkpointer": InMemorySaver()} if checkpointed else {}
        return create_agent(model, tools, **saver, **options)

    return Program(build, inputs)


def friendly(error: Exception) -> str:
    if isinstance(error, StructuredOutputValidationError):
        return f"Mend {error.tool_name}."
    if isinstance(error, MultipleStructuredOutputsError):
        return f"Choose one of {error.tool_names}."
    return "Again."


class Signed(AgentMiddleware[Any, Any]):
    """Wraps both kinds of calls, in both colours."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(system_message=SystemMessage("signed")))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(system_message=SystemMessage("signed")))

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tool_call={**request.tool_call, "args": {"query": "signed"}}))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(tool_call={**request.tool_call, "args": {"query": "signed"}}))


@before_model(can_jump_to=["end"])
def stop_at_once(state: Any, runtime: Any) -> dict[str, Any]:
    return {"messages": [AIMessage("not today")], "jump_to": "end"}


@after_model
def remark(state: Any, runtime: Any) -> dict[str, Any]:
    return {"notes": [state["messages"][-1].text]}


@dynamic_prompt
def prompt(request: Any) -> str:
    return f"{len(request.messages)} messages"


GOOD = call("Contact", "9", name="Ada", age=36)
BAD = call("Contact", "8", name="Ada", age=-1)
BROKEN = {"name": "search", "args": '{"query": ', "id": "1", "error": None, "type": "invalid_tool_call"}
APPROVAL = HumanInTheLoopMiddleware(interrupt_on={"search": True})


def decision(**fields: Any) -> Command[Any]:
    return Command(resume={"decisions": [fields]})


SAME: dict[str, Program] = {
    "a text": program("hello"),
    "a system prompt": program("hello", system_prompt="Be brief."),
    "a name": program(said(call("search", query="q")), "hello", name="scout"),
    "one tool": program(said(call("search", query="q")), "done"),
    "parallel tools": program(said(call("search", query="a"), call("search", "2", query="b"), text="both"), "done"),
    "no tools": program("hello", tools=[]),
    "an unknown tool": program(said(call("grep")), "done"),
    "arguments that do not fit": program(said(call("search", wrong=1)), "done"),
    "a tool error that is handled": program(said(call("fail", why="no")), "done", tools=[fail]),
    "a tool that returns directly": program(said(call("stop")), tools=[stop, search]),
    "a tool that updates the state": program(said(call("note", text="x")), "done", tools=[note], state_schema=Noted),
    "a hook that updates the state": program("hello", middleware=[remark], state_schema=Noted),
    "a hook that ends the run": program(middleware=[stop_at_once]),
    "a dynamic prompt": program("hello", middleware=[prompt]),
    "wrapped calls": program(said(call("search", query="q")), "done", middleware=[Signed()]),
    "two turns": program("one", "two", inputs=(QUESTION, QUESTION)),
    "two turns with answers": program(said(GOOD), said(GOOD), inputs=(QUESTION, QUESTION), response_format=ToolStrategy(Contact)),
    "tool strategy, pydantic": program(said(call("search", query="q")), said(GOOD), response_format=ToolStrategy(Contact)),
    "tool strategy, dataclass": program(said(call("Place", city="Bern")), response_format=ToolStrategy(Place)),
    "tool strategy, typed dict": program(said(call("Route", to="x")), response_format=ToolStrategy(Route)),
    "tool strategy, json schema": program(said(call("Record", n=1)), response_format=ToolStrategy(RECORD)),
    "tool strategy, union": program(said(call("Event", title="t")), response_format=ToolStrategy(Contact | Event)),
    "tool strategy, one of": program(said(call("Other", m="x")), response_format=ToolStrategy(ONE_OF)),
    "tool strategy without tools": program(said(GOOD), tools=[], response_format=ToolStrategy(Contact)),
    "a receipt of one's own": program(said(GOOD), response_format=ToolStrategy(Contact, tool_message_content="Saved.")),
    "provider strategy": program('{"name": "Ada", "age": 36}', response_format=ProviderStrategy(Contact)),
    "provider strategy after a tool": program(
        said(call("search", query="q")), '{"name": "Ada", "age": 36}', response_format=ProviderStrategy(Contact)
    ),
    "provider strategy, invalid": program('{"name": "Ada", "age": -1}', response_format=ProviderStrategy(Contact)),
    "provider strategy, no json": program("Ada, 36", response_format=ProviderStrategy(Contact)),
    "a bare schema": program(said(GOOD), response_format=Contact),
    "a bare schema, a model with the mode": program(
        '{"name": "Ada", "age": 36}', response_format=Contact, profile={"structured_output": True}
    ),
    "auto strategy": program(said(GOOD), response_format=AutoStrategy(Contact)),
    "handle_errors=True": program(said(BAD), said(GOOD), response_format=ToolStrategy(Contact)),
    "handle_errors=text": program(said(BAD), said(GOOD), response_format=ToolStrategy(Contact, handle_errors="Try harder.")),
    "handle_errors=type": program(
        said(BAD), said(GOOD), response_format=ToolStrategy(Contact, handle_errors=StructuredOutputValidationError)
    ),
    "handle_errors=another type": program(said(BAD), response_format=ToolStrategy(Contact, handle_errors=KeyError)),
    "handle_errors=types": program(
        said(GOOD, call("Event", title="t")),
        said(GOOD),
        response_format=ToolStrategy(Contact | Event, handle_errors=(KeyError, MultipleStructuredOutputsError)),
    ),
    "handle_errors=callable": program(
        said(BAD),
        said(GOOD, call("Event", title="t")),
        said(GOOD),
        response_format=ToolStrategy(Contact | Event, handle_errors=friendly),
    ),
    "handle_errors=False": program(said(BAD), response_format=ToolStrategy(Contact, handle_errors=False)),
    "handle_errors=False, several answers": program(
        said(GOOD, call("Event", title="t")), response_format=ToolStrategy(Contact | Event, handle_errors=False)
    ),
    "several answers": program(said(GOOD, call("Event", title="t")), said(GOOD), response_format=ToolStrategy(Contact | Event)),
    "approval given": program(
        said(call("search", query="q")), "done", inputs=(QUESTION, decision(type="approve")), middleware=[APPROVAL]
    ),
    "approval refused": program(
        said(call("search", query="q")), "ok", inputs=(QUESTION, decision(type="reject", message="no")), middleware=[APPROVAL]
    ),
    "a call edited by a person": program(
        said(call("search", query="q")),
        "done",
        inputs=(QUESTION, decision(type="edit", edited_action={"name": "search", "args": {"query": "better"}})),
        middleware=[APPROVAL],
    ),
    "approval, then an answer": program(
        said(call("search", query="q")),
        said(GOOD),
        inputs=(QUESTION, decision(type="approve")),
        middleware=[APPROVAL],
        response_format=ToolStrategy(Contact),
    ),
    "history as input": program("hello", inputs=({"messages": [HumanMessage("a"), AIMessage("b"), HumanMessage("c")]},)),
}
"""Programs with the same results."""

DIFFERENT: dict[str, tuple[str, Program]] = {
    "an answer beside a tool call": (
        "end_strategy: the answer is held until the tool's result was seen",
        program(said(GOOD, call("search", query="q")), said(GOOD), response_format=ToolStrategy(Contact)),
    ),
    "prose instead of an answer": (
        "a run never returns None without a reason",
        program("Ada", said(GOOD), response_format=ToolStrategy(Contact)),
    ),
    "the same invalid answer forever": (
        "limits: the same mistake twice ends the run",
        program(*[said(BAD)] * 3, said(GOOD), response_format=ToolStrategy(Contact)),
    ),
    "a json schema that is not met": (
        "JSON Schemas are validated",
        program(said(call("Record", n="one")), said(call("Record", "2", n=1)), response_format=ToolStrategy(RECORD)),
    ),
    "malformed tool arguments": (
        "they are answered in the same run",
        program(AIMessage("", invalid_tool_calls=[BROKEN]), "done"),
    ),
    "two equal answers": (
        "they are one answer",
        program(said(GOOD, {**GOOD, "id": "10"}), said(GOOD), response_format=ToolStrategy(Contact)),
    ),
    "an answer that was cut": (
        "a cut answer is never accepted",
        program(said(GOOD, response_metadata={"finish_reason": "length"}), said(GOOD), response_format=ToolStrategy(Contact)),
    ),
    "json in a fence": (
        "JSON is read wherever it stands",
        program('```json\n{"name": "Ada", "age": 36}\n```', response_format=ProviderStrategy(Contact)),
    ),
}
"""Programs with intended differences, each with its reason."""
