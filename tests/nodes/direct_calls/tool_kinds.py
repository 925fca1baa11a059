"""Every kind of tool."""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, Tool, ToolException, tool
from langgraph.config import get_config
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from langgraph.store.base import BaseStore
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, Field, field_validator

IN_CONTEXT: ContextVar[str] = ContextVar("in_context", default="nothing")


class Point(BaseModel):
    x: int
    y: int = 0


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    a: int


class Checked(BaseModel):
    a: int = Field(alias="aha", default=1)

    @field_validator("a")
    @classmethod
    def not_seven(cls, a: int) -> int:
        if a == 7:
            raise ValueError("not seven")
        return a * 2


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    YES = "yes"


@dataclass
class Pair:
    left: int
    right: int


@tool
def add(a: int, b: Annotated[int, Field(ge=0)] = 1, kind: Literal["sum", "both"] = "sum") -> str:
    """Add."""
    return f"{type(a).__name__} {a} {b} {kind}"


@tool
def measure(points: list[Point], *, unit: str | None = None) -> str:
    """Measure points."""
    return f"{points!r} {unit!r}"


@tool
def convert(day: date, color: Color, share: Decimal, raw: bytes = b"", table: dict[str, list[int]] | None = None) -> str:
    """Convert arguments."""
    return f"{day!r} {color!r} {share!r} {raw!r} {table!r}"


@tool
def take(options: dict[str, Any]) -> str:
    """Take a dict."""
    return f"{options!r}"


@tool
def fail(kind: str) -> str:
    """Fail."""
    raise {"value": ValueError, "tool": ToolException, "stop": RuntimeError, "key": KeyError}[kind]("no")


@tool
async def afail(kind: str) -> str:
    """Fail, awaited."""
    raise {"value": ValueError, "tool": ToolException}[kind]("no")


@tool
def fail_inside(city: str) -> str:
    """Fail as a validation of the tool's own."""
    return str(Point.model_validate({"x": city}))


@tool
def see_config(a: int, config: RunnableConfig) -> str:
    """Tell what the config says."""
    return str(config["metadata"]["who"])


@tool
def see_state(a: int, state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Tell how long the conversation is."""
    return str(len(state["messages"]))


@tool
def see_messages(a: int, messages: Annotated[list[Any], InjectedState("messages")]) -> str:
    """Tell how long the conversation is."""
    return str(len(messages))


@tool
def see_store(a: int, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Tell what is stored."""
    item = store.get(("notes",), "1")
    return str(item and item.value)


@tool
def see_runtime(a: int, runtime: ToolRuntime) -> str:
    """Tell the call's id."""
    return f"{runtime.tool_call_id} {len(runtime.state['messages'])}"


@tool
def see_id(a: int, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Tell the call's id."""
    return tool_call_id


@tool
def see_context() -> str:
    """Tell what the running config says, and what is set around."""
    before = IN_CONTEXT.get()
    IN_CONTEXT.set("the tool")
    return f"{get_config()['metadata']['who']} {before}"


@tool
async def look(a: int) -> str:
    """Look, awaited."""
    await asyncio.sleep(0)
    return f"seen {a}"


@tool
async def alook(a: int) -> Command[Any]:
    """Look, awaited, and command."""
    return Command(update={"messages": [ToolMessage(f"seen {a}", tool_call_id="c1")], "note": "looked"})


@tool(response_format="content_and_artifact")
def make(a: int) -> tuple[str, Any]:
    """Make something."""
    return ("made", {"a": a}) if a else "no pair"  # type: ignore[return-value]  # the mistake is meant


@tool
def anything(**kwargs: Any) -> str:
    """Take anything."""
    return str(kwargs)


@tool
def several(*args: int) -> str:
    """Take several."""
    return str(args)


@tool(return_direct=True)
def direct(a: int) -> str:
    """End the run."""
    return f"direct {a}"


@tool("odd näme.of-a tool!")
def odd(a: int) -> str:
    """Have an odd name."""
    return f"odd {a}"


@tool(args_schema=Strict)
def strict(a: int) -> str:
    """Be strict."""
    return f"{a!r}"


@tool(args_schema=Checked)
def checked(a: int) -> str:
    """Check."""
    return f"{a!r}"


class Own(BaseTool):
    name: str = "own"
    description: str = "A class of its own."

    def _run(self, a: int) -> str:
        return f"own {a}"


class OwnAwaited(Own):
    async def _arun(self, a: int) -> str:
        return f"own awaited {a}"


class OwnStructured(StructuredTool):
    """Changes nothing."""


async def in_both(a: int) -> str:
    return f"awaited {a}"


def handling(**options: Any) -> BaseTool:
    return StructuredTool.from_function(fail.func, name="handling", **options)  # type: ignore[attr-defined]  # made by @tool


def text(error: Any) -> str:
    return f"seen: {type(error).__name__}"


both = StructuredTool.from_function(lambda a: f"blocking {a}", in_both, name="both", description="x", args_schema=Strict)
by_schema = StructuredTool.from_function(lambda x, y: f"{x} {y}", name="by_schema", description="x", args_schema=Point)
by_json = StructuredTool.from_function(lambda **k: str(k), name="by_json", description="x", args_schema=Point.model_json_schema())
single = Tool("single", lambda text: f"single {text}", "One text.")
read_x: Any = RunnableLambda(lambda given: str(given["x"]))
runnable = tool("runnable", read_x.with_types(input_type=Point), description="x")
