"""The text protocol over real HTTP: a chat and a text-completion endpoint, on servers that honour or ignore the stop words."""

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_openai import ChatOpenAI, OpenAI
from pydantic import SecretStr

from answergraph import create_agent
from answergraph.models import ReActTextModel
from tests.openai_server import OpenAIServer, Reply, Usage, says
from tests.openai_server.reply import JSONObject
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}
ACTION = "I must look.\nAction: search\nAction Input: error"
INVENTS = f"{ACTION}\nObservation: found nothing\nThought: So it passed.\nFinal Answer: made up"
ANSWER = 'I now know.\nFinal Answer: {"passed": true}'
USAGE = Usage(input_tokens=30, output_tokens=4)


def client(endpoint: str, server: OpenAIServer, **settings: Any) -> Any:
    made = {"base_url": server.base_url, "api_key": SecretStr("test"), "max_retries": 0, **settings}
    return ChatOpenAI(model="gpt-test", **made) if endpoint == "chat" else OpenAI(model="gpt-test", **made)


def prompt_of(body: JSONObject) -> str:
    prompt = body["messages"][0]["content"] if "messages" in body else body["prompt"]
    return str(prompt[0] if isinstance(prompt, list) else prompt)


@pytest.fixture(params=["chat", "text"])
def endpoint(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[True, False], ids=["honours stops", "ignores stops"])
def server(request: pytest.FixtureRequest) -> Iterator[OpenAIServer]:
    with OpenAIServer([says(INVENTS, usage=USAGE), says(ANSWER, usage=USAGE)], honours_stop=request.param) as server:
        yield server


def test_an_agent_reaches_its_answer_through_either_endpoint(run: Run, endpoint: str, server: OpenAIServer) -> None:
    agent = create_agent(ReActTextModel(client(endpoint, server)), [search], response_format=Verdict)
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    first, second = (prompt_of(request.body) for request in server.requests)
    assert second == f"{first}{ACTION}\nObservation: found error\nThought:"
    assert all(request.body["stop"] == ["\nObservation:", "\n\tObservation:"] for request in server.requests)
    assert not any("tools" in request.body or "response_format" in request.body for request in server.requests)
    usage = result["outcome"]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (60, 8, 68)
    rounds = [message.usage_metadata["total_tokens"] for message in result["messages"] if message.type == "ai"]
    assert rounds == [34, 34]


def test_a_streamed_run_ends_in_the_same_answer(run: Run, endpoint: str, server: OpenAIServer) -> None:
    agent = create_agent(ReActTextModel(client(endpoint, server, streaming=True)), [search], response_format=Verdict)
    chunks = run.stream(agent, QUESTION, stream_mode=["messages", "values"])
    assert chunks[-1][1]["structured_response"] == Verdict(passed=True)
    said = "".join(chunk.text for mode, (chunk, *_) in ((m, d) for m, d in chunks if m == "messages") if chunk.type != "tool")
    assert "made up" not in said
    assert said == f'{ACTION}{{"passed": true}}'


def test_a_reply_that_the_server_cut_is_known_to_be_cut(run: Run, endpoint: str) -> None:
    # OpenAI's client for text completions insists on a usage.
    cut = Reply(text="I must look.\nAction: search\nAction Input: err", finish_reason="length", usage=USAGE)
    with OpenAIServer([cut, says(ANSWER, usage=USAGE)]) as server:
        agent = create_agent(ReActTextModel(client(endpoint, server)), [search], response_format=Verdict)
        result = run(agent, QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["truncated", "answered"]
    assert all(message.type != "tool" for message in result["messages"])
