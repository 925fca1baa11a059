"""Requests to OpenAI's models skip the SDK's check of every message; the bytes sent are the same, in every mode."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from pydantic import BaseModel

from answergraph.asking.providers.openai_requests import PlainRequests, with_plain_requests
from answergraph.runtime.recent_cache import RecentCache
from tests.answergraph.asking.providers.openai_asked import KEY, RESPONSES_API, STREAMING, search
from tests.openai_server import OpenAIServer, says
from tests.suite.colors import Run
from tests.suite.verdicts import Verdict

texts = st.text(st.characters(codec="utf-8"), max_size=12)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False, allow_infinity=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)
blocks = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, texts),
    st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}),
)
THOUGHTS: list[Any] = [
    {"type": "reasoning", "reasoning": "Let me see.", "id": "rs_1", "summary": []},
    {"type": "refusal", "refusal": "No."},
]
PARTS: list[Any] = [
    {"type": "image", "base64": "AAAA", "mime_type": "image/png"},
    {"type": "file", "base64": "AAAA", "mime_type": "application/pdf", "filename": "a.pdf"},
    {"type": "text", "text": "What is this?", "cache_control": {"type": "ephemeral"}},
]
contents = st.one_of(texts, st.lists(blocks, min_size=1, max_size=2))
arguments = st.dictionaries(texts, json_values, max_size=2)


def called(text: str, args: dict[str, Any], result: Any, ok: bool) -> list[BaseMessage]:
    """Return a tool call and its result, written well or malformed."""
    good: Any = [{"name": "search", "args": args, "id": "call_1"}]
    bad: Any = [{"name": "search", "args": '{"query": ', "id": "call_1", "error": None}]
    asked = AIMessage(text, tool_calls=good) if ok else AIMessage(text, invalid_tool_calls=bad)
    return [asked, ToolMessage(result, tool_call_id="call_1")]


turns = st.one_of(
    st.builds(lambda content: [HumanMessage(content)], contents),
    st.builds(lambda content: [HumanMessage(content, name="ann")], texts),
    st.builds(lambda text: [AIMessage(text)], texts),
    st.builds(lambda text: [ChatMessage(content=text, role="developer"), FunctionMessage(content=text, name="search")], texts),
    st.builds(lambda text: [AIMessage([*THOUGHTS, {"type": "text", "text": text}]), HumanMessage([*PARTS])], texts),
    st.builds(called, texts, arguments, contents, st.booleans()),
)
conversations = st.tuples(texts, st.lists(turns, min_size=1, max_size=4)).map(
    lambda drawn: [SystemMessage(drawn[0]), *(message for turn in drawn[1] for message in turn)]
)
request_options = st.fixed_dictionaries(
    {},
    optional={"temperature": st.floats(0, 1), "user": texts, "extra_body": arguments},
)


def sent(server: OpenAIServer, run: Run, model: Any, messages: list[BaseMessage], **options: Any) -> tuple[str, str]:
    """Return the body that a model sends, with its keys in order, and its length in bytes."""
    run(model, messages, **options)
    request = server.requests[-1]
    return json.dumps(request.body), request.headers["content-length"]


def chat(server: OpenAIServer, **fields: Any) -> ChatOpenAI:
    return ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=KEY, max_retries=0, **fields)


@RESPONSES_API
@STREAMING
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(messages=conversations, options=request_options)
def test_the_request_is_the_same(
    server: OpenAIServer, run: Run, responses_api: bool, streaming: bool, messages: list[BaseMessage], options: dict[str, Any]
) -> None:
    plain = chat(server, use_responses_api=responses_api, streaming=streaming)
    asked: Any = plain.bind_tools([search, Verdict]) if "user" in options else plain
    assert sent(server, run, with_plain_requests(asked), messages, **options) == sent(server, run, asked, messages, **options)


FORMATS: dict[str, dict[str, Any]] = {
    "a Pydantic model": {"response_format": Verdict},
    "a JSON object": {"response_format": {"type": "json_object"}},
    "extra body": {"extra_body": {"top_k": 5, "messages": [{"role": "user", "content": "instead"}]}},
}


@RESPONSES_API
@STREAMING
@pytest.mark.parametrize("options", FORMATS.values(), ids=FORMATS)
# ChatOpenAI dumps a streamed answer that the SDK has already parsed.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
def test_the_request_is_the_same_with(run: Run, responses_api: bool, streaming: bool, options: dict[str, Any]) -> None:
    with OpenAIServer(lambda body: says('{"passed": true}')) as server:
        plain = chat(server, use_responses_api=responses_api, streaming=streaming)
        messages: list[BaseMessage] = [HumanMessage("Did it pass?"), AIMessage("I look."), HumanMessage("Well?")]
        expected = sent(server, run, plain, messages, **options)
        assert sent(server, run, with_plain_requests(plain), messages, **options) == expected


class Part(BaseModel):
    type: str = "text"
    text: str = "Hello"
    note: str | None = None


def test_values_beyond_plain_json_are_sent_by_the_sdk(server: OpenAIServer) -> None:
    client = PlainRequests(chat(server).root_client)
    client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": [Part(type="text", text="Hello")]}])
    assert server.requests[-1].body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]


def test_the_model_itself_is_left_alone(server: OpenAIServer) -> None:
    plain = chat(server, temperature=0.5)
    before = (plain.client, plain.async_client, plain.root_client, plain.root_async_client)
    light: Any = with_plain_requests(plain)
    assert (plain.client, plain.async_client, plain.root_client, plain.root_async_client) == before
    assert (type(light), light.temperature, light.model_name) == (ChatOpenAI, 0.5, "gpt-4o")
    assert light.client is not plain.client


def test_a_model_is_copied_again_only_if_it_changed(server: OpenAIServer, run: Run) -> None:
    plain, copies = chat(server, temperature=0.5), RecentCache[Any]()
    first = with_plain_requests(plain, copies=copies)
    assert with_plain_requests(plain, copies=copies) is first
    assert with_plain_requests(plain, streams=False, copies=copies) is not first
    plain.temperature = 1.0
    sent(server, run, with_plain_requests(plain, copies=copies), [HumanMessage("Did it pass?")])
    assert server.requests[-1].body["temperature"] == 1.0


def test_azures_model_is_asked_so_too() -> None:
    azure = AzureChatOpenAI(azure_endpoint="https://example.invalid", api_version="2024-10-21", api_key=KEY, azure_deployment="x")
    light: Any = with_plain_requests(azure)
    assert (type(light), type(light.client)) == (AzureChatOpenAI, PlainRequests)
