"""A model without tool calls is recognized and wrapped in the text protocol; the outcome says so."""

from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from answergraph import UsageLimits, create_agent
from answergraph.asking.providers.refusals import objection_in
from answergraph.models import known_refusals
from answergraph.testing import ScriptedChatModel
from tests.openai_server import Failure, OpenAIServer, says
from tests.openai_server.reply import JSONObject
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import Missing, Verdict

QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}
LOOKS = "I must look.\nAction: search\nAction Input: error"
PASSED = 'I now know.\nFinal Answer: {"passed": true}'


def has_no_tools(body: JSONObject) -> Failure | None:
    return Failure(message="registry.ollama.ai/library/gemma:2b does not support tools") if body.get("tools") else None


def openai_model(server: OpenAIServer) -> ChatOpenAI:
    return ChatOpenAI(model="gemma:2b", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)


def test_a_model_class_without_tool_calls_is_wrapped(run: Run) -> None:
    agent = create_agent(FakeListChatModel(responses=[LOOKS, PASSED]), [search], response_format=Verdict)
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert result["outcome"]["strategy"] == "react_text"
    assert [message.type for message in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert result["messages"][2].text == "found error"


def test_a_server_that_says_so_is_asked_once_and_then_in_text(run: Run) -> None:
    with OpenAIServer([says(LOOKS), says(PASSED)] * 2, behave=has_no_tools) as server:
        agent = create_agent(openai_model(server), [search], response_format=Verdict)
        first, second = run(agent, QUESTION), run(agent, QUESTION)
    assert first["outcome"]["strategy"] == second["outcome"]["strategy"] == "react_text"
    assert [bool(request.body.get("tools")) for request in server.requests] == [True, False, False, False, False]
    assert "search(query: str) - Search the logs." in server.requests[1].body["messages"][0]["content"]
    assert '"passed"' in server.requests[1].body["messages"][0]["content"]
    assert "tool_calling" in [refusal.strategy for refusal in known_refusals()]


def test_a_union_is_asked_for_as_any_of_its_schemas(run: Run) -> None:
    replies = [LOOKS, 'Final Answer: {"facts": ["the log"]}']
    agent = create_agent(FakeListChatModel(responses=replies), [search], response_format=Verdict | Missing)
    result = run(agent, QUESTION)
    assert result["structured_response"] == Missing(facts=["the log"])
    assert result["outcome"]["schema"] == "Missing"


def test_a_wrong_answer_goes_back_and_the_next_one_counts(run: Run) -> None:
    replies = [LOOKS, 'Final Answer: {"passed": "perhaps"}', "Final Answer: It did.", PASSED]
    result = run(create_agent(FakeListChatModel(responses=replies), [search], response_format=Verdict), QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "unanswered", "answered"]


def test_the_reserved_final_answer_is_asked_for_in_text_too(run: Run) -> None:
    model = FakeListChatModel(responses=[LOOKS, PASSED])
    agent = create_agent(model, [search], response_format=Verdict, limits=UsageLimits(model_calls=2))
    assert run(agent, QUESTION)["structured_response"] == Verdict(passed=True)


def test_without_tools_a_model_without_tool_calls_is_asked_in_words(run: Run) -> None:
    result = run(create_agent(FakeListChatModel(responses=['{"passed": true}']), response_format=Verdict), QUESTION)
    assert result["outcome"]["strategy"] != "react_text"
    assert result["structured_response"] == Verdict(passed=True)


class ProviderError(Exception):
    def __init__(self, status_code: int, message: str) -> None:
        self.status_code = status_code
        super().__init__(message)


@pytest.mark.parametrize(
    ("status", "message", "without_tools"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools", True),
        (400, "`tool calling` is not supported with this model", True),
        (404, "No endpoints found that support tool use.", True),
        (400, "Function calling is not enabled for this model", True),
        (422, "This model doesn't support function calling", True),
        (400, "This model does not support tool_choice", False),
        (400, "Thinking mode does not support this tool_choice", False),
        (400, "Unsupported parameter: 'response_format'", False),
        (429, "Rate limit: this tier does not support tools", False),
        (500, "does not support tools", False),
    ],
)
def test_only_errors_about_tools_in_general_mean_that_there_are_none(status: int, message: str, without_tools: bool) -> None:
    objection = objection_in(ProviderError(status, message), ScriptedChatModel(replies=[]))
    assert (objection is not None and objection.to_tools) is without_tools
