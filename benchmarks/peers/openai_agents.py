"""OpenAI Agents. A blocking run starts an event loop; the answer is JSON text, not a tool call. Its tracing is off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from agents import (
    Agent,
    Model,
    ModelResponse,
    OpenAIChatCompletionsModel,
    Runner,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from benchmarks.rounds import Done
from benchmarks.work import (
    ANSWER_TEXT,
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

NO_TURN_LIMIT = 10_000


def runner(work: Work, *, awaited: bool, url: str | None = None) -> Callable[[], Done]:
    """Return a function that runs the agent once, with the played model or against a server."""
    set_tracing_disabled(True)
    tools: list[Any] = [function_tool(function) for function in tool_functions(work, awaited=awaited)]
    history = [{"role": role, "content": text} for role, text in history_texts(work)]
    given: Any = [*history, {"role": "user", "content": QUESTION}]

    def agent() -> Agent:
        # A client belongs to the event loop of its first request, so each loop has its own client.
        return Agent(
            name="agent", model=PlayedModel(work) if url is None else _over_http(url, work), tools=tools, output_type=Report
        )

    kept = agent() if url is None else None

    def run() -> Done:
        running = kept or agent()
        if awaited:
            result: Any = asyncio.run(Runner.run(running, given, max_turns=NO_TURN_LIMIT))
        else:
            result = Runner.run_sync(running, given, max_turns=NO_TURN_LIMIT)
        return Done(result.final_output, COUNTER.take())

    return run


class PlayedModel(Model):
    """The played model as a model of OpenAI Agents."""

    def __init__(self, work: Work) -> None:
        """Take the work."""
        self.work = work

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        """Reply according to the work."""
        last = input[-1]
        calls = calls_of(self.work, next_step(last.get("call_id")))
        output: list[Any] = [_call(call) for call in calls] or [_answer()]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Stream nothing; no run streams."""
        raise NotImplementedError
        yield


def _over_http(url: str, work: Work) -> OpenAIChatCompletionsModel:
    return OpenAIChatCompletionsModel(f"{SERVED_MODEL}{work.steps}", AsyncOpenAI(base_url=url, api_key="none", max_retries=0))


def _call(call: dict[str, Any]) -> ResponseFunctionToolCall:
    arguments = json.dumps(call["args"])
    return ResponseFunctionToolCall(type="function_call", name=call["name"], arguments=arguments, call_id=call["id"])


def _answer() -> ResponseOutputMessage:
    text = ResponseOutputText(type="output_text", text=ANSWER_TEXT, annotations=[])
    return ResponseOutputMessage(id="answer", type="message", role="assistant", status="completed", content=[text])
