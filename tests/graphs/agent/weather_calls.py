"""A tool that looks the weather up, an answer about it, and the ways of asking, for calls that a model writes as text."""

import json

import pytest
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import AutoStrategy, DeferredStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy

QUESTION = {"messages": ["How is the weather in Oslo?"]}
CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
RAIN = json.dumps({"city": "Oslo", "rain": True})

EVERY = [AutoStrategy, ToolStrategy, PromptedStrategy, ProviderStrategy, DeferredStrategy]
STRATEGIES = pytest.mark.parametrize("strategy", EVERY)


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    rain: bool


@tool
def get_weather(city: str) -> str:
    """Look the weather of a city up."""
    return f"Rain in {city}."
