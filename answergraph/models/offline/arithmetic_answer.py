"""How the result of a calculation is put into words and into the fields of an answer schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from answergraph.models.in_process.schema_fields import SchemaField
from answergraph.models.offline.arithmetic_notation import SYMBOL_OF_TOOL
from answergraph.models.offline.arithmetic_turn import ArithmeticTurn, number_in
from answergraph.models.offline.offline_policy import AnsweredCall, OfferedSchema

VALIDATION_FIELD = "validation_result"

_RESULT_FIELDS = ("final_answer", "answer", "result", "value")
_DERIVATION_FIELDS = frozenset({"reasoning", "explanation", "derivation", "rationale", "justification", "steps", "working"})
_EXPRESSION_FIELDS = frozenset({"expression", "operation", "question"})


@dataclass(frozen=True)
class Filling:
    """The fields of an answer that can be filled, and the required ones that cannot."""

    values: Mapping[str, Any]
    missing: Sequence[str]


def written(number: int | float) -> str:
    """Return a number as a person would write it.

    Example:
        >>> written(391.0), written(257.25)
        ('391', '257.25')
    """
    return repr(number).removesuffix(".0")


def result_field(schema: OfferedSchema, *, by_name_only: bool = False) -> SchemaField | None:
    """Return the field that takes the result: one with a usual name, else the only required number."""
    numeric = {field.name: field for field in schema.fields if field.is_numeric}
    named = next((numeric[name] for name in _RESULT_FIELDS if name in numeric), None)
    if named or by_name_only:
        return named
    required = [field for field in numeric.values() if field.is_required]
    return required[0] if len(required) == 1 else None


def fill(schema: OfferedSchema, turn: ArithmeticTurn) -> Filling:
    """Fill an answer schema; optional fields for which there is nothing are left out."""
    target = result_field(schema)
    values: dict[str, Any] = {}
    missing: list[str] = []
    for field in schema.fields:
        candidates = [turn.value(turn.plan.result)] if field is target else _candidates(field.name, turn)
        fitting = [value for value in candidates if field.takes(value)]
        if fitting:
            values[field.name] = _as_integer(fitting[0]) if "number" not in field.types else fitting[0]
        elif field.is_required and "null" in field.types:
            values[field.name] = None
        elif field.is_required:
            missing.append(field.name)
    if target is None:
        missing.append("a field for the result")
    return Filling(values, missing)


def _candidates(field: str, turn: ArithmeticTurn) -> list[Any]:
    """Return what could go into a field that does not take the result, best first."""
    if field == VALIDATION_FIELD and turn.validation:
        text = turn.validation.text
        try:
            return [json.loads(text), text]
        except (ValueError, RecursionError):
            return [text]
    if field in _DERIVATION_FIELDS:
        return [_derivation(turn.done) or turn.plan.expression]
    return [turn.plan.expression] if field in _EXPRESSION_FIELDS else []


def _as_integer(value: Any) -> Any:
    """Return a whole float as an integer, for fields that take nothing else."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _derivation(done: Iterable[AnsweredCall]) -> str:
    return "; ".join(_step(call) for call in done)


def _step(call: AnsweredCall) -> str:
    operands = [written(value) for value in call.args.values() if isinstance(value, int | float)]
    number = number_in(call)
    return f"{f' {SYMBOL_OF_TOOL[call.name]} '.join(operands)} = {call.text if number is None else written(number)}"
