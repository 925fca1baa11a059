"""The classic prompt of the text protocol: tools, tool choice, answer format and scratchpad.

The scratchpad is the conversation as questions, thoughts, actions and observations. It only grows: earlier prompts are
prefixes of later ones.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from answergraph.models.in_process.in_process_model import ToolChoice
from answergraph.react_text.react_reply import thought_in
from answergraph.react_text.text_tool import TextTool, text_input
from answergraph.state.messages import is_correction

STOPS = ("\nObservation:", "\n\tObservation:")
"""Keep the model from inventing observations."""

WITH_TOOLS = "Answer the following questions as best you can. You have access to the following tools:"
WITHOUT_TOOLS = "Answer the following questions as best you can."
QUESTION = """\
Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do"""
ACTION = """\
Action: the action to take, should be one of [{names}]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)"""
_SECOND_LABEL = re.compile(r"\A\s*+(?:\*\*)?Thought:(?:\*\*)?")
KNOWN = "Thought: I now know the final answer"
FINAL_ANSWER = "Final Answer: the final answer to the original input question"
FORCED = "Every reply ends with an Action and its Action Input; there is no other way to answer."
NAMED = "The Action is {name}; there is no other way to answer."
JSON_ANSWER = "The Final Answer is one JSON object, with nothing before or after it."
SCHEMA_ANSWER = (
    "The Final Answer is one JSON object that fits the following JSON Schema, with nothing before or after it:\n{schema}"
)
BEGIN = "Begin!"
GENERATE = "\n\nI now need to return a final answer based on the previous steps:"
"""Ends the prompt of a call that asks only for the answer, as ``early_stopping_method="generate"`` did."""

READ_AS = "react_text"
"""Key of ``response_metadata``: the call read from the text."""


@dataclass(frozen=True)
class ReActPrompt:
    """The prompt of one call: its tools, tool choice and answer format."""

    tools: tuple[TextTool, ...] = ()
    choice: ToolChoice = field(default_factory=ToolChoice)
    response_format: Mapping[str, object] | None = None
    """The format of the final answer in OpenAI's shape, ``None`` for text."""

    def instructions(self) -> str:
        paragraphs = [WITHOUT_TOOLS]
        if self.tools:
            paragraphs = [WITH_TOOLS, "\n".join(tool.line() for tool in self.tools)]
        return "\n\n".join([*paragraphs, self._format(), *self._after_format(), BEGIN])

    def _format(self) -> str:
        if not self.tools:
            return f"{QUESTION}\n{FINAL_ANSWER}"
        action = ACTION.format(names=", ".join(tool.name for tool in self.tools))
        end = [] if self.choice.is_forced else [KNOWN, FINAL_ANSWER]
        return "\n".join([QUESTION, action, *end])

    def _after_format(self) -> Sequence[str]:
        if self.tools and self.choice.is_forced:
            return [NAMED.format(name=self.choice.name) if self.choice.name else FORCED]
        schema = answer_schema(self.response_format)
        if schema is not None:
            return [SCHEMA_ANSWER.format(schema=json.dumps(schema, ensure_ascii=False))]
        return [] if self.response_format is None else [JSON_ANSWER]


def answer_schema(response_format: Mapping[str, Any] | None) -> Mapping[str, object] | None:
    """Return the JSON Schema of a response format in OpenAI's shape, ``None`` if it has none."""
    schema = ((response_format or {}).get("json_schema") or {}).get("schema")
    return schema if isinstance(schema, Mapping) else None


def system_text(messages: Sequence[BaseMessage]) -> str:
    return "\n\n".join(message.text for message in messages if isinstance(message, SystemMessage))


def uses_tools(messages: Sequence[BaseMessage]) -> bool:
    return any(isinstance(m, ToolMessage) or (isinstance(m, AIMessage) and _calls(m)) for m in messages)


def conversation_text(messages: Sequence[BaseMessage]) -> str:
    """Return a conversation without system messages in the protocol's form, up to the next ``Thought:``.

    Corrections and the problems of unreadable replies are written as observations. A call that the model did not write as text,
    or that was changed afterwards, is written in the protocol's form.
    """
    text = ""
    for reply, following in _turns(messages):
        results = {message.tool_call_id: message.text for message in following if isinstance(message, ToolMessage)}
        calls = [] if reply is None else _calls(reply)
        if reply is not None:
            text = _on_new_line(text) + "\n".join(_steps(reply, calls, results))
        answered = {call["id"] for call, _ in calls}
        for message in following:
            if not isinstance(message, ToolMessage):
                text += _written(message, after_reply=bool(text) and not text.endswith("\n"))
            elif message.tool_call_id not in answered:
                text = f"{_on_new_line(text)}Observation: {message.text}\n"
    return f"{_on_new_line(text)}Thought:"


def _turns(messages: Sequence[BaseMessage]) -> Iterator[tuple[AIMessage | None, list[BaseMessage]]]:
    """Yield each reply with the messages after it; the messages before the first reply come with ``None``."""
    reply: AIMessage | None = None
    following: list[BaseMessage] = []
    for message in messages:
        if isinstance(message, AIMessage):
            yield reply, following
            reply, following = message, []
        elif not isinstance(message, SystemMessage):
            following.append(message)
    yield reply, following


def _written(message: BaseMessage, *, after_reply: bool) -> str:
    if isinstance(message, HumanMessage) and is_correction(message):
        gap, label = "\n", "Observation"
    else:
        gap, label = "\n\n", "Question"
    return f"{gap if after_reply else ''}{label}: {message.text}\n"


def _steps(reply: AIMessage, calls: list[tuple[Any, str | None]], results: Mapping[str, str]) -> Iterator[str]:
    """Yield the steps of a reply, one per call, each with its observation."""
    if not calls:
        yield f"{KNOWN}\nFinal Answer: {reply.text}"
    for index, (call, mistake) in enumerate(calls):
        log = _log(reply, call, mistake) if index == 0 else _action(call)
        seen = mistake or results.get(str(call["id"]))
        end = "\n" if index == len(calls) - 1 else ""
        # The prompt ends with the label, and some models repeat it.
        log = _SECOND_LABEL.sub("", log)
        yield f"Thought:{log}" if seen is None else f"Thought:{log}\nObservation: {seen}{end}"


def _log(reply: AIMessage, call: Any, mistake: str | None) -> str:
    read_as = reply.response_metadata.get(READ_AS)
    if read_as is not None and (mistake or read_as == {"name": call["name"], "args": call["args"]}):
        return reply.text
    # A call of another model, or one changed by a person or a middleware.
    return f"{thought_in(reply.text)}{_action(call)}"


def _action(call: Any) -> str:
    args = call["args"] if isinstance(call["args"], str) else text_input(call["args"] or {})
    return f"\nAction: {call['name']}\nAction Input: {args}"


def _calls(reply: AIMessage) -> list[tuple[Any, str | None]]:
    malformed = [(call, call.get("error")) for call in reply.invalid_tool_calls]
    return [*((call, None) for call in reply.tool_calls), *malformed]


def _on_new_line(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
