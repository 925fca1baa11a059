"""The situations of the matrix: the agent's task, the model's behaviour, and the expected result."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from langchain.agents.middleware import ModelRetryMiddleware
from langchain_core.tools import tool
from pydantic import BaseModel, Field, create_model

from answergraph import AutoStrategy, DeferredStrategy, UsageLimits
from answergraph.middleware import NarrowResponseFormat
from tests.openai_server.reply import Reply, ToolCall
from tests.providers.dialogue import Asked, Model, Refused, Rule


class Found(BaseModel):
    """What was found."""

    number: int


class Missing(BaseModel):
    """What was not found."""

    missing: str


def _nested(levels: int) -> Any:
    inner: Any = str
    for level in range(levels):
        inner = create_model(f"Level{level}", inside=(inner, ...))
    return inner


DEEP: Any = create_model("Found", number=(int, ...), more=(_nested(12) | None, None))
"""Deeper than OpenAI and Gemini allow."""
_MANY: Any = {
    "number": (int, ...),
    "kind": (Literal[tuple(f"kind {number}" for number in range(1_001))] | None, None),
    "note": (Annotated[str, Field(max_length=2_000)] | None, None),
    **{f"option_{number}": (int | None, None) for number in range(30)},
}
LARGE: Any = create_model("Found", **_MANY)
"""Larger than OpenAI, Anthropic, Gemini, Bedrock and llama.cpp allow, each for its own reason."""


@tool
def look_up(key: str) -> str:
    """Look a value up."""
    return f"{key} is 42"


WORK, FOUND, MISSING = {"key": "it"}, {"number": 42}, {"missing": "it"}


def answer(asked: Asked, name: str = "Found", value: Any = None, **more: Any) -> Reply:
    """Answer in the requested form: by the answer tool, as JSON, or in an envelope if there are several schemas."""
    data = FOUND if value is None else value
    if name in asked.tools and asked.choice != "none":
        return Reply(tool_calls=(ToolCall(name, data),), **more)
    if not asked.format and "JSON" not in asked.prompt:
        return Reply("The number is 42.", **more)
    is_union = "Missing" in json.dumps(asked.schema or asked.body) and "Found" in json.dumps(asked.schema or asked.body)
    return Reply(json.dumps({"schema": name, "value": data} if is_union else data), **more)


def wants_work(asked: Asked) -> bool:
    # Local servers enforce a format in every turn, so the model calls a tool only if the request has no format.
    return "look_up" in asked.tools and not asked.has_results and asked.choice in ("auto", "any", "look_up")


def works(asked: Asked, number: int) -> Reply:
    return Reply(tool_calls=(ToolCall("look_up", WORK),)) if wants_work(asked) else answer(asked)


def works_twice_at_once(asked: Asked, number: int) -> Reply:
    calls = (ToolCall("look_up", {"key": "this"}), ToolCall("look_up", {"key": "that"}))
    return Reply(tool_calls=calls) if wants_work(asked) else answer(asked)


def thinks(asked: Asked, number: int) -> Reply:
    reply = works(asked, number)
    return Reply(reply.text, reply.tool_calls, reasoning="Let me see.") if asked.thinks else reply


def finds_nothing(asked: Asked, number: int) -> Reply:
    return works(asked, number) if wants_work(asked) else answer(asked, "Missing", MISSING)


def never_stops(asked: Asked, number: int) -> Reply:
    """Call a tool as long as that is possible."""
    if "look_up" in asked.tools and asked.choice in ("auto", "any", "look_up") and "No other tool" not in asked.prompt:
        return Reply(tool_calls=(ToolCall("look_up", WORK),))
    return answer(asked)


def first(reply: Reply | Refused, then: Model = works, times: int = 1) -> Model:
    """Return a model whose first replies are this reply."""
    return lambda asked, number: reply if number <= times else then(asked, number)


def cut(asked: Asked, number: int) -> Reply:
    """Answer, but cut off the end; the cut shows in a text, and not in a call."""
    whole = answer(asked, finish_reason="length")
    return whole if whole.text is None else Reply(whole.text[:-2], finish_reason="length")


def in_prose(asked: Asked, number: int) -> Reply:
    return Reply("So be it.")


def wrong_twice(asked: Asked, number: int) -> Reply:
    return answer(asked, value={"number": "x"} if number < 3 else None)


def always(reply: Reply | Refused) -> Model:
    return lambda asked, number: reply


@dataclass(frozen=True)
class Situation:
    """One column of the matrix."""

    name: str
    model: Model
    status: str = "answered"
    format: Callable[[], Any] = lambda: Found
    tools: Sequence[Any] = (look_up,)
    options: Callable[[], dict[str, Any]] = dict
    thinking: bool = False
    only: Sequence[str] = ()
    """The providers that have it; if empty, all of them."""
    rules: Sequence[Rule] = ()
    attempts: int | None = None
    """The expected number of attempts, if the situation is about that."""
    error: bool = False
    """Whether the provider's error must be raised."""

    def __str__(self) -> str:
        return self.name


def refuses(about: Callable[[Asked], bool], words: str) -> Rule:
    return Rule(lambda asked: words if about(asked) else None, "a model of the provider without the mode")


NO_SCHEMA = refuses(lambda asked: asked.format == "json_schema", "Unsupported parameter: 'response_format' of type json_schema")
NO_FORCE = refuses(lambda asked: asked.is_forced, "Only 'auto' is supported for tool_choice with this model")
NO_JSON = refuses(lambda asked: bool(asked.format), "Unsupported parameter: 'response_format'")
SPOILT = refuses(
    lambda asked: asked.format == "json_schema",
    "The specified schema produces a constraint that has too many states for serving.",
)
GROQ_CALL = {"code": "tool_use_failed", "failed_generation": '{"number": 42}'}
GROQ_JSON = {"code": "json_validate_failed", "failed_generation": '{"number": "many"}'}


def in_three_calls() -> dict[str, Any]:
    return {"limits": UsageLimits(model_calls=3)}


def failed(message: str, **more: str) -> Refused:
    """Return the error of a server that cannot parse its model's text."""
    return Refused(message, 400 if more else 500, more)


NO_CALL = failed("Tool choice is required, but model did not call a tool", code="tool_use_failed")
UNREAD = failed("error parsing tool call: raw='{\"number\": ', err=unexpected end of JSON input")
UNPARSED = failed("Failed to parse input at pos 3: <tool_call>")
BROKEN_OFF = Reply('{"number": 42}', finish_reason="insufficient_system_resource")


def narrowed() -> dict[str, Any]:
    return {"middleware": [NarrowResponseFormat(lambda request: [Found])]}


def tried_again() -> dict[str, Any]:
    return {"middleware": [ModelRetryMiddleware(initial_delay=0, jitter=False, on_failure="error")]}


CLAUDE = ("Anthropic", "Anthropic before Claude 4.5")
EVERY_OPENAI = ("OpenAI, chat completions", "OpenAI, responses")

SITUATIONS: Sequence[Situation] = (
    Situation("a tool, then the answer", works),
    Situation("no tools", works, tools=()),
    Situation("parallel tools", works_twice_at_once),
    Situation("thinking", thinks, thinking=True),
    Situation("union", finds_nothing, format=lambda: Found | Missing),
    Situation("narrowed", works, format=lambda: AutoStrategy(Found | Missing), options=narrowed),
    Situation("last call", never_stops, options=in_three_calls),
    Situation("last call, union", never_stops, format=lambda: Found | Missing, options=in_three_calls),
    Situation("deferred", works, format=lambda: DeferredStrategy(Found)),
    Situation("no schema mode", works, rules=(NO_SCHEMA,)),
    Situation("no schema mode, no force", works, rules=(NO_SCHEMA, NO_FORCE)),
    Situation("schema refused", works, tools=(), rules=(SPOILT,)),
    Situation("schema too deep", works, format=lambda: DEEP),
    Situation("no tools, schema too deep", works, format=lambda: DEEP, tools=()),
    Situation("schema too large", works, format=lambda: LARGE),
    Situation("no tools, schema too large", works, format=lambda: LARGE, tools=()),
    Situation("prose at every step", in_prose, "unanswered", rules=(NO_JSON, NO_FORCE)),
    Situation("no tools, prose at every step", in_prose, "unanswered", tools=()),
    Situation("invalid twice, then valid", wrong_twice, tools=(), attempts=3),
    Situation("cut", cut, "truncated"),
    Situation("broken off", always(BROKEN_OFF), "truncated", only=("DeepSeek",)),
    Situation("content filter", always(Reply("No.", finish_reason="content_filter")), "refused"),
    Situation("refusal", always(Reply(refusal="I will not.")), "refused", only=EVERY_OPENAI),
    Situation("blocked prompt", always(Reply(finish_reason="blocked")), "refused", only=("Gemini 2.5",)),
    Situation("empty, then the answer", first(Reply(""))),
    Situation("thoughts alone, then the answer", first(Reply("", reasoning="Hm."), thinks), thinking=True),
    Situation("empty", always(Reply("")), "empty"),
    Situation("paused", first(Reply("Searching.", finish_reason="pause")), only=CLAUDE, attempts=1),
    Situation("failed call, read", always(Refused("Failed to call a function.", more=GROQ_CALL)), only=("Groq",), attempts=1),
    Situation("failed JSON", first(Refused("Generated JSON does not match.", more=GROQ_JSON)), only=("Groq",), attempts=2),
    Situation("no call made", first(NO_CALL), only=("Groq",), attempts=2),
    Situation("unread call", first(UNREAD), only=("Ollama",), attempts=2),
    Situation("unparsed call", first(UNPARSED), only=("llama.cpp",), attempts=2),
    Situation("malformed call", first(Reply("", finish_reason="malformed")), only=("Gemini 2.5",), attempts=2),
    Situation("rate limit", always(Refused("Rate limit reached", 429)), error=True),
    Situation("overload", always(Refused("Overloaded", 503)), error=True),
    Situation("rate limit, LangChain's retries", first(Refused("Rate limit reached", 429), times=2), options=tried_again),
    Situation("overload, LangChain's retries", first(Refused("Overloaded", 503), times=2), options=tried_again),
)
