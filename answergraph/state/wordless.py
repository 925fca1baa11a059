"""Fills empty replies, which some providers refuse."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

WROTE_NOTHING = "(nothing was written)"
"""The text of an empty reply; never stored."""
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning", "reasoning_content"}


def with_words(message: AIMessage) -> AIMessage:
    """Return a message with text: some providers refuse empty or thoughts-only replies."""
    if message.tool_calls or message.invalid_tool_calls:
        return message
    if message.additional_kwargs.get("refusal") or not _is_wordless(message.content):
        return message
    thoughts = [block for block in message.content if not _is_text(block)] if isinstance(message.content, list) else []
    content: Any = [*thoughts, {"type": "text", "text": WROTE_NOTHING}] if thoughts else WROTE_NOTHING
    return message.model_copy(update={"content": content})


def _is_wordless(content: str | list[Any]) -> bool:
    if isinstance(content, str):
        return not content.strip()
    return all(_is_text(block) and not _text(block).strip() for block in content if not _is_thought(block))


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or block.get("type") == "text"


def _text(block: Any) -> str:
    return block if isinstance(block, str) else str(block.get("text") or "")


def _is_thought(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in _THOUGHTS
