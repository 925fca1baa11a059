"""Reads a reply of the text protocol as an action, a final answer, or an error.

``docs/react.md`` lists the differences from the classic parser. Errors use the classic wording.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from answergraph.json_text.json_in_text import end_of_thoughts, find_json
from answergraph.react_text.protocol_labels import (
    Label,
    input_end,
    is_action,
    labels_in,
    marked_answer,
    unfenced,
    without_inventions,
)
from answergraph.react_text.text_tool import TextTool, UnreadableInputError
from answergraph.reading.call_forms import names_called, with_unknown
from answergraph.reading.text_calls import find_text_calls
from answergraph.state.messages import NO_VALID_TOOL

MISSING_ACTION = "Invalid Format: Missing 'Action:' after 'Thought:'"
MISSING_INPUT = "Invalid Format: Missing 'Action Input:' after 'Action:'"
BROKEN_CALL = "Invalid Format: the arguments of {name} are cut, or no JSON object"
UNKNOWN_TOOL = f"{{name}} {NO_VALID_TOOL}, try one of [{{names}}]."
EXCEPTION = "_Exception"
"""The classic name for a reply that could not be read."""

_DECORATION = " \t\r\n\"'`*[]()<>.:"
_CALL = re.compile(r"\s*(?P<name>[\w.-]+)[ \t]*(?:\((?P<round>.*)\)|\[(?P<square>.*)\])\s*", re.DOTALL)
_NO_ACTION = re.compile(r"(none|n/a|nothing|no (action|tool)|not (needed|necessary|required))\b", re.IGNORECASE)
_JSON_ACTIONS = frozenset({("action", "action_input"), ("tool", "tool_input")})
MAX_LABEL_CHARACTERS = 40
"""Maximum length of a label in other words."""
_TOOL_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


@dataclass(frozen=True)
class Action:
    """The model calls a tool."""

    log: str
    """The text up to the end of the input."""
    name: str
    args: dict[str, object]


@dataclass(frozen=True)
class FinalAnswer:
    """The model gives its answer."""

    text: str


@dataclass(frozen=True)
class Unreadable:
    """A reply to be sent back."""

    log: str
    feedback: str  # the problem, as sent to the model
    name: str = EXCEPTION
    """The named action, if it is a valid tool name."""
    args: str = ""
    is_format_error: bool = True
    """Whether ``handle_parsing_errors`` applies; an unknown tool is always sent back."""


ReActReading = Action | FinalAnswer | Unreadable


def read_reply(text: str, tools: Sequence[TextTool], *, formatted: bool = False) -> ReActReading:
    """Read what a model wrote after ``Thought:``, in linear time; if ``formatted``, JSON without a label is the final answer."""
    text = without_inventions(text)
    labels = labels_in(text)
    known = {tool.name: tool for tool in tools}
    first = next((index for index, label in enumerate(labels) if label.kind in ("action", "answer")), None)
    if first is None:
        return _read_unlabelled(text, known, formatted=formatted)
    if labels[first].kind == "answer" and (reading := _read_other_labels(text[: labels[first].start], known)) is not None:
        return reading
    answers = [index for index, label in enumerate(labels) if label.kind == "answer"]
    if answers and (first == answers[0] or _declines(text, labels, first)):
        answer = _answer(text, labels[answers[0] :])
        first = next((index for index in range(answers[0], len(labels)) if is_action(labels, index)), first)
        if answer or labels[first].kind == "answer":
            return FinalAnswer(answer)
    if not is_action(labels, first):
        end = labels[first + 1].start if first + 1 < len(labels) else len(text)
        return _read_without_input(text[labels[first].end : end], _cut(text, end), known, formatted=formatted)
    return _read_action(text, labels, first, known)


def thought_in(text: str) -> str:
    first = next((label for label in labels_in(text) if label.kind in ("action", "answer")), None)
    return text if first is None else text[: first.start].rstrip()


def _read_unlabelled(text: str, tools: Mapping[str, TextTool], *, formatted: bool) -> ReActReading:
    if end_of_thoughts(text) == len(text):
        return Unreadable(text, MISSING_ACTION, args=text)
    if (action := _called(text, text, tools)) is not None:
        return action
    if (reading := _read_other_forms(text, tools, formatted=formatted)) is not None:
        return reading
    # An object needs a closing brace; repairing thousands of open ones is slow.
    findings = find_json(text) if "}" in text or formatted else []
    is_object = len(findings) == 1 and isinstance(findings[0].data, dict) and findings[0].origin != "prose"
    if is_object or (formatted and findings):
        return FinalAnswer(text.strip())
    if (answer := marked_answer(text)) is not None:
        return FinalAnswer(answer)
    return Unreadable(text, MISSING_ACTION, args=text)


def _declines(text: str, labels: Sequence[Label], index: int) -> bool:
    end = labels[index + 1].start if index + 1 < len(labels) else len(text)
    return _NO_ACTION.match(text[labels[index].end : end].strip(_DECORATION)) is not None


def _answer(text: str, labels: Sequence[Label]) -> str:
    """Return the last answer before any action, without an invented next round."""
    actions = [index for index in range(len(labels)) if is_action(labels, index)]
    before = labels[: actions[0]] if actions else labels
    last = max(index for index, label in enumerate(before) if label.kind == "answer")
    end = labels[actions[0]].start if actions else len(text)
    following = before[last + 1 :]
    invented = [label.start for label in following if label.kind == "thought" and actions]
    invented += [a.start for a, b in pairwise(following) if (a.kind, b.kind) == ("question", "thought")]
    return text[before[last].end : min([end, *invented])].strip()


def _read_action(text: str, labels: Sequence[Label], index: int, tools: Mapping[str, TextTool]) -> ReActReading:
    name, label = text[labels[index].end : labels[index + 1].start], labels[index + 1]
    end = labels[index + 2].start if index + 2 < len(labels) else len(text)
    closed = input_end(text, label.end)
    # If text follows a fence or an object, all of it is the input.
    stop = closed if closed is not None and not text[closed:end].strip() else end
    return _act(name, unfenced(text[label.end : stop].strip()), _cut(text, end), tools)


def _act(name: str, text: str, log: str, tools: Mapping[str, TextTool], *, is_call: bool = False) -> ReActReading:
    bare = name.strip(_DECORATION)
    if bare.casefold() == "final answer":
        return FinalAnswer(text)
    if not bare:
        return Unreadable(log, MISSING_ACTION, args=log)
    tool = _named(name, tools)
    if tool is None:
        known = bare if _TOOL_NAME.fullmatch(bare) else EXCEPTION
        feedback = UNKNOWN_TOOL.format(name=name.strip(), names=", ".join(tools))
        return Unreadable(log, feedback, known, text, is_format_error=False)
    try:
        return Action(log, tool.name, tool.call_arguments(text) if is_call else tool.arguments(text))
    except UnreadableInputError as error:
        return Unreadable(log, str(error), tool.name, text)


def _read_without_input(text: str, log: str, tools: Mapping[str, TextTool], *, formatted: bool) -> ReActReading:
    """Read an action without ``Action Input:``: ``tool(input)``, JSON, or a tool without required arguments."""
    tool = _named(text, tools)
    call = _CALL.fullmatch(text)
    if call is not None and tool is not None:
        return _act(tool.name, call["round"] or call["square"] or "", log, tools, is_call=True)
    if tool is not None and not tool.required:
        return Action(log, tool.name, {})
    if (action := _called(text, log, tools)) is not None:
        return action
    # The label may be part of the form.
    if (reading := _read_other_forms(f"Action: {text.lstrip()}", tools, formatted=formatted)) is not None:
        return replace(reading, log=log) if isinstance(reading, Action | Unreadable) else reading
    # If JSON is requested, some models write the answer as an action.
    is_answer = formatted and any(isinstance(item.data, dict) for item in find_json(text))
    return FinalAnswer(text.strip()) if is_answer else Unreadable(log, MISSING_INPUT, args=log)


def _called(text: str, log: str, tools: Mapping[str, TextTool]) -> Action | Unreadable | None:
    """Return the first call of a text that calls a tool: a reply has one action, and none behind one that cannot be done."""
    orders = {name: tuple(tool.parameters) for name, tool in tools.items()}
    calls = find_text_calls(text, with_unknown(orders, names_called(text))).calls
    if not any(call.name in tools and call.args is not None for call in calls):
        return None
    name, args = calls[0]
    if name not in tools:
        return Unreadable(log, UNKNOWN_TOOL.format(name=name, names=", ".join(tools)), name, log, is_format_error=False)
    if args is None:
        return Unreadable(log, BROKEN_CALL.format(name=name), args=log)
    return Action(log, name, tools[name].with_texts(args))


def _read_other_forms(text: str, tools: Mapping[str, TextTool], *, formatted: bool) -> ReActReading | None:
    """Read an action in JSON, a call in its own line, or an action with other labels."""
    values = [item.data for item in find_json(text)] if "}" in text else []
    keys = {tuple(each) if isinstance(each, dict) else None for each in values}
    if len(keys) == 1 and keys <= _JSON_ACTIONS:
        name, value = values[0].values()
        if not isinstance(name, str) or (formatted and not _named(name, tools) and name.casefold() != "final answer"):
            return None
        return _act(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), text, tools)
    lines = text.rstrip().split("\n")
    if (call := _CALL.fullmatch(lines[-1].strip("` "))) is not None and call["name"] in tools:
        return _act(call["name"], call["round"] or call["square"] or "", text, tools, is_call=True)
    return _read_other_labels(text, tools)


def _read_other_labels(text: str, tools: Mapping[str, TextTool]) -> ReActReading | None:
    """Read two lines with any short labels: a tool's exact name, then its input."""
    lines = text.rstrip().split("\n")
    for index, (line, following) in enumerate(pairwise(lines)):
        label, _, name = line.replace("：", ":").partition(":")
        input_label, colon, tool_input = following.replace("：", ":").partition(":")
        if name.strip(_DECORATION) in tools and colon and max(len(label), len(input_label)) <= MAX_LABEL_CHARACTERS:
            return _act(name, tool_input.strip("* "), "\n".join(lines[: index + 2]), tools)
    return None


def _named(text: str, tools: Mapping[str, TextTool]) -> TextTool | None:
    """Return the tool that a text names, ignoring case and decoration."""
    name = text.strip()
    candidates = [name, name.strip(_DECORATION), name.split("\n", 1)[0].strip(_DECORATION)]
    if call := _CALL.fullmatch(name):
        candidates.append(call["name"])
    for candidate in candidates:
        if candidate in tools:
            return tools[candidate]
    for candidate in candidates:
        alike = [tool for tool in tools.values() if tool.name.casefold() == candidate.casefold()]
        if len(alike) == 1:
            return alike[0]
    return None


def _cut(text: str, end: int) -> str:
    return text if not text[end:].strip() else text[:end].rstrip()
