"""Finds out from the provider's metadata why a reply cannot contain an answer.

The stop reason is in ``finish_reason`` (chat completions, Gemini), ``stop_reason`` (Anthropic), ``stopReason`` (Bedrock),
``done_reason`` (Ollama), ``status`` and ``incomplete_details`` (OpenAI's responses). OpenAI has a field or block for refusals;
Gemini reports a blocked prompt in ``prompt_feedback``.
"""

from collections.abc import Mapping
from enum import Enum

from langchain_core.messages import AIMessage

from answergraph.state.outcome import Status

CALLS_FROM_TEXT = "calls_from_text"
"""Key of a message's ``response_metadata``: its tool calls were written as text."""
BROKEN_CALL = "broken_call"
"""Key of a message's ``response_metadata``: the tool whose call it wrote as text, but not as a JSON object."""
OUT_OF_TIME = "out_of_time"
"""The stop reason of a reply that was cut because its time was up."""

FAILED_SAMPLE = "failed_sample"
"""Metadata key of a reply that was made from an error; the value is the provider's message."""

_REASON_KEYS = ("finish_reason", "stop_reason", "stopReason", "done_reason", "native_finish_reason", "status")
_SAYING = frozenset({*_REASON_KEYS, "incomplete_details", "prompt_feedback"})
# Of DeepSeek, Mistral, OpenRouter, OpenAI.
_BROKEN_OFF = {"insufficient_system_resource", "error", "failed", "cancelled"}
_CUT = {
    *("length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded", "incomplete"),
    OUT_OF_TIME,
    *_BROKEN_OFF,
}
# Gemini's reasons for malformed calls.
_BROKEN_CALL = {"malformed_function_call", "unexpected_tool_call"}
_FILTERED = {
    *("content_filter", "content_filtered", "guardrail_intervened"),
    *("safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety", "model_armor", "jailbreak"),
}
_NOT_BLOCKED = {"", "0", "none", "block_reason_unspecified", "blocked_reason_unspecified"}
_PAUSED = {"pause_turn"}


def diagnose(message: AIMessage) -> Status | None:
    """Return why a reply cannot contain an answer: ``refused``, ``truncated`` (or paused) or ``empty``; ``None`` if it may."""
    reasons = stop_reasons(message) if message.response_metadata else set()
    blocks = message.content
    has_refusal = type(blocks) is list and any(isinstance(each, dict) and each.get("type") == "refusal" for each in blocks)
    if reasons & _FILTERED or "refusal" in reasons or message.additional_kwargs.get("refusal") or has_refusal:
        return "refused"
    if (reasons & _CUT and CALLS_FROM_TEXT not in message.response_metadata) or (reasons & _PAUSED and not message.tool_calls):
        return "truncated"
    calls = message.tool_calls or message.invalid_tool_calls
    if calls or FAILED_SAMPLE in message.response_metadata or reasons & _BROKEN_CALL:
        return None
    return None if message.text.strip() else "empty"


def is_paused(message: AIMessage) -> bool:
    """Return whether a provider's tool paused the turn; the model continues a turn that is sent back unchanged."""
    return not message.tool_calls and not stop_reasons(message).isdisjoint(_PAUSED)


def why_unreadable(status: Status, message: AIMessage) -> str:
    """Return in one sentence why a reply cannot contain an answer."""
    if status == "empty":
        return f"The model {'repeated its calls' if CALLS_FROM_TEXT in message.response_metadata else 'returned no content'}."
    if status == "truncated":
        return f"The reply {how_cut(message)}."
    if (filters := sorted(stop_reasons(message) & _FILTERED)) and not _refusal(message):
        return f"The provider's filter stopped the reply: {filters[0]}."
    return f"The model refused: {refusal_text(message)}".rstrip(": ")


def how_cut(message: AIMessage) -> str:
    """Return how a reply ended before it was complete, in the words that follow ``The reply``."""
    reasons = stop_reasons(message)
    if reasons & _PAUSED:
        return "was paused by a tool of the provider"
    if OUT_OF_TIME in reasons:
        return "was cut because its time was up"
    broken_off = sorted(reasons & _BROKEN_OFF)
    return f"was broken off by the provider ({broken_off[0]})" if broken_off else "was cut at the token limit"


def was_broken_off(message: AIMessage) -> bool:
    """Return whether the provider broke a reply off; a reply at the token limit is not broken off."""
    return not stop_reasons(message).isdisjoint(_BROKEN_OFF | _PAUSED)


def failed_sample(message: AIMessage) -> str:
    """Return the provider's message about an unparsable call or JSON, else empty."""
    sample_error = message.response_metadata.get(FAILED_SAMPLE)
    broken = sorted(stop_reasons(message) & _BROKEN_CALL)
    return str(sample_error or "") or (f"The call was malformed ({broken[0]})." if broken and not message.tool_calls else "")


def refusal_text(message: AIMessage) -> str:
    return _refusal(message) or message.text


def _refusal(message: AIMessage) -> str:
    blocks = [block.get("refusal") for block in message.content if isinstance(block, dict)]
    return str(message.additional_kwargs.get("refusal") or next(filter(None, blocks), ""))


def stop_reasons(message: AIMessage) -> set[str]:
    metadata = message.response_metadata
    if _SAYING.isdisjoint(metadata):
        return set()
    details, feedback = metadata.get("incomplete_details"), metadata.get("prompt_feedback")
    values = [metadata.get(key) for key in _REASON_KEYS]
    values.append(details.get("reason") if isinstance(details, Mapping) else None)
    values.append(feedback.get("block_reason") if isinstance(feedback, Mapping) else None)
    # Some clients pass on the enum of their SDK.
    *texts, blocked = [reason.name if isinstance(reason, Enum) else reason for reason in values]
    # Stream chunks may repeat a reason: "STOPSTOP" is "STOP".
    reasons = {text[: (text + text).find(text, 1)].lower() for text in texts if isinstance(text, str)}
    if blocked is not None and str(blocked).lower() not in _NOT_BLOCKED:
        reasons.add("prohibited_content")
    return reasons
