"""Agents skip the SDK's check of every message for OpenAI's models by themselves, and do not change other clients."""

import functools
import importlib
from collections.abc import Callable
from http import HTTPStatus
from threading import Event
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from openai import OpenAI
from openai.resources.chat import AsyncCompletions, Completions

from answergraph import ProviderStrategy, ToolStrategy, create_agent
from answergraph.middleware import wrap_model_call
from tests.answergraph.asking.providers.openai_asked import KEY, RESPONSES_API, STREAMING, search
from tests.openai_server import Failure, OpenAIServer, ToolCall, calls, says
from tests.suite.colors import Run
from tests.suite.verdicts import Verdict


def chat(server: OpenAIServer, **fields: Any) -> ChatOpenAI:
    return ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=KEY, max_retries=0, **fields)


def checked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that receives everything that the SDK compares with its type hints from now on."""
    seen: list[Any] = []
    for module in ("openai.resources.chat.completions.completions", "openai.resources.responses.responses"):
        found = importlib.import_module(module)
        for name in ("maybe_transform", "async_maybe_transform"):
            monkeypatch.setattr(found, name, watching(getattr(found, name), seen))
    return seen


def watching(transform: Any, seen: list[Any]) -> Any:
    def watched(data: Any, *rest: Any) -> Any:
        seen.append(data.get("messages") or data.get("input"))
        return transform(data, *rest)

    return watched


@RESPONSES_API
@STREAMING
@pytest.mark.parametrize("strategy", [None, ToolStrategy(Verdict), ProviderStrategy(Verdict)], ids=["text", "tool", "provider"])
def test_an_agent_asks_so_by_itself(
    run: Run, monkeypatch: pytest.MonkeyPatch, responses_api: bool, streaming: bool, strategy: Any
) -> None:
    seen = checked(monkeypatch)
    answer = calls(ToolCall("Verdict", {"passed": True})) if isinstance(strategy, ToolStrategy) else says('{"passed": true}')
    with OpenAIServer([calls(ToolCall("search", {"query": "x"})), answer]) as server:
        model = chat(server, use_responses_api=responses_api, streaming=streaming)
        agent = create_agent(model, [search], response_format=strategy)
        state = run(agent, {"messages": ["Did it pass?"]})
        assert state.get("structured_response") == (Verdict(passed=True) if strategy else None)
        assert len(server.requests[1].body["input" if responses_api else "messages"]) >= 3
    assert seen in ([[], []], [None, None])


def test_a_model_by_name_and_models_with_settings_or_fallbacks_are_asked_so_too(
    run: Run, monkeypatch: pytest.MonkeyPatch, server: OpenAIServer
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    seen = checked(monkeypatch)
    plain = chat(server)
    models: list[Any] = ["openai:gpt-4o", plain.bind(temperature=0.5), plain.with_fallbacks([chat(server)])]
    for model in models:
        assert run(create_agent(model), {"messages": ["Did it pass?"]})["messages"][-1].content == "Yes."
    assert not any(seen)
    assert seen


def test_a_change_of_the_model_counts_at_the_next_call(run: Run, server: OpenAIServer) -> None:
    model = chat(server, temperature=0.5)
    agent = create_agent(model)
    for temperature in (0.5, 0.25):
        model.temperature = temperature
        run(agent, {"messages": ["Did it pass?"]})
        assert server.requests[-1].body["temperature"] == temperature


def test_what_somebody_put_around_the_sdks_method_sees_the_messages(
    run: Run, monkeypatch: pytest.MonkeyPatch, server: OpenAIServer
) -> None:
    seen: list[Any] = []
    for kind in (Completions, AsyncCompletions):
        monkeypatch.setattr(kind, "create", recorded(kind.create, seen))
    run(create_agent(chat(server)), {"messages": ["Did it pass?"]})
    assert seen == [[{"role": "user", "content": "Did it pass?"}]]


def recorded(create: Any, seen: list[Any]) -> Any:
    """Return a method as tracing tools wrap it, with the original in ``__wrapped__``."""

    @functools.wraps(create)
    def traced(self: Any, **request: Any) -> Any:
        seen.append(list(request["messages"]))
        return create(self, **request)

    return traced


class OwnClient(OpenAI):
    """A client that looks at each request before it is sent."""

    def post(self, path: str, **options: Any) -> Any:
        assert options["body"]["messages"]
        return super().post(path, **options)


class OwnModel(ChatOpenAI):
    """A model with its own count."""

    asked: int = 0

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        self.asked += 1
        return super()._generate(*args, **kwargs)


def test_clients_and_models_of_the_users_own_are_left_alone(server: OpenAIServer) -> None:
    own = OwnClient(base_url=server.base_url, api_key="test")
    for client in ({"client": own.chat.completions}, {"client": own.chat.completions, "root_client": own}):
        create_agent(chat(server, **client)).invoke({"messages": ["Did it pass?"]})
    model = OwnModel(model="gpt-4o", base_url=server.base_url, api_key=KEY)
    create_agent(model).invoke({"messages": ["Did it pass?"]})
    assert model.asked == 1


def test_another_client_than_the_sdks_is_used_unchanged() -> None:
    asked: list[Any] = []

    class Raw:
        def create(self, **request: Any) -> Any:
            asked.append(request["messages"])
            reply = {"choices": [{"message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}]}
            return SimpleNamespace(parse=lambda: reply)

    model = ChatOpenAI(model="gpt-4o", api_key=KEY, client=SimpleNamespace(with_raw_response=Raw()))
    create_agent(model).invoke({"messages": ["Did it pass?"]})
    assert asked == [[{"role": "user", "content": "Did it pass?"}]]


BUSY = Failure(HTTPStatus.SERVICE_UNAVAILABLE, "Busy.", may_retry=True)
SERVERS: dict[str, Callable[[list[bytes], Event], Any]] = {
    "busy once": lambda asked, over: says("Yes.") if len(asked) > 1 else BUSY,
    "busy": lambda asked, over: BUSY,
    "refuses": lambda asked, over: Failure(HTTPStatus.BAD_REQUEST, "The request is not supported."),
    "slow": lambda asked, over: (over.wait(), says("Yes."))[1],
}


def bytes_sent(run: Run, behaves: Callable[[list[bytes], Event], Any], *, by_agent: bool) -> tuple[Any, list[bytes]]:
    """Return the error of a run, and the requests that a hook of the client saw."""
    seen: list[bytes] = []
    over = Event()

    async def ahook(request: Any) -> None:
        seen.append(request.content)

    with OpenAIServer(lambda body: behaves(seen, over)) as server:
        sync = openai.DefaultHttpxClient(event_hooks={"request": [lambda request: seen.append(request.content)]})
        async_ = openai.DefaultAsyncHttpxClient(event_hooks={"request": [ahook]})
        # After a timeout, the SDK waits before it retries.
        patience = {"timeout": 0.05, "max_retries": 0} if behaves is SERVERS["slow"] else {"max_retries": 1}
        fields: dict[str, Any] = {"http_client": sync, "http_async_client": async_, **patience}
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=KEY, **fields)
        call: Any = {"name": "search", "args": {"query": "x"}, "id": "call_1"}
        messages = [HumanMessage("Did it pass?"), AIMessage("", tool_calls=[call]), ToolMessage("x", tool_call_id="call_1")]
        try:
            run(create_agent(model, [search]), {"messages": messages}) if by_agent else run(model.bind_tools([search]), messages)
        except openai.APIError as error:
            return (type(error), str(error)), seen
        finally:
            over.set()
        return None, seen


@pytest.mark.parametrize("behaves", SERVERS.values(), ids=SERVERS)
def test_hooks_retries_time_outs_and_errors_are_those_of_the_model_alone(
    run: Run, behaves: Callable[[list[bytes], Event], Any]
) -> None:
    alone = bytes_sent(run, behaves, by_agent=False)
    assert bytes_sent(run, behaves, by_agent=True) == alone
    assert len(alone[1]) == (2 if behaves in (SERVERS["busy once"], SERVERS["busy"]) else 1)


@pytest.mark.parametrize("chosen", [None, False, True])
@pytest.mark.parametrize("tools", [[], [search]], ids=["no tools", "tools"])
def test_who_watches_the_models_class_sees_each_request_and_no_other_call(
    run: Run, monkeypatch: pytest.MonkeyPatch, chosen: bool | None, tools: list[Any]
) -> None:
    seen: list[tuple[str, set[str]]] = []

    def watched(ask: Any) -> Any:
        def asking(model: Any, messages: Any, *rest: Any, **more: Any) -> Any:
            seen.append((messages[-1].text, {"response_format", "tools", "extra_body"} & more.keys()))
            return ask(model, messages, *rest, **more)

        return asking

    for name in ("_generate", "_agenerate"):
        monkeypatch.setattr(ChatOpenAI, name, watched(getattr(ChatOpenAI, name)))
    with OpenAIServer([says('{"passed": true}')]) as server:
        agent = create_agent(chat(server, use_responses_api=chosen), tools, response_format=ProviderStrategy(Verdict))
        assert run(agent, {"messages": ["Did it pass?"]})["structured_response"] == Verdict(passed=True)
        (request,) = server.requests
    # As in LangChain, which binds the format beside the tools.
    assert seen == [("Did it pass?", {"response_format", "tools"} if tools else {"response_format"})]
    if tools:
        tool = request.body["tools"][0]
        assert "strict" not in tool.get("function", tool) or not tool.get("function", tool)["strict"]


@STREAMING
@pytest.mark.parametrize("chosen", [None, False])
def test_a_model_of_the_users_own_class_sends_the_format_beside_unchanged_tools(
    run: Run, chosen: bool | None, streaming: bool
) -> None:
    class Own(ChatOpenAI):
        """A class that may keep something of its calls."""

    with OpenAIServer([calls(ToolCall("search", {"query": "x"})), says('{"passed": true}')]) as server:
        model = Own(model="gpt-4o", base_url=server.base_url, api_key=KEY, use_responses_api=chosen, streaming=streaming)
        agent = create_agent(model, [search], response_format=ProviderStrategy(Verdict))
        assert run(agent, {"messages": ["Did it pass?"]})["structured_response"] == Verdict(passed=True)
        assert [request.body["response_format"]["type"] for request in server.requests] == ["json_schema"] * 2


def test_a_setting_of_the_responses_api_moves_the_format_of_a_users_own_class_too() -> None:
    class Own(ChatOpenAI):
        """A class that may keep something of its calls."""

    with OpenAIServer([says('{"passed": true}')]) as server:
        model = Own(model="gpt-4o", base_url=server.base_url, api_key=KEY)
        truncates = [wrap_model_call(lambda request, handler: handler(request.override(model_settings={"truncation": "auto"})))]
        agent = create_agent(model, [search], response_format=ProviderStrategy(Verdict), middleware=truncates)
        assert agent.invoke({"messages": ["Did it pass?"]})["structured_response"] == Verdict(passed=True)
        assert server.requests[0].body["text"]["format"]["type"] == "json_schema"
