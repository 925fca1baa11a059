"""Calls that a model writes as text are calls: tools run, and answers are read."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from answergraph import (
    AutoStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.weather_calls import CALL, EVERY, QUESTION, RAIN, STRATEGIES, Weather, get_weather
from tests.openai_server import OpenAIServer, says


class Place(BaseModel):
    """A place."""

    name: str
    country: str | None = None


class Report(BaseModel):
    """A report, as far as it is known."""

    summary: str | None = None
    cities: list[str] = []


class Planned(BaseModel):
    """A step of a plan."""

    name: str
    arguments: dict[str, str]


class Success(BaseModel):
    """It worked."""

    result: str


class Failure(BaseModel):
    """It failed."""

    error: str
    code: int


FORMS = {
    "bare": CALL,
    "in a fence": f"```json\n{CALL}\n```",
    "in prose": f"I look it up: {CALL} and then answer.",
    "tagged": f"<tool_call>\n{CALL}\n</tool_call>",
    "behind a python tag": f"<|python_tag|>{CALL}",
    "Mistral's": f"[TOOL_CALLS][{CALL}]",
    "as a message": json.dumps({"tool_calls": [{"type": "function", "function": json.loads(CALL)}]}),
    "as a function": json.dumps({"function": "get_weather", "parameters": {"city": "Oslo"}}),
    "by its name": '{"get_weather": {"city": "Oslo"}}',
    "in Python": 'get_weather(city="Oslo")',
}


@pytest.mark.parametrize(
    ("strategy", "form"), [*((AutoStrategy, each) for each in FORMS.values()), *((each, CALL) for each in EVERY[1:])]
)
def test_a_call_of_a_tool_that_is_written_as_text_is_carried_out(run: Any, strategy: Any, form: str) -> None:
    model = ScriptedChatModel(replies=[form, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy(Weather)), QUESTION)
    _, asked, told, *_ = result["messages"]
    assert [(call["name"], call["args"]) for call in asked.tool_calls] == [("get_weather", {"city": "Oslo"})]
    assert isinstance(told, ToolMessage)
    assert (told.tool_call_id, told.text) == (asked.tool_calls[0]["id"], "Rain in Oslo.")
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@STRATEGIES
@pytest.mark.parametrize("reply", [CALL, '{"name": "other", "parameters": {}}'])
def test_a_call_is_never_the_answer(run: Any, strategy: Any, reply: str) -> None:
    good = '{"name": "Oslo", "country": null}'
    result = run(create_agent(ScriptedChatModel(replies=[reply, good, good]), response_format=strategy(Place)), QUESTION)
    assert result["structured_response"] == Place(name="Oslo")


@pytest.mark.parametrize("strategy", [PromptedStrategy, ProviderStrategy])
def test_an_answer_that_looks_like_a_call_is_the_answer_where_a_text_is_asked_for(run: Any, strategy: Any) -> None:
    result = run(create_agent(ScriptedChatModel(replies=[CALL]), [get_weather], response_format=strategy(Planned)), QUESTION)
    assert result["structured_response"] == Planned(name="get_weather", arguments={"city": "Oslo"})


@STRATEGIES
@pytest.mark.parametrize("reply", ['{"error": "I do not know"}', "{}", '{"summary": "Rain.", "error": "perhaps"}'])
def test_an_object_with_other_keys_than_the_schema_is_not_an_answer(run: Any, strategy: Any, reply: str) -> None:
    good = '{"summary": "Rain."}'
    result = run(create_agent(ScriptedChatModel(replies=[reply, good, good]), response_format=strategy(Report)), QUESTION)
    assert result["structured_response"] == Report(summary="Rain.")
    assert result["outcome"]["usage"]["model_calls"] > 1


ANSWERS = {
    "bare": f'{{"name": "Weather", "arguments": {RAIN}}}',
    "in a fence": f'```json\n{{"name": "Weather", "parameters": {RAIN}}}\n```',
    "tagged": f'<tool_call>{{"name": "Weather", "arguments": {RAIN}}}</tool_call>',
    "by its name": f'{{"Weather": {RAIN}}}',
    "in Python": 'Weather(city="Oslo", rain=True)',
    "inside the schema": f'{{"type": "object", "properties": {RAIN}, "required": ["city", "rain"]}}',
}


@pytest.mark.parametrize(
    ("strategy", "form"), [*((AutoStrategy, each) for each in ANSWERS.values()), *((each, ANSWERS["bare"]) for each in EVERY[1:])]
)
def test_a_call_of_the_answer_that_is_written_as_text_is_the_answer(run: Any, strategy: Any, form: str) -> None:
    result = run(create_agent(ScriptedChatModel(replies=[form]), response_format=strategy(Weather)), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)
    assert result["outcome"]["attempts"][-1]["repairs"]


@STRATEGIES
def test_an_answer_written_beside_a_call_of_a_tool_waits_for_the_tool(run: Any, strategy: Any) -> None:
    made_up = json.dumps({"name": "Weather", "arguments": {"city": "Oslo", "rain": False}})
    model = ScriptedChatModel(replies=[f"{CALL}\n{made_up}", RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy(Weather)), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


def test_a_call_that_cannot_be_read_is_reported_to_the_model(run: Any) -> None:
    broken = '{"name": "get_weather", "arguments": "Oslo"}'
    result = run(create_agent(ScriptedChatModel(replies=[broken, CALL, "Rain."]), [get_weather]), QUESTION)
    first, second = (m for m in result["messages"] if isinstance(m, ToolMessage))
    assert (first.status, second.text) == ("error", "Rain in Oslo.")


def test_whole_calls_of_a_reply_that_was_cut_behind_them_are_carried_out(run: Any) -> None:
    cut = AIMessage(f"{CALL}\n\n\nThen I will", response_metadata={"finish_reason": "length"})
    model = ScriptedChatModel(replies=[cut, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=Weather), QUESTION)
    assert result["messages"][2].text == "Rain in Oslo."
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@STRATEGIES
def test_a_value_that_closed_before_the_cut_is_whole(run: Any, strategy: Any) -> None:
    cut = AIMessage(RAIN + "\n" * 60, response_metadata={"finish_reason": "length"})
    result = run(create_agent(ScriptedChatModel(replies=[cut]), response_format=strategy(Weather)), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


def test_after_a_real_cut_the_next_strategy_asks(run: Any) -> None:
    cut = AIMessage('{"city": "Os', response_metadata={"finish_reason": "length"})
    result = run(create_agent(ScriptedChatModel(replies=[cut, RAIN]), response_format=Weather), QUESTION)
    first, second = result["outcome"]["attempts"]
    assert (first["status"], second["status"]) == ("truncated", "answered")
    assert first["strategy"] != second["strategy"]


@STRATEGIES
def test_the_text_that_was_cut_is_not_shown_to_the_model_again(run: Any, strategy: Any) -> None:
    cut = AIMessage('{"city": "Os', response_metadata={"finish_reason": "length"})
    model = ScriptedChatModel(replies=[cut, RAIN])
    result = run(create_agent(model, response_format=strategy(Weather)), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)
    assert not any('"Os' in message.text for message in model.requests[-1].messages)
    assert result["messages"][1].response_metadata["cut_text"] == '{"city": "Os'


def test_a_provider_that_holds_the_model_to_the_schema_is_asked_again_for_a_brief_answer(run: Any) -> None:
    cut = AIMessage('{"city": "Os', response_metadata={"finish_reason": "length"})
    model = ScriptedChatModel(replies=[cut, RAIN])
    fallback = FallbackStrategy([ProviderStrategy(Weather), ToolStrategy(Weather)])
    result = run(create_agent(model, response_format=fallback), QUESTION)
    assert [attempt["strategy"] for attempt in result["outcome"]["attempts"]] == ["provider", "provider"]
    assert "Be brief." in model.requests[1].messages[-1].text
    assert '"city": "<string>"' in model.requests[1].messages[-1].text


@pytest.mark.parametrize("strategy", [PromptedStrategy, ProviderStrategy])
@pytest.mark.parametrize(
    "text",
    [
        '{"schema": "Success", "value": {"error": "down", "code": 503}}',
        '{"value": {"error": "down", "code": 503}}',
        '{"error": "down", "code": 503}',
    ],
)
def test_a_value_that_fits_one_member_is_that_member_whatever_its_tag_says(run: Any, strategy: Any, text: str) -> None:
    result = run(create_agent(ScriptedChatModel(replies=[text]), response_format=strategy(Success | Failure)), QUESTION)
    assert result["structured_response"] == Failure(error="down", code=503)
    assert result["outcome"]["schema"] == "Failure"


def test_a_model_that_writes_the_schema_back_is_shown_an_example(run: Any) -> None:
    model = ScriptedChatModel(replies=[json.dumps(Weather.model_json_schema()), RAIN])
    result = run(create_agent(model, response_format=PromptedStrategy(Weather)), QUESTION)
    correction = result["messages"][2].text
    assert correction.startswith("You wrote the schema back.")
    assert correction.endswith('{"city": "<string>", "rain": "<true or false>"}')
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@pytest.mark.parametrize("strategy", [AutoStrategy, PromptedStrategy, ProviderStrategy])
def test_a_correction_is_short_and_has_no_links(run: Any, strategy: Any) -> None:
    model = ScriptedChatModel(replies=['{"city": "Oslo", "rain": "perhaps"}', RAIN])
    result = run(create_agent(model, response_format=strategy(Weather)), QUESTION)
    told = next(m.text for m in result["messages"] if "rain:" in m.text)
    assert "rain: Input should be a valid boolean" in told
    assert not any(word in told for word in ("http", "tool", "input_type"))


def test_a_call_that_is_streamed_as_text_is_a_call_in_the_state() -> None:
    agent = create_agent(ScriptedChatModel(replies=[CALL, RAIN, RAIN]), [get_weather], response_format=Weather)
    streamed: list[Any] = list(agent.stream(QUESTION, stream_mode=["messages", "values"]))
    values = [value for mode, value in streamed if mode == "values"]
    texts = [part[0].text for mode, part in streamed if mode == "messages" and isinstance(part[0], AIMessageChunk)]
    assert values[-1]["structured_response"] == Weather(city="Oslo", rain=True)
    assert values[-1]["messages"][1].tool_calls
    assert texts


# A provider's own API turns every call into a tool call, so text from it is only text.
@pytest.mark.parametrize(("model_name", "is_carried_out"), [("gpt-4o", False), ("llama-3.2", True)])
def test_a_quoted_call_is_a_text_where_the_maker_alone_serves_the_model(run: Any, model_name: str, is_carried_out: bool) -> None:
    with OpenAIServer([says(f"For example {CALL}"), says("Done.")]) as server:
        model = ChatOpenAI(model=model_name, base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        result = run(create_agent(model, [get_weather]), QUESTION)
    assert any(isinstance(message, ToolMessage) for message in result["messages"]) == is_carried_out
