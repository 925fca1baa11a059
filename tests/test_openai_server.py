"""The loopback server works with the real clients: ChatOpenAI and the OpenAI SDK."""

import asyncio
from collections.abc import Callable
from typing import Any

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import Runnable
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from tests.openai_server import (
    Failure,
    OpenAIServer,
    Reply,
    ToolCall,
    Usage,
    calls,
    is_cut_off,
    refuses,
    says,
)
from tests.seed_schema import FalseNegativeCheckResponse

Model = Runnable[LanguageModelInput, AIMessage]
Ask = Callable[[Model], AIMessage]

both_apis = pytest.mark.parametrize("responses_api", [False, True], ids=["chat", "responses"])


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def chat_model(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    return ChatOpenAI(model="gpt-test", base_url=server.base_url, api_key=SecretStr("test-key"), **options)


def sdk(server: OpenAIServer) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.base_url, api_key="test-key")


def joined(chunks: list[AIMessage]) -> AIMessage:
    whole, *rest = (chunk for chunk in chunks if isinstance(chunk, AIMessageChunk))
    return whole + rest


def stream(model: Model) -> AIMessage:
    return joined(list(model.stream("Go")))


def astream(model: Model) -> AIMessage:
    async def collect() -> list[AIMessage]:
        return [chunk async for chunk in model.astream("Go")]

    return joined(asyncio.run(collect()))


WHOLE: dict[str, Ask] = {
    "invoke": lambda model: model.invoke("Go"),
    "ainvoke": lambda model: asyncio.run(model.ainvoke("Go")),
}
STREAMED: dict[str, Ask] = {"stream": stream, "astream": astream}
EITHER = WHOLE | STREAMED


@both_apis
@pytest.mark.parametrize("ask", EITHER.values(), ids=EITHER)
def test_plain_text_arrives(ask: Ask, responses_api: bool) -> None:
    with OpenAIServer([says("It is 三.")]) as server:
        message = ask(chat_model(server, use_responses_api=responses_api))

    assert (message.text, message.tool_calls) == ("It is 三.", [])
    assert server.requests[0].path == ("/v1/responses" if responses_api else "/v1/chat/completions")


@both_apis
@pytest.mark.parametrize("ask", EITHER.values(), ids=EITHER)
def test_parallel_tool_calls_arrive_beside_text_each_with_its_own_id(ask: Ask, responses_api: bool) -> None:
    script = calls(ToolCall("add", {"a": 1, "b": 2}), ToolCall("add", {"a": 3, "b": 4}, id="mine"), text="Two sums.")
    with OpenAIServer([script]) as server:
        message = ask(chat_model(server, use_responses_api=responses_api).bind_tools([add]))

    assert message.text == "Two sums."
    assert [(call["args"], call["id"]) for call in message.tool_calls] == [
        ({"a": 1, "b": 2}, "call_1_0"),
        ({"a": 3, "b": 4}, "mine"),
    ]


@both_apis
def test_a_stream_comes_in_several_chunks(responses_api: bool) -> None:
    with OpenAIServer([calls(ToolCall("add", {"a": 1, "b": 2}), text="Let me see.")]) as server:
        chunks = list(chat_model(server, use_responses_api=responses_api).stream("Go"))

    arguments = [part["args"] for chunk in chunks for part in chunk.tool_call_chunks if part["args"]]
    assert "".join(arguments) == '{"a": 1, "b": 2}'
    assert len(arguments) > 1
    assert len([chunk for chunk in chunks if chunk.text]) > 1


@both_apis
@pytest.mark.parametrize("ask", WHOLE.values(), ids=WHOLE)
def test_malformed_arguments_arrive_as_they_stand(ask: Ask, responses_api: bool) -> None:
    with OpenAIServer([calls(ToolCall("add", '{"a": 1,'))]) as server:
        message = ask(chat_model(server, use_responses_api=responses_api))

    assert message.tool_calls == []
    assert [call["args"] for call in message.invalid_tool_calls] == ['{"a": 1,']


def test_a_refusal_arrives_in_its_own_field() -> None:
    with OpenAIServer(lambda body: refuses("I will not.")) as server, sdk(server) as client:
        whole = chat_model(server).invoke("Go")
        item = chat_model(server, use_responses_api=True).invoke("Go").content[0]
        streamed = client.chat.completions.create(model="gpt-test", messages=[], stream=True)
        refusal = [chunk.choices[0].delta.refusal for chunk in streamed]

    assert (whole.content, whole.additional_kwargs["refusal"]) == ("", "I will not.")
    assert isinstance(item, dict)
    assert (item["type"], item["refusal"]) == ("refusal", "I will not.")
    assert "".join(filter(None, refusal)) == "I will not."


@pytest.mark.parametrize("ask", EITHER.values(), ids=EITHER)
def test_a_reply_cut_off_at_the_token_limit_says_so(ask: Ask) -> None:
    with OpenAIServer(lambda body: is_cut_off('{"answer": ')) as server:
        chat = ask(chat_model(server))
        response = ask(chat_model(server, use_responses_api=True))

    assert (chat.text, chat.response_metadata["finish_reason"]) == ('{"answer": ', "length")
    assert (response.text, response.response_metadata["status"]) == ('{"answer": ', "incomplete")
    assert response.response_metadata["incomplete_details"] == {"reason": "max_output_tokens"}


def test_reasoning_arrives_in_the_field_of_each_api() -> None:
    with OpenAIServer(lambda body: Reply(text="4", reasoning="2 + 2")) as server, sdk(server) as client:
        chat = client.chat.completions.create(model="gpt-test", messages=[]).choices[0].message
        response = chat_model(server, use_responses_api=True).invoke("Go")

    assert chat.model_extra == {"reasoning_content": "2 + 2"}
    assert [block["type"] for block in response.content_blocks] == ["reasoning", "text"]


@both_apis
@pytest.mark.parametrize("ask", EITHER.values(), ids=EITHER)
def test_usage_is_reported_where_the_script_has_it(ask: Ask, responses_api: bool) -> None:
    with OpenAIServer([says("Yes", usage=Usage(7, 3)), says("No")]) as server:
        model = chat_model(server, use_responses_api=responses_api, stream_usage=True)
        counted, uncounted = ask(model), ask(model)

    assert counted.usage_metadata is not None
    assert (counted.usage_metadata["input_tokens"], counted.usage_metadata["total_tokens"]) == (7, 10)
    assert uncounted.usage_metadata is None


def test_the_events_of_a_streamed_response_carry_every_part_of_the_reply() -> None:
    reply = Reply(text="Sum.", refusal="No.", reasoning="Hm.", tool_calls=(ToolCall("add", {"a": 1}),))
    deltas: dict[str, str] = {}
    with (
        OpenAIServer([reply]) as server,
        sdk(server) as client,
        client.responses.stream(model="gpt-test", input="Go") as events,
    ):
        for event in events:
            if event.type.endswith(".delta"):
                deltas[event.type] = deltas.get(event.type, "") + str(getattr(event, "delta", ""))
        output = [item.type for item in events.get_final_response().output]

    assert output == ["reasoning", "message", "function_call"]
    assert deltas == {
        "response.reasoning_summary_text.delta": "Hm.",
        "response.output_text.delta": "Sum.",
        "response.refusal.delta": "No.",
        "response.function_call_arguments.delta": '{"a": 1}',
    }


@pytest.mark.parametrize("ask", EITHER.values(), ids=EITHER)
def test_a_failure_is_raised_as_the_clients_error_and_not_retried(ask: Ask) -> None:
    failure = Failure(400, "No such thing.", code="bad", param="tools")
    with OpenAIServer(lambda body: failure) as server, pytest.raises(openai.BadRequestError, match="such") as raised:
        ask(chat_model(server))

    assert (raised.value.code, raised.value.param) == ("bad", "tools")
    assert len(server.requests) == 1


def test_every_request_is_remembered_as_it_was_sent() -> None:
    with OpenAIServer(lambda body: says(str(body["messages"][0]["content"]))) as server:
        model = chat_model(server).bind_tools([add], tool_choice="any")
        assert [model.invoke(word).text for word in ("一", "two")] == ["一", "two"]

    first, second = server.requests
    assert (first.path, first.headers["authorization"]) == ("/v1/chat/completions", "Bearer test-key")
    assert (first.body["model"], first.body["tool_choice"]) == ("gpt-test", "required")
    assert first.body["tools"][0]["function"]["name"] == "add"
    assert second.body["messages"] == [{"role": "user", "content": "two"}]


def test_the_schema_of_the_seed_reaches_the_wire_whole() -> None:
    with OpenAIServer([says("Yes")]) as server:
        chat_model(server).bind_tools([FalseNegativeCheckResponse]).invoke("Go")

    function = server.requests[0].body["tools"][0]["function"]
    properties = function["parameters"]["properties"]
    assert function["description"] == "偽陰性チェックのエージェント出力"
    assert properties["confidence"] == {
        "description": "判定の確信度 0.0-1.0",
        "maximum": 1.0,
        "minimum": 0.0,
        "type": "number",
    }
    optional = {"screenshot_analysis", "misclassification_cause", "cause_details"}
    assert set(function["parameters"]["required"]) == properties.keys() - optional
    assert len(properties) == 9


@pytest.mark.parametrize(("honours_stop", "text"), [(True, "Thought: add\n"), (False, "Thought: add\nObservation: 3")])
def test_a_text_completion_honours_stop_or_not(honours_stop: bool, text: str) -> None:
    replies = [says("Thought: add\nObservation: 3")] * 2
    with OpenAIServer(replies, honours_stop=honours_stop) as server, sdk(server) as client:
        whole = client.completions.create(model="gpt-test", prompt="Go", stop=["Observation:"])
        chunks = client.completions.create(model="gpt-test", prompt="Go", stop="Observation:", stream=True)
        streamed = "".join(chunk.choices[0].text for chunk in chunks)

    assert (whole.choices[0].text, streamed) == (text, text)
    assert whole.choices[0].finish_reason == "stop"


def test_a_stream_carries_any_text_unchanged() -> None:
    def echo(body: Any) -> Reply:
        text, arguments = (message["content"] for message in body["messages"])
        return calls(ToolCall("add", arguments), text=text)

    with OpenAIServer(echo) as server, sdk(server) as client:

        @settings(deadline=None, max_examples=50)
        @given(text=st.text(), arguments=st.text())
        def check(text: str, arguments: str) -> None:
            messages: Any = [{"role": "user", "content": content} for content in (text, arguments)]
            chunks = list(client.chat.completions.create(model="gpt-test", messages=messages, stream=True))
            deltas = [chunk.choices[0].delta for chunk in chunks]
            parts = [part.function.arguments for delta in deltas for part in delta.tool_calls or [] if part.function]
            assert "".join(delta.content or "" for delta in deltas) == text
            assert "".join(filter(None, parts)) == arguments

        check()
