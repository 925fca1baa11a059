"""The current arithmetic question, its plan and its calls, read from the messages, so that runs can resume anywhere."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from answergraph.json_text.strict_json import load_json
from answergraph.offline.arithmetic_notation import TOOL_OF_OPERATOR, Operand, Operation, OperationPlan, Result
from answergraph.offline.expression_search import find_expression
from answergraph.offline.offline_policy import AnsweredCall, OfferedSchema, answered_calls

VALIDATE = "validate_calculation"
OWN_TOOLS = frozenset({*TOOL_OF_OPERATOR.values(), VALIDATE})

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MAX_DIGITS = 400
"""No finite float has more; Python refuses to convert thousands."""


@dataclass(frozen=True)
class ArithmeticTurn:
    """A question and its calls so far."""

    plan: OperationPlan
    calls: Sequence[AnsweredCall]

    @cached_property
    def done(self) -> list[AnsweredCall]:
        """The answered operations in plan order, up to the first missing or failed one."""
        done: list[AnsweredCall] = []
        remaining = iter(self.calls)
        for operation in self.plan.operations:
            call = next((call for call in remaining if call.name == operation.tool), None)
            if call is None:
                break
            done.append(call)
            if number_in(call) is None:
                break
        return done

    @property
    def validation(self) -> AnsweredCall | None:
        return next((call for call in self.calls if call.name == VALIDATE), None)

    @property
    def failure(self) -> AnsweredCall | None:
        """The operation without a numeric result, or the failed validation."""
        if self.done and number_in(self.done[-1]) is None:
            return self.done[-1]
        return self.validation if self.validation and self.validation.failed else None

    @property
    def remaining(self) -> Sequence[Operation]:
        return self.plan.operations[len(self.done) :]

    def value(self, operand: Operand) -> int | float:
        """Return an operand: the user's own number, or the one a tool returned."""
        results = [number for call in self.done if (number := number_in(call)) is not None]
        return results[operand.step] if isinstance(operand, Result) else operand


def number_in(call: AnsweredCall) -> int | float | None:
    """Return the finite number a tool returned, ``None`` if there is none."""
    text = call.text
    if call.failed or len(text) > _MAX_DIGITS or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return None
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def find_turn(messages: Sequence[BaseMessage], formats: Sequence[OfferedSchema]) -> ArithmeticTurn | None:
    """Return the current question, or ``None`` if the last one is not arithmetic.

    The current question is the last human message with an expression. A later human message without one ends the turn, unless it
    is a second message in a row, a message between tool calls, or a reminder after text that was not an answer.
    """
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if not isinstance(message, HumanMessage):
            continue
        plan = find_expression(message.text)
        if plan is not None:
            return ArithmeticTurn(plan, answered_calls(messages[position + 1 :]))
        if not _goes_on(messages[:position], message.text, formats):
            return None
    return None


def _goes_on(before: Sequence[BaseMessage], text: str, formats: Sequence[OfferedSchema]) -> bool:
    """Return whether a human message without an expression continues the turn."""
    previous = next((message for message in reversed(before) if not isinstance(message, SystemMessage)), None)
    if isinstance(previous, ToolMessage):
        return _called_name(before, previous) in OWN_TOOLS
    if isinstance(previous, AIMessage) and not previous.tool_calls:
        return bool(formats) and (not isinstance(load_json(previous.text), dict) or _is_about_format(text, formats))
    return previous is not None


def _called_name(messages: Sequence[BaseMessage], answer: ToolMessage) -> str | None:
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return next((call["name"] for call in reversed(calls) if call["id"] == answer.tool_call_id), answer.name)


def _is_about_format(text: str, formats: Sequence[OfferedSchema]) -> bool:
    """Return whether a message is about the answer's format, not a new question."""
    names = {"json", *(name for schema in formats for name in (schema.name, *schema.field_names))}
    return any(name.lower() in text.lower() for name in names)
