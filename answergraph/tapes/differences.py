"""Differences between what a tape holds and what a run does, for a person."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, Literal

from answergraph.tapes.redaction import is_same

What = Literal["message", "tool", "schema", "setting", "outcome", "field"]

_SCHEMAS = ("response_format", "text_format", "format", "text")


@dataclass(frozen=True)
class Difference:
    """Where a run first goes another way."""

    step: int
    """The number of the model call, from 1; for an outcome or a field that of the last one."""
    what: What
    field: str | None
    """The path of the field, the number of the message, or the name of the tool or setting."""
    text: str
    """A readable difference."""


class TapeMismatch(AssertionError):  # noqa: N818 - the name that pytest shows; it is a failed assertion
    """A run asks for something else than its tape holds."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(f"Model call {difference.step} is not the recorded one. {difference.text}")
        self.difference = difference


def first_difference(step: int, recorded: Mapping[str, Any], live: Mapping[str, Any]) -> Difference | None:
    """Return the first difference of two requests: in the tools, the schema, another setting, or a message."""
    ours, theirs = _tools_of(recorded), _tools_of(live)
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        if not is_same(ours.get(name), theirs.get(name)):
            return Difference(step, "tool", name, _shown(f"The tool {name!r}", ours.get(name), theirs.get(name)))
    if list(ours) != list(theirs):
        moved = next(name for name, other in zip(ours, theirs, strict=True) if name != other)
        return Difference(step, "tool", moved, _shown("The order of the tools", list(ours), list(theirs)))
    # A tape of an earlier version does not know what its model was given.
    own = live.get("model_settings", {}) if "model_settings" in recorded else {}
    one, other = {**recorded.get("model_settings", {}), **recorded["settings"]}, {**own, **live["settings"]}
    for name in sorted({*one, *other} - {"tools"}):
        if not is_same(one.get(name), other.get(name)):
            what: What = "schema" if name in _SCHEMAS else "setting"
            return Difference(step, what, name, _shown(f"The setting {name!r}", one.get(name), other.get(name)))
    if recorded.get("model") != live.get("model"):
        return Difference(step, "setting", "model", _shown("The model", recorded.get("model"), live.get("model")))
    return next(_of_messages(step, recorded["messages"], live["messages"]), None)


def difference_of_ends(step: int, recorded: Mapping[str, Any], live: Mapping[str, Any]) -> Difference | None:
    """Return the first difference of two ends of a run, each with ``outcome`` and ``answer``."""
    one, other = (end.get("outcome") or {} for end in (recorded, live))
    if one.get("status") != other.get("status"):
        endings = [f"{end.get('status')}: {end.get('reason')}" for end in (one, other)]
        return Difference(step, "outcome", None, _shown("The outcome", *endings))
    ours, theirs = dict(_leaves("", recorded.get("answer"))), dict(_leaves("", live.get("answer")))
    for path in [*ours, *(path for path in theirs if path not in ours)]:
        if not is_same(ours.get(path), theirs.get(path)):
            return Difference(step, "field", path, _shown(f"The field {path!r}", ours.get(path), theirs.get(path)))
    fields, live_fields = one.get("fields") or {}, other.get("fields") or {}
    for path in [*fields, *(path for path in live_fields if path not in fields)]:
        stands = [(end.get(path) or {}).get("status") for end in (fields, live_fields)]
        if stands[0] != stands[1]:
            return Difference(step, "field", path, _shown(f"What stands behind the field {path!r}", *stands))
    return None


def _tools_of(request: Mapping[str, Any]) -> dict[str, object]:
    tools = request["settings"].get("tools") or []
    return {str(tool.get("function", tool).get("name") or tool.get("type")): tool for tool in tools}


def _of_messages(step: int, recorded: list[Any], live: list[Any]) -> Iterator[Difference]:
    for number in range(max(len(recorded), len(live))):
        one, other = (messages[number] if number < len(messages) else None for messages in (recorded, live))
        if not is_same(one, other):
            yield Difference(step, "message", str(number + 1), _shown(f"Message {number + 1}", one, other))


def _leaves(path: str, value: Any) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, each in value.items():
            yield from _leaves(f"{path}.{key}" if path else str(key), each)
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from _leaves(f"{path}[{index}]", each)
    else:
        yield path, value


def _shown(subject: str, recorded: Any, live: Any) -> str:
    if recorded is None:
        return f"{subject} is not on the tape: {_lines(live)}"
    if live is None:
        return f"{subject} is on the tape only: {_lines(recorded)}"
    lines = unified_diff(_lines(recorded).splitlines(), _lines(live).splitlines(), "on the tape", "now", lineterm="", n=1)
    return "\n".join([f"{subject} differs:", *lines])


def _lines(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
