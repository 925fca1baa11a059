"""Canonical JSON, to detect repeated answers, and short quotes for reasons."""

import json
from collections.abc import Mapping

MAX_QUOTED_CHARACTERS = 200
"""Characters of a reply quoted in a reason."""


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_QUOTED_CHARACTERS else f"{line[:MAX_QUOTED_CHARACTERS]} …"


def canonical_json(data: object) -> str:
    """Return the same text for equal JSON: keys sorted, ``1`` and ``1.0`` as one number."""
    try:
        return json.dumps(_comparable(data), sort_keys=True, default=repr)
    except RecursionError:
        # Nested too deeply to compare: equal to nothing else.
        return f"<{id(data)}>"


def _comparable(data: object) -> object:
    if isinstance(data, Mapping):
        return {str(key): _comparable(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_comparable(item) for item in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data
