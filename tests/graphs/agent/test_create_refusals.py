"""Refusals are learned only from a provider's HTTP errors, only for the models they concern, and for a limited time."""

from typing import Any, ClassVar

import httpx
import pytest
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from answergraph import create_agent
from answergraph.asking.providers import refusals
from answergraph.models import known_refusals
from answergraph.testing import ScriptedChatModel
from tests.openai_server import Failure, OpenAIServer, ToolCall, calls, says
from tests.openai_server.reply import JSONObject
from tests.suite.tools import search
from tests.suite.verdicts import Verdict


class Evil(BaseModel):
    """A schema that the provider refuses."""

    passed: bool


QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}
GOOD = '{"passed": true}'


def chat(server: OpenAIServer, **fields: Any) -> ChatOpenAI:
    return ChatOpenAI(
        model="gpt-4o", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0, use_responses_api=False, **fields
    )


def answers(body: JSONObject) -> Any:
    names = [each["function"]["name"] for each in body.get("tools") or ()]
    return calls(ToolCall(names[-1], {"passed": True})) if names else says(GOOD)


def refuses_the_schema_evil(body: JSONObject) -> Failure | None:
    is_evil = ((body.get("response_format") or {}).get("json_schema") or {}).get("name") == "Evil"
    message = "Invalid schema for response_format 'Evil': In context=(), 'allOf' is not permitted."
    return Failure(message=message, param="response_format") if is_evil else None


# ChatOpenAI warns about its own methods.
@pytest.mark.filterwarnings("ignore:Invalid schema for OpenAI's structured output feature:UserWarning")
def test_a_bad_schema_never_changes_how_another_run_is_asked(run: Any) -> None:
    with OpenAIServer(answers, behave=refuses_the_schema_evil) as server:
        model = chat(server)
        outcomes = [run(create_agent(model, response_format=each), QUESTION)["outcome"] for each in (Evil, Verdict, Evil)]
    assert [outcome["strategy"] for outcome in outcomes] == ["tool", "provider", "tool"]
    # The second run makes one request: the refusal of that schema is remembered.
    assert len(server.requests) == 4
    (refusal,) = known_refusals()
    assert refusal.schema


@pytest.mark.parametrize(
    "error",
    [
        TypeError("write() got an unexpected keyword argument 'flush'"),
        ValueError("my database schema is missing"),
        ValueError("tool_choice is not supported"),
        NotImplementedError("later"),
        httpx.HTTPStatusError(
            "Error response 400: schema is missing",
            request=httpx.Request("POST", "http://ours.test/log"),
            response=httpx.Response(400),
        ),
    ],
    ids=["TypeError", "ValueError", "ValueError about a choice", "NotImplementedError", "HTTP error of another server"],
)
def test_an_error_of_a_program_is_raised_after_one_request_and_teaches_nothing(run: Any, error: Exception) -> None:
    class Asking(ScriptedChatModel):
        base_url: str = "http://provider.test/v1"

        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            asked.append(1)
            raise error

    asked: list[int] = []
    with pytest.raises(type(error)):
        run(create_agent(Asking(replies=[]), [search], response_format=Verdict), QUESTION)
    assert (len(asked), known_refusals()) == (1, [])


class ClientError(Exception):
    """The error that a client raises from its SDK's error, like Google's client."""


class SDKError(Exception):
    code = 400


@pytest.mark.parametrize(
    "words",
    [
        "Function calling with a response mime type: 'application/json' is unsupported",
        "The specified schema produces a constraint that has too many states for serving.",
        "Request contains an invalid argument.",
    ],
)
def test_a_refusal_is_found_along_the_cause_of_an_error(run: Any, words: str) -> None:
    class Refusing(ScriptedChatModel):
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            if "response_format" in kwargs:
                raise ClientError(f"Error calling model: {words}") from SDKError(words)
            return super()._generate(messages, *args, **kwargs)

    call = {"name": "Verdict", "args": {"passed": True}, "id": "1", "type": "tool_call"}
    model = Refusing(replies=[AIMessage("", tool_calls=[call])], profile={"structured_output": True})
    assert run(create_agent(model, response_format=Verdict), QUESTION)["outcome"]["strategy"] == "tool"


def test_what_one_proxy_refuses_is_not_taken_as_refused_by_another(run: Any) -> None:
    def refuses_formats(body: JSONObject) -> Failure | None:
        return Failure(message="Unsupported parameter: 'response_format'") if "response_format" in body else None

    with OpenAIServer(answers, behave=refuses_formats) as strict, OpenAIServer(answers) as lenient:
        outcomes = [run(create_agent(chat(each), response_format=Verdict), QUESTION)["outcome"] for each in (strict, lenient)]
        assert [refusal.base_url for refusal in known_refusals()] == [strict.base_url]
    assert [outcome["strategy"] for outcome in outcomes] == ["tool", "provider"]


@pytest.mark.parametrize(
    "field",
    ["anthropic_api_url", "endpoint", "groq_api_base", "api_base", "openrouter_api_base", "endpoint_url", "base_url"],
)
def test_the_address_of_every_client_is_known(field: str) -> None:
    class Client:
        model = "m"

    client = Client()
    setattr(client, field, "https://proxy.test/v1")
    assert refusals.Refusal.of(client, "tool", beside_tools=False).base_url == "https://proxy.test/v1"


def test_a_refusal_that_names_nothing_is_learned_when_it_comes_again(run: Any) -> None:
    def refuses(body: JSONObject) -> Failure | None:
        return Failure(404, "No endpoints found that can handle the requested parameters") if "response_format" in body else None

    with OpenAIServer(answers, behave=refuses) as server:
        model, learned = chat(server), []
        for _ in range(3):
            assert run(create_agent(model, response_format=Verdict), QUESTION)["outcome"]["status"] == "answered"
            learned.append(len(known_refusals()))
    assert (learned, len(server.requests)) == ([0, 1, 1], 5)


def test_a_refusal_is_forgotten_after_its_time(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(refusals, "monotonic", lambda: now[0])
    refusals.remember_refusal(ScriptedChatModel(replies=[]), "provider", beside_tools=False)
    assert len(known_refusals()) == 1
    now[0] = refusals.MAX_REFUSAL_AGE_SECONDS
    assert known_refusals() == []


def test_refusals_are_bounded_in_number() -> None:
    model = ScriptedChatModel(replies=[])
    for number in range(refusals.MAX_REFUSALS + 10):
        refusals.remember_refusal(model, f"strategy {number:04}", beside_tools=False)
    names = [refusal.strategy for refusal in known_refusals()]
    assert (len(names), names[0]) == (refusals.MAX_REFUSALS, "strategy 0010")


@pytest.mark.parametrize("tools", [[search], []], ids=["tools", "no tools"])
def test_a_failed_sample_is_an_attempt_and_never_a_refusal(run: Any, tools: list[Any]) -> None:
    class FailedSampleError(Exception):
        status_code = 400
        body: ClassVar[dict[str, Any]] = {
            "error": {"message": "Tool choice is required, but model did not call a tool", "code": "tool_use_failed"}
        }

    class Sampling(ScriptedChatModel):
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            if not failed:
                failed.append(1)
                raise FailedSampleError("Error code: 400")
            return super()._generate(messages, *args, **kwargs)

    failed: list[int] = []
    call = {"name": "Verdict", "args": {"passed": True}, "id": "1", "type": "tool_call"}
    model = Sampling(replies=[AIMessage("", tool_calls=[call])])
    outcome = run(create_agent(model, tools, response_format=Verdict), QUESTION)["outcome"]
    assert (outcome["status"], len(outcome["attempts"]), outcome["usage"]["model_calls"]) == ("answered", 2, 2)
    assert "did not call a tool" in outcome["attempts"][0]["error"]
    assert known_refusals() == []
