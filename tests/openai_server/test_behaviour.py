"""A server that refuses requests as real servers do."""

from typing import Any

import openai
import pytest

from tests.openai_server import (
    Behaviour,
    OpenAIServer,
    rejects_any,
    rejects_json_schema,
    rejects_response_format,
    rejects_strict,
    rejects_tool_choice_required,
    rejects_unknown_fields,
    says,
)

JSON_SCHEMA = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}, "strict": True}}}
JSON_OBJECT = {"response_format": {"type": "json_object"}}
RESPONSES_SCHEMA = {"input": "", "text": {"format": {"type": "json_schema", "name": "x", "schema": {}}}}
NAMED_TOOL = {"tool_choice": {"type": "function", "function": {"name": "add"}}}
STRICT_TOOL = {"tools": [{"type": "function", "function": {"name": "add", "strict": True}}]}


@pytest.mark.parametrize(
    ("behave", "refused", "taken"),
    [
        (rejects_tool_choice_required, [{"tool_choice": "required"}, NAMED_TOOL], [{}, {"tool_choice": "auto"}]),
        (rejects_response_format, [JSON_SCHEMA, JSON_OBJECT, RESPONSES_SCHEMA], [{}, {"text": {"verbosity": "low"}}]),
        (rejects_json_schema, [JSON_SCHEMA, RESPONSES_SCHEMA], [{}, JSON_OBJECT]),
        (rejects_strict, [JSON_SCHEMA, STRICT_TOOL], [{}, RESPONSES_SCHEMA, {"tools": [{"type": "web_search"}]}]),
        (
            rejects_unknown_fields,
            [{"messages": [], "top_k": 1}, {"input": "", **JSON_OBJECT}, {"prompt": "", "tools": []}],
            [{"messages": [], "stream": True, **JSON_SCHEMA}, RESPONSES_SCHEMA, {"prompt": "", "stop": ["x"]}],
        ),
        (rejects_any(rejects_strict, rejects_json_schema), [STRICT_TOOL, RESPONSES_SCHEMA], [{}, JSON_OBJECT]),
    ],
)
def test_a_behaviour_refuses_only_what_its_name_says(
    behave: Behaviour, refused: list[dict[str, Any]], taken: list[dict[str, Any]]
) -> None:
    assert [body for body in refused if behave(body) is None] == []
    assert [body for body in taken if behave(body) is not None] == []


def test_a_refused_request_uses_up_no_reply() -> None:
    with (
        OpenAIServer([says("Free.")], behave=rejects_tool_choice_required) as server,
        openai.OpenAI(base_url=server.base_url, api_key="test-key") as client,
    ):
        with pytest.raises(openai.BadRequestError, match="does not support this tool_choice"):
            client.chat.completions.create(model="gpt-test", messages=[], tool_choice="required")
        reply = client.chat.completions.create(model="gpt-test", messages=[], tool_choice="auto")

    assert reply.choices[0].message.content == "Free."
    assert [request.body["tool_choice"] for request in server.requests] == ["required", "auto"]
