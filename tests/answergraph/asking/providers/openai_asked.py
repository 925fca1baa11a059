"""Shared by the tests of requests to OpenAI."""

import pytest
from langchain_core.tools import tool
from pydantic import SecretStr

KEY = SecretStr("test")
RESPONSES_API = pytest.mark.parametrize("responses_api", [False, True], ids=["chat completions", "responses"])
STREAMING = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])


@tool
def search(query: str, limit: int = 3) -> str:
    """Search the logs."""
    return f"found {query}"
