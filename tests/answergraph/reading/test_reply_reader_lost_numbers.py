"""A number that is too large for a ``float`` is no answer, however it was asked for and written."""

from collections.abc import Callable
from itertools import product
from math import inf, nan
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, BeforeValidator, SecretStr

from answergraph import (
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.kit import parse_structured_output
from answergraph.middleware import AgentMiddleware
from answergraph.models import ReActTextModel
from answergraph.testing import ScriptedChatModel
from tests.openai_server import OpenAIServer
from tests.openai_server.reply import Reply, ToolCall, calls, says
from tests.suite.colors import Run

PROBLEM = "this number cannot be read; write a finite one of fewer digits"
LARGE = f"1{'0' * 400}.0"


class Size(BaseModel):
    """A size."""

    parts: list[float]
    limit: float = inf  # which no schema says, since no client sends it
    weights: list[float] = [nan]


class Other(BaseModel):
    """No size."""

    why: str


RIGHT = '{"parts": [1.5]}'
STRATEGIES: dict[str, Callable[[], Any]] = {
    "bare": lambda: Size,
    "tool": lambda: ToolStrategy(Size),
    "provider": lambda: ProviderStrategy(Size),
    "prompted": lambda: PromptedStrategy(Size),
    "json mode": lambda: PromptedStrategy(Size, json_mode=True),
    "deferred": lambda: DeferredStrategy(Size),
    "ladder": lambda: FallbackStrategy([ToolStrategy(Size), PromptedStrategy(Size)]),
    "auto": lambda: AutoStrategy(Size),
    "schema": lambda: ToolStrategy({"title": "Size", "type": "object", "properties": {"parts": {"type": "array"}}}),
}


def written(strategy: str, text: str) -> Reply:
    in_a_call = strategy in ("tool", "ladder", "schema")
    return calls(ToolCall("Size", text)) if in_a_call else says(text)


CASES = [
    (strategy, number)
    for strategy, number in product(STRATEGIES, ["1e999", f"-{LARGE}", '"1e999"'])
    if strategy != "schema" or not number.startswith('"')  # a schema without types takes any text
]


@pytest.mark.parametrize(("strategy", "number"), CASES)
def test_it_is_sent_back_and_what_is_written_instead_is_the_answer(run: Run, strategy: str, number: str) -> None:
    before = [says("It is large.")] if strategy == "deferred" else []
    script = [*before, written(strategy, f'{{"parts": [0.5, {number}]}}'), written(strategy, RIGHT)]
    with OpenAIServer(script) as server:
        model = ChatOpenAI(model="qwen2.5-0.5b", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        result: Any = run(create_agent(model, response_format=STRATEGIES[strategy]()), {"messages": ["How large?"]})
        body = str(server.requests[-1].body)
    answer = result["structured_response"]
    assert (answer if isinstance(answer, dict) else answer.model_dump())["parts"] == [1.5]
    assert result["outcome"]["attempts"][0]["fields"] == {"parts[1]": PROBLEM}
    assert PROBLEM in body


@pytest.mark.parametrize(
    ("declared", "wrong", "right", "answer"),
    [
        (
            Size | Other,
            f'{{"schema": "Size", "value": {{"parts": [{LARGE}]}}}}',
            '{"schema": "Other", "value": {"why": "?"}}',
            Other(why="?"),
        ),
        (float, "1e999", "7.5", 7.5),
        (list[float], "[1e999]", "[7.5]", [7.5]),
        (Size, '{"parts": [1.5], "limit": 1e999}', RIGHT, Size.model_validate_json(RIGHT)),
    ],
)
def test_every_type_of_answer_is_looked_through(run: Run, declared: Any, wrong: str, right: str, answer: object) -> None:
    agent = create_agent(ScriptedChatModel(replies=[wrong, right]), response_format=PromptedStrategy(declared))
    result = run(agent, {"messages": ["How large?"]})
    assert (result["structured_response"], result["outcome"]["attempts"][0]["status"]) == (answer, "invalid")


def test_what_the_type_ignores_or_a_validator_makes_infinite_is_no_such_number(run: Run) -> None:
    class Limit(BaseModel):
        limit: Annotated[float, BeforeValidator(lambda value: inf if value in (-1, None) else value)]

    call = AIMessage("", tool_calls=[{"name": "Limit", "args": {"limit": -1, "other": [inf]}, "id": "1"}])
    agent = create_agent(ScriptedChatModel(replies=[call]), response_format=ToolStrategy(Limit))
    assert run(agent, {"messages": ["How large?"]})["structured_response"] == Limit(limit=-1)


def test_it_is_sent_back_in_the_text_protocol_too(run: Run) -> None:
    model = ScriptedChatModel(replies=['Final Answer: {"parts": [1e999]}', f"Final Answer: {RIGHT}"])
    agent = create_agent(ReActTextModel(model), response_format=AutoStrategy(Size))
    assert run(agent, {"messages": ["How large?"]})["structured_response"] == Size.model_validate_json(RIGHT)


def test_a_word_for_infinity_is_taken_where_the_type_takes_it(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=['{"parts": [1, "-Infinity"]}']), response_format=PromptedStrategy(Size))
    assert run(agent, {"messages": ["How large?"]})["structured_response"] == Size(parts=[1, -inf])


class Widened(AgentMiddleware[Any, Any, Any]):
    """Sets a value of its own."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        response = handler(request)
        response.structured_response = Size(parts=[inf])
        return response

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        response = await handler(request)
        response.structured_response = Size(parts=[inf])
        return response


def test_a_middleware_may_set_any_number(run: Run) -> None:
    agent: Any = create_agent(ScriptedChatModel(replies=[RIGHT]), response_format=PromptedStrategy(Size), middleware=[Widened()])
    assert run(agent, {"messages": ["How large?"]})["structured_response"] == Size(parts=[inf])


def test_the_search_for_json_returns_no_value_with_it() -> None:
    assert parse_structured_output('{"step": 1e999}') is None
