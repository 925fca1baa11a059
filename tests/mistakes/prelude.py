"""The names that the programs of ``mistakes.txt`` use: parts of a small agent, right and wrong."""

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Annotated, Any, Generic, Literal, NamedTuple, Never, TypeVar

import langchain.agents.structured_output as langchains
from langchain.agents.middleware import (
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    LLMToolEmulator,
    LLMToolSelectorMiddleware,
    ProviderToolSearchMiddleware,
    ToolCallLimitMiddleware,
)
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import BaseModel, PlainValidator, SkipValidation, computed_field
from typing_extensions import TypedDict

import answergraph
import answergraph.evidence
import answergraph.graphs
import answergraph.middleware
import answergraph.models
import answergraph.testing
from answergraph import Quote, create_agent
from answergraph.middleware import AgentMiddleware, AgentState, GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.mistakes import wrong_parts

ItemT = TypeVar("ItemT")


class V(BaseModel):
    """A verdict."""

    ok: bool


@dataclass
class D:
    """The same as a dataclass."""

    ok: bool = True


class Quoted(BaseModel):
    """A finding."""

    quote: Annotated[str, Quote()]


class Row(TypedDict):
    """A row."""

    quote: Annotated[str, Quote()]


class Pair(NamedTuple):
    """A pair."""

    quote: Annotated[str, Quote()]


@dataclass
class Boxed(Generic[ItemT]):
    """A box."""

    item: ItemT


def answer_of(annotation: Any, **options: Any) -> type[BaseModel]:
    """Return a model ``Answer`` with one field ``f`` of a type."""
    fields = {"__annotations__": {"f": annotation}, "__module__": __name__, **options}
    return type("Answer", (BaseModel,), fields)


class Dropping:
    """An annotation that replaces the validation of its type."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {"type": "any"}


@tool
def read_log(path: str) -> str:
    """Read a log."""
    return path


def search(query: str) -> str:
    """Search."""
    return query


def search_lines(query: str) -> Any:
    """Search, line by line."""
    yield query


async def search_later(query: str) -> Any:
    """Search, line by line."""
    yield query


class LinesTool(BaseTool):
    """A tool of a class of its own that yields."""

    name: str = "lines"
    description: str = "Search, line by line."

    def _run(self, query: str) -> Any:
        yield query


class YieldingTools(AgentMiddleware[Any, Any, Any]):
    """A middleware that brings a tool that yields."""

    tools = (tool(search_lines),)


class SearchTool(StructuredTool):
    """A class of tools."""


class Loose:
    """An object that only looks like a middleware."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request)


class Slip(AgentMiddleware[Any, Any, Any]):
    """A middleware whose check has a misspelt name, so that nothing calls it."""

    def check_answers(self, answer: Any, state: Any, runtime: Any) -> None:
        """Reject everything."""


class OneArgument(AgentMiddleware[Any, Any, Any]):
    """A middleware whose check takes the answer alone."""

    def check_answer(self, answer: Any) -> None:  # type: ignore[override]  # the mistake
        """Never asked."""


class AsyncHook(AgentMiddleware[Any, Any, Any]):
    """A middleware whose hook is a coroutine function without a coroutine hook's name."""

    async def before_model(self, state: Any, runtime: Any) -> None:  # type: ignore[override]  # the mistake
        """Never awaited."""


class NoHandler(AgentMiddleware[Any, Any, Any]):
    """A middleware whose hook lacks the parameter ``handler``."""

    def wrap_model_call(self, request: Any) -> Any:  # type: ignore[override]  # the mistake
        """Answer nothing."""


class OwnOutcome(AgentState[Any]):
    """A state with a reserved key of the agent."""

    outcome: int  # type: ignore[misc]  # the mistake


class OwnAnswer(AgentState[Any]):
    """A state that declares another answer type."""

    structured_response: int  # type: ignore[misc]  # the mistake


class OwnMessages(TypedDict):
    """A state whose key ``messages`` holds no messages."""

    messages: str


class OwnLedger(AgentState[Any]):
    """A state with a private key of the agent."""

    answergraph_ledger: int


class OwnVerdict(AgentState[Any]):
    """A state with the key that ``output_key`` names."""

    verdict: int


class CarriesOutcome(AgentMiddleware[Any, Any, Any]):
    """A middleware whose state has a reserved key of the agent."""

    state_schema = OwnOutcome

    def before_model(self, state: Any, runtime: Any) -> None:
        """Do nothing."""


class Color(enum.Enum):
    """A color."""

    RED = 1


def check(answer: Any) -> bool:
    """Take the answer alone."""
    return True


async def reply_later(messages: Any) -> str:
    """Reply; never awaited."""
    return ""


def reply_in_three(messages: Any, request: Any, third: Any) -> str:
    """Reply with an argument that the caller does not pass."""
    return ""


def choose() -> None:
    """Choose; lacks the parameter for the request."""


def computed(self: Any) -> Annotated[str, Quote()]:
    """Return a value that is computed, not written by a model."""
    return ""


async def fetch(url: str) -> str:
    """Fetch."""
    return url


CALL: Any = {"name": "fetch", "args": {"url": "x"}, "id": "1"}
MODEL = ScriptedChatModel(replies=lambda: AIMessage("", tool_calls=[CALL]))


def grounded(answer: Any) -> Any:
    """Return an agent whose answers are checked against its tools' results."""
    return create_agent(MODEL, [search], response_format=answer, middleware=[GroundedAnswer()])


AGENT = create_agent(MODEL, response_format=V, name="agent")
STORED = create_agent(MODEL, response_format=V, name="stored", checkpointer=InMemorySaver())
THREAD = {"configurable": {"thread_id": "1"}}

DOORS = (answergraph, answergraph.evidence, answergraph.graphs, answergraph.middleware, answergraph.models, answergraph.testing)
NAMES: dict[str, Any] = {
    **{name: getattr(door, name) for door in DOORS for name in door.__all__},
    **{name: value for name, value in (vars(wrong_parts) | globals()).items() if not name.startswith("__")},
    **{
        each.__name__: each
        for each in (
            Command,
            HumanInTheLoopMiddleware,
            HumanMessage,
            InMemorySaver,
            Path,
            Thread,
            InMemoryStore,
            ClearToolUsesEdit,
            ContextEditingMiddleware,
            LLMToolEmulator,
            LLMToolSelectorMiddleware,
            ProviderToolSearchMiddleware,
            PlainValidator,
            SkipValidation,
            StructuredTool,
            ToolCallLimitMiddleware,
            ToolNode,
            date,
            partial,
        )
    },
    **{
        "computed_field": computed_field,
        "Callable": Callable,
        "Iterable": Iterable,
        "Literal": Literal,
        "Never": Never,
        "langchains": langchains,
    },
}
"""The names that a program may use."""
