"""A server that answers every request the same way, for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.openai_server import OpenAIServer, says


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(lambda body: says("Yes.")) as running:
        yield running
