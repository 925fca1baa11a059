"""The arithmetic policy: one tool call per step, then the answer, out of what the tools returned.

It computes nothing. A number in a reply is one the user wrote or a tool returned; where a tool is missing or fails, the
reply says so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolCall

from answergraph.models.offline.arithmetic_answer import VALIDATION_FIELD, Findings, derivation, fill, result_field, written
from answergraph.models.offline.arithmetic_notation import ExpressionError, Operation
from answergraph.models.offline.arithmetic_turn import (
    ARITHMETIC_TOOLS,
    VALIDATE,
    AnsweredCall,
    Turn,
    find_turn,
    next_operation,
    operand_value,
)
from answergraph.models.offline.offline_policy import OfferedSchema, OfflineRequest, decline

_VALIDATE_FIELDS = ("expected", "actual", "operation")
_OPERANDS = 2
_REASON_CHARACTERS = 200
_OWN_TOOLS = ARITHMETIC_TOOLS | {VALIDATE}


class ArithmeticPolicy:
    """Works out one arithmetic expression with the tools add, subtract, multiply, divide and validate_calculation."""

    ability = "work out one arithmetic expression, such as (17 × 23) - 4, with the tools add, subtract, multiply and divide"

    def reply(self, request: OfflineRequest) -> AIMessage | None:
        """Return the next call, the answer, or a sentence that says why there is none.

        Args:
            request: The conversation and what is bound.

        Returns:
            The next message; ``None`` if the last question holds no expression.
        """
        formats = _formats(request)
        try:
            turn = find_turn(request.messages, formats)
        except ExpressionError as error:
            return decline(f"I cannot read the arithmetic expression: {error}.")
        return _Calculation(request, formats, turn).reply() if turn else None


@dataclass(frozen=True)
class _Calculation:
    """One question, and how far its calculation has come."""

    request: OfflineRequest
    formats: Sequence[OfferedSchema]
    turn: Turn

    def reply(self) -> AIMessage:
        failed = self._failed()
        if failed:
            return decline(f"I cannot work out {self.turn.plan.expression}: {_failure(failed)}.")
        operation = next_operation(self.turn)
        if operation:
            return self._operate(operation)
        return self._validate() or self._answer()

    def _failed(self) -> AnsweredCall | None:
        """Return the operation that came back without a number, or the validation that failed."""
        for call in self.turn.operations_done():
            if call.number is None:
                return call
        validation = self.turn.validation()
        return validation if validation and validation.answer.status == "error" else None

    def _operate(self, operation: Operation) -> AIMessage:
        """Call the tool of the next operation, if it and all that follow can be called."""
        done = self.turn.operations_done()
        remaining = {operation.tool for operation in self.turn.plan.operations[len(done) :]}
        missing = sorted(name for name in remaining if not _operand_names(self.request.tools.get(name)))
        if missing:
            return self._cannot(f"I have no tool {' and no tool '.join(missing)} for two numbers")
        if not self.request.tool_choice.allows(operation.tool):
            return self._cannot(f"the next step is a call of {operation.tool}, which is not allowed now")
        results = self.turn.results()
        values = (operand_value(operation.left, results), operand_value(operation.right, results))
        return self._call(operation.tool, dict(zip(_operand_names(self.request.tools[operation.tool]), values, strict=True)))

    def _validate(self) -> AIMessage | None:
        """Call the validation once, if the answer asks for its result and it can be called."""
        wanted = any(field.name == VALIDATION_FIELD for schema in self.formats[:1] for field in schema.fields)
        if not wanted or self.turn.validation() or not self._can_validate():
            return None
        result = self._findings().result
        values = (result, result, self.turn.plan.expression)
        return self._call(VALIDATE, dict(zip(_VALIDATE_FIELDS, values, strict=True)))

    def _can_validate(self) -> bool:
        tool = self.request.tools.get(VALIDATE)
        names = {field.name for field in tool.fields} if tool else set()
        return names.issuperset(_VALIDATE_FIELDS) and self.request.tool_choice.allows(VALIDATE)

    def _answer(self) -> AIMessage:
        """Give the result in the form that was asked for; without one, in a sentence."""
        findings = self._findings()
        if not self.formats:
            return AIMessage(f"The result of {findings.expression} is {written(findings.result)}.")
        fillings = [(schema, fill(schema, findings)) for schema in self.formats]
        schema, filling = next(((schema, filling) for schema, filling in fillings if not filling.missing), fillings[0])
        if filling.missing:
            return decline(f"I cannot fill {schema.name}: I have nothing for {' and '.join(filling.missing)}.")
        if schema is self.request.answer_format:
            return AIMessage(json.dumps(filling.values, ensure_ascii=False))
        return self._call(schema.name, dict(filling.values))

    def _findings(self) -> Findings:
        done = self.turn.operations_done()
        plan = self.turn.plan
        result = operand_value(plan.result, self.turn.results())
        return Findings(plan.expression, result, derivation(done) or plan.expression, self.turn.validation())

    def _call(self, name: str, args: dict[str, Any]) -> AIMessage:
        return AIMessage("", tool_calls=[ToolCall(name=name, args=args, id=_new_call_id(self.request))])

    def _cannot(self, reason: str) -> AIMessage:
        return decline(f"I cannot work out {self.turn.plan.expression}: {reason}, and I compute nothing myself.")


def _formats(request: OfflineRequest) -> list[OfferedSchema]:
    """Return the native format, or the answer tools that may be called, the most telling first.

    A tool whose only sign is a lone number might be anything; it counts as an answer tool only where a call is demanded.
    """
    if request.answer_format:
        return [request.answer_format]
    choice = request.tool_choice
    others = [tool for name, tool in request.tools.items() if name not in _OWN_TOOLS and choice.allows(name)]
    named = [tool for tool in others if result_field(tool, by_name_only=True)]
    unnamed = [tool for tool in others if tool not in named and result_field(tool)]
    return named + (unnamed if choice.is_forced else [])


def _operand_names(tool: OfferedSchema | None) -> list[str]:
    """Return the names of the two numeric parameters; none if the tool demands anything else."""
    fields = tool.fields if tool else ()
    names = [field.name for field in fields if field.is_numeric][:2]
    demanded = {field.name for field in fields if field.is_required}
    return names if len(names) == _OPERANDS and demanded.issubset(names) else []


def _failure(call: AnsweredCall) -> str:
    """Return in a few words what went wrong with a call."""
    said = " ".join(call.text.split())[:_REASON_CHARACTERS].rstrip(".")
    if call.answer.status == "error":
        return f"{call.name} failed: {said}"
    return f"{call.name} returned {said!r}, which is no number I can read"


def _new_call_id(request: OfflineRequest) -> str:
    """Return a call id this conversation does not have; the same conversation always gets the same one."""
    calls = [call for message in request.messages if isinstance(message, AIMessage) for call in message.tool_calls]
    taken = {call["id"] for call in calls}
    number = len(calls) + 1
    while f"offline_{number}" in taken:
        number += 1
    return f"offline_{number}"
