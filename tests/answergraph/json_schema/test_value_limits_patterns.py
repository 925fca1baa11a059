"""Patterns for a server's grammar: they match nothing that the declared pattern does not match, and keep JSON valid."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field, SecretStr

from answergraph import ProviderStrategy, create_agent
from answergraph.json_schema.value_limits import plain_pattern
from tests.openai_server import OpenAIServer, says

PATTERNS = (
    r"^[^@\s]+@[^@\s]+\.[a-z]+$",
    r"^\d{3}-\d{2}$",
    r"^\w+$",
    r"^\S+$",
    r"^.{3,9}$",
    r"^\D+$",
    r"^[\w.-]+$",
    r"^(a|b)+\.?$",
)
TEXTS = st.text('abz019_@.- "\\\n', max_size=8)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_short_class_is_left(pattern: str) -> None:
    assert not re.search(r"\\[dwsDWS]", plain_pattern(pattern))


@given(st.sampled_from(PATTERNS), TEXTS)
def test_a_text_fits_the_plain_pattern_only_if_it_fits_the_declared_one(pattern: str, text: str) -> None:
    fits = re.search(plain_pattern(pattern), text) is not None
    assert not fits or re.search(pattern, text)
    # A character that JSON does not escape, and that fits, still matches.
    is_plain = json.dumps(text) == f'"{text}"'
    assert fits or not is_plain or not re.search(pattern, text)


@pytest.mark.parametrize("pattern", [r"^[\D,]+$", r"^a\.b$", "^[a-z]+$", ""])
def test_what_has_no_plain_form_or_is_plain_is_left_alone(pattern: str) -> None:
    assert plain_pattern(pattern) == pattern


class Contact(BaseModel):
    email: str = Field(pattern=r"^[^@\s]+@x\.org$")


@pytest.mark.parametrize(("strict", "sent"), [(None, r"""^[^"\\\x00-\x1f@ ]+@x\.org$"""), (False, r"^[^@\s]+@x\.org$")])
def test_your_own_server_receives_the_plain_pattern_unless_the_schema_is_sent_unchanged(strict: bool | None, sent: str) -> None:
    with OpenAIServer([says('{"email": "jo@x.org"}')]) as server:
        model = ChatOpenAI(model="qwen3", base_url=server.base_url, api_key=SecretStr("none"), max_retries=0)
        agent = create_agent(model, response_format=ProviderStrategy(Contact, strict=strict))
        assert agent.invoke({"messages": ["Who?"]})["structured_response"] == Contact(email="jo@x.org")
        schema = server.requests[0].body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["email"]["pattern"] == sent
