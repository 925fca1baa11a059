"""Servers that behave like the provider families of `answergraph.asking.providers.provider_table`.

A server accepts, refuses and ignores what its family does, with the family's own error messages if they are known, and its model
answers accordingly. All servers speak chat completions, also for families with another API. The model looks a number up if it has
a tool for that, then answers with the number in the requested form.
"""

import json
from collections.abc import Callable, Mapping
from itertools import pairwise

from tests.openai_server.behaviour import Behaviour, rejects_any, rejects_json_schema
from tests.openai_server.reply import Failure, JSONObject, Reply, ToolCall, calls, says

NUMBER = 42
ANSWER_TOOL = "Found"
"""The name of the requested schema."""

Script = Callable[[JSONObject], Reply | Failure]


def answers(body: JSONObject) -> Reply:
    """Use the tools, then answer: by the answer tool, as JSON if a format or the prompt asks for it, otherwise in prose."""
    names = _tool_names(body)
    if _has_more_to_do(body):
        return calls(ToolCall(next(name for name in names if name != ANSWER_TOOL), {"key": "number"}))
    if ANSWER_TOOL in names:
        return calls(ToolCall(ANSWER_TOOL, {"number": NUMBER}))
    if _is_formatted(body) or _asks_for_json(body):
        return says(json.dumps({"number": NUMBER}))
    return says(f"The number is {NUMBER}.")


def answers_in_prose(body: JSONObject) -> Reply:
    """Use the tools, then answer in prose, unless a format or the prompt asks for JSON."""
    told = _has_more_to_do(body) or _is_formatted(body) or _asks_for_json(body)
    return answers(body) if told else says(f"The number is {NUMBER}.")


def makes_the_answer_up(model: Script) -> Script:
    """Return a model that the format constrains in every turn, so that it calls no tool and invents the value."""

    def reply(body: JSONObject) -> Reply | Failure:
        if _is_formatted(body) and _has_more_to_do(body):
            return says(json.dumps({"number": 0}))
        return model(body)

    return reply


def drops_reasoning(body: JSONObject) -> Reply:
    """Reason if asked to; with a forced tool call, silently do not reason."""
    reply = answers(body)
    if _thinks(body) and not _is_forced(body):
        return Reply(text=reply.text, tool_calls=reply.tool_calls, reasoning="Let me see.")
    return reply


def refuses_formats(message: str, *kinds: str, beside_tools: bool = False) -> Behaviour:
    """Refuse some kinds of response formats, always or only beside tools."""

    def behave(body: JSONObject) -> Failure | None:
        refused = _format(body) in kinds and (bool(_tool_names(body)) or not beside_tools)
        return Failure(message=message) if refused else None

    return behave


def refuses_force(message: str, *, thinking_only: bool = True, thinks: tuple[str, ...] = ()) -> Behaviour:
    """Refuse forced tool calls, always or while the model thinks: by a setting, or by its name."""

    def behave(body: JSONObject) -> Failure | None:
        thinking = not thinking_only or _thinks(body, thinks)
        return Failure(message=message) if _is_forced(body) and thinking else None

    return behave


def refuses_json_without_the_word(body: JSONObject) -> Failure | None:
    """Refuse the JSON mode if no message contains the word JSON."""
    says_so = any("json" in str(message.get("content")).lower() for message in body["messages"])
    message = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return Failure(message=message) if _format(body) == "json_object" and not says_so else None


def refuses_json_mode_while_thinking(body: JSONObject) -> Failure | None:
    """Refuse the JSON mode while the model thinks, as Qwen does."""
    message = "<400> InternalError.Algo.InvalidParameter: Json mode response is not supported when enable_thinking is true"
    return Failure(message=message) if _format(body) == "json_object" and _thinks(body) else None


def refuses_a_user_after_a_tool(body: JSONObject) -> Failure | None:
    """Refuse a user message right after a tool message, as Mistral does."""
    roles = [message["role"] for message in body["messages"]]
    broken = ("tool", "user") in pairwise(roles)
    return Failure(message="Unexpected role 'user' after role 'tool'", code="3230") if broken else None


def served(*refusals: Behaviour, model: Script = answers) -> Script:
    """Return the script of a server that refuses some requests; the model answers the others."""
    refuse = rejects_any(*refusals)
    return lambda body: refuse(body) or model(body)


_BOTH = ("json_schema", "json_object")
_ANTHROPIC_FORCE = refuses_force("Thinking may not be enabled when tool_choice forces tool use.")
_ANTHROPIC_JSON = refuses_formats("response_format.type: Input should be 'json_schema'", "json_object")

FAMILIES: Mapping[str, Script] = {
    "OpenAI": served(refuses_json_without_the_word),
    "OpenAI before GPT-4o": served(
        refuses_json_without_the_word,
        refuses_formats(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "json_schema"
        ),
    ),
    "Azure OpenAI": served(refuses_json_without_the_word),
    "Anthropic": served(_ANTHROPIC_FORCE, _ANTHROPIC_JSON),
    "Anthropic without forced calls": served(
        refuses_force("tool_choice forces tool use is not compatible with this model.", thinking_only=False), _ANTHROPIC_JSON
    ),
    "Anthropic before Claude 4.5": served(
        _ANTHROPIC_FORCE,
        _ANTHROPIC_JSON,
        refuses_formats("This model does not support output_config.format (structured outputs)", "json_schema"),
    ),
    "Gemini": served(),
    "Gemini before 3": served(
        refuses_formats(
            "Function calling with a response mime type: 'application/json' is unsupported", *_BOTH, beside_tools=True
        )
    ),
    "xAI": served(),
    "DeepSeek": served(
        rejects_json_schema,
        refuses_json_without_the_word,
        refuses_force("Thinking mode does not support this tool_choice", thinks=("deepseek-reasoner", "deepseek-v4-flash")),
    ),
    "Mistral": served(
        refuses_a_user_after_a_tool,
        refuses_formats("Cannot use response_format together with tools", *_BOTH, beside_tools=True),
    ),
    "Qwen": served(
        refuses_formats("'response_format.type' must be one of 'text', 'json_object'", "json_schema"),
        refuses_json_without_the_word,
        refuses_json_mode_while_thinking,
        refuses_force(
            "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or "
            "object in thinking mode"
        ),
    ),
    "Amazon Bedrock": served(_ANTHROPIC_FORCE, refuses_formats("Unknown parameter: response_format", "json_object")),
    "Ollama": served(model=makes_the_answer_up(answers_in_prose)),
    "vLLM": served(model=makes_the_answer_up(answers)),
    "llama.cpp or LocalAI": served(model=makes_the_answer_up(answers_in_prose)),
    "LM Studio": served(model=makes_the_answer_up(answers_in_prose)),
    "SGLang": served(model=makes_the_answer_up(answers)),
    "any other server at an address of its own": served(model=makes_the_answer_up(answers_in_prose)),
    "OpenRouter": served(model=drops_reasoning),
    "Groq": served(refuses_formats("json mode cannot be combined with tool/function calling", *_BOTH, beside_tools=True)),
    "any other": served(
        refuses_formats("Extra inputs are not permitted: response_format", *_BOTH),
        refuses_force("Only 'auto' is supported for tool_choice", thinking_only=False),
    ),
}
"""The script of the server, per family of the table."""


def azure_before_json_schema(body: JSONObject) -> Reply | Failure:
    """Answer like a deployment with an API version older than the JSON schema mode."""
    message = "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later"
    return served(refuses_formats(message, "json_schema"))(body)


def bedrock_without_forced_calls(body: JSONObject) -> Reply | Failure:
    """Answer like a model on Bedrock that refuses forced calls."""
    message = "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again."
    return served(refuses_force(message, thinking_only=False))(body)


def _tool_names(body: JSONObject) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools") or []]


def _has_more_to_do(body: JSONObject) -> bool:
    looked_up = any(message["role"] == "tool" for message in body["messages"])
    return not looked_up and bool(set(_tool_names(body)) - {ANSWER_TOOL})


def _format(body: JSONObject) -> str:
    return str((body.get("response_format") or {}).get("type"))


def _is_formatted(body: JSONObject) -> bool:
    return _format(body) in _BOTH


def _asks_for_json(body: JSONObject) -> bool:
    return "valid JSON object" in str(body["messages"][-1]["content"])


def _is_forced(body: JSONObject) -> bool:
    return body.get("tool_choice") not in (None, "auto", "none")


def _thinks(body: JSONObject, by_name: tuple[str, ...] = ()) -> bool:
    thinking, reasoning = body.get("thinking"), body.get("reasoning")
    if thinking is not None:
        return bool(thinking["type"] == "enabled")
    return bool(body.get("enable_thinking") or reasoning) or body["model"] in by_name
