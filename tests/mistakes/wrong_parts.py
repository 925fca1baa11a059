"""Wrong parts of agents, as newcomers write them."""

from dataclasses import dataclass
from typing import Annotated, Any

import pydantic.v1
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt import InjectedState
from pydantic import AliasPath, BaseModel, Field
from typing_extensions import TypedDict

from answergraph import Derived, Grounded
from answergraph.middleware import AgentMiddleware, before_model, hook_config


class NoHooks(AgentMiddleware[Any, Any, Any]):
    """A middleware with the hook of another library."""

    def on_model_start(self, state: Any) -> None:
        """Never called."""


class Forgetting(TypedDict):
    """A state whose messages have no reducer."""

    messages: list[Any]


class OldModel(pydantic.v1.BaseModel):
    """A model of the older Pydantic."""

    ok: bool


@dataclass
class Untyped:
    """A dataclass without a field: its attribute has no type."""

    ok = True


class Service:
    """Has a method that is offered as a tool."""

    def find(self, query: str) -> str:
        """Find."""
        return query


def misses(query: "Missing") -> str:  # type: ignore[name-defined]  # noqa: F821 - the mistake
    """Find."""
    return ""


def find_all(*queries: str) -> str:
    """Find all."""
    return " ".join(queries)


class Line(BaseModel):
    """A line of a bill."""

    price: Annotated[float, Grounded()]


def bill(formula: str) -> type[BaseModel]:
    """Return a model whose total is computed by a formula."""

    class Bill(BaseModel):
        """A bill."""

        items: list[Line]
        price: Annotated[float, Grounded()]
        note: str
        total: Annotated[float, Derived(formula)]

    return Bill


class YieldsLater(BaseTool):
    """A tool that yields where it is awaited."""

    name: str = "later"
    description: str = "Search, line by line."

    def _run(self, query: str) -> str:
        return query

    async def _arun(self, query: str) -> Any:
        yield query


class Inside(BaseModel):
    """A model whose field no key of an answer fills."""

    total: float = Field(validation_alias=AliasPath("sums", "total"))


def search(query: str) -> str:
    """Search."""
    return query


class HasAFunctionForTools(AgentMiddleware[Any, Any, Any]):
    """Its tools are one function, not a list."""

    tools: Any = search

    def before_model(self, state: Any, runtime: Any) -> None:
        """Do nothing."""


class HasNamesForTools(AgentMiddleware[Any, Any, Any]):
    """Its tools are names."""

    tools: Any = ("search",)

    def before_model(self, state: Any, runtime: Any) -> None:
        """Do nothing."""


class ShortensRuntime(AgentMiddleware[Any, Any, Any]):
    """Calls the runtime otherwise than it is passed."""

    def before_model(self, state: Any, rt: Any) -> None:
        """Do nothing."""


@tool
def reads_a_key(query: str, value: Annotated[Any, InjectedState("nokey")]) -> str:
    """Find."""
    return query


def jumping(**options: Any) -> AgentMiddleware[Any, Any, Any]:
    """Return a middleware whose hook declares where it jumps."""

    @before_model(**options)
    def stops(state: Any, runtime: Any) -> None:
        """Never jumps."""

    return stops


class Stops(AgentMiddleware[Any, Any, Any]):
    """A middleware whose hook jumps to a place that is none."""

    @hook_config(can_jump_to=["finish"])  # type: ignore[list-item]  # the mistake
    def after_model(self, state: Any, runtime: Any) -> None:
        """Never jumps."""
