"""The classic prompt of the text protocol, rendered for the tools, the tool choice and the answer format of one call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from answergraph.models.in_process.tool_choice import ToolChoice
from answergraph.models.react_text.text_tool import TextTool

STOPS = ("\nObservation:", "\n\tObservation:")
"""Sent with every request, so that the model does not invent the results of tools."""

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
"""Ends the prompt of a call for the answer alone, in the words of the classic ``"generate"``."""


@dataclass(frozen=True)
class ReActPrompt:
    """The prompt of one call: its tools, tool choice and answer format."""

    tools: tuple[TextTool, ...] = ()
    choice: ToolChoice = field(default_factory=ToolChoice)
    response_format: Mapping[str, Any] | None = None
    """The format of the final answer in OpenAI's shape, ``None`` for a text."""

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


def answer_schema(response_format: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the JSON Schema of a response format in OpenAI's shape, ``None`` if it has none."""
    schema = ((response_format or {}).get("json_schema") or {}).get("schema")
    return schema if isinstance(schema, Mapping) else None
