"""Pydantic AI. A blocking run starts an event loop and runs blocking tools on threads, as Pydantic AI does by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

from benchmarks.rounds import Done
from benchmarks.work import (
    ANSWER_ARGUMENTS,
    COUNTER,
    QUESTION,
    SERVED_MODEL,
    Report,
    Work,
    calls_of,
    history_texts,
    next_step,
    tool_functions,
)


def runner(work: Work, *, awaited: bool, url: str | None = None) -> Callable[[], Done]:
    """Return a function that runs the agent once, with the played model or against a server."""
    model: Any = _played(work) if url is None else _over_http(url, work)
    agent = Agent(model, output_type=Report, tools=tool_functions(work, awaited=awaited))
    history = [_message(role, text) for role, text in history_texts(work)]
    options: Any = {"message_history": history, "usage_limits": UsageLimits(request_limit=None)}

    def run() -> Done:
        result: Any = asyncio.run(agent.run(QUESTION, **options)) if awaited else agent.run_sync(QUESTION, **options)
        return Done(result.output, COUNTER.take())

    return run


def _played(work: Work) -> FunctionModel:
    def reply(messages: list[Any], info: Any) -> ModelResponse:
        last = messages[-1].parts[-1]
        calls = calls_of(work, next_step(last.tool_call_id if isinstance(last, ToolReturnPart) else None))
        parts = [ToolCallPart(call["name"], call["args"], call["id"]) for call in calls]
        return ModelResponse(parts=parts or [ToolCallPart(info.output_tools[0].name, ANSWER_ARGUMENTS, "answer")])

    return FunctionModel(reply)


def _over_http(url: str, work: Work) -> OpenAIChatModel:
    return OpenAIChatModel(f"{SERVED_MODEL}{work.steps}", provider=OpenAIProvider(base_url=url, api_key="none"))


def _message(role: str, text: str) -> Any:
    return ModelRequest(parts=[UserPromptPart(text)]) if role == "user" else ModelResponse(parts=[TextPart(text)])
