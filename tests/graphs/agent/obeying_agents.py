"""Agents whose corrections are to be obeyed: servers, strategies, checks and middleware, and limits."""

from collections.abc import Callable
from typing import Annotated, Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import (
    Abstention,
    AnswerRejected,
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    Quote,
    ToolStrategy,
    UsageLimits,
)
from answergraph.middleware import AgentMiddleware, GroundedAnswer, NarrowResponseFormat, RequireTools
from answergraph.testing import ScriptedChatModel

LOG = "10:00 started\n12:04 the database did not answer"
RIGHT: dict[str, Any] = {"cause": "the database", "quote": "the database did not answer", "minutes": 4}
MADE_UP = RIGHT | {"quote": "the disk was full"}
LATE = RIGHT | {"minutes": 400}
WRONG: dict[str, Any] = {"cause": "the database"}
PATCH: dict[str, Any] = {"changes": [{"path": "minutes", "value": 4}]}


class Cause(BaseModel):
    """Why it failed."""

    cause: str
    quote: str
    minutes: int


class QuotedCause(Cause):
    """Why it failed."""

    quote: Annotated[str, Quote()]


QuotedCause.__name__ = "Cause"


@tool
def read_log() -> str:
    """Read the log."""
    return LOG


@tool
def read_clock() -> str:
    """Read the clock."""
    return "12:30"


def in_the_first_hour(answer: Any, state: Any, runtime: Any) -> None:
    if isinstance(answer, Cause) and answer.minutes > 60:
        raise AnswerRejected("The minutes are those since the hour: at most 60.")


class Offering(AgentMiddleware):
    """Offers only some tools, or the tools with a choice, once the model has replied ``after`` times."""

    def __init__(self, *names: str, after: int = 0, **settings: Any) -> None:
        super().__init__()
        self.names, self.after, self.settings = names, after, settings

    def modify_model_request(self, request: Any) -> Any:
        if sum(isinstance(each, AIMessage) for each in request.messages) < self.after:
            return request
        tools = [each for each in request.tools if each.name in self.names]
        return request.override(tools=tools, **self.settings)


def in_the_first_hour_by_field(answer: Any, state: Any, runtime: Any) -> None:
    if isinstance(answer, Cause) and answer.minutes > 60:
        raise AnswerRejected("The minutes are wrong.", fields={"minutes": "at most 60; call the tool again if need be"})


def only_abstention_without_log(request: Any) -> Any:
    return None if any(LOG in each.text for each in request.messages if isinstance(each, ToolMessage)) else Abstention


class Server(ScriptedChatModel):
    """A model behind a server at an address, which says what it can do."""

    base_url: str = ""
    calls: bool = True
    """Whether the server has tool calls."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        if not self.calls:
            raise NotImplementedError
        return super().bind_tools(tools, **kwargs)


SERVERS: dict[str, dict[str, Any]] = {
    "full": {"model_name": "gpt-5"},
    "json_schema only": {"model_name": "smollm", "base_url": "http://llama-cpp:8080/v1"},
    "tools only": {"model_name": "mistral-7b"},
    "plain": {"model_name": "mistral-7b", "calls": False},
}
STRATEGIES: dict[str, Callable[[Any], Any]] = {
    "bare": lambda type_: type_,
    "tool": ToolStrategy,
    "auto tool": lambda type_: ToolStrategy(type_, tool_choice="auto"),
    "provider": ProviderStrategy,
    "prompted": PromptedStrategy,
    "json mode": lambda type_: PromptedStrategy(type_, json_mode=True),
    "deferred": DeferredStrategy,
    "deferred tool": lambda type_: DeferredStrategy(ToolStrategy(type_)),
    "deferred provider": lambda type_: DeferredStrategy(ProviderStrategy(type_)),
    "ladder": lambda type_: FallbackStrategy([ToolStrategy(type_), ProviderStrategy(type_), PromptedStrategy(type_)]),
    "auto": AutoStrategy,
    "own words": lambda type_: ToolStrategy(type_, handle_errors="Look at your answer again."),
    "ladder of auto": lambda type_: FallbackStrategy([AutoStrategy(type_), DeferredStrategy(type_)]),
    "ladder to auto": lambda type_: FallbackStrategy([PromptedStrategy(type_), AutoStrategy(type_)]),
    "ladder of deferred": lambda type_: FallbackStrategy([DeferredStrategy(ToolStrategy(type_)), PromptedStrategy(type_)]),
}
CHECKS: dict[str, Callable[[], dict[str, Any]]] = {
    "none": dict,
    "grounded": lambda: {"middleware": [GroundedAnswer()]},
    "grounded or abstained": lambda: {"middleware": [GroundedAnswer(abstain=Abstention)]},
    "required": lambda: {"middleware": [RequireTools("read_log")]},
    "required in order": lambda: {"middleware": [RequireTools("read_log"), RequireTools("read_clock")]},
    "hidden": lambda: {"middleware": [RequireTools("read_log", mode="hide")]},
    "narrowed": lambda: {"middleware": [NarrowResponseFormat(only_abstention_without_log, until="first call read_log")]},
    "grounded and hidden": lambda: {"middleware": [GroundedAnswer(), RequireTools("read_log", mode="hide")]},
    "without clock": lambda: {"middleware": [RequireTools("read_log"), Offering("read_log")]},
    "without tools": lambda: {"middleware": [RequireTools("read_log"), Offering()]},
    "grounded, tools end": lambda: {"middleware": [GroundedAnswer(), Offering(after=2)]},
    "free choice": lambda: {"middleware": [RequireTools("read_log"), Offering("read_log", "read_clock", tool_choice="auto")]},
    "forced": lambda: {"middleware": [Offering("read_log", "read_clock", tool_choice="any")]},
    "no choice": lambda: {
        "middleware": [RequireTools("read_log"), Offering("read_log", "read_clock", after=1, tool_choice="none")]
    },
    "one choice": lambda: {"middleware": [Offering("read_log", "read_clock", after=1, tool_choice="read_log")]},
    "narrowed, tools end": lambda: {
        "middleware": [NarrowResponseFormat(only_abstention_without_log, until="first call read_log"), Offering(after=2)]
    },
    "rejected": lambda: {"check_answer": in_the_first_hour},
    "rejected by field": lambda: {"check_answer": in_the_first_hour_by_field, "repair": "patch"},
    "rejected and required": lambda: {
        "check_answer": in_the_first_hour_by_field,
        "middleware": [RequireTools("read_log")],
        "repair": "patch",
    },
    "grounded, repaired": lambda: {"middleware": [GroundedAnswer(abstain=Abstention)], "repair": "patch"},
}
LIMITS: dict[str, UsageLimits] = {
    "ample": UsageLimits(model_calls=12, answer_attempts=8),
    "few attempts": UsageLimits(model_calls=12, answer_attempts=3),
    "no tool call left": UsageLimits(model_calls=12, tool_calls=1, answer_attempts=8),
    "few calls": UsageLimits(model_calls=4, answer_attempts=8),
    "two calls": UsageLimits(model_calls=2),
    "no reserve": UsageLimits(model_calls=4, answer_attempts=8, reserve_final_answer=False),
}
