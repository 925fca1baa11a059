"""The arithmetic policy: one tool call per step, then the answer; every number comes from the user or from a tool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from answergraph.json_text.strict_json import load_json
from answergraph.offline.arithmetic_notation import SYMBOL_OF_TOOL, ExpressionError, Operation
from answergraph.offline.arithmetic_turn import OWN_TOOLS, VALIDATE, ArithmeticTurn, find_turn, number_in
from answergraph.offline.offline_policy import (
    AnsweredCall,
    OfferedSchema,
    OfflineRequest,
    SchemaField,
    decline,
    decline_all_but,
)

_VALIDATION_FIELD = "validation_result"
_RESULT_FIELDS = ("final_answer", "answer", "result", "value")
_DERIVATION_FIELDS = frozenset({"reasoning", "explanation", "derivation", "rationale", "justification", "steps", "working"})
_EXPRESSION_FIELDS = frozenset({"expression", "operation", "question"})
_VALIDATE_FIELDS = ("expected", "actual", "operation")
_OPERANDS = 2
_MAX_REASON_CHARACTERS = 200
_ABILITY = "work out one arithmetic expression, such as (17 × 23) - 4, with the tools add, subtract, multiply and divide"


def arithmetic(request: OfflineRequest) -> AIMessage:
    """Reply with the next arithmetic call, the answer, or the reason why there is none."""
    formats = _formats(request)
    try:
        turn = find_turn(request.messages, formats)
    except ExpressionError as error:
        return decline(f"I cannot read the arithmetic expression: {error}.")
    return _Calculation(request, formats, turn).reply() if turn else decline_all_but(_ABILITY)


@dataclass(frozen=True)
class _Calculation:
    """One question and the state of its calculation."""

    request: OfflineRequest
    formats: Sequence[OfferedSchema]
    turn: ArithmeticTurn

    def reply(self) -> AIMessage:
        if self.turn.failure:
            return decline(f"I cannot work out {self.turn.plan.expression}: {_failure(self.turn.failure)}.")
        if self.turn.remaining:
            return self._operate(self.turn.remaining)
        return self._validate() or self._answer()

    def _operate(self, remaining: Sequence[Operation]) -> AIMessage:
        """Call the next operation's tool, if all remaining operations can be called."""
        operation = remaining[0]
        missing = sorted({each.tool for each in remaining if not _operand_names(self.request.tools.get(each.tool))})
        if missing:
            return self._cannot(f"I have no tool {' and no tool '.join(missing)} for two numbers")
        if not self.request.tool_choice.allows(operation.tool):
            return self._cannot(f"the next step is a call of {operation.tool}, which is not allowed now")
        names = _operand_names(self.request.tools[operation.tool])
        values = map(self.turn.value, (operation.left, operation.right))
        return self.request.call(operation.tool, dict(zip(names, values, strict=True)))

    def _validate(self) -> AIMessage | None:
        """Call the validation once, if the answer has a field for it."""
        tool = self.request.tools.get(VALIDATE)
        wanted = any(_VALIDATION_FIELD in schema.field_names for schema in self.formats[:1])
        can_call = tool and tool.field_names.issuperset(_VALIDATE_FIELDS) and self.request.tool_choice.allows(VALIDATE)
        if not wanted or not can_call or self.turn.validation:
            return None
        result = self.turn.value(self.turn.plan.result)
        return self.request.call(VALIDATE, dict(zip(_VALIDATE_FIELDS, (result, result, self.turn.plan.expression), strict=True)))

    def _answer(self) -> AIMessage:
        """Return the result in the requested format, else as a sentence."""
        if not self.formats:
            plan = self.turn.plan
            return AIMessage(f"The result of {plan.expression} is {written(self.turn.value(plan.result))}.")
        fillings = [(schema, _fill(schema, self.turn)) for schema in self.formats]
        schema, filling = next(((schema, filling) for schema, filling in fillings if not filling.missing), fillings[0])
        if filling.missing:
            return decline(f"I cannot fill {schema.name}: I have nothing for {' and '.join(filling.missing)}.")
        return self.request.answer(schema, filling.values)

    def _cannot(self, reason: str) -> AIMessage:
        return decline(f"I cannot work out {self.turn.plan.expression}: {reason}, and I compute nothing myself.")


def _formats(request: OfflineRequest) -> list[OfferedSchema]:
    """Return the native format, or the callable answer tools, the most likely one first.

    A tool whose only number has an unusual name counts as an answer tool only if a call is forced.
    """
    if request.answer_format:
        return [request.answer_format]
    others = [tool for tool in request.formats if tool.name not in OWN_TOOLS]
    named = [tool for tool in others if _result_field(tool, by_name_only=True)]
    unnamed = [tool for tool in others if tool not in named and _result_field(tool)]
    return named + (unnamed if request.tool_choice.is_forced else [])


def _operand_names(tool: OfferedSchema | None) -> list[str]:
    """Return the names of the two numeric parameters; empty if the tool requires others."""
    fields = tool.fields if tool else ()
    names = [field.name for field in fields if field.is_numeric][:2]
    demanded = {field.name for field in fields if field.is_required}
    return names if len(names) == _OPERANDS and demanded.issubset(names) else []


def _failure(call: AnsweredCall) -> str:
    """Describe a failed call in a few words."""
    result = " ".join(call.text.split())[:_MAX_REASON_CHARACTERS].rstrip(".")
    return f"{call.name} failed: {result}" if call.failed else f"{call.name} returned {result!r}, which I cannot read as a number"


@dataclass(frozen=True)
class _Filling:
    """The filled fields of an answer, and the missing required ones."""

    values: Mapping[str, object]
    missing: Sequence[str]


def written(number: int | float) -> str:
    """Return a number as a person would write it: ``391`` for ``391.0``."""
    return repr(number).removesuffix(".0")


def _result_field(schema: OfferedSchema, *, by_name_only: bool = False) -> SchemaField | None:
    """Return the field for the result: one with a usual name, else the only required number."""
    numeric = {field.name: field for field in schema.fields if field.is_numeric}
    named = next((numeric[name] for name in _RESULT_FIELDS if name in numeric), None)
    if named or by_name_only:
        return named
    required = [field for field in numeric.values() if field.is_required]
    return required[0] if len(required) == 1 else None


def _fill(schema: OfferedSchema, turn: ArithmeticTurn) -> _Filling:
    """Fill an answer schema, without optional fields that have no value."""
    target = _result_field(schema)
    values: dict[str, object] = {}
    missing: list[str] = []
    for field in schema.fields:
        candidates = [turn.value(turn.plan.result)] if field is target else _candidates(field.name, turn)
        fitting = [value for value in candidates if field.takes(value)]
        if fitting:
            value = fitting[0]
            # A whole float becomes an integer for a field that accepts no other number.
            is_whole = isinstance(value, float) and value.is_integer() and "number" not in field.types
            values[field.name] = int(value) if is_whole else value
        elif field.is_required and "null" in field.types:
            values[field.name] = None
        elif field.is_required:
            missing.append(field.name)
    if target is None:
        missing.append("a field for the result")
    return _Filling(values, missing)


def _candidates(field: str, turn: ArithmeticTurn) -> list[Any]:
    """Return candidates for a field other than the result, best first."""
    if field == _VALIDATION_FIELD and turn.validation:
        text = turn.validation.text
        loaded = load_json(text)
        return [text] if loaded is None else [loaded, text]
    if field in _DERIVATION_FIELDS:
        return ["; ".join(map(_step, turn.done)) or turn.plan.expression]
    return [turn.plan.expression] if field in _EXPRESSION_FIELDS else []


def _step(call: AnsweredCall) -> str:
    operands = [written(value) for value in call.args.values() if isinstance(value, int | float)]
    number = number_in(call)
    return f"{f' {SYMBOL_OF_TOOL[call.name]} '.join(operands)} = {call.text if number is None else written(number)}"
