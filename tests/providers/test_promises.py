"""Failures of earlier agents with real clients, one test each; the matrix tests the same with every provider."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents.middleware import wrap_model_call
from langchain_core.messages import AIMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from answergraph import DeferredStrategy, UsageLimits, create_agent
from tests.openai_server.reply import Reply
from tests.providers.dialogue import Asked, Model, Refused, Rule
from tests.providers.providers import Provider, named, with_rules
from tests.providers.situations import (
    DEEP,
    LARGE,
    NO_SCHEMA,
    SPOILT,
    Found,
    Missing,
    always,
    answer,
    cut,
    first,
    look_up,
    never_stops,
    thinks,
    works,
)
from tests.providers.stub import Stub

pytestmark = [pytest.mark.providers, pytest.mark.filterwarnings("default")]

CLAUDES = [named("Anthropic"), named("Anthropic before Claude 4.5")]


def outcome_and_requests(
    provider: Provider, model: Model, *rules: Rule, client: Callable[[str], Any] | None = None, **options: Any
) -> tuple[Any, list[Asked]]:
    strict = with_rules(provider, *rules)
    with Stub(strict.api, strict.rules, model) as stub:
        options = {"tools": [look_up], "response_format": Found, **options}
        agent = create_agent((client or strict.client)(stub.url), **options)
        return agent.invoke({"messages": ["Find the number."]})["outcome"], stub.asked


@pytest.mark.parametrize("provider", CLAUDES, ids=str)
def test_the_last_call_of_a_budget_sends_anthropic_the_tools_turned_off(provider: Provider) -> None:
    outcome, asked = outcome_and_requests(provider, never_stops, limits=UsageLimits(model_calls=3))
    assert outcome["status"] == "answered"
    assert "look_up" in asked[-1].tools


@pytest.mark.parametrize("provider", CLAUDES, ids=str)
def test_anthropic_answers_when_asked_after_the_tools(provider: Provider) -> None:
    outcome, _ = outcome_and_requests(provider, works, response_format=DeferredStrategy(Found))
    assert outcome["status"] == "answered"


def test_a_schema_that_gemini_refuses_is_sent_by_the_next_strategy() -> None:
    outcome, asked = outcome_and_requests(named("Gemini 2.5"), works, SPOILT, tools=[])
    assert outcome["status"] == "answered"
    assert asked[0].format == "json_schema"


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("OpenAI, chat completions", DEEP),
        ("OpenAI, responses", DEEP),
        ("Gemini 2.5", LARGE),
        ("llama.cpp", LARGE),
    ],
)
def test_the_refusal_of_a_deep_or_large_schema_is_remembered_for_that_schema_only(name: str, schema: Any) -> None:
    provider = named(name)
    with Stub(provider.api, provider.rules, works) as stub:
        model = provider.client(stub.url)
        # Most refusals name the parameter, so one refusal is enough; otherwise it takes two.
        for asked_for in (schema, schema, schema, Found):
            refused = len(stub.refused)
            result = create_agent(model, response_format=asked_for).invoke({"messages": ["Find the number."]})
            assert result["outcome"]["status"] == "answered"
    assert len(stub.refused) == refused
    assert stub.asked[-1].format == "json_schema"
    assert stub.asked[-2].format != "json_schema"


@pytest.mark.parametrize("name", ["OpenAI, chat completions", "Anthropic", "Bedrock Converse"])
def test_a_schema_over_the_documented_sizes_is_never_sent_in_the_schema_mode(name: str) -> None:
    outcome, asked = outcome_and_requests(named(name), works, response_format=LARGE)
    assert outcome["status"] == "answered"
    assert not any(each.format for each in asked)


def test_the_reasoning_of_deepseek_before_its_calls_is_sent_back() -> None:
    provider = named("DeepSeek")
    with Stub(provider.api, provider.rules, thinks) as stub:
        model = provider.client(stub.url, thinking=True)
        create_agent(model, [look_up], response_format=Found).invoke({"messages": ["Find the number."]})
        called = next(message for message in stub.asked[1].body["messages"] if message.get("tool_calls"))
        assert called["reasoning_content"] == "Let me see."
        # The client does not send them itself; once it does, our code for it can be removed.
        message = AIMessage("", tool_calls=[{"name": "look_up", "args": {"key": "it"}, "id": "call_1"}])
        message.additional_kwargs["reasoning_content"] = "Let me see."
        with pytest.raises(Exception, match="Missing `reasoning_content`"):
            model.invoke(["Find it.", message, ToolMessage("42", tool_call_id="call_1")])


def test_a_refusal_that_openai_streams_ends_the_run_as_refused() -> None:
    provider = named("OpenAI, chat completions")
    with Stub(provider.api, provider.rules, always(Reply(refusal="I will not."))) as stub:
        model = provider.client(stub.url)
        agent = create_agent(model, response_format=Found)
        question: dict[str, Any] = {"messages": ["Find the number."]}
        last: Any = [data for mode, data in agent.stream(question, stream_mode=["messages", "values"]) if mode == "values"][-1]
        assert last["outcome"]["status"] == "refused"
        assert "I will not." in last["outcome"]["reason"]
        assert [each.body.get("stream", False) for each in stub.asked] == [True, False]
        # The client drops it; once it no longer does, our code for it can be removed.
        assert not any("refusal" in str(chunk) for chunk in model.stream("Find it."))


def test_an_answer_truncated_by_ollama_is_not_accepted() -> None:
    outcome, _ = outcome_and_requests(named("Ollama"), cut)
    assert outcome["status"] == "truncated"


def test_an_answer_truncated_by_deepseek_is_not_accepted() -> None:
    broken_off = Reply('{"number": 42}', finish_reason="insufficient_system_resource")
    assert outcome_and_requests(named("DeepSeek"), always(broken_off))[0]["status"] == "truncated"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Failed to call a function. Please adjust your prompt.", "tool_use_failed"),
        ("Tool choice is required, but model did not call a tool", "tool_use_failed"),
        ("Generated JSON does not match the expected schema.", "json_validate_failed"),
    ],
)
def test_a_failed_sample_of_groq_is_an_attempt_and_does_not_affect_later_runs(message: str, code: str) -> None:
    _, usual = outcome_and_requests(named("Groq"), works)
    outcome, asked = outcome_and_requests(named("Groq"), first(Refused(message, more={"code": code})))
    assert outcome["status"] == "answered"
    assert len(outcome["attempts"]) == 2
    assert len(asked) == len(usual) + 1
    _, later = outcome_and_requests(named("Groq"), works)
    assert [(each.format, each.choice) for each in later] == [(each.format, each.choice) for each in usual]


@pytest.mark.parametrize(
    ("provider", "reply"),
    [
        ("Bedrock Converse", Reply("No.", finish_reason="content_filter")),
        ("Gemini 2.5", Reply(finish_reason="blocked")),
    ],
)
def test_a_filtered_reply_ends_as_refused_after_one_request(provider: str, reply: Reply) -> None:
    outcome, asked = outcome_and_requests(named(provider), always(reply))
    assert (outcome["status"], len(asked)) == ("refused", 1)


def test_the_error_of_openrouter_about_unsupported_parameters_is_a_refusal() -> None:
    unrouted = Refused("No endpoints found that can handle the requested parameters.", 404)
    outcome, _ = outcome_and_requests(
        named("OpenRouter"), lambda asked, number: unrouted if asked.format == "json_schema" else works(asked, number)
    )
    assert outcome["status"] == "answered"


def test_a_paused_reply_of_anthropic_is_sent_back_unchanged() -> None:
    outcome, asked = outcome_and_requests(named("Anthropic"), first(Reply("Searching.", finish_reason="pause")))
    assert (outcome["status"], len(outcome["attempts"])) == ("answered", 1)
    assert asked[1].turns[-1].role == "assistant"


@pytest.mark.parametrize("name", ["Anthropic", "Mistral", "Groq", "OpenRouter", "Bedrock Converse"])
def test_a_refusal_at_one_address_does_not_count_for_another(name: str) -> None:
    outcome, asked = outcome_and_requests(named(name), works, NO_SCHEMA, tools=[])
    assert outcome["status"] == "answered"
    _, elsewhere = outcome_and_requests(named(name), works, tools=[])
    assert elsewhere[0].format == asked[0].format == "json_schema"


@pytest.mark.parametrize("model", ["claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5"])
def test_a_claude_that_refuses_forced_calls_is_never_forced(model: str) -> None:
    def client(url: str) -> Any:
        return named("Anthropic").client(url).model_copy(update={"model": model})

    def says_words_first(asked: Asked, number: int) -> Reply | Refused:
        return Refused("Unsupported output_config.format") if asked.format == "json_schema" else works(asked, number)

    outcome, asked = outcome_and_requests(named("Anthropic"), says_words_first, client=client)
    assert outcome["status"] == "answered"
    assert not any(each.is_forced for each in asked)


def test_the_bad_schema_of_one_caller_does_not_affect_other_runs() -> None:
    class Evil(BaseModel):
        evil: str

    words = "Invalid schema for response_format 'Evil': In context=(), 'evil' is not permitted."
    refuses = Rule(lambda asked: words if "evil" in str(asked.schema) else None, "https://platform.openai.com/docs")
    strict = with_rules(named("OpenAI, chat completions"), refuses)

    def obeys(asked: Asked, number: int) -> Reply:
        return answer(asked, "Evil", {"evil": "x"}) if "evil" in str(asked.body) else answer(asked)

    with Stub(strict.api, strict.rules, obeys) as stub:
        for schema in (Evil, Found):
            create_agent(strict.client(stub.url), response_format=schema).invoke({"messages": ["Find the number."]})
    assert stub.refused
    assert stub.asked[-1].format == "json_schema"


@pytest.mark.parametrize(
    "mistake", [TypeError("got an unexpected keyword argument 'response_format'"), ValueError("my database schema is missing")]
)
def test_an_error_in_the_users_code_is_not_a_refusal(mistake: Exception) -> None:
    openai = named("OpenAI, chat completions")
    mistakes = [mistake] * 5

    class Mistaken(ChatOpenAI):
        def _generate(self, *given: Any, **named_too: Any) -> Any:
            if mistakes:
                raise mistakes.pop()
            return super()._generate(*given, **named_too)

    with Stub(openai.api, openai.rules, works) as stub:
        model = Mistaken(model="gpt-5", base_url=f"{stub.url}/v1", api_key=SecretStr("test"))
        agent = create_agent(model, response_format=Found)
        with pytest.raises(type(mistake), match=str(mistake)):
            agent.invoke({"messages": ["Find the number."]})
        assert len(mistakes) == 4
        mistakes.clear()
        agent.invoke({"messages": ["Find the number."]})
    assert [each.format for each in stub.asked] == ["json_schema"]


def test_a_setting_that_selects_the_responses_api_also_moves_the_format() -> None:
    @wrap_model_call
    def thinks(request: Any, handler: Any) -> Any:
        return handler(request.override(model_settings={"reasoning": {"effort": "low"}}))

    client = named("OpenAI, chat completions").client
    outcome, asked = outcome_and_requests(
        named("OpenAI, responses"), works, client=client, middleware=[thinks], response_format=Found | Missing
    )
    assert outcome["status"] == "answered"
    assert all("response_format" not in each.body for each in asked)
    assert asked[0].format == "json_schema"
