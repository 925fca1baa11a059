"""Turns calls that a model wrote as text into tool calls."""

from collections.abc import Collection, Sequence
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call

from answergraph.asking.strategies.strategy import Strategy
from answergraph.reading.text_calls import find_text_calls
from answergraph.state.stop_reasons import CALLS_FROM_TEXT, diagnose
from answergraph.state.turn import Turn


def with_calls(message: AIMessage, names: Collection[str], strategy: Strategy, history: Sequence[AnyMessage]) -> AIMessage:
    """Return a reply in which the written calls of offered tools are tool calls with new ids.

    The reply is unchanged if there are none, or if its text may be the answer. In a cut reply only complete calls count. Small
    models repeat calls endlessly: if an answer is requested, a call that returned the same result twice is dropped.
    """
    may_be_answer = strategy.answers_in_text and any(schema.looks_like_call for schema in strategy.schemas)
    if message.tool_calls or message.invalid_tool_calls or may_be_answer:
        return message
    text = message.text
    found = find_text_calls(text, names)
    malformed = () if diagnose(message) == "truncated" else found.malformed
    if not found.calls and not malformed:
        return message
    made = Turn({"messages": list(history)}).calls_without_news if strategy.schemas else ()
    content: object = found.rest
    if not isinstance(message.content, str):
        others = [block for block in message.content if isinstance(block, dict) and block.get("type") != "text"]
        content = [*others, {"type": "text", "text": found.rest}] if found.rest else others
    return message.model_copy(
        update={
            "content": content,
            "tool_calls": [
                tool_call(name=call.name, args=call.args, id=_new_id())
                for call in found.calls
                if (call.name, call.args) not in made
            ],
            "invalid_tool_calls": [
                invalid_tool_call(name=name, args=text, id=_new_id(), error="its arguments are cut, or not a JSON object")
                for name in malformed
            ],
            "response_metadata": {**message.response_metadata, CALLS_FROM_TEXT: True},
        }
    )


def _new_id() -> str:
    return f"call_{uuid4().hex}"
