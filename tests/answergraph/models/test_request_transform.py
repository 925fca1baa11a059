"""Requests without the SDK's transform are the same, byte for byte, at every endpoint and in every way of calling it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from openai.types.chat import ChatCompletionContentPartTextParam
from pydantic import BaseModel, SecretStr

from answergraph import AgentSpecError, ProviderStrategy, ToolStrategy, create_agent, without_request_transform
from answergraph.testing import ScriptedChatModel
from tests.openai_server import OpenAIServer, ToolCall, calls, says
from tests.suite.colors import Run

KEY = SecretStr("test")
RESPONSES_API = pytest.mark.parametrize("responses_api", [False, True], ids=["chat completions", "responses"])
STREAMING = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])


class Verdict(BaseModel):
    """A verdict."""

    passed: bool


@tool
def search(query: str, limit: int = 3) -> str:
    """Search the logs."""
    return f"found {query}"


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(lambda body: says("Yes.")) as running:
        yield running


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
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(messages=conversations, options=request_options)
def test_the_request_is_the_same(
    server: OpenAIServer, run: Run, responses_api: bool, streaming: bool, messages: list[BaseMessage], options: dict[str, Any]
) -> None:
    plain = chat(server, use_responses_api=responses_api, streaming=streaming)
    lean = without_request_transform(plain)
    both: list[Any] = [model.bind_tools([search, Verdict]) if "user" in options else model for model in (plain, lean)]
    assert sent(server, run, both[1], messages, **options) == sent(server, run, both[0], messages, **options)


FORMATS: dict[str, dict[str, Any]] = {
    "a Pydantic model": {"response_format": Verdict},
    "a JSON object": {"response_format": {"type": "json_object"}},
    "extra body": {"extra_body": {"top_k": 5, "messages": [{"role": "user", "content": "instead"}]}},
}


@RESPONSES_API
@STREAMING
@pytest.mark.parametrize("options", FORMATS.values(), ids=FORMATS)
# ChatOpenAI dumps a streamed answer that the SDK has parsed already.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
def test_the_request_is_the_same_with(run: Run, responses_api: bool, streaming: bool, options: dict[str, Any]) -> None:
    with OpenAIServer(lambda body: says('{"passed": true}')) as server:
        plain = chat(server, use_responses_api=responses_api, streaming=streaming)
        messages: list[BaseMessage] = [HumanMessage("Did it pass?"), AIMessage("I look."), HumanMessage("Well?")]
        expected = sent(server, run, plain, messages, **options)
        assert sent(server, run, without_request_transform(plain), messages, **options) == expected


def test_what_is_no_plain_json_takes_the_sdks_way(server: OpenAIServer, run: Run) -> None:
    class Part(BaseModel):
        type: str = "text"
        text: str = "Hello"
        note: str | None = None

    parts: Any = [Part(type="text", text="Hello")]
    sent_as: list[ChatCompletionContentPartTextParam] = [{"type": "text", "text": "Hello"}]
    root = without_request_transform(chat(server)).root_client
    root.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": parts}])
    assert server.requests[-1].body["messages"] == [{"role": "user", "content": sent_as}]


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_an_agent_runs_as_before(run: Run, strategy: Any) -> None:
    answer = says('{"passed": true}') if strategy is ProviderStrategy else calls(ToolCall("Verdict", {"passed": True}))
    bodies = []
    for lean in (False, True):
        with OpenAIServer([calls(ToolCall("search", {"query": "x"})), answer]) as server:
            model = without_request_transform(chat(server)) if lean else chat(server)
            agent = create_agent(model, [search], response_format=strategy(Verdict))
            assert run(agent, {"messages": [HumanMessage("Did it pass?", id="1")]})["structured_response"] == Verdict(passed=True)
            bodies.append([request.body for request in server.requests])
    assert bodies[0] == bodies[1]


def test_the_model_itself_is_left_alone(server: OpenAIServer) -> None:
    plain = chat(server, temperature=0.5)
    before = (plain.client, plain.async_client, plain.root_client.responses)
    lean = without_request_transform(plain)
    assert (plain.client, plain.async_client, plain.root_client.responses) == before
    assert (type(lean), lean.temperature, lean.model_name) == (ChatOpenAI, 0.5, "gpt-4o")
    assert lean.client is not plain.client


def test_models_built_on_it_are_taken_too() -> None:
    azure = AzureChatOpenAI(azure_endpoint="https://example.invalid", api_version="2024-10-21", api_key=KEY, azure_deployment="x")
    assert type(without_request_transform(azure)) is AzureChatOpenAI


def test_a_client_that_somebody_put_there_stays(server: OpenAIServer) -> None:
    plain = chat(server)
    theirs = plain.model_copy(update={"client": object()})
    lean = without_request_transform(theirs)
    assert lean.client is theirs.client
    assert lean.async_client is not theirs.async_client


@pytest.mark.parametrize("model", [ScriptedChatModel(replies=["Hi."])])
def test_a_model_without_the_sdk_is_refused(model: BaseChatModel) -> None:
    with pytest.raises(AgentSpecError, match="ScriptedChatModel has no client of the OpenAI SDK"):
        without_request_transform(model)
