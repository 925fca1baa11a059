"""What of a conversation belongs to the present arithmetic question: its plan, and the calls made for it.

All state of the offline model is read from here, out of the messages, so that a run can stop and go on anywhere.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from answergraph.models.offline.arithmetic_notation import TOOL_OF_OPERATOR, Operand, Operation, OperationPlan, Result
from answergraph.models.offline.expression_search import find_expression
from answergraph.models.offline.offline_policy import OfferedSchema

VALIDATE = "validate_calculation"
ARITHMETIC_TOOLS = frozenset(TOOL_OF_OPERATOR.values())

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MAX_DIGITS = 400
"""No finite float is written with more; Python refuses to read integers of some thousands."""


@dataclass(frozen=True)
class AnsweredCall:
    """A tool call and the message that answered it."""

    name: str
    args: dict[str, Any]
    answer: ToolMessage

    @property
    def text(self) -> str:
        """What the tool said."""
        return self.answer.text.strip()

    @property
    def number(self) -> int | float | None:
        """The number the tool returned, or ``None`` if the call failed or it is no finite number."""
        if self.answer.status == "error" or len(self.text) > _MAX_DIGITS or not _NUMBER.fullmatch(self.text):
            return None
        number = float(self.text)
        if not math.isfinite(number):
            return None
        return int(self.text) if self.text.lstrip("+-").isdigit() else number


@dataclass(frozen=True)
class Turn:
    """A question and what has been called for it so far."""

    plan: OperationPlan
    calls: Sequence[AnsweredCall]

    def operations_done(self) -> list[AnsweredCall]:
        """Return the answered calls of the plan's operations, in plan order, up to the first that is missing or failed."""
        done: list[AnsweredCall] = []
        remaining = iter(self.calls)
        for operation in self.plan.operations:
            call = next((call for call in remaining if call.name == operation.tool), None)
            if call is None:
                break
            done.append(call)
            if call.number is None:
                break
        return done

    def results(self) -> list[int | float]:
        """Return the numbers the operations returned so far, in plan order."""
        return [call.number for call in self.operations_done() if call.number is not None]

    def validation(self) -> AnsweredCall | None:
        """Return the answered validation, if there was one."""
        return next((call for call in self.calls if call.name == VALIDATE), None)


def find_turn(messages: Sequence[BaseMessage], formats: Sequence[OfferedSchema]) -> Turn | None:
    """Return the present question, or ``None`` if the last one is not about arithmetic.

    The question is the last human message with an expression. A later human message without one ends its turn, unless it
    only goes on with it: a second message in a row, a word between tool calls, or a reminder after text that was no answer.

    Args:
        messages: The conversation, oldest first.
        formats: The answer formats and tools the present request offers.

    Raises:
        ExpressionError: The last question holds something like an expression that cannot be read.
    """
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if not isinstance(message, HumanMessage):
            continue
        plan = find_expression(message.text)
        if plan is not None:
            return Turn(plan, answered_calls(messages[position + 1 :]))
        if not _goes_on(messages[:position], message.text, formats):
            return None
    return None


def answered_calls(messages: Iterable[BaseMessage]) -> list[AnsweredCall]:
    """Return the tool calls that were answered, in the order of the calls.

    Args:
        messages: The messages to look at, oldest first.
    """
    answers: dict[str | None, ToolMessage] = {}
    calls = []
    for message in messages:
        if isinstance(message, ToolMessage):
            answers.setdefault(message.tool_call_id, message)
        elif isinstance(message, AIMessage):
            calls += message.tool_calls
    return [AnsweredCall(call["name"], call["args"], answers[call["id"]]) for call in calls if call["id"] in answers]


def operand_value(operand: Operand, results: Sequence[int | float]) -> int | float:
    """Return the number of an operand: the user's own, or the one a tool returned.

    Args:
        operand: An operand of a plan.
        results: What the operations before it returned.
    """
    return results[operand.step] if isinstance(operand, Result) else operand


def next_operation(turn: Turn) -> Operation | None:
    """Return the first operation of the plan that has not been called; ``None`` if all have.

    Args:
        turn: The present question.
    """
    done = turn.operations_done()
    return turn.plan.operations[len(done)] if len(done) < len(turn.plan.operations) else None


def _goes_on(before: Sequence[BaseMessage], text: str, formats: Sequence[OfferedSchema]) -> bool:
    """Return whether a human message without an expression belongs to the turn before it."""
    previous = next((message for message in reversed(before) if not isinstance(message, SystemMessage)), None)
    if isinstance(previous, ToolMessage):
        return _called_name(before, previous) in ARITHMETIC_TOOLS | {VALIDATE}
    if isinstance(previous, AIMessage) and not previous.tool_calls:
        return bool(formats) and (not _is_json_object(previous.text) or _is_about_format(text, formats))
    return previous is not None


def _called_name(messages: Sequence[BaseMessage], answer: ToolMessage) -> str | None:
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return next((call["name"] for call in reversed(calls) if call["id"] == answer.tool_call_id), answer.name)


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _is_about_format(text: str, formats: Sequence[OfferedSchema]) -> bool:
    """Return whether a message after a complete answer complains about it, and is no new question."""
    names = {"json", *(name for schema in formats for name in (schema.name, *(field.name for field in schema.fields)))}
    return any(name.lower() in text.lower() for name in names)
