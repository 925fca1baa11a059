"""How deep an answer may be for a validator to say in bounded time what is wrong with it.

Whether an answer fits is found fast (``is_valid``). What is wrong with one (``iter_errors``, ``validate``) is found by asking
every member of every union, and again inside each of them: where a union recurs, twice as many per level, or worse. An answer
deeper than this is better refused without the reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from answergraph.response_format.untrusted.schema_positions import Position, positions

MAX_SCHEMAS_ASKED = 1_000
"""Schemas that may be asked on the way to one value of the answer; they take less than a second together."""

MAX_EXPLAINED_DEPTH = 64
"""The depth where counting ends; answers that deep are rare, and validators have a limit of their own."""


def explained_depth(schema: Mapping[str, Any]) -> int:
    """Return how many objects and lists may lie in each other in an answer whose errors are asked for.

    Example:
        >>> explained_depth({"type": "object", "properties": {"a": {"type": "string"}}})
        64
    """
    found = {position.pointer: position for position in positions(schema)}
    beside = {pointer: _asked_with(position, found) for pointer, position in found.items()}
    order = _innermost_first(beside)
    inner = dict.fromkeys(found, 0)
    for depth in range(MAX_EXPLAINED_DEPTH):
        inner = _costs(found, beside, order, inner)
        if inner.get("#", MAX_SCHEMAS_ASKED + 1) > MAX_SCHEMAS_ASKED:
            return depth
    return MAX_EXPLAINED_DEPTH


def is_deeper(data: Any, most: int) -> bool:
    """Return whether more than some objects and lists lie in each other in an answer."""
    level = [data]
    for _ in range(most):
        level = [inner for each in level for inner in _parts(each)]
    return any(isinstance(each, dict | list) for each in level)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _asked_with(position: Position, found: Mapping[str, Position]) -> list[str]:
    target = unquote(str(position.schema.get("$ref", "")))
    return [*position.beside, target] if target in found else position.beside


def _innermost_first(beside: Mapping[str, list[str]]) -> list[str]:
    """Return each pointer after all that are asked with it; those that lead round are left out."""
    pending = {pointer: len(targets) for pointer, targets in beside.items()}
    users: dict[str, list[str]] = {pointer: [] for pointer in beside}
    for pointer, targets in beside.items():
        for target in targets:
            users[target].append(pointer)
    order = [pointer for pointer, count in pending.items() if not count]
    for pointer in order:
        for user in users[pointer]:
            pending[user] -= 1
            if not pending[user]:
                order.append(user)
    return order


def _costs(
    found: Mapping[str, Position], beside: Mapping[str, list[str]], order: list[str], inner: Mapping[str, int]
) -> dict[str, int]:
    """Return how many schemas each asks on the way to one value, from how many those a level deeper ask."""
    costs: dict[str, int] = {}
    for pointer in order:
        same = sum(costs[target] for target in beside[pointer])
        named = max((inner.get(each, 0) for each in found[pointer].named), default=0)
        shared = sum(inner.get(each, 0) for each in found[pointer].shared)
        costs[pointer] = min(1 + same + named + shared, MAX_SCHEMAS_ASKED + 1)
    return costs
