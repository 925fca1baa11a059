"""The real OpenAI client streams an answer with both of its APIs, sync and async."""

from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from answergraph import ProviderStrategy, ToolStrategy, create_agent
from answergraph.streaming import HideAnswerCalls
from tests.answergraph.streaming.reasoned_verdict import Verdict
from tests.openai_server import OpenAIServer, Reply, ToolCall, says
from tests.suite.colors import Run

VERDICT: dict[str, Any] = {"passed": True, "why": "It ran three times without a failure, on two machines."}
CALLED = Reply(text="Let me see.", tool_calls=(ToolCall("Verdict", VERDICT),))
QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}

both_apis = pytest.mark.parametrize("responses_api", [False, True], ids=["chat", "responses"])


def model_at(server: OpenAIServer, responses_api: bool) -> ChatOpenAI:
    key = SecretStr("test-key")
    return ChatOpenAI(model="gpt-test", base_url=server.base_url, api_key=key, use_responses_api=responses_api)


@both_apis
@pytest.mark.parametrize(
    ("response_format", "reply"),
    [(ToolStrategy(Verdict), CALLED), (ProviderStrategy(Verdict), says(Verdict.model_validate(VERDICT).model_dump_json()))],
    ids=["tool", "native"],
)
def test_the_answer_grows(run: Run, responses_api: bool, response_format: Any, reply: Reply) -> None:
    with OpenAIServer([reply]) as server:
        agent = create_agent(model_at(server, responses_api), response_format=response_format)
        items = run.stream(agent, QUESTION, stream_mode=["custom", "values"])
    events = [item for mode, item in items if mode == "custom"]
    whys = [event["value"].get("why", "") for event in events]
    assert len(set(whys)) > 3
    assert all(VERDICT["why"].startswith(why) for why in whys)
    assert (events[-1]["status"], events[-1]["value"]) == ("accepted", VERDICT)
    assert items[-1][1]["structured_response"] == Verdict.model_validate(VERDICT)


@both_apis
def test_the_raw_call_can_be_hidden(run: Run, responses_api: bool) -> None:
    with OpenAIServer([CALLED]) as server:
        agent = create_agent(model_at(server, responses_api), response_format=ToolStrategy(Verdict))
        messages = [message for message, _ in run.stream(agent, QUESTION, stream_mode="messages")]
    visible = HideAnswerCalls(ToolStrategy(Verdict))
    shown = [kept for message in messages if (kept := visible(message)) is not None]
    assert "".join(message.text for message in shown if isinstance(message, AIMessageChunk)) == "Let me see."
    assert "machines" not in str(shown)
    assert "Verdict" not in str(shown)
