"""Rows of documents, and an agent that reads the number out of each."""

import re
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import AgentGraph, UsageLimits, create_agent
from answergraph.many import MapRun, Row
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run


class Invoice(BaseModel):
    number: int


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": f"k{number}", "body": f"Invoice {number}"} for number in range(count)]


def read_number(text: str) -> str:
    """Answer as a model would: with the number in the text, or with a word instead of it."""
    numbers = re.findall(r"\d+", text)
    return f'{{"number": {numbers[0]}}}' if numbers else '{"number": "none"}'


def model_of(reply: Callable[[str], str | Exception] = read_number) -> ScriptedChatModel:
    def answer(messages: list[Any]) -> Any:
        replied = reply(messages[0].text)
        return AIMessage(replied) if isinstance(replied, str) else replied

    return ScriptedChatModel(replies=answer)


def agent_of(reply: Callable[[str], str | Exception] = read_number, **options: Any) -> AgentGraph[Any]:
    options = {"limits": UsageLimits(answer_attempts=1), **options}
    agent: AgentGraph[Any] = create_agent(model_of(reply), response_format=Invoice, **options)
    return agent


def collected(run: Run, mapped: MapRun[Any]) -> dict[str, Row[Any]]:
    """Return the rows by key; each must come once."""

    async def awaited() -> list[Row[Any]]:
        return [row async for row in mapped]

    every: list[Row[Any]] = run.either(lambda: list(mapped), awaited)
    by_key = {row.key: row for row in every}
    assert len(by_key) == len(every)
    return by_key
