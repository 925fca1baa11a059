"""A bare loop: messages as dicts, checked arguments, nothing else. It is the lower bound, not an agent library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from openai import OpenAI
from pydantic import validate_call

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

Message = dict[str, Any]


def runner(work: Work, *, awaited: bool) -> Callable[[], Done]:
    """Return a function that runs the loop once."""
    tools = {function.__name__: validate_call(function) for function in tool_functions(work, awaited=awaited)}
    history: list[Message] = [{"role": role, "content": text} for role, text in history_texts(work)]

    def reply(messages: list[Message]) -> Message:
        calls = calls_of(work, next_step(messages[-1].get("tool_call_id")))
        return {"role": "assistant", "content": "" if calls else ANSWER_TEXT, "tool_calls": calls}

    def run() -> Done:
        messages = [*history, {"role": "user", "content": QUESTION}]
        while (message := reply(messages))["tool_calls"]:
            messages.append(message)
            messages += [_result(call, tools[call["name"]](**call["args"])) for call in message["tool_calls"]]
        return Done(Report.model_validate_json(message["content"]), COUNTER.take())

    async def arun() -> Done:
        messages = [*history, {"role": "user", "content": QUESTION}]
        while (message := reply(messages))["tool_calls"]:
            messages.append(message)
            calls = message["tool_calls"]
            results = await asyncio.gather(*(tools[call["name"]](**call["args"]) for call in calls))
            messages += map(_result, calls, results)
        return Done(Report.model_validate_json(message["content"]), COUNTER.take())

    return (lambda: asyncio.run(arun())) if awaited else run


def http_runner(work: Work, url: str, schemas: list[Any]) -> Callable[[], Done]:
    """Return a function that runs the loop once against a server, with the OpenAI SDK.

    Args:
        work: What it is to do.
        url: Where the server is.
        schemas: The tools in OpenAI's format.
    """
    name = f"{SERVED_MODEL}{work.steps}"
    client = OpenAI(base_url=url, api_key="none", max_retries=0)
    tools = {function.__name__: validate_call(function) for function in tool_functions(work)}
    history: list[Any] = [{"role": role, "content": text} for role, text in history_texts(work)]

    def run() -> Done:
        messages = [*history, {"role": "user", "content": QUESTION}]
        while True:
            message: Any = client.chat.completions.create(model=name, messages=messages, tools=schemas).choices[0].message
            if not message.tool_calls:
                return Done(Report.model_validate_json(message.content), COUNTER.take())
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                text = tools[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})

    return run


def _result(call: dict[str, Any], text: str) -> Message:
    return {"role": "tool", "tool_call_id": call["id"], "content": text}
