"""The depth of an answer up to which a validator can explain errors in bounded time.

Whether an answer fits is found fast (``is_valid``). To explain errors (``iter_errors``, ``validate``) a validator asks every
member of every union, and again inside each of them: where a union is recursive, twice as many per level, or worse. A deeper
answer is refused without an explanation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from answergraph.response_format.untrusted.schema_positions import Position, dependencies_first, positions

MAX_SCHEMAS_ASKED = 1_000
"""Maximum schemas on the path to a value; they take less than a second."""
MAX_EXPLAINED_DEPTH = 64
"""The depth at which counting ends; validators have their own limit."""


def explained_depth(schema: Mapping[str, Any]) -> int:
    """Return the depth of objects and lists up to which the errors of an answer can be explained.

    A schema that refers to itself without a step counts as 0.
    """
    found = {position.pointer: position for position in positions(schema)}
    beside = {pointer: _asked_with(position, found) for pointer, position in found.items()}
    order = dependencies_first(beside)
    inner = dict.fromkeys(found, 0)
    for depth in range(MAX_EXPLAINED_DEPTH):
        inner = _costs(found, beside, order, inner)
        if inner.get("#", MAX_SCHEMAS_ASKED + 1) > MAX_SCHEMAS_ASKED:
            return depth
    return MAX_EXPLAINED_DEPTH


def _asked_with(position: Position, found: Mapping[str, Position]) -> list[str]:
    target = unquote(str(position.schema.get("$ref", "")))
    return [*position.beside, target] if target in found else position.beside


def _costs(
    found: Mapping[str, Position], beside: Mapping[str, list[str]], order: list[str], inner: Mapping[str, int]
) -> dict[str, int]:
    """Return the number of schemas visited per value; ``inner`` has the counts one level deeper."""
    costs: dict[str, int] = {}
    for pointer in order:
        same = sum(costs[target] for target in beside[pointer])
        named = max((inner.get(each, 0) for each in found[pointer].named), default=0)
        shared = sum(inner.get(each, 0) for each in found[pointer].shared)
        costs[pointer] = min(1 + same + named + shared, MAX_SCHEMAS_ASKED + 1)
    return costs
