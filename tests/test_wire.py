"""The real ChatOpenAI sends an agent's requests to a server on loopback, and its replies are read."""

from typing import Any

import openai
import pytest
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from answergraph import AutoStrategy, ProviderStrategy, ToolStrategy, create_agent
from answergraph.middleware import AgentMiddleware, ModelRequest
from tests.openai_server import Failure, OpenAIServer, Reply, ToolCall, calls, is_cut_off, refuses, says
from tests.seed_schema import FalseNegativeCheckResponse
from tests.suite.verdicts import Verdict


class WithSettings(AgentMiddleware[Any, Any, Any]):
    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        return request.override(model_settings=self.settings)


@tool
def search(query: str, limit: int = 3) -> str:
    """Search the logs."""
    return f"found {query}"


PLAIN_TOOL = convert_to_openai_tool(search)
QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}
VERDICT = calls(ToolCall("Verdict", {"passed": True}))
SEARCH = calls(ToolCall("search", {"query": "x"}))
KEY = SecretStr("test")
STREAMING = [False, True]


@pytest.fixture(params=STREAMING, ids=["whole", "streamed"])
def streaming(request: Any) -> bool:
    return bool(request.param)


def chat(server: OpenAIServer, **fields: Any) -> ChatOpenAI:
    return ChatOpenAI(model=fields.pop("model", "gpt-4o"), base_url=server.base_url, api_key=KEY, max_retries=0, **fields)


def answered(run: Any, replies: list[Reply], **options: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    fields = options.pop("fields", {})
    with OpenAIServer(replies) as server:
        result = run(create_agent(chat(server, **fields), options.pop("tools", [search]), **options), QUESTION)
        return result, [dict(request.body) for request in server.requests]


def test_the_tool_strategy_forces_a_call_and_leaves_the_users_tools_alone(run: Any, streaming: bool) -> None:
    result, bodies = answered(run, [SEARCH, VERDICT], response_format=ToolStrategy(Verdict), fields={"streaming": streaming})
    assert result["structured_response"] == Verdict(passed=True)
    assert [body["tool_choice"] for body in bodies] == ["required", "required"]
    assert bodies[0]["tools"][0] == PLAIN_TOOL
    assert bodies[0]["tools"] == bodies[1]["tools"]
    assert "response_format" not in bodies[0]


def test_the_native_format_goes_beside_unchanged_tools(run: Any, streaming: bool) -> None:
    result, bodies = answered(
        run,
        [SEARCH, says('{"passed": true}')],
        response_format=ProviderStrategy(Verdict),
        fields={"streaming": streaming, "extra_body": {"top_k": 5}},
    )
    assert result["structured_response"] == Verdict(passed=True)
    for body in bodies:
        assert body["tools"] == [PLAIN_TOOL]
        assert body["response_format"]["type"] == "json_schema"
        assert body["response_format"]["json_schema"]["name"] == "Verdict"
        assert body["response_format"]["json_schema"]["schema"]["properties"]["passed"]["type"] == "boolean"
        assert body["top_k"] == 5
        assert "tool_choice" not in body


def test_the_native_format_without_tools_sends_none(run: Any, streaming: bool) -> None:
    result, bodies = answered(
        run, [says('{"passed": true}')], tools=[], response_format=ProviderStrategy(Verdict), fields={"streaming": streaming}
    )
    assert result["structured_response"] == Verdict(passed=True)
    assert "tools" not in bodies[0]
    assert bodies[0]["response_format"]["json_schema"]["name"] == "Verdict"


def test_strict_is_sent_when_it_is_asked_for(run: Any) -> None:
    _, bodies = answered(run, [says('{"passed": true}')], response_format=ProviderStrategy(Verdict, strict=True))
    assert bodies[0]["response_format"]["json_schema"]["strict"] is True
    assert bodies[0]["tools"] == [PLAIN_TOOL]


def test_the_native_format_through_the_responses_api(run: Any) -> None:
    result, bodies = answered(
        run,
        [SEARCH, says('{"passed": true}')],
        response_format=ProviderStrategy(Verdict),
        fields={"use_responses_api": True},
    )
    assert result["structured_response"] == Verdict(passed=True)
    assert bodies[0]["text"]["format"]["name"] == "Verdict"
    assert bodies[0]["tools"] == [{"type": "function", **PLAIN_TOOL["function"]}]


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("gpt-5", {"reasoning": {"effort": "low"}}),
        ("gpt-5", {"include": ["reasoning.encrypted_content"]}),
        ("gpt-6", {}),
        ("GPT-6", {}),
    ],
)
@pytest.mark.parametrize("tools", [[search], []], ids=["tools", "no tools"])
def test_the_native_format_follows_the_api_that_the_client_chooses(
    run: Any, streaming: bool, model: str, settings: dict[str, Any], tools: list[Any]
) -> None:
    with OpenAIServer([says('{"passed": true}')]) as server:
        client = chat(server, model=model, streaming=streaming)
        agent = create_agent(client, tools, response_format=ProviderStrategy(Verdict), middleware=[WithSettings(settings)])
        assert run(agent, QUESTION)["structured_response"] == Verdict(passed=True)
        (request,) = server.requests
    if settings or tools:
        assert request.path == "/v1/responses"
        assert request.body["text"]["format"]["name"] == "Verdict"
        assert "response_format" not in request.body
    else:
        assert request.path == "/v1/chat/completions"
        assert request.body["response_format"]["json_schema"]["name"] == "Verdict"


def test_a_bare_schema_means_the_native_format_for_a_model_that_has_it(run: Any) -> None:
    _, bodies = answered(run, [says('{"passed": true}')], response_format=Verdict)
    assert bodies[0]["response_format"]["json_schema"]["name"] == "Verdict"


def test_a_bare_schema_means_an_answer_tool_for_a_model_that_has_not(run: Any) -> None:
    _, bodies = answered(run, [VERDICT], response_format=AutoStrategy(Verdict), fields={"model": "gpt-4-turbo"})
    assert [t["function"]["name"] for t in bodies[0]["tools"]] == ["search", "Verdict"]


def test_without_a_format_only_the_users_tools_are_sent(run: Any) -> None:
    _, bodies = answered(run, [says("yes")])
    assert bodies[0]["tools"] == [PLAIN_TOOL]
    assert bodies[0].get("tool_choice", "auto") == "auto"


def test_the_seeds_schema_reaches_the_model_whole(run: Any) -> None:
    _, bodies = answered(run, [says("no"), says("no")], response_format=ToolStrategy(FalseNegativeCheckResponse))
    function = bodies[0]["tools"][1]["function"]
    assert (function["name"], function["description"]) == ("FalseNegativeCheckResponse", "偽陰性チェックのエージェント出力")
    properties = function["parameters"]["properties"]
    assert all(properties[name]["description"] for name in FalseNegativeCheckResponse.model_fields)
    assert (properties["confidence"]["minimum"], properties["confidence"]["maximum"]) == (0.0, 1.0)
    assert set(function["parameters"]["required"]) == {
        "is_false_negative",
        "confidence",
        "evidence",
        "expected_result_analysis",
        "step_execution_analysis",
        "recommendations",
    }


@pytest.mark.parametrize(
    ("reply", "status"),
    [(refuses("I can't."), "refused"), (is_cut_off('{"passed": tr'), "truncated"), (says(""), "empty")],
    ids=["refusal", "cut off", "empty"],
)
@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_kinds_of_replies_without_an_answer_are_distinguished(
    run: Any, reply: Reply, status: str, strategy: Any, streaming: bool
) -> None:
    result, _ = answered(run, [reply, reply], response_format=strategy(Verdict), fields={"streaming": streaming})
    assert (result["structured_response"], result["outcome"]["status"]) == (None, status)


def test_malformed_arguments_of_an_answer_are_sent_back(run: Any) -> None:
    result, bodies = answered(run, [calls(ToolCall("Verdict", '{"passed": ')), VERDICT], response_format=ToolStrategy(Verdict))
    assert result["structured_response"] == Verdict(passed=True)
    assert [m["role"] for m in bodies[1]["messages"]] == ["user", "assistant", "tool"]


def test_every_call_on_the_wire_is_answered_before_the_next_request(run: Any) -> None:
    both = calls(ToolCall("Verdict", {"passed": 3}), ToolCall("search", {"query": "x"}), ToolCall("grep", {}))
    _, bodies = answered(run, [both, VERDICT], response_format=ToolStrategy(Verdict))
    messages = bodies[1]["messages"]
    assert {c["id"] for m in messages for c in m.get("tool_calls") or ()} == {
        m["tool_call_id"] for m in messages if m["role"] == "tool"
    }


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_providers_failure_is_raised_as_it_is_and_the_thread_is_intact(run: Any, status: int) -> None:
    with OpenAIServer([Failure(status), VERDICT]) as server:
        agent = create_agent(chat(server), [search], response_format=ToolStrategy(Verdict), checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "1"}}
        with pytest.raises(openai.APIStatusError):
            run(agent, QUESTION, config)
        assert [m.text for m in run.state(agent, config).values["messages"]] == ["Did it pass?"]
        assert run(agent, None, config)["structured_response"] == Verdict(passed=True)


def test_a_cut_native_answer_without_tools_is_told_apart_and_does_not_raise(run: Any) -> None:
    result, _ = answered(run, [is_cut_off('{"passed": tr')] * 2, tools=[], response_format=ProviderStrategy(Verdict))
    assert result["outcome"]["status"] == "truncated"


def test_an_untitled_json_schema_keeps_its_stable_name_on_the_wire(run: Any) -> None:
    untitled = {"type": "object", "properties": {"n": {"type": "integer"}}}
    strategy = ProviderStrategy(untitled)
    for api in (False, True):
        _, bodies = answered(run, [says('{"n": 1}')], response_format=strategy, fields={"use_responses_api": api})
        sent = bodies[0]["text"]["format"] if api else bodies[0]["response_format"]["json_schema"]
        assert sent["name"] == strategy.schema_names[0]
