"""Requests that real compatible servers refuse, as functions of the request body."""

from collections.abc import Callable
from typing import Any

from openai.types import completion_create_params as text_completion
from openai.types.chat import completion_create_params as chat_completion
from openai.types.responses import response_create_params as response

from tests.openai_server.reply import Failure, JSONObject

Behaviour = Callable[[JSONObject], Failure | None]


def rejects_tool_choice_required(body: JSONObject) -> Failure | None:
    """Refuse a forced tool call, as thinking modes do: of any tool, or of a named one."""
    if body.get("tool_choice") in (None, "auto", "none"):
        return None
    return Failure(message="Thinking mode does not support this tool_choice", code="invalid_request_error")


def rejects_response_format(body: JSONObject) -> Failure | None:
    """Refuse every response format except plain text, in both APIs."""
    if _format_type(body) == "text":
        return None
    return Failure(message="Unsupported parameter: 'response_format'", param="response_format")


def rejects_json_schema(body: JSONObject) -> Failure | None:
    """Refuse a JSON schema as the response format, but accept `json_object`."""
    if _format_type(body) != "json_schema":
        return None
    return Failure(message="This response_format type is unavailable now", code="invalid_request_error")


def rejects_strict(body: JSONObject) -> Failure | None:
    """Refuse `strict: true` in a tool or in a response format."""
    functions = [tool.get("function", tool) for tool in body.get("tools") or []]
    if any(schema.get("strict") for schema in [*functions, _json_schema(body)]):
        return Failure(message="Unknown parameter: 'strict'", code="unknown_parameter", param="strict")
    return None


def rejects_unknown_fields(body: JSONObject) -> Failure | None:
    """Refuse a field at the top of the body that OpenAI's own endpoint does not have."""
    unknown = sorted(body.keys() - _known_fields(body))
    if not unknown:
        return None
    return Failure(message=f"Unrecognized request argument supplied: {unknown[0]}", code="unknown_parameter", param=unknown[0])


def rejects_any(*behaviours: Behaviour) -> Behaviour:
    """Return a behaviour that tries the given ones in order, and refuses if one of them does."""

    def behave(body: JSONObject) -> Failure | None:
        return next((failure for behaviour in behaviours if (failure := behaviour(body))), None)

    return behave


def _response_format(body: JSONObject) -> dict[str, Any]:
    return body.get("response_format") or (body.get("text") or {}).get("format") or {"type": "text"}


def _format_type(body: JSONObject) -> str:
    return str(_response_format(body).get("type"))


def _json_schema(body: JSONObject) -> dict[str, Any]:
    chosen = _response_format(body)
    schema: dict[str, Any] = chosen.get("json_schema", chosen)
    return schema


def _known_fields(body: JSONObject) -> frozenset[str]:
    if "input" in body:
        params: Any = response.ResponseCreateParamsStreaming
    elif "messages" in body:
        params = chat_completion.CompletionCreateParamsStreaming
    else:
        params = text_completion.CompletionCreateParamsStreaming
    return frozenset(params.__required_keys__ | params.__optional_keys__)
