"""The life of the loopback server: its script, its threads and its connections."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from threading import Barrier
from threading import enumerate as running_threads
from typing import Any

import openai
import pytest

from tests.openai_server import Failure, OpenAIServer, Reply, says


def ask(server: OpenAIServer, question: str = "Go") -> str | None:
    messages: Any = [{"role": "user", "content": question}]
    with openai.OpenAI(base_url=server.base_url, api_key="test-key") as client:
        return client.chat.completions.create(model="gpt-test", messages=messages).choices[0].message.content


def test_the_client_retries_a_failure_that_allows_it() -> None:
    with OpenAIServer([Failure(429, "Slow down.", may_retry=True), says("Now.")]) as server:
        assert ask(server) == "Now."

    assert len(server.requests) == 2


def test_an_exhausted_script_is_an_error_that_the_client_does_not_retry() -> None:
    with OpenAIServer([says("Once.")]) as server:
        ask(server)
        with pytest.raises(openai.InternalServerError, match="no reply for request 2"):
            ask(server)

    assert len(server.requests) == 2


def test_an_exception_of_the_scripts_function_reaches_the_client() -> None:
    def script(body: object) -> Reply:
        raise LookupError("no tools were sent")

    with OpenAIServer(script) as server, pytest.raises(openai.InternalServerError, match="no tools were sent"):
        ask(server)


def test_two_threads_are_served_in_parallel() -> None:
    both_are_here = Barrier(2, timeout=30)

    def script(body: Any) -> Reply:
        both_are_here.wait()
        return says(body["messages"][0]["content"])

    with OpenAIServer(script) as server, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(partial(ask, server), ["one", "two"]))

    assert answers == ["one", "two"]


def test_an_unknown_endpoint_is_answered_with_404() -> None:
    with (
        OpenAIServer([]) as server,
        openai.OpenAI(base_url=server.base_url, api_key="test-key") as client,
        pytest.raises(openai.NotFoundError, match="embeddings"),
    ):
        client.embeddings.create(model="gpt-test", input="Go")


@pytest.mark.parametrize("keep_alive", [True, False])
def test_leaving_the_block_ends_all_connections_and_threads(keep_alive: bool) -> None:
    before = set(running_threads())
    with OpenAIServer(lambda body: says("Yes"), keep_alive=keep_alive) as server:
        connection = HTTPConnection("127.0.0.1", int(server.base_url.split(":")[2].removesuffix("/v1")))
        for _ in range(2):
            connection.request("POST", "/v1/chat/completions", body="{}")
            response = connection.getresponse()
            assert response.will_close is not keep_alive
            assert b"Yes" in response.read()

    connection.close()
    assert set(running_threads()) <= before
    with pytest.raises(ConnectionRefusedError):
        connection.connect()
