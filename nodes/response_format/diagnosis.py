"""Tells why a reply holds no answer, before anyone tries to parse it.

The marks are those of the providers' own documents, as LangChain's chat models pass them on: OpenAI's ``refusal`` and
``finish_reason`` (chat completions) or ``status``/``incomplete_details`` (responses), Anthropic's ``stop_reason``, Gemini's
``finish_reason``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from answergraph.nodes.messages import last_turn
from answergraph.nodes.outcome import Status

_TRUNCATED = {"length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded"}
_REFUSED = {"refusal", "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "guardrail_intervened"}


def diagnose(message: AIMessage) -> Status | None:
    """Return why a reply cannot hold an answer.

    Args:
        message: The reply.

    Returns:
        ``refused``, ``truncated`` or ``empty``; ``None`` if the reply may be read.
    """
    reasons = _stop_reasons(message.response_metadata) if message.response_metadata else set()
    if message.additional_kwargs.get("refusal") or _has_refusal_block(message) or reasons & _REFUSED:
        return "refused"
    if reasons & _TRUNCATED:
        return "truncated"
    if not message.tool_calls and not message.invalid_tool_calls and not message.text.strip():
        return "empty"
    return None


def repeats_cut_calls(messages: Sequence[AnyMessage]) -> bool:
    """Return whether the last two AI messages call tools and were both cut, so that asking again is no use."""
    message, after = last_turn(messages)
    earlier, _ = last_turn(messages[: -len(after) - 1])
    return all(reply is not None and reply.tool_calls and diagnose(reply) == "truncated" for reply in (message, earlier))


def refusal_text(message: AIMessage) -> str:
    """Return the words in which the model refused, empty if it gave none."""
    blocks = [block.get("refusal") for block in message.content if isinstance(block, dict)]
    return str(message.additional_kwargs.get("refusal") or next(filter(None, blocks), "") or message.text)


def _stop_reasons(metadata: Mapping[str, Any]) -> set[str]:
    details = metadata.get("incomplete_details")
    detail = details.get("reason") if isinstance(details, Mapping) else None
    found = (metadata.get("finish_reason"), metadata.get("stop_reason"), metadata.get("stopReason"), detail)
    return {reason.lower() for reason in found if isinstance(reason, str)}


def _has_refusal_block(message: AIMessage) -> bool:
    if isinstance(message.content, str):
        return False
    return any(isinstance(block, dict) and block.get("type") == "refusal" for block in message.content)
