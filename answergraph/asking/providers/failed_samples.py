"""Provider errors about the model's output: a sample that failed its grammar, or filtered content.

They count as replies, because the request is valid and the next sample may succeed.
"""

import json
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.tools import BaseTool
from pydantic import ValidationError

from answergraph.asking.providers.model_capabilities import address_of
from answergraph.asking.providers.provider_error import provider_error
from answergraph.state.stop_reasons import FAILED_SAMPLE

# Groq: https://console.groq.com/docs/errors, three codes, and words for proxies that drop them.
_CODES = r"\b(tool_use_failed|json_validate_failed|output_parse_failed)\b"
_WORDS = (
    r"failed to call a function|model did not call a tool|but model called a tool|failed to (generate|validate) json|"
    r"generated json does not match|tool call validation failed|model generated output that could not be parsed"
)
# Ollama and llama.cpp return HTTP 500 for a call they cannot parse.
_RAW = r"error parsing tool call: raw='(?P<raw>.*?)', err=|failed to parse input at pos \d+: (?P<rest>.*)"
# Azure: https://learn.microsoft.com/en-us/azure/ai-foundry/openai/concepts/content-filter
_FILTERED = r"content_filter|ResponsibleAIPolicyViolation"
_MESSAGES = {"AIMessage", "AIMessageChunk"}
"""Classes with which a client validates replies; a mismatch, such as arguments that are a list, is the model's mistake."""
_LONG_NUMBER = "for integer string conversion"
"""Python's message for a number of over 4,300 digits."""
_IS_ERROR_OF_SAMPLE = {None, 400, 422, 500}


def malformed_calls_in(error: BaseException, tools: Sequence[object]) -> AIMessage | None:
    """Return the reply whose calls a client refused because arguments are no JSON object, ``None`` for other errors.

    The client's error has the arguments alone, so the name is known only if there is one tool.
    """
    faults = error.errors() if isinstance(error, ValidationError) and error.title in _MESSAGES else []
    if not faults or any((fault["loc"][0], fault["loc"][-1]) != ("tool_calls", "args") for fault in faults):
        return None
    name = tools[0].name if len(tools) == 1 and isinstance(tools[0], BaseTool) else None
    texts = [json.dumps(fault["input"]) for fault in faults]
    return AIMessage("", invalid_tool_calls=[invalid_tool_call(name=name, args=each, id=None, error=None) for each in texts])


def reply_in(error: BaseException, model: object) -> AIMessage | None:
    """Return the reply that an error represents, ``None`` for other errors."""
    is_unreadable = isinstance(error, RecursionError) or (isinstance(error, ValueError) and _LONG_NUMBER in str(error))
    if is_unreadable or (isinstance(error, ValidationError) and error.title in _MESSAGES):
        return AIMessage("", response_metadata={FAILED_SAMPLE: "The client could not read the reply."})
    failure = provider_error(error, address_of(model))
    if failure is None or failure.status not in _IS_ERROR_OF_SAMPLE:
        return None
    if failure.status in {None, 400} and re.search(_FILTERED, failure.find("code") or failure.find("innererror")):
        return AIMessage("", response_metadata={"finish_reason": "content_filter"})
    raw = re.search(_RAW, failure.text, re.IGNORECASE | re.DOTALL)
    if raw is None and not re.search(_CODES, failure.text) and not re.search(_WORDS, failure.text, re.IGNORECASE):
        return None
    text = failure.find("failed_generation") or (raw is not None and (raw["raw"] or raw["rest"])) or ""
    return AIMessage(text, response_metadata={FAILED_SAMPLE: failure.find("message") or failure.text})
